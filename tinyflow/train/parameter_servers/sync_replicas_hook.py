"""The hook of SyncReplicasOptimizer: local steps, first tokens, the chief's thread."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse
from tinyflow.train.queues.queue_running import QueueRunner
from tinyflow.train.sessions.session_manager import is_ready
from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['ChiefRunner', 'SyncReplicasHook']


class ChiefRunner(QueueRunner):
    """The chief's thread, which at the end waits for gradients that do not come any more.

    So it is not waited for, as TensorFlow does for two minutes; the end of the Session ends it.
    """

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        threads = super().create_threads(sess, coord and _NotWaitedFor(coord), daemon, start)
        return threads[len(self.enqueue_ops):] if start else threads


class _NotWaitedFor:
    """A Coordinator that registers no threads."""

    def __init__(self, coord):
        self._coord = coord

    def __getattr__(self, name):
        return getattr(self._coord, name)

    def register_thread(self, thread):
        """Does nothing."""


class SyncReplicasHook(SessionRunHook):
    """Begins the training of a SyncReplicasOptimizer in each new Session.

    ValueError if its apply_gradients was not called; RuntimeError if Variables have no value.
    """

    def __init__(self, optimizer, is_chief, num_tokens):
        self._optimizer = optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens

    def begin(self):
        optimizer = self._optimizer
        if optimizer._runner is None:
            raise misuse(ValueError('SyncReplicasOptimizer.apply_gradient should be called before '
                                    'using the hook.'))
        self._first_tokens = self._runner = None
        self._init_op = optimizer.local_step_init_op
        if self._is_chief:
            self._init_op = optimizer.chief_init_op
            self._runner = optimizer.get_chief_queue_runner()
            self._first_tokens = optimizer.get_init_tokens_op(self._num_tokens)

    def after_create_session(self, session, coord):
        initialized, message = is_ready(self._optimizer.ready_for_local_init_op, session,
                                        'Model is not ready for SyncReplicasOptimizer local init.')
        if not initialized:
            raise misuse(RuntimeError(
                'Init operations did not make model ready for SyncReplicasOptimizer local_init. '
                f'Init op: {self._init_op.name}, error: {message}'))
        session.run(self._init_op)
        if self._is_chief:
            session.run(self._first_tokens)
            self._runner.create_threads(session, coord=coord, daemon=True, start=True)
