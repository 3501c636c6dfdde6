"""Evaluation by several workers, each on its part of the input: their counts are added up."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.defaults import get_collection
from tinyflow.graph.keys import GraphKeys
from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['AddUpMetrics', 'agreed_checkpoint']


def agreed_checkpoint(strategy, path):
    """The checkpoint that worker 0 has found; '' if it has found none."""
    group = strategy.extended._group
    return group.broadcast_bytes((path or '').encode(), 'the checkpoint to evaluate').decode()


class AddUpMetrics(SessionRunHook):
    """Makes the Variables of the metrics the sums over all workers, when all have read their input.

    These are the counts in the collection METRIC_VARIABLES; the workers may have different numbers
    of batches.
    """

    def __init__(self, strategy):
        self._group = strategy.extended._group

    def begin(self):
        self._counts = get_collection(GraphKeys.METRIC_VARIABLES)

    def end(self, session):
        totals = []
        for variable, value in zip(self._counts, session.variable_values(self._counts)):
            total = np.ascontiguousarray(value).reshape(value.shape)
            self._group.all_reduce(total, total, what=f"the metric's Variable '{variable.name}'")
            totals.append((variable, total))
        session.set_variable_values(totals)
