"""A Session of a cluster: cuts what it runs into stages, and has their tasks run them.

It stands where a Session of one process has its ProgramCache: an entry for each pair of fetches
and feeds holds the stages, which are cut once and registered with their tasks. The stages of the
session's own task, if that is in this process, are programs of the session's own graph.
"""
from __future__ import annotations

import itertools
import secrets
import sys
import threading
import weakref
from collections.abc import Sequence
from typing import Any, Protocol

from tinyflow.cluster.cluster_run import ClusterRun, Part
from tinyflow.cluster.peers import Peer
from tinyflow.cluster.placement import Placement
from tinyflow.cluster.shipping import packed
from tinyflow.cluster.stages import Arrival, Stage, cut
from tinyflow.cluster.task_service import Route, StageProgram, TaskService
from tinyflow.cluster.tasks import Task
from tinyflow.compiler.compile import Options
from tinyflow.compiler.lower import lower
from tinyflow.compiler.prune import prune
from tinyflow.compiler.schedule import schedule
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import errors
from tinyflow.graph.support.gc_pause import collector_paused
from tinyflow.session.cache_entry import CacheEntry
from tinyflow.session.program_cache import ProgramCache

__all__ = ['ClusterPrograms']

_SHAPES = 1000          # remembered of one pair of fetches and feeds

_keys = itertools.count(1)


class Cluster(Protocol):
    """What a session knows of its cluster."""

    own: Task                           # the session's task: where operations go without a device
    service: TaskService | None         # of that task, if it is in this process
    tasks: list[Task]                   # those that the session may use

    def connect(self, task: Task, session: str) -> Peer: ...


class ClusterEntry:
    """One (fetches, feeds) pair of a cluster's session."""

    def __init__(self, fetches: tuple[Tensor | Operation, ...], feeds: tuple[Tensor, ...],
                 owner: ClusterPrograms) -> None:
        self.fetches, self.feeds = fetches, feeds
        self.executables: dict[tuple, ClusterRun] = {}
        with collector_paused():
            self.run = owner.plan(fetches, feeds)

    def executable(self, shapes: tuple) -> ClusterRun:
        """The run for these fed shapes; each task has its programs for them."""
        if len(self.executables) >= _SHAPES:
            self.executables.clear()
        self.executables[shapes] = self.run
        return self.run


class ClusterPrograms:
    """The ClusterEntries of a session, by weak reference, and its connections to tasks."""

    def __init__(self, graph: Graph, options: Options, cluster: Cluster,
                 log_placement: bool = False) -> None:
        self.graph, self.options, self.cluster = graph, options, cluster
        self.session = secrets.token_hex(8)
        self.entries: weakref.WeakValueDictionary[tuple, ClusterEntry] = \
            weakref.WeakValueDictionary()
        self._peers: dict[Task, Peer] = {}
        self._connecting: dict[Task, threading.Lock] = {}
        self._lock = threading.RLock()
        self._closed = False
        self._log_placement = log_placement
        self._placement: Placement | None = None
        self.store: Any = None
        self.runtime: Any = None
        if cluster.service is not None:
            cluster.service.open(self.session)
            self.store = self._new_store()
            self.programs = ProgramCache(self.store, options)
            self.runtime = self.programs.runtime

    def _new_store(self) -> Any:
        """The Store of the programs of this process."""
        return self.cluster.service.store(self.session)         # type: ignore[union-attr]

    def all_peers(self) -> list[Peer]:
        """The tasks that the session has used, and its own."""
        return list({self.peer(self.cluster.own), *self._peers.values()})

    def entry(self, fetches: tuple[Tensor | Operation, ...],
              feeds: tuple[Tensor, ...]) -> ClusterEntry:
        """The ClusterEntry for these fetches and feeds, made if necessary."""
        key = fetches, feeds
        with self._lock:
            entry = self.entries.get(key)
            if entry is None:
                entry = self.entries[key] = ClusterEntry(fetches, feeds, self)
        return entry

    def peer(self, task: Task) -> Peer:
        """The connection to a task."""
        found = self._peers.get(task)
        if found is None:
            with self._lock:
                connecting = self._connecting.setdefault(task, threading.Lock())
            with connecting:                    # may wait until the task has started
                found = self._peers.get(task)
                if found is None:
                    found = self._connect(task)
        return found

    def _connect(self, task: Task) -> Peer:
        if not self._closed:
            found = self.cluster.connect(task, self.session)
            with self._lock:
                if not self._closed:
                    self._peers[task] = found
                    return found
            found.close()               # of a thread that goes on after the session's end
        raise errors.CancelledError(None, None, 'Session has been closed.')

    def placement(self, fetches: Sequence[Tensor | Operation],
                  feeds: Sequence[Tensor]) -> tuple[list[Operation], Placement]:
        """The operations that run, in execution order, and where all operations are."""
        fed = frozenset(feeds)
        return schedule(prune(fetches, feeds), fed), self.place()

    def place(self) -> Placement:
        """The task of each operation of the graph, as it is now."""
        with self._lock:
            if self._placement is None:
                self._placement = Placement(self.graph, self.cluster.own, self.cluster.tasks)
            self._placement.update()
            return self._placement

    def plan(self, fetches: tuple[Tensor | Operation, ...],
             feeds: tuple[Tensor, ...]) -> ClusterRun:
        """Cuts a pair of fetches and feeds into stages; the first run registers them."""
        order, placement = self.placement(fetches, feeds)
        stages, wanted = cut(order, fetches, frozenset(feeds), placement)
        slots: dict[Any, int] = {tensor: i for i, tensor in enumerate(feeds)}
        for stage in stages:
            for arrival in stage.outs.values():
                slots[arrival] = len(slots)
        levels: dict[int, list[Part]] = {}
        foreign = set()
        last_use = {arrival: stage for stage in stages
                    for arrival in stage.ins.values() if arrival is not None}
        for stage in stages:
            part = self._part(stage, slots, last_use)
            levels.setdefault(stage.level, []).append(part)
            if part.program is None:
                foreign.update(part.outs)
        results = []
        for want in wanted:
            slot = -1 if want is None else slots[want]
            results.append((slot, slot in foreign or isinstance(want, Tensor)))
        run = ClusterRun(self.graph, [levels[n] for n in sorted(levels)], len(slots),
                         results, self.register)
        self._show_placement(order, placement)
        return run

    def _part(self, stage: Stage, slots: dict[Any, int],
              last_use: dict[Arrival, Stage]) -> Part:
        part = Part(stage)
        is_own = self.cluster.service is not None and stage.task == self.cluster.own
        values = {tensor: slots[tensor if arrival is None else arrival]
                  for tensor, arrival in stage.ins.items()}
        if is_own and not _needs_import(stage):
            order = list(stage.operations)
            fetches: tuple[Tensor | Operation, ...] = (*stage.outs, *stage.targets)
            entry = CacheEntry(fetches, tuple(stage.ins), self.runtime, self.options,
                               lower(order, tuple(stage.ins), fetches))
            part.program = StageProgram(
                entry, Route([-1] * len(values), range(len(stage.outs)), {}, ()),
                len(stage.outs))
            part.ins = list(values.values())
            part.outs = [slots[arrival] for arrival in stage.outs.values()]
            part.dtypes = [tensor.dtype.base_dtype.np for tensor in stage.outs]
            return part
        part.key = str(next(_keys))
        ins, sent, kept, drops = [], [], {}, []
        for tensor, arrival in stage.ins.items():
            if arrival is not None and arrival.source.task == stage.task and not is_own:
                ins.append(slots[arrival])
                if last_use[arrival] is stage:
                    drops.append(slots[arrival])
            else:
                ins.append(-1)
                part.ins.append(values[tensor])
        for i, (tensor, arrival) in enumerate(stage.outs.items()):
            if arrival.sent or is_own:
                sent.append(i)
                part.outs.append(slots[arrival])
                part.dtypes.append(tensor.dtype.base_dtype.np)
            if arrival.kept and not is_own:
                kept[i] = slots[arrival]
        part.route = Route(ins, sent, kept, drops)
        return part

    def register(self, part: Part) -> None:
        """Sends a stage to its task; waits for that to start, if it has not."""
        peer = self.peer(part.stage.task)
        peer.register(part.key, packed(part.stage, peer.in_process), part.route)
        part.peer = peer

    def _show_placement(self, order: Sequence[Operation], placement: Placement) -> None:
        if self._log_placement:
            from tinyflow.cluster.picture import placement_text  # start-up time
            print(placement_text(order, placement), file=sys.stderr)

    def clear(self) -> None:
        """Ends the session on all its tasks."""
        with self._lock:
            self._closed = True
            peers, self._peers = list(self._peers.values()), {}
            self.entries.clear()
        for peer in peers:
            peer.close()
        if self.cluster.service is not None:
            self.programs.clear()
            self.cluster.service.close(self.session)


def _needs_import(stage: Stage) -> bool:
    """True if a stage of this process cannot be a program of the session's own graph.

    There, a function would look up a captured Variable that belongs to another task.
    """
    return bool(stage.refs) or any(
        op.definition.functions and any(t in stage.ins for t in op.inputs)
        for op in stage.operations)
