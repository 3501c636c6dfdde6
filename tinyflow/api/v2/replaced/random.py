"""tf.random.set_seed."""
from __future__ import annotations

from tinyflow.graph.defaults import set_random_seed

__all__ = ['set_seed']


def set_seed(seed):
    """Sets the global seed, on which all random ops depend that are made afterwards."""
    set_random_seed(seed)
