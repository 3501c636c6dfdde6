"""A program with loops that are unrolled after some runs."""
from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np

from tinyflow.compiler.ir import Program
from tinyflow.session.executable import Executable
from tinyflow.session.runtime import Runtime


class LoopExecutable(Executable):
    """A program with loops that is replaced by its unrolled form after `patience` runs.

    Unrolling costs about as much time as it saves in ten to a hundred runs.
    """

    def __init__(self, program: Program, runtime: Runtime, patience: int,
                 unroll: Callable[[], Executable | None]) -> None:
        super().__init__(program, runtime)
        self._patience = patience
        self._unroll = unroll

    def __call__(self, feeds: Sequence[np.ndarray]) -> list:
        if self.runs >= self._patience:
            self._patience = sys.maxsize        # try only once
            unrolled = self._unroll()
            if unrolled is not None:
                unrolled.runs = self.runs
                return unrolled(feeds)
        return super().__call__(feeds)


__all__ = ['LoopExecutable']
