"""A program with loops, which are unrolled after some runs if their lengths are known."""
from __future__ import annotations

import math
from collections.abc import Callable

from tinyflow.compiler.functions.unrolling import UnrollingCost
from tinyflow.compiler.ir import Program
from tinyflow.graph.support.background import TURN
from tinyflow.session.executable import Executable
from tinyflow.session.followed import FollowedExecutable
from tinyflow.session.runtime import Runtime

_UNROLL_ONE = 0.0002        # seconds for an instruction, in turns


class LoopExecutable(FollowedExecutable):
    """A program with loops that is replaced by another one after `patience` runs or more.

    That is its unrolled form; unrolling costs about as much time as it saves in ten to a hundred
    runs. It is used when the runs before, at an estimate, have lasted as long as that. If a loop's
    length is not known it is the same program, which may have native code then.
    """

    follower = 'its form without loops'

    def __init__(self, program: Program, runtime: Runtime, patience: int,
                 cost: Callable[[], UnrollingCost | None], unroll: Callable[[], Program],
                 executable_of: Callable[[Program], Executable],
                 replace: Callable[[Executable], None]) -> None:
        # Unrolling has the turns of three quarters of the runs.
        super().__init__(program, runtime, patience // 4, patience, replace)
        self._find_cost, self._unroll, self._executable_of = cost, unroll, executable_of
        self._cost: UnrollingCost | None = None
        self._cost_is_known = False

    @property
    def replaced_after(self) -> int:
        return max(super().replaced_after, self._start + self._begin + self._needs_runs())

    def _is_due(self) -> bool:
        # The cost is found in the background; the first runs do not need it.
        return self._count.runs >= super().replaced_after and super()._is_due()

    def _needs_runs(self) -> int:
        """The number of runs that last as long as unrolling."""
        cost = self._unrolling_cost()
        if cost is None or not cost.instructions:
            return 0
        return math.ceil(_UNROLL_ONE * cost.instructions / (TURN * cost.seconds))

    def _unrolling_cost(self) -> UnrollingCost | None:
        """Found in the background; by a run, if that is too late or in a forked process."""
        if not self._cost_is_known:
            self._cost = self._find_cost()
            self._cost_is_known = True
        return self._cost

    def following(self) -> Executable:
        program = self.program if self._unrolling_cost() is None else self._unroll()
        following = self._executable_of(self.program if 'While' in program.types else program)
        keep_functions(self, following)
        return following


def keep_functions(old: Executable, new: Executable) -> None:
    """Has `new` run the functions that `old` has compiled, for the instructions of both."""
    names = {instruction: name for name, instruction in old.source.with_functions.items()}
    for name, instruction in new.source.with_functions.items():
        found = old.source.callables.get(names.get(instruction, ''))
        if found is not None:
            new.source.callables[name] = found


__all__ = ['LoopExecutable', 'keep_functions']
