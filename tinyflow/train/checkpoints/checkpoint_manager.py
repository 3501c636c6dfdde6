"""CheckpointManager: numbers the checkpoints of a tf.train.Checkpoint and keeps the last ones."""
from __future__ import annotations

import os
import re
import time

from tinyflow.formats.wire import bundle_writer
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.stacks import session_for
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables.variable import init_scope
from tinyflow.ops.variables.variable_ops import IsVariableInitialized
from tinyflow.train.checkpoints.checkpoint_state import state_for_training, write_state

__all__ = ['CheckpointManager']


class CheckpointManager:
    """Saves `checkpoint` into `directory` and deletes all but the last `max_to_keep`.

    One for each `keep_checkpoint_every_n_hours` is kept nevertheless. A new manager of a
    directory continues with the existing checkpoints. If their state file is damaged or missing,
    `latest_checkpoint` is the newest whole one, and the old ones are not deleted. Raises ValueError
    for a `max_to_keep` below 1 (None keeps all), DataLossError if no checkpoint is whole.
    """

    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None,
                 checkpoint_name='ckpt'):
        if max_to_keep is not None and max_to_keep <= 0:
            raise misuse(ValueError('Expected a positive integer or `None` for `max_to_keep`, got '
                                    f'{max_to_keep}.'))
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._known = {}                    # prefix -> time, oldest first
        self._latest = None
        self._preserved = time.time() - 1
        self._count = None
        self._recover()

    def _recover(self):
        name = re.escape(os.path.basename(self._prefix))
        state = state_for_training(self._directory, rf'\A{name}-\d+\Z')
        if state is None:
            return
        now = time.time()
        self._latest = state.model_checkpoint_path
        if not state.all_model_checkpoint_paths:        # found by the files: nothing is deleted
            return
        self._preserved = min(state.last_preserved_timestamp, now)
        times = list(state.all_model_checkpoint_timestamps)
        paths = list(state.all_model_checkpoint_paths)
        for path, when in zip(paths, times or [self._preserved] * len(paths)):
            if min(when, now) > self._preserved:
                self._known[path] = min(when, now)

    @property
    def latest_checkpoint(self):
        """The prefix of the latest checkpoint, or None."""
        return self._latest

    @property
    def checkpoints(self):
        """The prefixes of the checkpoints that are kept, oldest first."""
        return list(self._known)

    def save(self, checkpoint_number=None):
        """Writes a numbered checkpoint and returns its prefix."""
        at_once = executing_eagerly()
        session = None if at_once else session_for(None, get_default_graph(),
                                                   'CheckpointManager.save')
        number = int(self._checkpoint.save_counter.assign_add(1)) if at_once \
            else self._next_number(session)
        number = number if checkpoint_number is None else int(checkpoint_number)
        path = self._checkpoint.write(f'{self._prefix}-{number}', session)
        self._known.pop(path, None)
        self._known[path] = time.time()
        self._latest = path
        self._record()                      # before anything is deleted
        self._sweep()
        self._record()
        return path

    def _next_number(self, session):
        counter = self._checkpoint.save_counter
        if self._count is None:
            with init_scope(), name_scope(None):
                self._count = counter.assign_add(1)
                known = IsVariableInitialized.apply(counter)
            if not session.run(known):
                session.run(counter.initializer)
        return int(session.run(self._count))

    def _record(self):
        write_state(self._directory, self._latest, self.checkpoints, None,
                    list(self._known.values()), self._preserved, relative=True)

    def _sweep(self):
        while self._max_to_keep and len(self._known) > self._max_to_keep:
            path = next(iter(self._known))
            when = self._known.pop(path)
            if self._keep_hours and when - self._keep_hours * 3600 >= self._preserved:
                self._preserved = when
                continue
            bundle_writer.remove(path)
