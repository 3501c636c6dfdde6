"""SessionCreators: create the Session of a monitored session, and recreate it if it was lost."""
from __future__ import annotations

import abc

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.support.errors import abstract
from tinyflow.train.sessions.scaffold import Scaffold
from tinyflow.train.sessions.session_manager import SessionManager

__all__ = ['ChiefSessionCreator', 'SessionCreator', 'WorkerSessionCreator']


class SessionCreator(abc.ABC):
    """A factory of Sessions."""

    @abc.abstractmethod
    def create_session(self):
        """A new Session, ready to be used."""
        raise abstract(self)


class _ScaffoldCreator(SessionCreator):
    """Completes a Scaffold, and creates the Session by a SessionManager."""

    def __init__(self, scaffold, master, config, nan_check):
        self._scaffold = scaffold or Scaffold()
        self._session_manager = None
        self._master = master
        self._config = config
        self._nan_check = nan_check

    def _get_session_manager(self):
        if self._session_manager is None:
            self._session_manager = SessionManager(
                local_init_op=self._scaffold.local_init_op, ready_op=self._scaffold.ready_op,
                ready_for_local_init_op=self._scaffold.ready_for_local_init_op,
                graph=get_default_graph(), nan_check=self._nan_check)
        return self._session_manager


class ChiefSessionCreator(_ScaffoldCreator):
    """Makes Sessions from the latest checkpoint of `checkpoint_dir`, or initialised ones.

    `checkpoint_filename_with_path` names one checkpoint instead. With `nan_check` the Session
    reports the origin of a NaN; see tf.Session.
    """

    def __init__(self, scaffold=None, master='', config=None, checkpoint_dir=None,
                 checkpoint_filename_with_path=None, nan_check=False):
        super().__init__(scaffold, master, config, nan_check)
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path

    @property
    def restored_from(self):
        """The checkpoint that the last Session came from, None if it was initialised."""
        return self._session_manager and self._session_manager.restored_from

    def create_session(self):
        scaffold = self._scaffold.finalize()
        return self._get_session_manager().prepare_session(
            self._master, saver=scaffold.saver, checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config, init_op=scaffold.init_op,
            init_feed_dict=scaffold.init_feed_dict, init_fn=scaffold.init_fn)


class WorkerSessionCreator(_ScaffoldCreator):
    """Waits, at most `max_wait_secs`, for another task to initialise the model."""

    def __init__(self, scaffold=None, master='', config=None, max_wait_secs=30 * 60):
        super().__init__(scaffold, master, config, False)
        self._max_wait_secs = max_wait_secs

    def create_session(self):
        self._scaffold.finalize()
        return self._get_session_manager().wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs)
