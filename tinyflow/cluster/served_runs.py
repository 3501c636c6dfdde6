"""Runs that a server makes for other processes: what happens to them when such a process dies.

A run that only waits (for the chief: a take of gradients) is ended as soon as its process is gone,
and what it has taken so far is put back. A worker's run that has added its gradients goes on to
the token that it waits for: then all is as if the worker had been killed after its step, and the
update is the one that it would have been. If the worker starts again before that update, it adds
the gradients of that step once more. They are dropped, and the run of the dead one ends without a
token, because the new one waits for it.
"""
from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from tinyflow.compiler.ir import Instruction

__all__ = ['Effects', 'ServedRun', 'Survivors']

_TAKES = frozenset(('ResourceAccumulatorTakeGradient', 'SparseAccumulatorTakeGradient',
                    'QueueDequeueV2', 'QueueDequeueManyV2', 'QueueDequeueUpToV2'))
_ADDS = frozenset(('ResourceAccumulatorApplyGradient', 'SparseAccumulatorApplyGradient'))
_WITHOUT_EFFECT = _TAKES | _ADDS | {'NoOp', 'ResourceAccumulatorNumAccumulated', 'QueueSizeV2',
                                    'QueueIsClosedV2'}
_PATIENCE = 2.          # seconds for a run to end; a wait looks every 0.1 s whether it should


class Effects:
    """What the instructions of a stage do to queues and accumulators.

    adds        it adds gradients
    takes_first all takes come before anything that has an effect, so that they can be put back
    only_takes  there is no other effect: without a reader nothing should be taken
    """

    __slots__ = ('adds', 'takes_first', 'only_takes')

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        self.adds = any(i.type in _ADDS for i in instructions)
        takes = [n for n, i in enumerate(instructions) if i.type in _TAKES]
        effects = [n for n, i in enumerate(instructions) if _has_effect(i)]
        self.takes_first = bool(takes) and (not effects or effects[0] > takes[-1])
        self.only_takes = self.takes_first and not effects and not self.adds


def _has_effect(instruction: Instruction) -> bool:
    definition = instruction.definition
    return bool(instruction.writes) or not definition.pure and definition.state is None \
        and instruction.type not in _WITHOUT_EFFECT


class ServedRun:
    """A run of a stage for a session of another process.

    `undo` has functions that put back what the run has taken, noted by queues and accumulators.
    """

    __slots__ = ('sender', 'session', 'effects', 'gone', 'ended', 'undo', '_end', '_survivors')

    def __init__(self, sender: str, session: str, effects: Effects, end: Callable[[], None],
                 survivors: Survivors) -> None:
        self.sender, self.session, self.effects = sender, session, effects
        self.gone = False               # its process has died, or has ended the session
        self.ended = threading.Event()
        self.undo: list[Callable[[], None]] = []
        self._end, self._survivors = end, survivors

    def give_up(self) -> None:
        """Its process is gone: ends the run, or lets it go on to its token."""
        if not self.gone:
            self.gone = True
            if self.effects.adds:
                self._survivors.put(self)
            else:
                self._end()

    def finish(self, failed: bool) -> None:
        """Called at the end of the run: puts back what has no reader."""
        if self.gone and (self.effects.takes_first if failed else self.effects.only_takes):
            self._put_back()
        self.ended.set()

    def _put_back(self) -> None:
        while self.undo:
            self.undo.pop()()

    def withdraw(self) -> None:
        """Ends the run without its token: another run waits for it."""
        self._end()
        self.ended.wait(_PATIENCE)
        self._put_back()

    def repeats(self, added: list[ServedRun], stale: bool) -> bool:
        """Whether a gradient that this run would add is one that a dead run of its task added.

        `added` are the runs whose gradients the accumulator holds; `stale` says that the gradient
        is of an earlier step than those. The caller holds the lock of the accumulator.
        """
        earlier = next((run for run in added if run.gone and self._follows(run)), None)
        if earlier is not None:
            added[added.index(earlier)] = self
        left = self._survivors.take(self)
        if left is not None and (earlier is not None or stale or not left.ended.is_set()):
            left.withdraw()
        return earlier is not None

    def _follows(self, other: ServedRun) -> bool:
        return other.sender == self.sender and other.session != self.session


class Survivors:
    """The last run of each task that added gradients and whose process is gone."""

    def __init__(self) -> None:
        self._runs: dict[str, ServedRun] = {}
        self._lock = threading.Lock()

    def put(self, run: ServedRun) -> None:
        with self._lock:
            self._runs[run.sender] = run

    def take(self, later: ServedRun) -> ServedRun | None:
        """The survivor whose task runs again, as `later` shows; None if there is none."""
        if not self._runs:
            return None
        with self._lock:
            found = self._runs.get(later.sender)
            if found is None or not later._follows(found):
                return None
            return self._runs.pop(later.sender)

    def of(self, session: str) -> bool:
        """Whether a run of this session goes on."""
        with self._lock:
            return any(run.session == session and not run.ended.is_set()
                       for run in self._runs.values())
