"""The values of one run."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tinyflow.graph.operation import Operation
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.inspect.recorder.kept import Kept, Statistics

__all__ = ['Difference', 'Entry', 'Origin', 'Step', 'difference', 'kind_of', 'name_of']


@dataclass(frozen=True)
class Entry:
    """One operation of a run: its values, None for an output without one.

    `iteration` has a number for each loop that the operation is in, the outermost first. Of a
    recording from a file the operation may be unknown.
    """

    name: str
    operation: Operation | None
    iteration: tuple[int, ...]
    kept: tuple[Kept | None, ...]


class Origin(NamedTuple):
    """The first operation of a run that made a NaN or infinity from finite inputs."""

    name: str
    output: int
    found: str
    iteration: tuple[int, ...]
    site: str

    def __str__(self) -> str:
        loop = f' in iteration {self.iteration[-1]}' if self.iteration else ''
        return f"{self.found} first in '{self.name}:{self.output}'{loop}{self.site}"

    def __repr__(self) -> str:
        return f'<{self}>'


class Difference(NamedTuple):
    """How far a value differs between two runs; inf if the shapes or the NaNs differ."""

    name: str
    largest: float

    def __str__(self) -> str:
        return f'{self.name}: {self.largest:.5g}'


class Step:
    """One recorded run. `step['dense/Relu']` is that node's value, as an array.

    number    which run of the Session it was, from 0, those counted that were not recorded
    nth       which of the runs of the same kind it was, from 0
    kind      the operations among its fetches, such as a training step; if none, all of them
    fetches   names of what was fetched
    feeds     the shape of each tensor that was fed, by its name
    entries   the operations in the order in which they ran
    seconds   that each of the entries took
    error     what ended the run, or None
    """

    def __init__(self, number: int, fetches: tuple[str, ...],
                 feeds: dict[str, tuple[int, ...]] | None = None, nth: int = 0) -> None:
        self.number, self.nth = number, nth
        self.fetches = fetches
        self.feeds = feeds or {}
        self.entries: list[Entry] = []
        self.seconds: list[float] = []
        self.error: str | None = None
        self._places: dict[str, list[int]] = {}

    @property
    def kind(self) -> tuple[str, ...]:
        """By what runs are counted: see `kind_of`."""
        return kind_of(self.fetches)

    def add(self, entry: Entry, seconds: float = 0.0) -> None:
        """Adds the next operation."""
        self._places.setdefault(entry.name, []).append(len(self.entries))
        self.entries.append(entry)
        self.seconds.append(seconds)

    @property
    def names(self) -> list[str]:
        """The names of the recorded operations, in the order in which they ran first."""
        return list(self._places)

    def __contains__(self, what: Any) -> bool:
        return name_of(what).partition(':')[0] in self._places

    def __getitem__(self, what: Any) -> np.ndarray:
        """The array of a Tensor, Operation, Variable or name; in a loop, of the last iteration.

        KeyError for what was not recorded, ValueError for an array that was too big to be kept.
        """
        return self._array(self.kept(what)[-1], what)

    def all(self, what: Any) -> list[np.ndarray]:
        """The arrays of a node in a loop, one for each iteration."""
        return [self._array(kept, what) for kept in self.kept(what)]

    def statistics(self, what: Any) -> Statistics | None:
        """min, max, mean, std, NaNs, infinities, zeros and histogram; None if not numbers."""
        return self.kept(what)[-1].statistics

    def kept(self, what: Any) -> list[Kept]:
        """What is kept of a node's value, for each time that it ran."""
        name, _, output = name_of(what).partition(':')
        if name not in self._places:
            raise misuse(KeyError(f"'{name}' was not recorded in step {self.number}; "
                                  f'{len(self._places)} nodes were.'
                                  f'{nearest_keyword(name, self._places)}'))
        found = []
        for place in self._places[name]:
            values = self.entries[place].kept
            index = int(output) if output.isdigit() else 0
            kept = values[index] if index < len(values) else None
            if kept is not None:
                found.append(kept)
        if not found:
            raise misuse(KeyError(f"'{name_of(what)}' has no value in step {self.number}."))
        return found

    @staticmethod
    def _array(kept: Kept, what: Any) -> np.ndarray:
        if kept.array is None:
            raise misuse(ValueError(
                f"'{name_of(what)}' {list(kept.shape)} was too big to be kept.\n  Hint: its "
                'statistics(...) were; or record with a larger limit, or fewer nodes.'))
        return kept.array

    @property
    def origin(self) -> Origin | None:
        """Where the first NaN or infinity came from; None if there is none.

        Constants do not count. Inputs that were not recorded count as finite.
        """
        tainted: set = set()
        for entry in self.entries:
            bad = [i for i, kept in enumerate(entry.kept) if kept is not None and not kept.finite]
            tensors = {t for i, t in enumerate(entry.operation.outputs) if i in bad}
            tainted -= set(entry.operation.outputs) - tensors       # of an earlier iteration
            if not bad:
                continue
            passes_on = entry.operation.type == 'Const' or _is_parameter(entry.operation) or \
                any(t in tainted for t in entry.operation.inputs)
            if not passes_on:
                return _origin(entry, bad[0])
            tainted |= tensors
        return None

    def compare(self, other: Step) -> list[Difference]:
        """The largest absolute difference of each value that both have, the largest first."""
        found = []
        for name in self._places:
            if name not in other._places:
                continue
            pairs = zip(self._entries_of(name), other._entries_of(name))
            sizes = [difference(a, b) for one, two in pairs
                     for a, b in zip(one.kept, two.kept) if a is not None and b is not None]
            known = [size for size in sizes if size is not None]
            if known:
                found.append(Difference(name, max(known)))
        return sorted(found, key=lambda d: -d.largest)

    def _entries_of(self, name: str) -> Iterator[Entry]:
        return (self.entries[place] for place in self._places[name])

    @property
    def nbytes(self) -> int:
        """The memory of the kept arrays; those shared with other steps are counted here, too."""
        return sum(kept.nbytes for entry in self.entries for kept in entry.kept if kept)

    def __repr__(self) -> str:
        return f'<step {self.number}: {len(self._places)} nodes for {", ".join(self.fetches)}>'


def kind_of(fetches: Sequence[str]) -> tuple[str, ...]:
    """The operations among fetches; if none, all fetches.

    So the steps of a training count together, whatever else some of them fetch: hooks, summaries
    and the training doctor ask for more now and then.
    """
    return tuple([name for name in fetches if ':' not in name]) or tuple(fetches)


def name_of(what: Any) -> str:
    """The name of a Tensor, Operation or Variable; a name itself."""
    return what if isinstance(what, str) else str(getattr(what, 'name', what))


def _is_parameter(operation: Operation) -> bool:
    """True for the Placeholder in a function that stands for a tensor around it."""
    return operation.type == 'Placeholder' and getattr(operation.graph, 'name', None) is not None


def _origin(entry: Entry, output: int) -> Origin:
    kept = entry.kept[output]
    statistics = kept.statistics if kept is not None else None
    found = [f'{count} {word}' for count, word in (
        (statistics.nan, 'NaN'), (statistics.inf, 'Inf')) if count] if statistics else ['NaN']
    size = int(np.prod(kept.shape)) if kept is not None else 0
    many = f' of {size} elements' if size > 1 else ''
    site = entry.operation.site
    where = f', made at {site}' if site else ''
    return Origin(entry.name, output, ' and '.join(found) + many, entry.iteration, where)


def difference(a: Kept, b: Kept) -> float | None:
    """The largest absolute difference of two arrays; None if it is not known."""
    if a.array is None or b.array is None or a.dtype.kind not in 'biufc':
        return None
    if a is b:
        return 0.0
    if a.shape != b.shape:
        return float('inf')
    if not a.array.size:
        return 0.0
    with np.errstate(all='ignore'):
        same = (a.array == b.array) | ((a.array != a.array) & (b.array != b.array))
        wide = np.complex128 if a.dtype.kind == 'c' else np.float64
        largest = np.abs(np.where(same, 0, a.array.astype(wide) - b.array.astype(wide))).max()
    return float(largest) if largest == largest else float('inf')
