"""When a program moves up to the native tier: at a fixed run, so that its values are repeatable.

A program's first runs use NumPy. After two of them a thread begins to make the native kernels, in
turns with the runs. A later run uses them, the fifth or, if much has to be compiled, one by which
that will be done (patience.py); it waits for the thread, should that still be working. So the bits
of all results depend on the number of the run, and not on time.

A function inside a program (a branch, a loop's body, a map of tf.data) uses only loops that do not
change a bit, so it does not matter when it moves up.
"""
from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from tinyflow.compiler.ir import Program
from tinyflow.graph.support.background import TURN, Preparation
from tinyflow.native import loops
from tinyflow.native.patience import runs_to_prepare
from tinyflow.native.raised import raised
from tinyflow.session.executable import Executable
from tinyflow.session.followed import FollowedExecutable
from tinyflow.session.loop_executable import keep_functions
from tinyflow.session.runtime import Runtime

__all__ = ['NativeExecutable', 'RisingExecutable', 'RisingFunction', 'rising', 'runs_with_numpy']

_BEGIN, _MOVE = 2, 4        # runs with NumPy until kernels are made; the fewest until they are used


class NativeExecutable(Executable):
    """A program with native kernels. `numpy_seconds` is what a run without them took."""

    numpy_seconds = 0.0


class RisingExecutable(FollowedExecutable):
    """A program that is replaced by one with native kernels after some runs."""

    follower = 'native code'

    def __init__(self, program: Program, runtime: Runtime,
                 replace: Callable[[Executable], None]) -> None:
        super().__init__(program, runtime, _BEGIN, runs_with_numpy(program), self._moved_up)
        self._replace_by = replace

    @property
    def replaced_after(self) -> int:
        after = self._count.native_after
        return super().replaced_after if after is None else after

    def __call__(self, feeds: Sequence[np.ndarray]) -> list:
        if self._count.native_after is None:
            self._count.native_after = super().replaced_after
        return super().__call__(feeds)

    def following(self) -> NativeExecutable | None:
        raised = native_executable(self.program, self._runtime)
        if raised is not None:
            keep_functions(self, raised)
        return raised

    def _moved_up(self, raised: Any) -> None:
        if self._fastest < math.inf:                # else it has not run here with NumPy
            raised.numpy_seconds = self._fastest
        self._replace_by(raised)


class RisingFunction(Executable):
    """A function that gets loops with NumPy's bits after some calls, as soon as they are there.

    They are made in turns with further calls.
    """

    def __init__(self, program: Program, runtime: Runtime) -> None:
        super().__init__(program, runtime)
        self._calls = count(1)          # by several threads
        self._begin_at = max(_BEGIN, runs_to_prepare(program, exact=True))
        self._fastest = math.inf        # seconds of a call
        self._preparation: Preparation | None = None
        self._raised: Executable | None = None
        self._tried = False

    @property
    def will_move(self) -> bool:
        """Whether the loops are still to be made."""
        return not self._tried

    def call_inside(self, feeds: Sequence[np.ndarray]) -> list:
        if self._raised is not None:
            return self._raised.call_inside(feeds)
        if self._tried:
            return super().call_inside(feeds)
        call = next(self._calls)
        begin = time.perf_counter()
        results = super().call_inside(feeds)
        self._fastest = min(self._fastest, time.perf_counter() - begin)
        if call == self._begin_at:
            self._preparation = self._runtime.preparations.begin(self._make)
        if self._preparation is not None:
            self._runtime.preparations.owe_turn(self._preparation, TURN * self._fastest)
        return results

    def _make(self) -> None:
        try:
            program = loops.raised(self.program, exact=True)
            if program is not self.program:
                raised = Executable(program, self._runtime)
                keep_functions(self, raised)
                self._raised = raised
        finally:
            self._tried = True          # if it failed, too: then NumPy goes on


def runs_with_numpy(program: Program) -> int:
    """After how many runs a program moves up."""
    return max(_MOVE, _BEGIN + runs_to_prepare(program))


def native_executable(program: Program, runtime: Runtime) -> NativeExecutable | None:
    """The program with native kernels, or None if there is nothing for them."""
    native = raised(program)
    return None if native is program else NativeExecutable(native, runtime)


def rising(program: Program, runtime: Runtime, replace: Callable[[Executable], None],
           at_once: bool) -> Executable:
    """An Executable that moves up; `replace` is called with the native one."""
    if at_once:
        return native_executable(program, runtime) or Executable(program, runtime)
    if program.nested:
        exact = loops.about_how_many(program, exact=True)
        return RisingFunction(program, runtime) if exact else Executable(program, runtime)
    return RisingExecutable(program, runtime, replace)
