"""FinalOpsHook: runs tensors and operations once, at the end."""
from __future__ import annotations

from tinyflow.graph.support import errors, logging
from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['FinalOpsHook']


class FinalOpsHook(SessionRunHook):
    """Runs `final_ops` at the end of the session and keeps their values in `final_ops_values`."""

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values = None

    @property
    def final_ops_values(self):
        """The values, None before the end."""
        return self._final_ops_values

    def end(self, session):
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(self._final_ops,
                                                 feed_dict=self._final_ops_feed_dict)
        except (errors.OutOfRangeError, StopIteration):
            logging.warning(
                'An OutOfRangeError or StopIteration exception is raised by the code in '
                'FinalOpsHook: its ops have a dependency back to some input source, which has '
                'ended. They should depend on Variables only: of a metric, fetch the value, and '
                'run its update op in the loop.')
            raise
