"""tf.random.set_seed, generators, and functions of seeds."""
from __future__ import annotations

from tinyflow.api.generators.generator import (
    Generator,
    get_global_generator,
    set_global_generator,
)
from tinyflow.api.generators.seeds import fold_in, split, stateless_shuffle
from tinyflow.api.generators.stateless import (
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)
from tinyflow.api.generators.states import Algorithm, create_rng_state
from tinyflow.graph.defaults import set_random_seed

__all__ = ['Algorithm', 'Generator', 'create_rng_state', 'fold_in', 'get_global_generator',
           'set_global_generator', 'set_seed', 'split', 'stateless_fold_in', 'stateless_normal',
           'stateless_shuffle', 'stateless_split', 'stateless_truncated_normal',
           'stateless_uniform']

stateless_fold_in, stateless_split = fold_in, split         # of tf.random.experimental


def set_seed(seed):
    """Sets the global seed, on which all random ops depend that are made afterwards."""
    set_random_seed(seed)
