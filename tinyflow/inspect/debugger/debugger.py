"""Debugger: decides when a run stops, and asks the terminal what to do then."""
from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.inspect.debugger.breakpoints import (
    Breakpoint,
    Datum,
    Filters,
    has_inf_or_nan,
    is_somewhere,
    parse,
)
from tinyflow.inspect.debugger.run import Plan, Run, data_of
from tinyflow.inspect.recorder.step import Entry
from tinyflow.session.observed import Frame, Observer, attach

__all__ = ['Debugger', 'start']


class Debugger(Observer):
    """Stops the runs of a Session at breakpoints and shows their values in the terminal.

        sess = tf.Session(debug=True)       # asks before the first run; `help` lists the commands
        debugger = tf.Debugger('dense* if has_inf_or_nan')      # asks only when that happens
        sess = tf.Session(debug=debugger)

    `breakpoints` are texts such as 'dense/MatMul', 'dense*', 'type:MatMul', 'train.py:12', with a
    condition if wanted: 'loss if value > 10', 'if has_inf_or_nan'. With some, runs go on until one
    of them stops; without, the first run stops before it starts. `stdin` and `stdout` are files
    for the commands and what they print; None: those of the process. `threads` is a pattern: only
    runs of threads with such names are debugged.

    While a Session is debugged each of its runs computes one operation after the other.
    Raises ValueError for a breakpoint that cannot be understood.
    """

    def __init__(self, *breakpoints: str, stdin: Any = None, stdout: Any = None,
                 threads: str | None = None) -> None:
        self.filters = Filters(has_inf_or_nan=has_inf_or_nan)
        self.breakpoints: dict[int, Breakpoint] = {}
        self.watches: dict[int, Breakpoint] = {}
        self.plan = Plan(ask=not breakpoints)
        self.detached = False
        self.runs = 0
        self.last: Run | None = None
        self._files = stdin, stdout
        self._threads = re.compile(threads) if threads else None
        self._numbers = 0
        self._local = threading.local()
        self._lock = threading.RLock()
        self._terminal: Any = None
        for text in breakpoints:
            self.add_breakpoint(text)
        self._given = list(self.breakpoints.values())       # not yet looked for in a graph

    # ---- settings ------------------------------------------------------------------------

    def add_filter(self, name: str, function: Callable[[Datum, np.ndarray], Any]) -> None:
        """Adds a filter: `function(datum, tensor)` is true for values to stop at."""
        if not isinstance(name, str) or not name:
            raise misuse(ValueError(f'The name of a filter is a string, not {name!r}.'))
        if not callable(function):
            raise misuse(TypeError(f"The filter '{name}' must be callable, not {function!r}."))
        self.filters[name] = function

    def add_breakpoint(self, text: str, watch: bool = False) -> int:
        """Adds a breakpoint, or a watch, which prints values and does not stop: its number."""
        try:
            parsed = parse(text, self.filters)
        except ValueError as error:
            raise misuse(error) from None
        self._numbers += 1
        (self.watches if watch else self.breakpoints)[self._numbers] = parsed
        return self._numbers

    # ---- what it observes ----------------------------------------------------------------

    def wants(self, fetches: Sequence[Tensor | Operation]) -> bool:
        """Whether a run is observed."""
        with self._lock:
            if self.detached or self._threads and \
                    not self._threads.match(threading.current_thread().name):
                return False
            self.runs += 1
            if self.plan.runs:
                self.plan = self.plan._replace(runs=self.plan.runs - 1)
                self._local.shown = not self.plan.runs
                return self._local.shown or bool(self.breakpoints or self.watches)
            return bool(self.plan != Plan() or self.breakpoints or self.watches)

    def begin(self, fetches: Sequence[Tensor | Operation],
              feeds: dict[Tensor, np.ndarray]) -> None:
        run = Run(self.runs, fetches, feeds)
        vars(self._local).setdefault('runs', []).append(run)
        with self._lock:
            self._say_unknown(run)
            if self.plan.ask:
                self._prompt('start', run)
            if vars(self._local).pop('shown', False):
                run.ask_at_end = True

    def value(self, operation: Operation, arrays: list[np.ndarray | None],
              frames: tuple[Frame, ...]) -> None:
        run: Run = self._local.runs[-1]
        if run.silent or self.detached:
            return
        entry = run.add(operation, arrays, frames)
        with self._lock:
            number = len(run.step.entries) - 1
            for watch in self.watches.values():
                if _hit(watch, entry, number):
                    self._show(run, entry)
            stops = [f'breakpoint {key} ({point.text})' for key, point in
                     self.breakpoints.items() if _hit(point, entry, number)]
            if self.plan.step:
                self.plan = self.plan._replace(step=self.plan.step - 1)
                if not self.plan.step:
                    stops.append('step')
            if stops:
                self._prompt('node', run, entry, ', '.join(stops))

    def end(self, error: BaseException | None) -> None:
        run: Run = self._local.runs.pop()
        run.error = error
        run.step.error = error and f'{type(error).__name__}: {error}'
        if run.silent or self.detached or isinstance(error, (KeyboardInterrupt, SystemExit)):
            return
        with self._lock:
            if self.plan.found is not None and self._passing(run):
                self._prompt('filter', run, reason=self.plan.found)
            elif run.ask_at_end or error is not None:
                self._prompt('end', run)

    def _say_unknown(self, run: Run) -> None:
        """Says once which of the breakpoints that the Session began with are nowhere."""
        for point in self._given if run.graph is not None else ():
            if not is_somewhere(point, run.graph):
                self._ui().nowhere(point, run.graph)
        self._given = []

    def _passing(self, run):
        found, ignored = self.filters[self.plan.found], self.plan.ignored
        return any(found(datum, datum.array) for datum in run.data
                   if not (ignored and re.match(ignored, datum.node_name)))

    # ---- the terminal --------------------------------------------------------------------

    def _prompt(self, place: str, run: Run, entry: Entry | None = None, reason: str = '') -> None:
        self.last = run
        self.plan = Plan()
        self._ui().stop(place, run, entry, reason)

    def _show(self, run, entry):
        self._ui().show(run, entry)

    def _ui(self):
        if self._terminal is None:
            from tinyflow.inspect.debugger.terminal import Terminal  # start-up time
            self._terminal = Terminal(self, *self._files)
        return self._terminal


def _hit(point: Breakpoint, entry: Entry, number: int) -> bool:
    """True if a value of that operation is at the breakpoint; it is counted."""
    if not point.is_at(entry.operation, entry.name):
        return False
    if point.has_condition and not any(point.holds(datum) for datum in data_of(entry, number)):
        return False
    point.hits += 1
    return True


def start(session: Any, debug: Any) -> Debugger:
    """Debugs a Session. `debug` is True, a Debugger, a breakpoint, or a list of breakpoints."""
    if debug is True:
        debugger = Debugger()
    elif isinstance(debug, Debugger):
        debugger = debug
    elif isinstance(debug, str):
        debugger = Debugger(debug)
    elif isinstance(debug, (list, tuple)) and all(isinstance(d, str) for d in debug):
        debugger = Debugger(*debug)
    else:
        raise misuse(TypeError(
            f'debug must be True, a breakpoint such as "dense*", a list of those, or a '
            f'tf.Debugger, not {debug!r}.'))
    attach(session, debugger)
    return debugger
