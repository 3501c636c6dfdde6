"""The layers between a monitored session and the Session that runs.

    RecoverableSession      makes a new Session when one was lost (AbortedError, UnavailableError)
    CoordinatedSession      stops with its threads, and raises their errors
    HookedSession           calls the hooks, and runs their fetches together with the program's
"""
from __future__ import annotations

from collections.abc import Mapping

from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import errors, logging
from tinyflow.graph.support.errors import misuse
from tinyflow.session.config import RunMetadata, RunOptions
from tinyflow.session.session import BaseSession
from tinyflow.train.sessions.polling import Wait
from tinyflow.train.sessions.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

__all__ = ['CoordinatedSession', 'HookedSession', 'RecoverableSession', 'StepContext']

_LOST = (errors.AbortedError, errors.UnavailableError)
_PREPARED = 32          # number of cached combinations of fetches and feeds


class StepContext:
    """The argument of a step_fn: the Session, a run with hooks, and request_stop."""

    def __init__(self, session, run_with_hooks_fn):
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self):
        """The Session itself; running it calls no hooks."""
        return self._session

    def run_with_hooks(self, *args, **kwargs):
        """As MonitoredSession.run. To be called once for a step."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self):
        """Leaves the step_fn and the loop, by StopIteration."""
        raise StopIteration('step_fn has requested the iterations to stop.')


class _Layer:
    """A session around another, with `should_stop`."""

    def __init__(self, session):
        self._sess = session
        self._can_stop = isinstance(session, _Layer)

    @property
    def graph(self):
        return self._sess.graph

    @property
    def sess_str(self):
        return self._sess.sess_str

    def should_stop(self):
        """True if no more runs are wanted, and always once it is closed."""
        if self._check_stop() or not self._sess:
            return True
        return self._can_stop and self._sess.should_stop()

    def _check_stop(self):
        return False

    def close(self):
        if not self._sess:
            return
        try:
            self._sess.close()
        except _LOST as error:
            logging.warning('An error occurred when attempting to close the session: %s', error)
        finally:
            self._sess = None

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        return self._sess.run(fetches, feed_dict, options, run_metadata)

    def run_step_fn(self, step_fn, raw_session, run_with_hooks):
        return step_fn(StepContext(raw_session(), run_with_hooks or self.run))


class RecoverableSession(_Layer):
    """Gets a new session from `creator`, and repeats the run, when one was lost."""

    def __init__(self, creator):
        self._creator = creator
        super().__init__(self._created())

    def _created(self):
        wait = Wait(None, longest=1.0)
        while True:
            try:
                return self._creator.create_session()
            except _LOST as error:
                logging.info('An error was raised while a session was being created. A new '
                             'session will be created. Error: %s', error)
                reason = str(error)
            wait.sleep(f'a task of the cluster: {reason}')

    def _check_stop(self):
        try:
            return self._sess._check_stop() if self._sess else True
        except _LOST as error:
            logging.info('An error was raised while considering whether the session is complete. '
                         'The current session will be closed and a new session will be created. '
                         'Error: %s', error)
            self.close()
            self._sess = self._created()
            return False
        except Exception:                   # noqa: BLE001 - the next run, or close, raises it
            return True

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        while True:
            try:
                if not self._sess:
                    self._sess = self._created()
                return self._sess.run(fetches, feed_dict, options, run_metadata)
            except _LOST as error:
                self._lost(error)

    def run_step_fn(self, step_fn, raw_session, run_with_hooks):
        while True:
            try:
                if not self._sess:
                    self._sess = self._created()
                return self._sess.run_step_fn(step_fn, raw_session, self._sess.run)
            except _LOST as error:
                self._lost(error)

    def _lost(self, error):
        logging.info('An error was raised. The current session will be closed and a new session '
                     'will be created. Error: %s', error)
        self.close()


class CoordinatedSession(_Layer):
    """Stops when its Coordinator does; `run` raises errors of the threads."""

    def __init__(self, session, coord, stop_grace_period_secs=120):
        super().__init__(session)
        self._coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    def _check_stop(self):
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self):
        self._coord.request_stop()
        try:
            self._coord.join(stop_grace_period_secs=self._stop_grace_period_secs,
                             ignore_live_threads=True)
        finally:
            try:
                super().close()
            except Exception:               # noqa: BLE001 - there is nothing left to report it to
                pass

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        try:
            return self._sess.run(fetches, feed_dict, options, run_metadata)
        except _LOST:
            raise
        except Exception as error:
            try:
                self._coord.raise_requested_exception()
            except _LOST:
                raise
            except Exception:               # noqa: BLE001 - the error of the run is raised
                pass
            raise error


class HookedSession(_Layer):
    """Calls `before_run` of all hooks, runs all fetches in one run, calls `after_run`.

    The hooks' fetches rarely change between steps, so the Session's callable for a set of fetches
    is cached.
    """

    def __init__(self, session, hooks):
        super().__init__(session)
        self._hooks = list(hooks)
        self._before = [(i, hook.before_run) for i, hook in enumerate(self._hooks)
                        if not _is_inherited(hook, 'before_run')]
        self._after = [(i, hook.after_run) for i, hook in enumerate(self._hooks)
                       if not _is_inherited(hook, 'after_run')]
        self._nothing = [None] * (1 + len(self._hooks))
        self._prepared = {}
        self._no_options, self._no_metadata = RunOptions(), RunMetadata()
        self._should_stop = False
        self.has_run = False

    def _check_stop(self):
        return self._should_stop

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self._should_stop or not self._sess:
            raise misuse(RuntimeError(
                'Run called even after should_stop requested.\n  Hint: a hook or the input ended '
                'the training; while not session.should_stop(): session.run(...).'))
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        all_fetches = self._nothing.copy()
        all_fetches[0] = fetches
        feeds = None
        for i, before_run in self._before:
            request = before_run(context)
            if request is None:
                continue
            all_fetches[i + 1], more, more_options = request
            if more:
                feeds = _joined(feeds, more, 'Same tensor is fed by two hooks.')
            if more_options:
                options = _merged(options, more_options)
        if feeds is None:
            feeds = feed_dict
        elif feed_dict:
            feeds = _joined(feeds, feed_dict, 'Same tensor is fed by a SessionRunHook and user.')
        if options is not None and run_metadata is None:
            run_metadata = RunMetadata()
        context._ran = all_fetches, feeds
        got = self._run(all_fetches, feeds, options, run_metadata)
        self.has_run = True
        options, run_metadata = options or self._no_options, run_metadata or self._no_metadata
        for i, after_run in self._after:
            after_run(context, SessionRunValues(got[i + 1], options, run_metadata))
        if context._stop_requested:
            self._should_stop = True
        return got[0]

    def _run(self, all_fetches, feeds, options, run_metadata):
        """The values of all fetches at their positions; None if nothing is fetched."""
        key = tuple([f if f is None or type(f) is Tensor else _cache_key(f) for f in all_fetches])
        try:
            call, positions = self._prepared[(key, *feeds)] if feeds else self._prepared[key]
        except (KeyError, TypeError):
            call, positions = self._prepare(key, all_fetches, feeds)
        if call is None:
            wanted = [all_fetches[i] for i in positions]
            values = self._sess.run(wanted, feed_dict=feeds, options=options,
                                    run_metadata=run_metadata)
        elif options is None:
            values = call(*feeds.values()) if feeds else call()
        else:
            values = call(*(feeds or {}).values(), options=options, run_metadata=run_metadata)
        got = self._nothing.copy()
        for i, value in zip(positions, values):
            got[i] = value
        return got

    def _prepare(self, key, all_fetches, feeds):
        """(a callable or None, the positions of the values that it returns)."""
        positions = [i for i, fetches in enumerate(all_fetches) if i == 0 or fetches is not None]
        if not isinstance(self._sess, BaseSession) or \
                feeds and not all(isinstance(f, Tensor) for f in feeds):
            return None, positions
        try:
            call = self._sess.make_callable([all_fetches[i] for i in positions], list(feeds or ()))
            if len(self._prepared) >= _PREPARED:
                self._prepared.clear()
            self._prepared[(key, *feeds) if feeds else key] = call, positions
        except Exception:           # noqa: BLE001 - run raises it, with the right message
            return None, positions
        return call, positions


def _is_inherited(hook, method):
    """True if a call of the hook's method does nothing."""
    own = getattr(getattr(hook, method), '__func__', None)
    return own is getattr(SessionRunHook, method)


_SINGLE = (Tensor, Operation, str)


def _cache_key(fetches):
    """A key that is equal for equal nests of fetches."""
    kind = type(fetches)
    if kind in _SINGLE:
        return fetches
    if isinstance(fetches, (list, tuple)):
        return (kind, *[f if type(f) in _SINGLE else _cache_key(f) for f in fetches])
    if isinstance(fetches, Mapping):
        return (kind, *fetches, None, *[_cache_key(f) for f in fetches.values()])
    return fetches


def _joined(feeds, more, message):
    """Both dicts merged; RuntimeError if both feed one tensor."""
    twice = [t for t in more if t in feeds] if feeds else ()
    if twice:
        raise misuse(RuntimeError(f'{message} Conflict(s): {twice}'))
    return {**(feeds or {}), **more}


def _merged(options, more_options):
    """RunOptions that satisfy both."""
    merged = RunOptions()
    if options is not None:
        merged.CopyFrom(options)
    for name in ('trace_level', 'timeout_in_ms', 'inter_op_thread_pool',
                 'output_partition_graphs', 'report_tensor_allocations_upon_oom'):
        setattr(merged, name, max(getattr(merged, name), getattr(more_options, name)))
    return merged
