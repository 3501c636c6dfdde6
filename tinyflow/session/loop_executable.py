"""A program with loops, which are unrolled after some runs if their lengths are known."""
from __future__ import annotations

from collections.abc import Callable

from tinyflow.compiler.ir import Program
from tinyflow.session.executable import Executable
from tinyflow.session.followed import FollowedExecutable
from tinyflow.session.runtime import Runtime


class LoopExecutable(FollowedExecutable):
    """A program with loops that is replaced by another one after `patience` runs.

    That is its unrolled form: unrolling costs about as much time as it saves in ten to a hundred
    runs. If a loop's length is not known it is the same program, which may have native code then.
    """

    follower = 'its form without loops'

    def __init__(self, program: Program, runtime: Runtime, patience: int,
                 unroll: Callable[[], Executable], replace: Callable[[Executable], None]) -> None:
        # Unrolling has the turns of three quarters of the runs, each of half a run.
        super().__init__(program, runtime, patience // 4, patience, replace)
        self._unroll = unroll

    def following(self) -> Executable:
        unrolled = self._unroll()
        keep_functions(self, unrolled)
        return unrolled


def keep_functions(old: Executable, new: Executable) -> None:
    """Has `new` run the functions that `old` has compiled, for the instructions of both."""
    names = {instruction: name for name, instruction in old.source.with_functions.items()}
    for name, instruction in new.source.with_functions.items():
        found = old.source.callables.get(names.get(instruction, ''))
        if found is not None:
            new.source.callables[name] = found


__all__ = ['LoopExecutable', 'keep_functions']
