"""Finds the op that first produced a NaN, by replaying the last steps of training.

A session that checks every value takes several times as long, and a NaN is only noticed when the
Variables already contain it. So at times, for at most 1% of the run time, a snapshot is taken of
the Variables and of the positions of random numbers and iterators. When the loss is NaN the steps
since then are replayed with `nan_check`, which names the first operation whose result is not
finite.
"""
from __future__ import annotations

import re
import time
from collections.abc import Mapping

import numpy as np

from tinyflow.compiler.compile import Options
from tinyflow.graph.support.errors import InvalidArgumentError
from tinyflow.session.concurrent_runs import share
from tinyflow.session.interrupts import whole
from tinyflow.session.program_cache import ProgramCache
from tinyflow.session.session import BaseSession

__all__ = ['NanReplay']

_SHARE = 0.01               # of the run time, for snapshots
_FIRST = 0.05               # seconds to the second snapshot
_LONGEST = 0.05             # seconds that a snapshot may take, else it is the last
_MOST_VALUES = 1 << 28      # bytes of Variables
_MOST_FEEDS = 1 << 26       # bytes of fed arrays, kept until the next snapshot
_MOST_STEPS = 20_000
# State that cannot be saved but does not matter: tables are filled before training.
_HARMLESS = re.compile('^the state of a .*Table.* cannot be saved')


class NanReplay:
    """Keeps the data needed to repeat the last steps of `session`; `after` is called at each."""

    def __init__(self, session):
        self._session = session
        self._steps = []                        # (fetches, feeds) of the runs since the snapshot
        self._bytes = 0
        self._every = _FIRST
        self._snapshot = None
        self._reason = ''
        self._snapshots = 0
        self.operation = None           # the origin that `report` found
        self._take_snapshot()

    def after(self, ran):
        """Call this after a successful step."""
        if self._snapshot is None:
            return
        self._steps.append(ran)
        if ran[1]:
            self._bytes += sum([getattr(value, 'nbytes', 64) for value in ran[1].values()])
        if time.perf_counter() > self._next or self._bytes > _MOST_FEEDS or \
                len(self._steps) > _MOST_STEPS:
            self._take_snapshot()

    def _take_snapshot(self):
        """Takes a snapshot; or gives up, if that is not possible or takes too long."""
        begin = time.perf_counter()
        store = self._session._store
        if sum([c.value.nbytes for c in store.storages() if c.value is not None]) > _MOST_VALUES:
            self._give_up('the Variables are too large for a snapshot')
            return
        not_finite = set(_not_finite(store))
        if self._snapshot is None or not_finite <= self._not_finite:
            self._not_finite, self._known = not_finite, set(store._states)
            self._steps, self._bytes = [], 0
            positions, lost = self._session.positions()
            lost = [f'{name}: {why}' for name, why in sorted(lost.items())
                    if not _HARMLESS.search(why)]
            if lost:
                self._give_up('; '.join(lost))
                return
            self._snapshot = _values(store), positions
        elif self._bytes > _MOST_FEEDS or len(self._steps) > _MOST_STEPS:
            self._give_up('the last snapshot is too old')         # and the loss was not NaN since
            return
        took = time.perf_counter() - begin
        self._every = max(self._every, took / _SHARE)
        # Streams and iterators come to exist in the first run, so the second snapshot follows it.
        self._next = begin + took + self._every if self._snapshots else 0.
        self._snapshots += 1
        if took > _LONGEST:
            self._give_up('the state of the input is too large for a snapshot')

    def _give_up(self, why):
        self._snapshot, self._reason, self._steps = None, why, []

    def report(self, ran, loss):
        """The origin of the first NaN or infinity as text; the session is left as it was."""
        return whole(self._report, ran, loss)

    def _report(self, ran, loss):
        session = self._session
        not_finite = _names(_not_finite(session._store))
        if self._snapshot is None:
            return f'{not_finite}  The first operation is not known: {self._reason}.\n{_HINT}'
        store = session._store
        share(store)                # other threads may go on, and the watcher's runs overlap theirs
        now, states = (_values(store), session.positions()[0]), dict(store._states)
        watcher = _Watcher(session)
        try:
            for operation in states.keys() - self._known:
                del store._states[operation]            # initialised again
            self._restore(*self._snapshot)
            for fetches, feeds in [*self._steps, ran]:
                watcher.run([*_operations(session.graph, fetches), loss], feeds or None)
        except InvalidArgumentError as error:
            if hasattr(error, 'provenance'):
                self.operation = error.op
                return error.message
            return f'{not_finite}{_HINT}'
        except Exception as error:              # noqa: BLE001 - report the NaN, not this
            return f'{not_finite}  The last steps cannot be repeated: {error}\n{_HINT}'
        finally:
            store._states.update(states)
            self._restore(*now)
        return f'{not_finite}  No NaN occurred when the last steps were repeated.\n{_HINT}'

    def _restore(self, values, positions):
        for cell, value in values:
            cell.set(None if value is None else value.copy())
        self._session.set_positions(positions)


_HINT = ('  Hint: tf.train.MonitoredTrainingSession(nan_check=True), or '
         'tf.Session(nan_check=True), names the operation that makes the first NaN or infinity.')


class _Watcher(BaseSession):
    """Runs with nan_check on the Variables of another Session."""

    def __init__(self, session):
        super().__init__(graph=session.graph)
        self._store = session._store
        self._programs = ProgramCache(self._store, Options(nan_check=True))


def _values(store):
    return [(cell, cell.copy()) for cell in store.storages()]


def _operations(graph, fetches):
    """The operations of a nest of fetches: to run them without fetching values."""
    if fetches is None:
        return []
    if isinstance(fetches, (list, tuple)):
        return [op for f in fetches for op in _operations(graph, f)]
    if isinstance(fetches, Mapping):
        return _operations(graph, list(fetches.values()))
    parts = getattr(fetches, '_fetch_parts', None)
    if parts is not None:
        return _operations(graph, parts()[0])
    element = graph.as_graph_element(fetches)
    return [getattr(element, 'op', element)]


def _not_finite(store):
    """The names of the Variables that are not finite."""
    return [op.name for op, cell in list(store._storages.items())
            if cell.value is not None and cell.value.dtype.kind in 'fc'
            and not np.isfinite(cell.value).all()]


def _names(not_finite):
    """A line with those names; '' if there are none."""
    if not not_finite:
        return ''
    more = f' and {len(not_finite) - 5} more' if len(not_finite) > 5 else ''
    return f'  Not finite now: {", ".join(not_finite[:5])}{more}.\n'
