"""LoggingTensorHook: values of tensors in the log."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train.hooks.timers import NeverTriggerTimer, SecondOrStepTimer
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['LoggingTensorHook']


class LoggingTensorHook(SessionRunHook):
    """Logs tensors at the first run and every `every_n_iter` runs or `every_n_secs` seconds.

    `tensors` is a dict {label: tensor or its name} or a list of tensors or names; `at_end` logs
    them at the end, too, or only then. `formatter` makes the text of a dict of values. Shown at
    verbosity INFO: ``tf.logging.set_verbosity(tf.logging.INFO)``.
    """

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False,
                 formatter=None):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise misuse(ValueError('either at_end and/or exactly one of every_n_iter and '
                                    'every_n_secs must be provided.'))
        if every_n_iter is not None and every_n_iter <= 0:
            raise misuse(ValueError(f'invalid every_n_iter={every_n_iter}.'))
        if isinstance(tensors, dict):
            self._tag_order = sorted(tensors)
        else:
            self._tag_order = tensors
            tensors = {item: item for item in tensors}
        self._tensors = tensors
        self._formatter = formatter
        self._timer = NeverTriggerTimer() if only_at_end else \
            SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
        self._log_at_end = at_end

    def begin(self):
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = {tag: as_graph_element(tensor)
                                 for tag, tensor in self._tensors.items()}
        self._request = SessionRunArgs(self._current_tensors)

    def before_run(self, run_context):
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return self._request if self._should_trigger else None

    def after_run(self, run_context, run_values):
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session):
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, tensor_values):
        seconds, _ = self._timer.update_last_triggered_step(self._iter_count)
        with np.printoptions(suppress=True):
            if self._formatter:
                logging.info(self._formatter(tensor_values))
                return
            values = ', '.join([f'{tag!s} = {tensor_values[tag]!s}' for tag in self._tag_order])
            if seconds is None:
                logging.info('%s', values)
            else:
                logging.info('%s (%.3f sec)', values, seconds)


def as_graph_element(obj):
    """The node of the default graph for `obj`; 'loss' is 'loss:0' if there is no 'loss:1'.

    ValueError for a node of another graph, and for a name of an operation with more outputs.
    """
    graph = get_default_graph()
    if not isinstance(obj, str):
        if getattr(obj, 'graph', None) is not graph:
            raise misuse(ValueError(f'Passed {obj} should have graph attribute that is equal to '
                                    f'current graph {graph}.'))
        return obj
    if ':' in obj:
        return graph.as_graph_element(obj)
    element = graph.as_graph_element(obj + ':0')
    if len(element.op.outputs) > 1:
        raise misuse(ValueError(f'Name {obj} is ambiguous, as this `Operation` has multiple '
                                'outputs (at least 2).'))
    return element
