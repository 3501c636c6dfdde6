"""The observer that keeps the values of runs, within a limit of memory.

Recording must not cost much more than the run. So what an operation has just made is kept as it is,
a Variable is copied only if it differs from the last copy, the memory of copies is used again
(pool.py), and statistics are computed when they are asked for.

When the limit is reached, every second step of the kind that has most is dropped, and from
then on half as many are recorded: the steps that stay are spread evenly over the training, from the
first on. With keep='latest' the oldest steps are dropped instead.
"""
from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import logging
from tinyflow.graph.variable_refs import variable_of, variable_read_by
from tinyflow.inspect.recorder.kept import Kept
from tinyflow.inspect.recorder.names import full_name
from tinyflow.inspect.recorder.pool import Pool
from tinyflow.inspect.recorder.step import Entry, Step, kind_of
from tinyflow.session.observed import Frame, Observer

__all__ = ['Keeper']

_SHARE = 8              # an array above limit / 8 is reduced at once
_SMALL = 64             # bytes of bookkeeping for each value


class Keeper(Observer):
    """Keeps the values of the runs that it observes in `steps`, in their order."""

    def __init__(self, wanted: Callable[[str], bool] | None, every: int, limit: int,
                 latest: bool) -> None:
        self.steps: list[Step] = []
        self.limit, self.used = limit, 0
        self.runs = 0                               # of all kinds, recorded or not
        self.dropped = 0
        self.reduced: set[str] = set()              # names of values that were too big
        self._wanted, self._every, self._latest = wanted, every, latest
        self._facts: dict[Any, _Facts] = {}         # by operation, with the functions around it
        self._strides: dict[tuple, int] = {}        # by kind: every how many-th is recorded
        self._seen: dict[tuple, int] = {}
        self._copies: dict[Operation, Kept] = {}    # of Variables and constants
        self._owners: dict[int, list] = {}          # id of a Kept: [it, number of uses]
        self._pool = Pool()
        self._lock = threading.RLock()
        self._open = threading.local()
        self._said = False

    # ---- what it observes ----------------------------------------------------------------

    def wants(self, fetches: Sequence[Tensor | Operation]) -> bool:
        """Whether a run is recorded; called once before each, so that it counts them."""
        key = kind_of([f.name for f in fetches])
        with self._lock:
            number = self._seen.get(key, 0)
            self._seen[key] = number + 1
            self.runs += 1
            self._open.nth = number
            return number % self._strides.setdefault(key, self._every) == 0

    def begin(self, fetches: Sequence[Tensor | Operation],
              feeds: dict[Tensor, np.ndarray]) -> None:
        runs = vars(self._open).setdefault('runs', [])
        runs.append(_Run(Step(self.runs - 1, tuple([f.name for f in fetches]),
                              {tensor.name: array.shape for tensor, array in feeds.items()},
                              vars(self._open).get('nth', 0)),
                         {id(array) for array in feeds.values()}))

    def value(self, operation: Operation, arrays: list[np.ndarray | None],
              frames: tuple[Frame, ...]) -> None:
        run = self._open.runs[-1]
        seconds = perf_counter() - run.since
        key = (operation, *[f.function for f in frames]) if frames else operation
        facts = self._facts.get(key) or self._facts.setdefault(key, self._facts_of(operation,
                                                                                  frames))
        if facts.may_write:
            run.unchanged.clear()
        if facts.name is None:
            run.since = perf_counter()
            return
        kept = tuple([None if array is None or source is None
                      else self._keep(run, facts, np.asarray(array), source)
                      for array, source in zip(arrays, facts.sources)])
        run.step.add(Entry(facts.name, operation, tuple([
            f.iteration for f in frames if f.operation.type == 'While']) if frames else (), kept),
                     seconds)
        run.since = perf_counter()      # what is kept takes no time of the next operation

    def end(self, error: BaseException | None) -> None:
        run = self._open.runs.pop()
        if error is not None:
            run.step.error = f'{type(error).__name__}: {error}'
        with self._lock:
            self.steps.append(run.step)
            self._count(run.step, 1)
            while self.used > self.limit and len(self.steps) > 1:
                self._drop_some()

    # ---- keeping -------------------------------------------------------------------------

    def _keep(self, run: _Run, facts: _Facts, array: np.ndarray,
              source: Operation | str) -> Kept:
        if isinstance(source, Operation):
            run.shared.add(id(array))
            last = self._copies.get(source)
            if last is not None and last.array is not None and \
                    (source in run.unchanged or _same_bits(last.array, array)):
                run.unchanged.add(source)
                return last
            kept = self._copies[source] = Kept(self._pool.copy(array))
            run.unchanged.add(source)
        else:
            found = run.kept.get(id(array))
            if found is not None and found[0] is array and found[1].array is not None \
                    and (found[1].array is array or _same_bits(found[1].array, array)):
                return found[1]
            # What an operation has just made does not change later, unless it is a Variable's.
            made = facts.makes_arrays and array.base is None and id(array) not in run.shared
            kept = Kept(array if made else self._pool.copy(array))
            run.kept[id(array)] = array, kept       # with the array, to keep its id
        if kept.nbytes > self.limit // _SHARE:
            self.reduced.add(facts.name or '')
            if isinstance(source, Operation):
                self._copies.pop(source, None)
            kept.reduce()
        return kept

    def _facts_of(self, operation: Operation, frames: tuple[Frame, ...]) -> _Facts:
        name = full_name(operation, frames)
        wanted = self._wanted is None or self._wanted(name) or self._wanted(operation.name)
        definition = operation.definition
        may_write = bool(operation.writes) or not definition.pure
        return _Facts(name if wanted else None, _sources(operation), may_write,
                      not may_write and not definition.functions and definition.state is None)

    def names(self) -> set[str]:
        """The names of all operations that were observed, wanted or not."""
        with self._lock:
            found = {facts.name for facts in self._facts.values() if facts.name is not None}
            return found | {key[0].name if isinstance(key, tuple) else key.name
                            for key in self._facts}

    def take(self, steps: Sequence[Step], runs: int) -> None:
        """Takes over the steps of another recording."""
        with self._lock:
            self.steps, self.runs = [*self.steps, *steps], self.runs + runs
            for step in steps:
                self._count(step, 1)
                self.reduced.update(entry.name for entry in step.entries
                                    if any(kept and kept.array is None for kept in entry.kept))

    # ---- the limit -----------------------------------------------------------------------

    def _count(self, step: Step, sign: int) -> None:
        """Adds or takes away the memory of a step; values that steps share count once."""
        for entry in step.entries:
            self.used += sign * _SMALL
            for kept in entry.kept:
                if kept is None:
                    continue
                owner = self._owners.setdefault(id(kept), [kept, 0])
                if owner[1] == 0 or owner[1] + sign == 0:
                    self.used += sign * kept.nbytes
                owner[1] += sign
                if not owner[1]:
                    del self._owners[id(kept)]

    def _drop_some(self) -> None:
        groups: dict[tuple, list[Step]] = {}
        for step in self.steps:
            groups.setdefault(step.kind, []).append(step)
        key = max(groups, key=lambda k: len(groups[k]))
        if self._latest or len(groups[key]) < 3:
            gone = {self.steps[0]}
        else:
            self._strides[key] = 2 * self._strides.get(key, self._every)
            gone = set(groups[key][1::2])
        for step in gone:
            self._count(step, -1)
        self.steps = [step for step in self.steps if step not in gone]
        self.dropped += len(gone)
        if not self._said:
            self._said = True
            what = 'the oldest steps are dropped' if self._latest else \
                'every second step is dropped, and half as many are recorded from now on'
            logging.info('tf.record has reached its limit of %d MB: %s.', self.limit >> 20, what)


class _Run:
    """One run in progress: its Step, and what is kept by the id of its array.

    `unchanged` are Variables that no operation has written since they were last looked at,
    `shared` the ids of arrays that others own: fed ones, those of Variables and constants; `since`
    the time at which the next operation began.
    """

    def __init__(self, step: Step, fed: set[int]) -> None:
        self.step = step
        self.kept: dict[int, tuple[np.ndarray, Kept]] = {}
        self.unchanged: set[Operation] = set()
        self.shared = fed
        self.since = perf_counter()


class _Facts(NamedTuple):
    """What is the same in all runs of an operation; `name` is None if it is not wanted.

    For each value, `sources` has the Variable or constant whose array it is, '' for a result, and
    None for what is no array. `makes_arrays`: its results are arrays of its own, or its inputs.
    """

    name: str | None
    sources: tuple[Operation | str | None, ...]
    may_write: bool
    makes_arrays: bool


def _sources(operation: Operation) -> tuple[Operation | str | None, ...]:
    if operation.type == 'Const':
        return (operation,)
    if not operation.outputs:
        return tuple([variable_of(operation.inputs[i]) for i in operation.writes])
    return tuple([None if t.dtype.name == 'variant' else
                  variable_of(t) or variable_read_by(t) or '' for t in operation.outputs])


def _same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype or a.dtype.kind == 'O':
        return False
    if not b.flags.c_contiguous:
        return bool(np.array_equal(a, b))
    size = a.nbytes & ~7
    one, two = a.reshape(-1).view(np.uint8), b.reshape(-1).view(np.uint8)
    if not np.array_equal(one[size:], two[size:]):
        return False
    one, two = one[:size].view(np.uint64), two[:size].view(np.uint64)
    few = slice(0, None, 1 + len(one) // 64)            # most that differ do so in every part
    return bool(np.array_equal(one[few], two[few]) and np.array_equal(one, two))
