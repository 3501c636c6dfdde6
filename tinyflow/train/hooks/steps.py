"""Reads the global step for hooks."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse
from tinyflow.train.training_util import global_step_read

__all__ = ['step_for']


def step_for(hook):
    """The tensor that reads the default graph's global step; RuntimeError if there is none."""
    step = global_step_read()
    if step is None:
        raise misuse(RuntimeError(
            f'Global step should be created to use {hook}.\n  Hint: '
            'tf.train.get_or_create_global_step(), and optimizer.minimize(loss, '
            'global_step=tf.train.get_global_step()), which counts it.'))
    return step
