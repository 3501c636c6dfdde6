"""Unique names of layers and models."""
from __future__ import annotations

from keras_layer.backend.graph_state import graph_state

__all__ = ['get_uid', 'reset_uids', 'unique_object_name']


def get_uid(prefix=''):
    """Counts the calls with `prefix` in the graph: 1 for the first."""
    uses = graph_state().uses
    uses[prefix] += 1
    return uses[prefix]


def reset_uids():
    """Resets the counters of names."""
    graph_state().uses.clear()


def unique_object_name(name, zero_based=False):
    """`name` with the next free number of the graph: dense, dense_1, dense_2."""
    number = get_uid(name) - (1 if zero_based else 0)
    return f'{name}_{number}' if number else name
