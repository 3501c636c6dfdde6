"""Does a cluster still hold the values of a training whose chief starts again?

Variables live on parameter servers, and workers go on while the chief is away. To restore the last
checkpoint then would undo their steps. With each checkpoint the chief notes the incarnations of the
servers, numbers that are new whenever one starts. If they are the same, all Variables have values,
and the global step is not below that of the checkpoint, the values are kept.
"""
from __future__ import annotations

from tinyflow.formats.wire.checkpoint_v1 import reader_of
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import DataLossError, OpError
from tinyflow.train.checkpoints.exact_resume import read_state, resume_file
from tinyflow.train.checkpoints.incarnations import incarnations
from tinyflow.train.training_util import get_global_step

__all__ = ['has_living_values']


def has_living_values(session, prefix, have_values):
    """True if the values that the session finds are those of the training that saved `prefix`.

    `have_values()` says whether all Variables have one.
    """
    try:
        state = read_state(resume_file(prefix))
    except DataLossError:
        return False
    noted = (state or {}).get('incarnations')
    # The values come first: the incarnation of a task is known once it has answered.
    if not noted or not have_values() or noted != incarnations(session):
        return False
    with session.graph.as_default():
        step = get_global_step()
    if step is None:
        return False
    now, then = int(session.run(step)), _step_of(prefix, step)
    if then is None or now < then:
        return False
    logging.info('The tasks of the cluster have kept their values: the training goes on at step '
                 '%d, and %s is not restored.', now, prefix)
    return True


def _step_of(prefix, step):
    """The global step in a checkpoint, None if it has none."""
    try:
        with reader_of(prefix) as reader:
            return int(reader.get(step.op.name))
    except (OpError, KeyError):
        return None
