"""A checkpoint that also says where random numbers and inputs stood.

TensorFlow's checkpoint holds Variables only: a training that goes on from it draws its dropout and
its batches anew. Beside `model.ckpt-300` this writes `model.ckpt-300.resume`, with the positions
of the Session's streams of random numbers and of its iterators, so that a run which was
interrupted and continued gives the same bits as one that was not. A training that ended in good
order leaves none: as in TensorFlow, the next one reads its input from the start. TensorFlow does
not look at the file, and a checkpoint without one restores as ever. Its bytes are those of
tinyflow/pipeline/state_bytes.py.
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
    """The file beside a checkpoint."""
    return prefix + _SUFFIX


def save_positions(session, prefix, step):
    """Writes where `session` stands beside the checkpoint `prefix`; what cannot be saved, by name.

    It is written before the checkpoint, which only counts once all of it is there.
    """
    positions, lost = session.positions()
    state = {'global_step': int(step), 'positions': positions, 'replicas': _own_values(session)}
    files.write_atomically(resume_file(prefix), encode(state))
    return lost


def _own_values(session):
    """{name: [value of each replica]} of Variables of which the checkpoint has the mean or sum."""
    return {v.name: session.variable_values(v.components) for v in _own_to_replicas(session)}


def _own_to_replicas(session):
    return [v for v in session.graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            if getattr(v, 'keeps_own_values', False)]


def restore_positions(session, prefix, step):
    """Puts `session` to where it stood at the checkpoint; False if nothing says where that was.

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
            None, None, f'{path} is damaged: {getattr(error, "message", error)}\n  Mend: delete '
            'it; the training then goes on from the checkpoint with other random numbers and '
            'its input from the start.') from None
    if saved_step != int(step):
        return False
    session.set_positions(positions)
    for variable in _own_to_replicas(session):
        values = state.get('replicas', {}).get(variable.name, ())
        # Another number of replicas keeps its share of what the checkpoint itself has.
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
        self._told = False

    def before_save(self, session, global_step_value):
        lost = save_positions(session, self._prefix_of(int(global_step_value)), global_step_value)
        if lost and not self._told:
            self._told = True
            logging.info('A training continued from these checkpoints will not repeat every bit: '
                         '%s', '; '.join(f'{name}: {why}' for name, why in sorted(lost.items())))

    def end(self, session, global_step_value):
        """A training that ends in good order is over: the next one begins its input anew."""
        files.remove(resume_file(self._prefix_of(int(global_step_value))))


class ResumeHook(SessionRunHook):
    """Puts a session that was restored from a checkpoint to where it stood then.

    It is the first of the hooks: iterators that begin later go on at their place, and what the
    others save already has it. `checkpoint_of()` gives the prefix.
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
                logging.info('Random numbers and input go on where %s left them.', prefix)
        except NotFoundError:           # of a file of the input: the node that reads it tells
            return
