"""ClusterRun: the stages of one pair of fetches and feeds, run on their tasks.

Stages of one level do not depend on each other: they are started together, and those of the
session's own process are run meanwhile.
"""
from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinyflow.cluster.remote_errors import explained
from tinyflow.cluster.shipping import packed
from tinyflow.cluster.stages import Stage
from tinyflow.cluster.task_service import Route, StageProgram, boxed
from tinyflow.formats.protos.graph_pb2 import GraphDef
from tinyflow.graph.graph import Graph
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.waits import check_deadline, deadline, deadlines, seconds_left
from tinyflow.session.config import RunMetadata, RunOptions

__all__ = ['ClusterRun', 'Part']

_steps = itertools.count(1)


class Part:
    """One stage of a run: who runs it, with which values, and which come back.

    Values are in the slots of a list: first those of the feeds, then those that leave a stage.
    """

    __slots__ = ('stage', 'peer', 'key', 'ins', 'outs', 'program', 'dtypes', 'route')

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.peer: Any = None
        self.key = ''
        self.program: StageProgram | None = None        # of this process
        self.ins: list[int] = []
        self.outs: list[int] = []
        self.dtypes: list[np.dtype] = []
        self.route = Route((), (), {}, ())              # of another task: what it keeps, and sends


class ClusterRun:
    """The stages of one pair of fetches and feeds; calling it with the fed arrays runs them."""

    def __init__(self, graph: Graph, levels: list[list[Part]], slots: int,
                 results: list[tuple[int, bool]], register: Callable[[Part], None]) -> None:
        self.graph, self.levels = graph, levels
        self._slots, self._results = slots, results
        self._register = register
        self.ready = False              # all stages are registered with their tasks
        self.runs = 0

    def __call__(self, arrays: Sequence[np.ndarray]) -> list:
        self.runs += 1
        step, milliseconds = next(_steps), 0
        if deadlines:
            left = seconds_left()
            milliseconds = 0 if left is None else max(int(left * 1000), 1)
        known: list[Any] = [*arrays, *[None] * (self._slots - len(arrays))]
        begun: list[tuple[Part, Any]] = []
        part = None
        try:
            if not self.ready:
                for part in self._unregistered():
                    self._register(part)
                self.ready = True
            for level in self.levels:
                for part in level:
                    if part.program is None:
                        begun.append((part, part.peer.start(
                            part.key, step, [known[i] for i in part.ins], milliseconds)))
                for part in level:
                    if part.program is not None:
                        results = part.program.run([known[i] for i in part.ins], {})
                        for slot, dtype, value in zip(part.outs, part.dtypes, results):
                            known[slot] = boxed(value, dtype)
                while begun:
                    part, started = begun.pop()
                    try:
                        results = part.peer.finish(started)
                    except BaseException:
                        begun.append((part, started))
                        raise
                    for slot, dtype, value in zip(part.outs, part.dtypes, results):
                        known[slot] = boxed(value, dtype)
        except BaseException as error:
            for other, started in begun:
                other.peer.cancel(step, started)
            self._forget(step)
            if isinstance(error, Exception) and part is not None and part.program is None:
                raise explained(error, self.graph, part.stage.task) from None
            raise
        return [None if slot < 0 else _for_caller(known[slot], copy)
                for slot, copy in self._results]

    def run_with_options(self, arrays: Sequence[np.ndarray], options: RunOptions,
                         metadata: RunMetadata | None) -> list:
        """As `__call__`, with a time limit; `metadata` gets the graphs of the stages.

        The clocks of FULL_TRACE are in programs of one process: the nodes are not timed.
        """
        if metadata is not None and (options.trace_level or options.output_partition_graphs):
            metadata.partition_graphs = [GraphDef.FromString(packed(part.stage, True).graph_def)
                                         for level in self.levels for part in level]
        if options.timeout_in_ms <= 0:
            return self(arrays)
        with deadline(options.timeout_in_ms):
            results = self(arrays)
            check_deadline(completed=True)
        return results

    @property
    def plan(self) -> Any:
        """Asked for by `session.profile`, which needs one program of this process."""
        raise misuse(NotImplementedError(
            'session.profile() is for a Session of this process; this one runs stages on tasks.\n'
            '  Hint: session.stages(fetches) shows what runs where.'))

    program = plan

    def _unregistered(self) -> list[Part]:
        return [part for level in self.levels for part in level
                if part.program is None and part.peer is None]

    def _forget(self, step: int) -> None:
        """Frees what a failed step has left on tasks."""
        for peer in {part.peer for level in self.levels for part in level
                     if part.route.kept and part.peer is not None}:
            peer.cancel(step, None)


def _for_caller(value: Any, copy: bool) -> Any:
    """A fetched value as a Session returns it: the caller owns it, scalars are NumPy's."""
    if value.ndim == 0:
        return value[()]
    return value.copy() if copy else value
