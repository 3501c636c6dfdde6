"""Resumes training exactly: checkpoints with the state of random numbers and input iterators.

TensorFlow's checkpoint holds Variables only: training that continues from it draws other dropout
masks and batches. Next to `model.ckpt-300` a CheckpointSaverHook writes `model.ckpt-300.resume`,
with the positions of the Session's random streams and of its iterators and the values of local
Variables, so that a run which was interrupted and continued gives the same bits as one that was
not. Training that ended normally leaves none: as in TensorFlow, the next one reads its input from
the start. TensorFlow ignores the file, and a checkpoint without one restores as usual. What is
promised is in docs/resume.md; the format is in tinyflow/data/runtime/state_bytes.py.
"""
from __future__ import annotations

import os

import numpy as np

from tinyflow.data.runtime.state_bytes import check, decode, encode
from tinyflow.formats.wire import files
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import DataLossError, NotFoundError, OpError
from tinyflow.ops.control_flow.function_nodes import functions_of
from tinyflow.session.store import full_name
from tinyflow.train.checkpoints.incarnations import (
    begins_again,
    incarnations,
    updates_are_ordered,
)

__all__ = ['continue_exactly', 'nodes_with_positions', 'read_state', 'renamed_positions',
           'reported', 'restore_positions', 'resume_file', 'save_positions', 'session_state',
           'set_session_state', 'states_of_workers', 'write_state']

_SUFFIX = '.resume'
LARGEST = 256 << 20             # bytes of one position: a checkpoint should not take minutes


def resume_file(prefix):
    """The name of the file that belongs to the checkpoint `prefix`."""
    return prefix + _SUFFIX


def save_positions(session, prefix, step, state=None):
    """Writes the positions of `session` for the checkpoint `prefix`; returns the states that cannot
    be saved. It is written before the checkpoint, which becomes valid only when it is complete.

    `state` is what to write instead, with the positions of several workers.
    """
    if state is None:
        state = {'global_step': int(step), **session_state(session)}
        if incarnations(session) and not updates_are_ordered(session.graph):
            state['lost']['updates'] = ('the workers of a cluster update Variables in an order '
                                        'that does not repeat')
    write_state(resume_file(prefix), state)
    return state['lost']


def states_of_workers(prefix, step, count, savers):
    """The encoded state of each of `count` workers for the checkpoint `prefix`; [] if there is none
    for that number of workers. A session that does not save there has its own input.
    """
    if not prefix or not any(_same_folder(hook._checkpoint_dir, os.path.dirname(prefix))
                             for hook in savers):
        return []
    state = read_state(resume_file(prefix))
    if state is None or state['global_step'] != int(step) or not _of_workers(state, prefix, count):
        return []
    return [encode(state), *state['workers']]


def _of_workers(state, prefix, count):
    """True if `count` workers have saved the state; a warning otherwise."""
    saved = 1 + len(state.get('workers', ()))
    if saved != count:
        logging.warning('%s was saved by %d workers, and now there are %d: random numbers and '
                        'input start again.', prefix, saved, count)
    return saved == count


def session_state(session):
    """Plain data: what a checkpoint of Variables does not hold; 'lost' is what cannot be saved."""
    positions, lost = session.positions()
    for name in begins_again(session.graph):
        lost.pop(name, None)
    for name, position in list(positions.items()):
        why = _not_to_be_saved(position)
        if why:
            lost[name] = why
            del positions[name]
    return {'positions': positions, 'lost': lost, 'replicas': _own_values(session),
            'local variables': _local_values(session), 'programs': session.program_runs()}


def _not_to_be_saved(position):
    """Why a position cannot be saved; None if it can."""
    size = _bytes_in(position)
    if size > LARGEST:
        return (f'its buffers hold {size >> 20} MB; positions of more than {LARGEST >> 20} MB are '
                'not saved')
    try:
        check(position)
    except OpError as error:
        return error.message
    return None


def _bytes_in(value):
    """The size of the arrays in plain data."""
    if isinstance(value, dict):
        return sum(map(_bytes_in, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(_bytes_in, value))
    return getattr(value, 'nbytes', 0)


def write_state(path, state):
    """Writes plain data (state_bytes.py) atomically."""
    files.write_atomically(path, encode(state))


def _own_values(session):
    """{name: [value of each replica]} of Variables whose mean or sum is in the checkpoint."""
    return {v.name: session.variable_values(v.components) for v in _own_to_replicas(session)}


def _own_to_replicas(session):
    return [v for v in session.graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            if getattr(v, 'keeps_own_values', False)]


def _local_values(session):
    """{name: value} of local Variables: a count of epochs, the sums of a metric."""
    variables = _local_variables(session)
    return {v.name: value for v, value in zip(variables, session.variable_values(variables))
            if value is not None}


def _local_variables(session):
    return [v for v in session.graph.get_collection(GraphKeys.LOCAL_VARIABLES)
            if hasattr(v, 'op') and not hasattr(v, 'components')]


def read_state(path):
    """The data of `write_state`; None if there is no such file. DataLossError if it is damaged."""
    if not os.path.exists(path):
        return None
    with open(path, 'rb') as file:
        data = file.read()
    try:
        state = decode(data)
        state['positions'], state['global_step']
        return state
    except (OpError, KeyError, TypeError) as error:
        raise DataLossError(
            None, None, f'{path} is damaged: {getattr(error, "message", error)}\n  Hint: delete '
            'it; the training then continues from the checkpoint with other random numbers '
            'and its input from the start.') from None


def restore_positions(session, prefix, step):
    """Restores the positions of the checkpoint in `session`; False if none were saved.

    Raises DataLossError for a damaged file.
    """
    state = read_state(resume_file(prefix))
    if state is None or state['global_step'] != int(step) or not _of_workers(state, prefix, 1):
        return False
    set_session_state(session, state)
    if state.get('lost'):
        logging.warning('The training continues from %s, but not with the same bits: %s', prefix,
                        reported(state['lost']))
    return True


def set_session_state(session, state):
    """Restores `session_state`, with a warning about nodes that the graph does not have."""
    _say_missing(session.graph, state['positions'])
    session.set_positions(state['positions'])
    session.set_program_runs(state.get('programs', {}))
    for variable in _own_to_replicas(session):
        values = state.get('replicas', {}).get(variable.name, ())
        # With another number of replicas, each keeps its share of the checkpoint's value.
        if len(values) == len(variable.components):
            session.set_variable_values([(part, value) for part, value
                                         in zip(variable.components, values) if value is not None])
    saved = state.get('local variables', {})
    session.set_variable_values([(v, saved[v.name]) for v in _local_variables(session)
                                 if v.name in saved and _fits(v, saved[v.name])])


def nodes_with_positions(fetches):
    """[(name, type)] of the nodes with a position that `fetches` need, those inside functions too.

    The order is that of the structure: two models that are built alike have their nodes in the same
    order, whatever these are called.
    """
    found, seen = {}, set()
    stack = [getattr(fetch, 'op', fetch) for fetch in fetches]
    while stack:
        operation = stack.pop()
        if operation in seen:
            continue
        seen.add(operation)
        if operation.definition.state is not None:
            found[full_name(operation)] = operation.type
        for function in functions_of(operation):
            stack += [output.op for output in function.outputs]
        stack += operation.control_inputs
        stack += [tensor.op for tensor in operation.inputs]
    return list(found.items())


def renamed_positions(positions, before, now):
    """The positions of the nodes `before`, under the names that the same nodes have `now`.

    Both are of `nodes_with_positions`. Unchanged if they are not the same kinds of nodes.
    """
    if [kind for _, kind in before] != [kind for _, kind in now]:
        return positions
    names = {old: new for (old, _), (new, _) in zip(before, now)}
    others = {name: position for name, position in positions.items() if name not in names}
    return others | {names[name]: position for name, position in positions.items()
                     if name in names}


def _say_missing(graph, positions):
    """A warning about saved positions of nodes that the graph does not have."""
    functions, known = [graph], set()
    for function in functions:              # which grows
        for operation in function.get_operations():
            known.add(full_name(operation))
            functions += functions_of(operation)
    missing = sorted(set(positions) - known)
    if missing:
        logging.warning('The graph has no nodes of these names, whose positions were saved: %s. '
                        'What they are called now starts again.', ', '.join(missing))


def _fits(variable, value):
    return variable.dtype.base_dtype.as_numpy_dtype == value.dtype.type and \
        (variable.shape.is_compatible_with(np.shape(value)))


def reported(lost):
    """The states that cannot be saved, as text."""
    return '; '.join(f'{name}: {why}' for name, why in sorted(lost.items()))


def continue_exactly(session, prefix, savers):
    """Restores the positions of a session that was restored from the checkpoint `prefix`, if one of
    the CheckpointSaverHooks `savers` saves in the same folder.

    A session that does not save there evaluates: it has its own input. This comes before queue
    runners and other hooks, which may read input and save.
    """
    saver = prefix and next((hook for hook in savers
                             if _same_folder(hook._checkpoint_dir, os.path.dirname(prefix))), None)
    if not saver or not os.path.exists(resume_file(prefix)):
        return
    try:
        if restore_positions(session, prefix, session.run(saver._global_step_tensor)):
            logging.debug('Random numbers and input continue at the positions of %s.', prefix)
    except NotFoundError:           # an input file is missing: its node reports it
        return


def _same_folder(first, second):
    return os.path.realpath(first or '.') == os.path.realpath(second or '.')
