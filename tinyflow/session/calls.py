"""Call and CallCache: what a Session has decided for the fetches and feeds that it was given.

Resolving fetches and feeds takes longer than running a small program, so it is done once for each
pair, as the program writes it.
"""
from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.graph import Graph
from tinyflow.session.config import RunMetadata, RunOptions
from tinyflow.session.executable import Executable
from tinyflow.session.feeds import (
    as_feed_element,
    check_feed_shapes,
    feed_array,
    flat_keys,
    flat_values,
    return_as_fed,
)
from tinyflow.session.fetches import FetchPlan
from tinyflow.session.interrupts import deliver, pending
from tinyflow.session.program_cache import ProgramCache
from tinyflow.session.run_options import run_with_options

_MOST_CALLS = 64        # kept by a CallCache
_NEST = object()        # first entry of the key of a Call that is not looked up


class Call:
    """One pair of fetches and feeds: the tensors that they mean, and their programs."""

    __slots__ = ('plan', 'entry', 'feeds', 'nested', 'fed_and_fetched', 'executable_of',
                 'runs_seen')

    def __init__(self, graph: Graph, programs: ProgramCache, fetches: Any,
                 feeds: Iterable[Any] | None) -> None:
        self.plan = FetchPlan(graph, fetches)
        keys, self.nested = flat_keys(feeds or ())      # nested: the keys, if some are tuples
        tensors = tuple([as_feed_element(graph, key) for key in keys])
        elements = self.plan.elements
        self.entry = programs.entry(tuple(elements), tensors)
        # None for strings: it equals no array's dtype, so these are always converted to bytes.
        self.feeds = [(tensor, tensor.dtype.np if tensor.dtype is not dtypes.string else None)
                      for tensor in tensors]
        self.fed_and_fetched = [(elements.index(tensor), i) for i, tensor in enumerate(tensors)
                                if tensor.dtype is dtypes.string and tensor in elements]
        self.executable_of = self.entry.executables.get
        self.runs_seen = 0

    def run(self, values: Collection[Any] = (), options: RunOptions | None = None,
            run_metadata: RunMetadata | None = None) -> Any:
        """Runs the program with these values of the feeds."""
        arrays = self.arrays(values) if values else []
        executable = self.executable_of(tuple([a.shape for a in arrays])) \
            or self.executable(arrays)
        try:
            results = executable(arrays) if options is None and run_metadata is None else \
                run_with_options(executable, arrays, options, run_metadata)
        finally:
            if pending:
                deliver()
        if self.fed_and_fetched:
            return_as_fed(results, values, self.nested, self.fed_and_fetched)
        return self.plan.rebuild(results)

    def arrays(self, values: Iterable[Any]) -> list[np.ndarray]:
        """Converts the fed values to arrays of their tensors' dtypes; without a copy if possible.
        """
        if self.nested:
            values = flat_values(self.nested, values)
        return [value if type(value) is np.ndarray and value.dtype is dtype
                else feed_array(tensor, value)
                for (tensor, dtype), value in zip(self.feeds, values)]

    def executable(self, arrays: list[np.ndarray]) -> Executable:
        """The program compiled for the shapes of `arrays`, which are checked."""
        check_feed_shapes(self.entry.feeds, arrays)
        return self.entry.executable(tuple([a.shape for a in arrays]))

    def runs_since(self) -> int:
        """The number of runs of its programs since the last call of this method."""
        runs = sum(executable.runs for executable in list(self.entry.executables.values()))
        since, self.runs_seen = runs - self.runs_seen, runs
        return since


def call_key(fetches: Any, feeds: Iterable[Any] | None) -> Any:
    """The key of a Call: what the program wrote. It may be unhashable.

    For a list or tuple of fetches, it includes the type: a namedtuple equals the tuple of its
    items.
    """
    kind = type(fetches)
    if kind is list or isinstance(fetches, tuple):
        return (kind, *fetches, None, *feeds) if feeds else (kind, *fetches)
    return (fetches, None, *feeds) if feeds else fetches


class CallCache(dict[Any, Call]):
    """The Calls of a Session, by `call_key`.

    Calls for dicts and nests of fetches are never looked up: such fetches are resolved in each run
    (about 8 us). The Calls are stored only to keep their CacheEntries alive.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def add(self, fetches: Any, feeds: Collection[Any] | None, call: Call) -> None:
        """Adds a Call; evicts the one that ran least if there are too many."""
        key = call_key(fetches, feeds)
        is_nest = isinstance(fetches, (list, tuple)) and any(isinstance(f, tuple) for f in fetches)
        try:
            hash(key)
        except TypeError:
            is_nest = True
        if is_nest:
            key = (_NEST, *call.plan.elements, None, *call.entry.feeds)
        with self._lock:
            if key not in self and len(self) >= _MOST_CALLS:
                runs = {old: kept.runs_since() for old, kept in self.items()}
                del self[min(runs, key=runs.__getitem__)]
            self[key] = call


__all__ = ['Call', 'CallCache', 'call_key']
