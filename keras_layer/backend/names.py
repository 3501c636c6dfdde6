"""Unique names of layers and models."""
from __future__ import annotations

from keras_layer.backend.graph_state import graph_state

__all__ = ['get_uid', 'reset_uids', 'unique_object_name']


def get_uid(prefix=''):
    """How often this was asked for `prefix` in the graph, this time included."""
    uses = graph_state().uses
    uses[prefix] += 1
    return uses[prefix]


def reset_uids():
    """Names of layers count from the start again."""
    graph_state().uses.clear()


def unique_object_name(name, zero_based=False):
    """`name`, with the next free number of this graph behind it: dense, dense_1, dense_2."""
    number = get_uid(name) - (1 if zero_based else 0)
    return f'{name}_{number}' if number else name
