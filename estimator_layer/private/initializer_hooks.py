"""tensorflow.python.estimator.util: hooks that initialize datasets once there is a Session."""
from __future__ import annotations

from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['DistributedIteratorInitializerHook', 'MultiHostDatasetInitializerHook']


class MultiHostDatasetInitializerHook(SessionRunHook):
    """Runs the given initializers of datasets when the Session has been created."""

    def __init__(self, dataset_initializers):
        self._initializers = dataset_initializers

    def after_create_session(self, session, coord):
        """Runs them."""
        session.run(self._initializers)


class DistributedIteratorInitializerHook(SessionRunHook):
    """Initializes an iterator when the Session has been created."""

    def __init__(self, iterator):
        self._iterator, self._initializer = iterator, None

    def begin(self):
        """Makes the operation, while the graph may change."""
        self._initializer = self._iterator.initialize()

    def after_create_session(self, session, coord):
        """Runs it."""
        session.run(self._initializer)
