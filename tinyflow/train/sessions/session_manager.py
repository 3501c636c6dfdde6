"""SessionManager: makes a Session whose Variables are restored or initialised.

In a cluster the chief restores or initialises, and other tasks wait until it has. Values live on
the parameter servers, and outlive the chief: one that starts again goes on with them where they
are those of its own training (checkpoints/living_values.py).
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import errors, logging
from tinyflow.graph.support.errors import misuse
from tinyflow.session.session import Session
from tinyflow.train.checkpoints.checkpoint_state import state_for_training
from tinyflow.train.checkpoints.living_values import (
    forget_living_values,
    has_living_values,
    note_living_values,
)
from tinyflow.train.sessions.polling import Wait

__all__ = ['SessionManager']


class SessionManager:
    """Makes Sessions that are ready to be used.

        session = tf.train.SessionManager().prepare_session('', init_op, saver, checkpoint_dir)

    `local_init_op` is run in every new Session, once `ready_for_local_init_op` gives no names;
    `ready_op` gives the names of uninitialised Variables. `restored_from` is the checkpoint that
    the last Session came from, None if there was none. If the state file of a directory is damaged
    or missing, the newest whole checkpoint is restored instead of starting over, and none of the
    old ones is deleted (checkpoint_state.py). ValueError for a ready_for_local_init_op without a
    local_init_op.
    """

    def __init__(self, local_init_op=None, ready_op=None, ready_for_local_init_op=None, graph=None,
                 recovery_wait_secs=30, local_init_run_options=None, nan_check=False):
        self._graph = get_default_graph() if graph is None else graph
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._nan_check = nan_check
        self.restored_from = None
        if ready_for_local_init_op is not None and local_init_op is None:
            raise misuse(ValueError(
                'If you pass a ready_for_local_init_op you must also pass a local_init_op , '
                f'ready_for_local_init_op [{ready_for_local_init_op}]'))

    # ---- creating a Session --------------------------------------------------------------

    def prepare_session(self, master, init_op=None, saver=None, checkpoint_dir=None,
                        checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                        max_wait_secs=7200, config=None, init_feed_dict=None, init_fn=None):
        """A Session restored from the latest checkpoint; or initialised, if there is none.

        To initialise is to run `init_op` with `init_feed_dict` and to call `init_fn(session)`.
        RuntimeError if Variables have no value afterwards, or there is no way to initialise
        them; ValueError for both a directory and a path of a checkpoint.
        """
        session, restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint,
            max_wait_secs, config)
        try:
            if not restored:
                self._initialize(session, init_op, init_feed_dict, init_fn)
            if master and checkpoint_dir:
                note_living_values(session, checkpoint_dir)
            self._check_ready(session, init_op, init_fn)
        except BaseException:
            session.close()
            raise
        return session

    def recover_session(self, master, saver=None, checkpoint_dir=None,
                        checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                        max_wait_secs=7200, config=None):
        """(Session, True) if a checkpoint gave values to all, else (Session, False)."""
        session, restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint,
            max_wait_secs, config)
        local_done, message = self._try_run_local_init_op(session)
        if not restored:
            return session, False
        source = checkpoint_dir or checkpoint_filename_with_path
        if not local_done:
            logging.info('Restoring model from %s did not make model ready for local init: %s',
                         source, message)
            return session, False
        ready, message = is_ready(self._ready_op, session, 'Model not ready')
        if not ready:
            logging.info('Restoring model from %s did not make model ready: %s', source, message)
            return session, False
        logging.info('Restored model from %s', source)
        return session, True

    def wait_for_session(self, master, config=None, max_wait_secs=float('inf')):
        """A Session of a model that another task initialises. DeadlineExceededError if none does.

        It asks after 0.1 seconds, then after twice the time, up to 1 and `recovery_wait_secs`. A
        Session of this process (`master` is '') has its own Variables, which no other can
        initialise: if some have no value the error is raised immediately.
        """
        wait = Wait(max_wait_secs, min(_LONGEST_WAIT, self._recovery_wait_secs))
        while True:
            session = Session(master, graph=self._graph, config=config, nan_check=self._nan_check)
            try:
                ready, message, local_message = self._all_ready(session)
            except BaseException:
                session.close()
                raise
            if ready:
                return session
            session.close()
            in_vain = not master and _UNINITIALIZED in f'{message} {local_message}'
            if in_vain or not wait.is_left():
                raise errors.DeadlineExceededError(None, None, _not_ready(
                    max_wait_secs, message or local_message, in_vain))
            logging.info('Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s',
                         local_message, message)
            wait.sleep('the chief (the task with is_chief=True) to initialise or restore the '
                       f'model: {message or local_message}'
                       + self._other_graph(message or local_message))

    def _other_graph(self, message):
        """A hint, if the chief has initialised some Variables of this graph but not all."""
        missing = set(message.removeprefix(_UNINITIALIZED).split(', '))
        ready = [v.op.name for v in self._graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
                 if v.op.name not in missing]
        if not ready or not message.startswith(_UNINITIALIZED):
            return ''
        return (f'; {ready[0]} has a value.\n  Hint: Variables are shared by name: all workers '
                'must build the same graph and have the same list of ps tasks.')

    def _all_ready(self, session):
        """(whether it is, why not, why the local initialisation did not run)."""
        local_done, local_message = self._try_run_local_init_op(session)
        if not local_done:
            return False, None, local_message
        ready, message = is_ready(self._ready_op, session, 'Model not ready')
        return ready, message, local_message

    # ---- steps ---------------------------------------------------------------------------

    def _restored(self, master, saver, checkpoint_dir, path, wait, max_wait_secs, config):
        """(Session, whether a checkpoint was restored)."""
        if checkpoint_dir and path:
            raise misuse(ValueError('Can not provide both checkpoint_dir and '
                                    'checkpoint_filename_with_path.'))
        self.restored_from = None
        session = Session(master, graph=self._graph, config=config, nan_check=self._nan_check)
        try:
            return session, self._restore(session, master, saver, checkpoint_dir, path,
                                          max_wait_secs if wait else 0)
        except BaseException:
            session.close()
            raise

    def _restore(self, session, master, saver, checkpoint_dir, path, max_wait_secs):
        """True if a checkpoint was restored, or the values that the cluster has are newer."""
        if not saver or not (checkpoint_dir or path):
            return False
        if path:
            saver.restore(session, path)
            self.restored_from = path
            return True
        state = self._checkpoint_state(checkpoint_dir, max_wait_secs)
        prefix = None if state is None else state.model_checkpoint_path
        living = master and has_living_values(session, checkpoint_dir, prefix,
                                              lambda: self._has_values(session))
        if master and not living:
            forget_living_values(checkpoint_dir)    # until all of them have other values
        if prefix and not living:
            saver.restore(session, prefix)
            self.restored_from = prefix
        if prefix:
            saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return living or prefix is not None

    def _has_values(self, session):
        """True if all that is initialised once for all tasks is."""
        check = self._ready_op if self._ready_for_local_init_op is None \
            else self._ready_for_local_init_op
        return check is not None and is_ready(check, session, 'Model not ready')[0]

    def _checkpoint_state(self, directory, max_wait_secs):
        """The state file of a directory that has a checkpoint; None after `max_wait_secs`."""
        wait = Wait(max_wait_secs, self._recovery_wait_secs, self._recovery_wait_secs)
        while True:
            state = state_for_training(directory)
            if state and state.model_checkpoint_path:
                return state
            if not wait.is_left():
                return None
            logging.info('Waiting for checkpoint to be available.')
            wait.sleep(f'a checkpoint in {directory}')

    def _initialize(self, session, init_op, init_feed_dict, init_fn):
        if init_op is None and not init_fn and self._local_init_op is None:
            raise misuse(RuntimeError('Model is not initialized and no init_op or init_fn or '
                                      'local_init_op was given'))
        if init_op is not None:
            session.run(init_op, feed_dict=init_feed_dict)
        if init_fn:
            init_fn(session)

    def _check_ready(self, session, init_op, init_fn):
        done, message = self._try_run_local_init_op(session)
        if not done:
            raise misuse(RuntimeError(
                'Init operations did not make model ready for local_init.  Init op: '
                f'{_name_of(init_op)}, init fn: {init_fn}, error: {message}'))
        ready, message = is_ready(self._ready_op, session, 'Model not ready')
        if not ready:
            raise misuse(RuntimeError(
                f'Init operations did not make model ready.  Init op: {_name_of(init_op)}, init '
                f'fn: {init_fn}, local_init_op: {self._local_init_op}, error: {message}\n  Hint: '
                'Variables made in an init_fn, or after the Scaffold was finalized, need an '
                'init_op that initialises them; a checkpoint has to hold all of saver\'s list.'))

    def _try_run_local_init_op(self, session):
        """(True, None) if it ran or there is none; else (False, the reason)."""
        if self._local_init_op is None:
            return True, None
        ready, message = is_ready(self._ready_for_local_init_op, session,
                                'Model not ready for local init')
        if not ready:
            return False, message
        logging.info('Running local_init_op.')
        session.run(self._local_init_op, options=self._local_init_run_options)
        logging.info('Done running local_init_op.')
        return True, None


_UNINITIALIZED = 'Variables not initialized: '
_LONGEST_WAIT = 1.0         # seconds between two looks


def is_ready(op, session, what):
    """(True, None) if `op` gives no names of Variables without values; else (False, them)."""
    if op is None:
        return True, None
    try:
        names = session.run(op)
    except errors.FailedPreconditionError as error:
        if 'uninitialized' not in str(error):
            logging.warning('%s : error [%s]', what, error)
            raise
        return False, str(error)
    # Programs from before TensorFlow 1.0 have a ready_op of None or int32.
    if names is None or names.dtype == np.int32 or names.size == 0:
        return True, None
    return False, _UNINITIALIZED + ', '.join([name.decode('utf-8') for name in names])


def _not_ready(max_wait_secs, message, in_vain):
    text = f'Session was not ready after waiting {max_wait_secs:.0f} secs.' if \
        max_wait_secs not in (None, float('inf')) else 'Session was not ready.'
    if in_vain:
        return (f'{text} {message}\n  Hint: a Session has its own Variables here, which no other '
                'task can initialise; is_chief=True, or a ChiefSessionCreator, does it.')
    return f'{text} {message}'


def _name_of(obj):
    if obj is None:
        return 'None'
    return obj.name if hasattr(obj, 'name') else f'<no name for {type(obj)}>'
