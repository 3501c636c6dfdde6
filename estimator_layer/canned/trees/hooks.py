"""Hooks of boosted trees: initialize the grower, stop when all trees are grown."""
from __future__ import annotations

import tinyflow as tf

__all__ = ['InitializeGrowerHook', 'StopWhenGrownHook']


class InitializeGrowerHook(tf.train.SessionRunHook):
    """Sets the accumulators to the stamp of the restored trees."""

    def __init__(self, init_op):
        self._init_op = init_op

    def after_create_session(self, session, coord):
        session.run(self._init_op)


class StopWhenGrownHook(tf.train.SessionRunHook):
    """Stops after n_trees trees, or after too many attempts to grow a layer."""

    def __init__(self, finalized_trees, attempted_layers, n_trees, max_depth):
        self._fetches = [finalized_trees, attempted_layers]
        self._n_trees, self._n_layers = n_trees, 2 * n_trees * max_depth

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._fetches)

    def after_run(self, run_context, run_values):
        trees, layers = run_values.results
        # The values may be from before the step; close to the end the current ones are needed.
        if trees >= self._n_trees - 1 or layers > self._n_layers - 1:
            trees, layers = run_context.session.run(self._fetches)
        if trees >= self._n_trees or layers > self._n_layers:
            run_context.request_stop()
