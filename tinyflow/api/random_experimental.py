"""tf.random.experimental: generators of random numbers whose state is a Variable."""
from tinyflow.api.generators.generator import (
    Generator,
    get_global_generator,
    set_global_generator,
)
from tinyflow.api.generators.states import create_rng_state
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['Generator', 'create_rng_state', 'get_global_generator', 'set_global_generator']

__getattr__ = _explain_missing('tinyflow.random.experimental', __all__)
