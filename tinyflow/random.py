"""tf.random: random values by TensorFlow's newer names."""
from tinyflow.absent import absent
from tinyflow.graph.graph import set_random_seed
from tinyflow.ops.random import categorical, get_seed, multinomial
from tinyflow.ops.random import random_gamma as gamma
from tinyflow.ops.random import random_normal as normal
from tinyflow.ops.random import random_poisson as poisson
from tinyflow.ops.random import random_shuffle as shuffle
from tinyflow.ops.random import random_uniform as uniform
from tinyflow.ops.random import truncated_normal
from tinyflow.ops.stateless_random import (
    stateless_categorical, stateless_multinomial, stateless_normal, stateless_truncated_normal,
    stateless_uniform,
)

__all__ = [
    'categorical', 'gamma', 'get_seed', 'multinomial', 'normal', 'poisson', 'set_random_seed',
    'shuffle', 'stateless_categorical', 'stateless_multinomial', 'stateless_normal',
    'stateless_truncated_normal', 'stateless_uniform', 'truncated_normal', 'uniform',
]

__getattr__ = absent(__name__, __all__)
