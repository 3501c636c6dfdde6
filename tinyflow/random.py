"""tf.random: random values by TensorFlow's newer names."""
from tinyflow.absent import absent as _absent
from tinyflow.graph.defaults import set_random_seed
from tinyflow.ops.random import (
    categorical,
    get_seed,
    multinomial,
    random_gamma as gamma,
    random_normal as normal,
    random_poisson as poisson,
    random_shuffle as shuffle,
    random_uniform as uniform,
    truncated_normal,
)
from tinyflow.ops.stateless_random import (
    stateless_categorical,
    stateless_multinomial,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)

__all__ = [
    'categorical', 'gamma', 'get_seed', 'multinomial', 'normal', 'poisson', 'set_random_seed',
    'shuffle', 'stateless_categorical', 'stateless_multinomial', 'stateless_normal',
    'stateless_truncated_normal', 'stateless_uniform', 'truncated_normal', 'uniform',
]

__getattr__ = _absent(__name__, __all__)
