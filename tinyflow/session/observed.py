"""Observed runs: each operation by itself, in the order of the graph, reported to an observer.

    with observing(session, observer):
        session.run(train)

While a Session is observed its programs are interpreted from what stage 3 made of the graph: no
node is merged, folded or fused, and the nodes inside of loops and conds are reported, too, each
time that they run. The Session, also one that a library made, and what its `make_callable` gave,
is observed from the next run on; when the last observer leaves, the compiled programs are back. A
run without observers costs nothing more than before: the Executables of the Session are exchanged.

What is not reported: the nodes inside of tf.data's functions, which threads of their own call, and
traced runs (RunOptions), which run the compiled program.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.session.cache_entry import CacheEntry
from tinyflow.session.executable import Executable
from tinyflow.session.first_run import FirstRun
from tinyflow.session.interrupts import finished_first
from tinyflow.session.observed_steps import Frame, ObservedRun, main_steps
from tinyflow.session.program_cache import ProgramCache

__all__ = ['Frame', 'Observer', 'attach', 'detach', 'observing', 'programs_of', 'session_of',
           'sessions_opened']


class Observer:
    """Base class of observers: override what is needed. An error raised in a method ends the run.

    `frames` are the loops, conds and functions that the operation is in, the outermost first; ()
    in the graph itself. Several threads may run one Session: then calls of their runs alternate,
    and a py_func may run the Session inside of a run.
    """

    def wants(self, fetches: Sequence[Tensor | Operation]) -> bool:
        """Whether to observe the run that comes; one that no observer wants runs compiled."""
        return True

    def begin(self, fetches: Sequence[Tensor | Operation],
              feeds: dict[Tensor, np.ndarray]) -> None:
        """A run starts."""

    def before(self, operation: Operation, frames: tuple[Frame, ...]) -> None:
        """The operation is about to be computed."""

    before.is_empty = True                          # type: ignore[attr-defined]

    def value(self, operation: Operation, arrays: list[np.ndarray | None],
              frames: tuple[Frame, ...]) -> None:
        """The operation has been computed (or its outputs were fed).

        There is an array for each output, None for one that has none; for an operation without
        outputs that updates Variables, their new values. The arrays may be read, but neither
        changed nor kept: those of Variables change later.
        """

    def end(self, error: BaseException | None) -> None:
        """The run is over; `error` ended it, or None."""


@contextmanager
def observing(session: Any, observer: Observer) -> Iterator[Observer]:
    """The Session is observed in the `with` block."""
    attach(session, observer)
    try:
        yield observer
    finally:
        detach(session, observer)


def attach(session: Any, observer: Observer) -> None:
    """Tells `observer` of each run of a Session (or of its ProgramCache) from now on."""
    programs = programs_of(session)
    with programs._lock:
        programs.__class__ = ObservedPrograms
        programs.observers = (*vars(programs).get('observers', ()), observer)
        for entry in list(programs.entries.values()):
            _observe(entry, programs)


def detach(session: Any, observer: Observer) -> None:
    """Ends `attach`; does nothing if the observer is not attached."""
    programs = programs_of(session)
    with programs._lock:
        programs.observers = tuple([o for o in vars(programs).get('observers', ())
                                    if o is not observer])
        if programs.observers or type(programs) is ProgramCache:
            return
        programs.__class__ = ProgramCache
        for entry in list(programs.entries.values()):
            entry.__class__ = CacheEntry
            for shapes, executable in list(entry.executables.items()):
                entry.executables[shapes] = getattr(executable, 'plain', executable)


def session_of(session: Any) -> Any:
    """The Session inside a MonitoredSession or another wrapper; a Session itself."""
    seen = 0
    while not hasattr(session, '_programs') and seen < 10:      # wrappers of wrappers
        inner = getattr(session, '_sess', None)
        if inner is None:
            inner = getattr(session, 'wrapped_session', None)
        if inner is None:
            break
        session, seen = inner, seen + 1
    return session


def programs_of(session: Any) -> Any:
    programs = session if isinstance(session, ProgramCache) else \
        getattr(session_of(session), '_programs', None)
    if programs is None:
        raise misuse(TypeError(f'The runs of a tf.Session can be observed, not of {session!r}.'))
    if not isinstance(programs, ProgramCache):
        raise misuse(NotImplementedError(
            f"The Session runs on the cluster {programs.target!r}: its runs cannot be observed.\n"
            '  Hint: observe the same program in one process, with tf.Session().'))
    return programs


class ObservedPrograms(ProgramCache):
    """The ProgramCache of a Session that is observed."""

    observers: tuple[Observer, ...]

    def entry(self, fetches: tuple[Tensor | Operation, ...],
              feeds: tuple[Tensor, ...]) -> CacheEntry:
        with self._lock:
            entry = super().entry(fetches, feeds)
            if type(entry) is CacheEntry:
                _observe(entry, self)
        return entry


class _ObservedEntry(CacheEntry):
    """A CacheEntry whose Executables report what they compute."""

    programs: ObservedPrograms

    def _make(self, shapes: tuple) -> Executable:
        return ObservedExecutable(super()._make(shapes), self)

    def _replace(self, shapes: tuple, executable: Executable) -> None:
        super()._replace(shapes, ObservedExecutable(executable, self))


def _observe(entry: CacheEntry, programs: ObservedPrograms) -> None:
    entry.__class__ = _ObservedEntry
    entry.programs = programs                       # type: ignore[attr-defined]
    for shapes, executable in list(entry.executables.items()):
        if not isinstance(executable, ObservedExecutable):
            entry.executables[shapes] = ObservedExecutable(executable, entry)


class ObservedExecutable(Executable):
    """What an Executable computes, operation by operation; `plain` is that Executable."""

    checks_deadline = True

    def __init__(self, plain: Executable, entry: Any) -> None:
        whole = plain.compiled()
        vars(self).update(vars(whole))      # its program and memory, for a traced run
        self.plain = whole if isinstance(plain, FirstRun) else plain
        self._entry = entry
        self._observed_steps: Any = None

    @finished_first
    def __call__(self, feeds: Sequence[np.ndarray]) -> list:
        entry = self._entry
        observers = [o for o in entry.programs.observers if o.wants(entry.fetches)]
        if not observers:
            return self.plain(feeds)
        self.runs += 1
        if self._observed_steps is None:
            self._observed_steps = main_steps(entry.program, entry.fetches, entry.feeds)
        with self.arena() as arena:
            return arena.context.run(self._run, observers, feeds)

    def _run(self, observers: Sequence[Observer], feeds: Sequence[np.ndarray]) -> list:
        entry = self._entry
        begun: list[Observer] = []
        error: BaseException | None = None
        try:
            for observer in observers:
                begun.append(observer)
                observer.begin(entry.fetches, dict(zip(entry.feeds, feeds)))
            run = ObservedRun(self.store, self._runtime.make_function, observers)
            return run.results(self._observed_steps, feeds)
        except BaseException as raised:
            error = raised
            raise
        finally:
            for observer in begun:
                observer.end(error)


Opened = Callable[[ProgramCache], None]
_opened: list[Opened] = []


@contextmanager
def sessions_opened(call: Opened) -> Iterator[None]:
    """Calls `call` with the ProgramCache of each Session that is made in the `with` block."""
    if not _opened:
        ProgramCache.__init__ = _reporting      # type: ignore[method-assign]
    _opened.append(call)
    try:
        yield
    finally:
        _opened.remove(call)
        if not _opened:
            ProgramCache.__init__ = _plain_init     # type: ignore[method-assign]


_plain_init = ProgramCache.__init__


def _reporting(self: ProgramCache, *args: Any, **kwargs: Any) -> None:
    _plain_init(self, *args, **kwargs)
    for call in list(_opened):
        call(self)
