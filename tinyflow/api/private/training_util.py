"""tensorflow.python.training.training_util: the global step, and the one tensor that reads it."""
from __future__ import annotations

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.support.errors import misuse
from tinyflow.train.training_util import (
    _READ as GLOBAL_STEP_READ_KEY,
    get_global_step as _get_global_step,
    global_step_read as _global_step_read,
)

__all__ = ['GLOBAL_STEP_READ_KEY']


def _get_global_step_read(graph=None):
    """The tensor that reads the global step, if it was made; None otherwise."""
    kept = (graph or get_default_graph()).get_collection(GLOBAL_STEP_READ_KEY)
    return kept[0] if kept else None


def _get_or_create_global_step_read(graph=None):
    """The tensor that reads the global step; None without a global step."""
    return _global_step_read(graph)


def _increment_global_step(increment, graph=None):
    """Adds to the global step, for those who use the tensor above."""
    step = _get_global_step(graph)
    if step is None:
        raise misuse(ValueError('Global step tensor should be created by '
                         'tf.train.get_or_create_global_step before calling increment.'))
    return step.assign_add(increment)
