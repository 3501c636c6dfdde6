"""MonitoredSession: a Session with hooks, initialised, restored and closed automatically.

    with tf.train.MonitoredTrainingSession(checkpoint_dir='run', hooks=[...]) as sess:
        while not sess.should_stop():
            sess.run(train_op)
"""
from __future__ import annotations

import inspect
import os
from types import MethodType

from tinyflow.graph.defaults import get_collection, get_default_graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import errors, logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train.checkpoints.exact_resume import continue_exactly
from tinyflow.train.checkpoints.folder_lock import FolderLock, remove_leftovers
from tinyflow.train.hooks.checkpoints import CheckpointSaverHook
from tinyflow.train.queues.coordinator import Coordinator
from tinyflow.train.queues.queue_running import start_queue_runners
from tinyflow.train.sessions.hook_order import HookCalls
from tinyflow.train.sessions.hooked_session import (
    CoordinatedSession,
    HookedSession,
    RecoverableSession,
    StepContext as _StepContext,
)
from tinyflow.train.sessions.session_creators import ChiefSessionCreator, SessionCreator

__all__ = ['MonitoredSession', 'SingularMonitoredSession']

_END_OF_INPUT = (errors.OutOfRangeError, StopIteration)


class _MonitoredSession:
    """Base of both kinds: `should_recover` creates a new Session when one is lost.

    If a hook saves checkpoints, their folder is locked until the close (folder_lock.py).
    """

    def __init__(self, session_creator, hooks, should_recover, stop_grace_period_secs=120):
        self._graph_was_finalized = get_default_graph().finalized
        self._hooks = list(hooks or [])
        self._locks = _locked_folders(savers_of(self._hooks))
        try:
            for hook in self._hooks:
                hook.begin()
            self._coordinated_creator = _CoordinatedCreator(
                session_creator or ChiefSessionCreator(), self._hooks, stop_grace_period_secs)
            self._sess = RecoverableSession(self._coordinated_creator) if should_recover else \
                self._coordinated_creator.create_session()
        except BaseException:
            self._restore_graph()
            self._release_folders()
            raise
        logging.debug('Hooks, in the order in which they are called:\n%s', HookCalls(self._hooks))

    @property
    def graph(self):
        """The graph of the Session, None once it is closed."""
        session = self._tf_sess()
        return None if session is None else session.graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """As Session.run, with the hooks called before and after.

        RuntimeError after should_stop. An error closes nothing; leaving the `with` block does.
        """
        if self._sess is None:
            raise _closed()
        return self._sess.run(fetches, feed_dict, options, run_metadata)

    def run_step_fn(self, step_fn):
        """Calls ``step_fn(step_context)``, which runs several parts of a step.

        `step_context.session` runs without hooks, `step_context.run_with_hooks` with them, and
        `step_context.request_stop()` ends the loop. Returns what step_fn returns. ValueError if
        its only parameter has another name.
        """
        parameters = tuple(inspect.signature(step_fn).parameters)
        if isinstance(step_fn, MethodType):
            parameters = ('self', *parameters)
        if parameters not in (('step_context',), ('self', 'step_context')):
            raise misuse(ValueError(
                '`step_fn` may either have one `step_context` argument, or `self` and '
                "`step_context` arguments if it's an instance method. Got "
                f'{parameters} instead.'))
        if self._sess is None:
            raise _closed()
        return self._sess.run_step_fn(step_fn, self._tf_sess, None)

    StepContext = _StepContext

    def should_stop(self):
        """True once a hook or a thread has requested a stop, and after close."""
        return self._sess is None or self._sess.should_stop()

    def close(self):
        """Calls `end` of all hooks and closes the Session."""
        self._close_internal()

    def __enter__(self):
        return self

    def __exit__(self, exception_type, exception_value, traceback):
        if exception_type in _END_OF_INPUT:
            has_run = self._coordinated_creator.has_run()
            if exception_type is errors.OutOfRangeError and not has_run:
                logging.warning('The session made no steps. Perhaps input is empty or '
                                'misspecified.')
            exception_type = None
        self._close_internal(exception_type)
        return exception_type is None

    def _close_internal(self, exception_type=None):
        try:
            if not exception_type:
                for hook in self._hooks:
                    hook.end(self._coordinated_creator.tf_sess)
        finally:
            try:
                if self._sess is None:
                    raise _closed()
                self._sess.close()
            finally:
                self._sess = None
                self._coordinated_creator.tf_sess = None
                self._coordinated_creator.coord = None
                self._restore_graph()
                self._release_folders()

    def _release_folders(self):
        for lock in self._locks:
            lock.release()

    def _restore_graph(self):
        if not self._graph_was_finalized:
            get_default_graph()._unsafe_unfinalize()

    def _is_closed(self):
        return self._coordinated_creator.tf_sess is None

    def _tf_sess(self):
        """The Session itself; its values are lost when the monitored session recovers."""
        return self._coordinated_creator.tf_sess

    def explain(self):
        """The hooks in the order in which they are called, and the methods that each defines."""
        return HookCalls(self._hooks)

    _explained_by = explain


class _CoordinatedCreator(SessionCreator):
    """Makes a Session, starts its threads and calls the hooks."""

    def __init__(self, session_creator, hooks, stop_grace_period_secs):
        self._session_creator = session_creator
        self._hooks = hooks
        self._stop_grace_period_secs = stop_grace_period_secs
        self._hooked = None
        self.coord = None
        self.tf_sess = None

    def create_session(self):
        self.tf_sess = self._session_creator.create_session()
        # The end of the input closes the queue; it is not an error of the thread that fills it.
        self.coord = Coordinator(clean_stop_exception_types=[])
        try:
            # A SessionCreator of the user's own knows no checkpoint.
            continue_exactly(self.tf_sess, getattr(self._session_creator, 'restored_from', None),
                             savers_of(self._hooks))
            if get_collection(GraphKeys.QUEUE_RUNNERS):
                start_queue_runners(sess=self.tf_sess, coord=self.coord)
            for hook in self._hooks:
                hook.after_create_session(self.tf_sess, self.coord)
        except BaseException:
            self.coord.request_stop()
            self.tf_sess.close()
            raise
        self._hooked = HookedSession(self.tf_sess, self._hooks)
        return CoordinatedSession(self._hooked, self.coord, self._stop_grace_period_secs)

    def has_run(self):
        """True if a run has succeeded since the last Session was made."""
        return self._hooked is not None and self._hooked.has_run


def _locked_folders(savers):
    """The locks of the folders that checkpoints are saved in, cleared of what a kill left there."""
    locks: list[FolderLock] = []
    try:
        for folder in {os.path.realpath(s._checkpoint_dir) for s in savers}:
            locks.append(FolderLock(folder))
        if all(lock.is_first for lock in locks):
            for saver in savers:
                remove_leftovers(saver._save_path)
    except BaseException:
        for lock in locks:              # the traceback of the error refers to them
            lock.release()
        raise
    return locks


def savers_of(hooks):
    """The hooks that save checkpoints."""
    return [hook for hook in hooks if isinstance(hook, CheckpointSaverHook)]


def _closed():
    return misuse(RuntimeError(
        'Session is already closed.\n  Hint: a monitored session ends with its `with` block, or '
        'with close(); run such operations inside the block, or in the `end` of a '
        'hook.'))


class MonitoredSession(_MonitoredSession):
    """A Session with hooks that is recreated when it was lost.

    `session_creator` makes the Session, by default an initialised one. The hooks' `begin` are
    called before the graph is finalized, their `end` when the block is left without an error or by
    the end of the input. Its `with` block treats OutOfRangeError and StopIteration as the end.
    """

    _recovers = True

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        super().__init__(session_creator, hooks, should_recover=self._recovers,
                         stop_grace_period_secs=stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A Session with hooks that is not created again when it was lost: the error is raised."""

    def __init__(self, hooks=None, scaffold=None, master='', config=None, checkpoint_dir=None,
                 stop_grace_period_secs=120, checkpoint_filename_with_path=None):
        creator = ChiefSessionCreator(
            scaffold=scaffold, master=master, config=config, checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path)
        super().__init__(creator, hooks, should_recover=False,
                         stop_grace_period_secs=stop_grace_period_secs)

    def raw_session(self):
        """The Session itself; running it calls no hooks."""
        return self._tf_sess()
