"""Does a cluster still hold the values of a training whose chief starts again?

Variables live on parameter servers, and workers go on while the chief is away. To restore the last
checkpoint then would undo their steps, and a gradient that a worker has sent would be added to
values that it does not belong to. So the chief, once it has restored or initialised the Variables,
notes the incarnations of the servers in the folder of the checkpoints: numbers that are new
whenever a server starts. As long as they are the same, all Variables have values, and the global
step is not below that of the last checkpoint, these values are kept. The note is removed when a
training ends normally.
"""
from __future__ import annotations

import json
import os
from contextlib import suppress

from tinyflow.formats.wire import files
from tinyflow.formats.wire.checkpoint_v1 import reader_of
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import OpError
from tinyflow.train.checkpoints.incarnations import incarnations
from tinyflow.train.training_util import get_global_step

__all__ = ['forget_living_values', 'has_living_values', 'note_living_values']

_FILE = 'training.servers'


def note_living_values(session, folder):
    """Notes that the Variables of a cluster's session belong to the training in `folder`.

    Not in a folder that cannot be written to, from which one may still restore.
    """
    servers = incarnations(session)
    if servers and os.path.isdir(folder):
        with suppress(OSError, OpError):
            files.write_atomically(os.path.join(folder, _FILE), json.dumps(servers))


def forget_living_values(folder):
    """Removes the note: the next training in `folder` begins with its last checkpoint."""
    files.remove(os.path.join(folder, _FILE))


def has_living_values(session, folder, prefix, have_values):
    """True if the values that the session finds are those of the training in `folder`.

    `prefix` is its last checkpoint, None if there is none; `have_values()` says whether all
    Variables have one.
    """
    # The values come first: the incarnation of a task is known once it has answered.
    noted = _noted(folder)
    if not noted or not have_values() or noted != incarnations(session):
        return False
    with session.graph.as_default():
        step = get_global_step()
    if step is None:
        return False
    now, then = int(session.run(step)), 0 if prefix is None else _step_of(prefix, step)
    if then is None or now < then:
        return False
    logging.info('The tasks of the cluster have kept their values: the training goes on at step '
                 '%d%s.', now, f', and {prefix} is not restored' if prefix else '')
    return True


def _noted(folder):
    """{device: incarnation} of the note; None if there is none that can be read."""
    try:
        with open(os.path.join(folder, _FILE), encoding='utf-8') as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def _step_of(prefix, step):
    """The global step in a checkpoint, None if it has none."""
    try:
        with reader_of(prefix) as reader:
            return int(reader.get(step.op.name))
    except (OpError, KeyError):
        return None
