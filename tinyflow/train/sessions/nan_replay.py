"""Where the NaN of a training came from, found by repeating its last steps (PAINS A10, B21).

A session that looks at every value takes several times as long, and a NaN is only seen when the
Variables are spoilt. So now and then, at most 1% of the time, the Variables and the positions of
random numbers and iterators are noted. When the loss is NaN the steps since then are repeated
from there with `nan_check`, which names the first operation that made a value that is not finite.
"""
from __future__ import annotations

import re
import time
from collections.abc import Mapping

import numpy as np

from tinyflow.compiler.compile import Options
from tinyflow.graph.support.errors import InvalidArgumentError
from tinyflow.session.program_cache import ProgramCache
from tinyflow.session.session import BaseSession

__all__ = ['NanReplay']

_SHARE = 0.01               # of the time, for notes
_FIRST = 0.05               # seconds to the second note
_LONGEST = 0.05             # seconds that a note may take; else there are no more
_MOST_VALUES = 1 << 28      # bytes of Variables
_MOST_FEEDS = 1 << 26       # bytes of fed arrays, which are kept until the next note
_MOST_STEPS = 20_000
# Tables are filled before the training; what is printed changes nothing.
_HARMLESS = re.compile('^a (.*Table.*|Print.*) keeps')


class NanReplay:
    """Keeps what is needed to repeat the last steps of `session`; `after` is called at each."""

    def __init__(self, session):
        self._session = session
        self._steps = []                        # (fetches, feeds) of the runs since the note
        self._bytes = 0
        self._every = _FIRST
        self._note = None
        self._lost = ''
        self._notes = 0
        self._take()

    def after(self, ran):
        """To be called after a step that went well."""
        if self._note is None:
            return
        self._steps.append(ran)
        if ran[1]:
            self._bytes += sum([getattr(value, 'nbytes', 64) for value in ran[1].values()])
        if time.perf_counter() > self._next or self._bytes > _MOST_FEEDS or \
                len(self._steps) > _MOST_STEPS:
            self._take()

    def _take(self):
        """Notes where the session stands; or gives up, if that is not possible or takes long."""
        begin = time.perf_counter()
        store = self._session._store
        if sum([c.value.nbytes for c in store.storages() if c.value is not None]) > _MOST_VALUES:
            self._give_up('the Variables are too large to be noted')
            return
        spoilt = set(_spoilt(store))
        if self._note is None or spoilt <= self._spoilt:
            self._spoilt, self._known = spoilt, set(store._states)
            self._steps, self._bytes = [], 0
            positions, lost = self._session.positions()
            lost = [f'{name}: {why}' for name, why in sorted(lost.items())
                    if not _HARMLESS.search(why)]
            if lost:
                self._give_up('; '.join(lost))
                return
            self._note = _values(store), positions
        elif self._bytes > _MOST_FEEDS or len(self._steps) > _MOST_STEPS:
            self._give_up('it is too long ago')         # and the loss was no NaN since
            return
        took = time.perf_counter() - begin
        self._every = max(self._every, took / _SHARE)
        # Streams and iterators come to exist in the first run, so the second note follows it.
        self._next = begin + took + self._every if self._notes else 0.
        self._notes += 1
        if took > _LONGEST:
            self._give_up('the state of the input is too large to be noted')

    def _give_up(self, why):
        self._note, self._lost, self._steps = None, why, []

    def report(self, ran, loss):
        """What the first NaN or infinity came from, as text; the session stands as before."""
        session = self._session
        spoilt = _names(_spoilt(session._store))
        if self._note is None:
            return f'{spoilt}  The first operation is not known: {self._lost}.\n{_MEND}'
        store = session._store
        now, states = (_values(store), session.positions()[0]), dict(store._states)
        watcher = _Watcher(session)
        try:
            for operation in states.keys() - self._known:
                del store._states[operation]            # they begin anew
            self._stand_at(*self._note)
            for fetches, feeds in [*self._steps, ran]:
                watcher.run([*_operations(session.graph, fetches), loss], feeds or None)
        except InvalidArgumentError as error:
            if hasattr(error, 'provenance'):
                return error.message
            return f'{spoilt}{_MEND}'
        except Exception as error:              # noqa: BLE001 - the NaN is to be told, not this
            return f'{spoilt}  The last steps cannot be repeated: {error}\n{_MEND}'
        finally:
            store._states.update(states)
            self._stand_at(*now)
        return f'{spoilt}  When the last steps were repeated no NaN came up.\n{_MEND}'

    def _stand_at(self, values, positions):
        for cell, value in values:
            with cell.lock:
                if value is not None and cell.value is not None and \
                        cell.value.shape == value.shape:
                    np.copyto(cell.value, value)
                else:
                    cell.value = None if value is None else value.copy()
        self._session.set_positions(positions)


_MEND = ('  Mend: tf.train.MonitoredTrainingSession(nan_check=True), or tf.Session of that kind, '
         'names the operation that makes the first NaN or infinity.')


class _Watcher(BaseSession):
    """Runs with nan_check on the Variables of another Session."""

    def __init__(self, session):
        super().__init__(graph=session.graph)
        self._store = session._store
        self._compiler = ProgramCache(self._store, Options(nan_check=True))


def _values(store):
    return [(cell, None if cell.value is None else cell.value.copy()) for cell in store.storages()]


def _operations(graph, fetches):
    """The operations of a nest of fetches: to run them without a look at what they give."""
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


def _spoilt(store):
    """The names of the Variables that are not finite."""
    return [op.name for op, cell in list(store._storages.items())
            if cell.value is not None and cell.value.dtype.kind in 'fc'
            and not np.isfinite(cell.value).all()]


def _names(spoilt):
    """A line with those names; '' if there are none."""
    if not spoilt:
        return ''
    more = f' and {len(spoilt) - 5} more' if len(spoilt) > 5 else ''
    return f'  Not finite now: {", ".join(spoilt[:5])}{more}.\n'
