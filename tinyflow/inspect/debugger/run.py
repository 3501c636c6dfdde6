"""The run in progress: what it is asked for, its values so far, and how it goes on."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tinyflow.graph.operation import Operation, Tensor
from tinyflow.inspect.debugger.breakpoints import Datum
from tinyflow.inspect.recorder.kept import Kept
from tinyflow.inspect.recorder.names import full_name
from tinyflow.inspect.recorder.step import Entry, Step
from tinyflow.session.observed import Frame

__all__ = ['Plan', 'Run', 'data_of']

LIMIT = 2 << 30         # bytes; of what comes above it only statistics are kept


class Plan(NamedTuple):
    """What the user asked for last; it holds until the next prompt.

    ask      at the start of the next run
    runs     so many runs go by, the last one of them is shown
    step     so many nodes are computed, then the run stops
    found    name of the filter that ends it, `ignored` a pattern of nodes that it leaves out
    """

    ask: bool = False
    runs: int = 0
    step: int = 0
    found: str | None = None
    ignored: str | None = None


class Run:
    """One run of a Session: fetches, feeds, and the values in the order in which they came."""

    def __init__(self, number: int, fetches: Sequence[Tensor | Operation],
                 feeds: dict[Tensor, np.ndarray]) -> None:
        self.number = number
        self.fetches, self.feeds = fetches, feeds
        self.step = Step(number, tuple([f.name for f in fetches]))
        self.used = 0
        self.silent = False             # values are not kept
        self.ask_at_end = False
        self.error: BaseException | None = None

    def add(self, operation: Operation, arrays: Sequence[np.ndarray | None],
            frames: tuple[Frame, ...]) -> Entry:
        """Keeps what an operation computed."""
        kept = []
        for array in arrays:
            if array is None:
                kept.append(None)
                continue
            one = Kept(np.array(array))
            self.used += one.nbytes
            if self.used > LIMIT:
                one.reduce()
            kept.append(one)
        iteration = tuple([f.iteration for f in frames if f.operation.type == 'While'])
        entry = Entry(full_name(operation, frames), operation, iteration, tuple(kept))
        self.step.add(entry)
        return entry

    @property
    def data(self) -> Iterator[Datum]:
        """Each value as a Datum, in order; not those that were too big to be kept."""
        for number, entry in enumerate(self.step.entries):
            yield from data_of(entry, number)

    @property
    def graph(self):
        return self.fetches[0].graph if self.fetches else None

    @property
    def title(self) -> str:
        """Such as 'run 3: fetches loss:0, train; feeds x:0'."""
        feeds = ', '.join([t.name for t in self.feeds])
        return f'run {self.number}: fetches {", ".join(self.step.fetches) or "nothing"}' + \
            (f'; feeds {feeds}' if feeds else '')


def data_of(entry: Entry, number: int) -> Iterator[Datum]:
    """The values of one operation; it was the how many-th of its run."""
    for slot, kept in enumerate(entry.kept):
        if kept is not None and kept.array is not None:
            yield Datum(entry.name, slot, kept.array, number, entry.iteration)
