"""Resumes training exactly: checkpoints with the state of random numbers and input iterators.

TensorFlow's checkpoint holds Variables only: training that continues from it draws other dropout
masks and batches. Next to `model.ckpt-300` this writes `model.ckpt-300.resume`, with the positions
of the Session's random streams and of its iterators, so that a run which was interrupted and
continued gives the same bits as one that was not. Training that ended normally leaves none: as in
TensorFlow, the next one reads its input from the start. TensorFlow ignores the file, and a
checkpoint without one restores as usual. The format is in tinyflow/data/runtime/state_bytes.py.
"""
from __future__ import annotations

import os

from tinyflow.data.runtime.state_bytes import decode, encode
from tinyflow.formats.wire import files
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import DataLossError, NotFoundError, OpError
from tinyflow.train.hooks.checkpoints import CheckpointSaverListener
from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['ResumeHook', 'ResumeListener', 'resume_file', 'save_positions', 'restore_positions']

_SUFFIX = '.resume'


def resume_file(prefix):
    """The name of the file that belongs to the checkpoint `prefix`."""
    return prefix + _SUFFIX


def save_positions(session, prefix, step):
    """Writes the positions of `session` for the checkpoint `prefix`; returns the states that cannot
    be saved. It is written before the checkpoint, which becomes valid only when it is complete.
    """
    positions, lost = session.positions()
    state = {'global_step': int(step), 'positions': positions, 'replicas': _own_values(session)}
    files.write_atomically(resume_file(prefix), encode(state))
    return lost


def _own_values(session):
    """{name: [value of each replica]} of Variables whose mean or sum is in the checkpoint."""
    return {v.name: session.variable_values(v.components) for v in _own_to_replicas(session)}


def _own_to_replicas(session):
    return [v for v in session.graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            if getattr(v, 'keeps_own_values', False)]


def restore_positions(session, prefix, step):
    """Restores the positions of the checkpoint in `session`; False if none were saved.

    Raises DataLossError for a damaged file.
    """
    path = resume_file(prefix)
    if not os.path.exists(path):
        return False
    with open(path, 'rb') as file:
        data = file.read()
    try:
        state = decode(data)
        positions, saved_step = state['positions'], state['global_step']
    except (OpError, KeyError, TypeError) as error:
        raise DataLossError(
            None, None, f'{path} is damaged: {getattr(error, "message", error)}\n  Hint: delete '
            'it; the training then continues from the checkpoint with other random numbers '
            'and its input from the start.') from None
    if saved_step != int(step):
        return False
    session.set_positions(positions)
    for variable in _own_to_replicas(session):
        values = state.get('replicas', {}).get(variable.name, ())
        # With another number of replicas, each keeps its share of the checkpoint's value.
        if len(values) == len(variable.components):
            session.set_variable_values([(part, value) for part, value
                                         in zip(variable.components, values) if value is not None])
    return True


class ResumeListener(CheckpointSaverListener):
    """Writes the positions with every checkpoint that a CheckpointSaverHook saves.

    `prefix_of(step)` gives the checkpoint's prefix.
    """

    def __init__(self, prefix_of):
        self._prefix_of = prefix_of
        self._logged = False

    def before_save(self, session, global_step_value):
        lost = save_positions(session, self._prefix_of(int(global_step_value)), global_step_value)
        if lost and not self._logged:
            self._logged = True
            logging.info('A training continued from these checkpoints will not repeat every bit: '
                         '%s', '; '.join(f'{name}: {why}' for name, why in sorted(lost.items())))

    def end(self, session, global_step_value):
        """After a normal end, the next training reads its input from the start."""
        files.remove(resume_file(self._prefix_of(int(global_step_value))))


class ResumeHook(SessionRunHook):
    """Restores the positions of a session that was restored from a checkpoint.

    It must be the first hook: iterators created later continue at their position, and checkpoints
    of the other hooks already include it. `checkpoint_of()` returns the prefix.
    """

    def __init__(self, checkpoint_of, global_step):
        self._checkpoint_of, self._global_step = checkpoint_of, global_step

    def after_create_session(self, session, coord):
        prefix = self._checkpoint_of()
        if prefix is None:
            return
        step = session.run(self._global_step)
        try:
            if restore_positions(session, prefix, step):
                logging.info('Random numbers and input continue at the positions of %s.', prefix)
        except NotFoundError:           # an input file is missing: its node reports it
            return
