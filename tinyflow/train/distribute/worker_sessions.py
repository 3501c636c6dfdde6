"""Monitored sessions of several workers: all start from the same values and make the same runs.

Worker 0 has the usual hooks: it restores, saves, and writes summaries. The others take its values,
and take part in what it runs: a checkpoint and a summary may contain sums over all workers. Hooks
that act every few seconds go by worker 0's clock; a stop that one worker requests stops all.
"""
from __future__ import annotations

import numpy as np

from tinyflow.data.runtime.state_bytes import decode, encode
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.train.checkpoints import exact_resume
from tinyflow.train.checkpoints.checkpoint_state import state_for_training
from tinyflow.train.hooks.checkpoints import CheckpointSaverHook
from tinyflow.train.hooks.steps import step_for
from tinyflow.train.hooks.summaries import StepCounterHook, SummarySaverHook
from tinyflow.train.sessions.monitored_session import MonitoredSession, savers_of
from tinyflow.train.sessions.session_creators import SessionCreator
from tinyflow.train.sessions.session_manager import SessionManager
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['WorkersSession', 'session_of_all', 'share_values']


class WorkersSession(MonitoredSession):
    """A MonitoredSession that is not created again after an error: the others have gone on."""

    _recovers = False


def session_of_all(group, creator, hooks, stop_grace_period_secs=120):
    """The WorkersSession of this worker; `creator` and `hooks` are those of worker 0."""
    savers = savers_of(hooks)
    hooks = [_for_worker(hook, group) for hook in hooks]
    return WorkersSession(_SharedStart(creator, savers, group),
                          [hook for hook in hooks if hook is not None] + [_StopTogether(group)],
                          stop_grace_period_secs)


def _for_worker(hook, group):
    """The hook in this worker; None if only worker 0 has it."""
    timer = getattr(hook, '_timer', None)
    if getattr(timer, '_every_secs', None) is not None:
        hook._timer = _SharedTimer(timer, group)
    if isinstance(hook, CheckpointSaverHook):
        if group.rank:
            return _SavesAlong(hook, group)
        hook._workers = _Saves(group)
    elif group.rank and isinstance(hook, SummarySaverHook):
        hook._summary_writer = _NoWriter()
    elif group.rank and isinstance(hook, StepCounterHook):
        return None
    return hook


class _SharedTimer:
    """A timer that triggers on all workers when worker 0's does."""

    def __init__(self, timer, group):
        self._timer, self._group = timer, group

    def should_trigger_for_step(self, step):
        decision = np.array([self._timer.should_trigger_for_step(step)], np.int32)
        self._group.broadcast(decision, 'the clock of worker 0')
        return bool(decision[0])

    def __getattr__(self, name):
        return getattr(self._timer, name)


class _StopTogether(SessionRunHook):
    """Ends the loop on all workers after the run in which one has requested it."""

    def __init__(self, group):
        self._group = group

    def after_run(self, run_context, run_values):
        stop = np.array([run_context.stop_requested], np.int32)
        self._group.all_reduce(stop, stop, 'max', 'the end of a step')
        if stop[0]:
            run_context.request_stop()

    def end(self, session):
        # The others may look for the last checkpoint, which worker 0 has now written.
        self._group.barrier('the end of the training')


class _NoWriter:
    """In place of a FileWriter: worker 0 writes."""

    def __getattr__(self, name):
        return lambda *args, **kwargs: None


# ---- the start -----------------------------------------------------------------------------------


class _SharedStart(SessionCreator):
    """Makes a Session with the values of worker 0, which restores or initialises them."""

    restored_from = None        # positions are restored here, not by the monitored session

    def __init__(self, creator, savers, group):
        self._creator, self._savers, self._group = creator, savers, group

    def create_session(self):
        creator, group = self._creator, self._group
        scaffold = creator._scaffold.finalize()
        restoring = np.array([group.rank == 0 and _has_checkpoint(creator)], np.int32)
        group.broadcast(restoring, 'the start of the training')
        if group.rank == 0:
            session = creator.create_session()
        elif restoring[0]:
            session = self._manager(scaffold).prepare_session(
                '', config=creator._config, init_fn=lambda session: share_values(session, group))
        else:
            session = self._manager(scaffold).prepare_session(
                '', config=creator._config, init_op=scaffold.init_op,
                init_feed_dict=scaffold.init_feed_dict, init_fn=scaffold.init_fn)
        if group.rank == 0 or not restoring[0]:
            share_values(session, group)
        if restoring[0]:
            self._restore_positions(session)
        return session

    def _manager(self, scaffold):
        return SessionManager(
            local_init_op=scaffold.local_init_op, ready_op=scaffold.ready_op,
            ready_for_local_init_op=scaffold.ready_for_local_init_op)

    def _restore_positions(self, session):
        """Each worker continues at its own positions in the input and in random streams."""
        states = []
        if self._group.rank == 0 and self._savers:
            step = session.run(self._savers[0]._global_step_tensor)
            states = exact_resume.states_of_workers(
                self._creator.restored_from, step, self._group.size, self._savers)
        count = np.array([len(states)], np.int32)
        self._group.broadcast(count, 'the start of the training')
        for rank in range(int(count[0])):
            data = self._group.broadcast_bytes(states[rank] if states else b'',
                                               'the start of the training')
            if rank == self._group.rank:
                exact_resume.set_session_state(session, decode(data))


def _has_checkpoint(creator):
    if creator._checkpoint_filename_with_path:
        return True
    state = creator._checkpoint_dir and state_for_training(creator._checkpoint_dir)
    return bool(state and state.model_checkpoint_path)


def share_values(session, group):
    """Gives all workers worker 0's values of the global Variables."""
    variables = [part for v in session.graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
                 for part in getattr(v, 'components', (v,))]
    values = session.variable_values(variables) if group.rank == 0 else []
    plain = [None if value is None or value.dtype == object else
             [value.dtype.str, list(value.shape)] for value in values]
    odd = [value for value in values if value is not None and value.dtype == object]
    what = "worker 0's values of the Variables"
    plain, odd = decode(group.broadcast_bytes(encode([plain, odd]), what))
    given, odd = [], iter(odd)
    for number, (variable, known) in enumerate(zip(variables, plain)):
        if known is None:
            if variable.dtype.base_dtype.as_numpy_dtype == np.object_:
                given.append((variable, next(odd)))
            continue
        value = np.ascontiguousarray(values[number]) if group.rank == 0 else \
            np.empty(known[1], variable.dtype.base_dtype.as_numpy_dtype)
        group.broadcast(value, what)
        given.append((variable, value))
    if group.rank:
        session.set_variable_values(given)


# ---- checkpoints ---------------------------------------------------------------------------------


class _Saves:
    """What all workers do together before worker 0 writes a checkpoint."""

    def __init__(self, group):
        self._group = group

    def positions(self, session, step):
        """The state of exact_resume.py on worker 0, with those of the others; None elsewhere."""
        state = exact_resume.session_state(session)
        own = encode({'global_step': int(step), **state})
        found = self._group.all_gather_bytes(own, 'a checkpoint')
        return {'global_step': int(step), **state, 'workers': found[1:]}

    def with_sums(self, session, saver):
        """The Session to save from, in which sums over the workers are known already."""
        sums = _sums_saved(session.graph, saver)
        return _Known(session, dict(zip(sums, session.run(sums)))) if sums else session


def _sums_saved(graph, saver):
    """The tensors of a checkpoint that are sums over the workers, in order of creation."""
    name = getattr(getattr(saver, 'saver_def', None), 'save_tensor_name', None)
    left = [graph.as_graph_element(name).op] if name else []
    seen, found = set(), []
    while left:
        operation = left.pop()
        if operation in seen:
            continue
        seen.add(operation)
        if operation.type == 'CollectiveReduce':
            found.append(operation)
            continue
        left += [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)
    return [operation.outputs[0] for operation in sorted(found, key=lambda op: op.id)]


class _Known:
    """A Session, some of whose tensors have known values."""

    def __init__(self, session, values):
        self._session, self._values = session, values

    def run(self, fetches, feed_dict=None):
        return self._session.run(fetches, {**self._values, **(feed_dict or {})})

    def __getattr__(self, name):
        return getattr(self._session, name)


class _SavesAlong(SessionRunHook):
    """Takes part, on another worker, in the checkpoints that worker 0's hook saves."""

    def __init__(self, hook, group):
        self._hook, self._saves = hook, _Saves(group)
        self._timer = hook._timer

    def begin(self):
        self._global_step_tensor = step_for('CheckpointSaverHook')
        self._request = SessionRunArgs(self._global_step_tensor)

    def after_create_session(self, session, coord):
        step = session.run(self._global_step_tensor)
        self._take_part(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context):
        return self._request

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(
                int(run_values.results) + self._hook._steps_per_run):
            return
        step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            self._take_part(run_context.session, step)

    def end(self, session):
        step = session.run(self._global_step_tensor)
        if step != self._timer.last_triggered_step():
            self._take_part(session, step)

    def _take_part(self, session, step):
        self._saves.positions(session, step)
        self._saves.with_sums(session, self._hook._get_saver())
        logging.debug('Took part in the checkpoint of step %d.', step)
