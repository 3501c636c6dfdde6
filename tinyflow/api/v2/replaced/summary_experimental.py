"""tf.summary.experimental: the step of summaries that name none."""
from __future__ import annotations

from tinyflow.train.summary.from_ops import default

__all__ = ['get_step', 'set_step']


def get_step():
    """The step of summaries that name none, or None."""
    return default.step


def set_step(step):
    """Sets the step of summaries that name none: a number or a Variable."""
    default.step = step
