"""How many runs of a program with NumPy last as long as preparing its loops.

Estimates alone: the number must be the same each time. They err on the side of more runs; too few
would make a run wait.
"""
from __future__ import annotations

import math

from tinyflow.compiler.cost import numpy_seconds
from tinyflow.compiler.ir import Program
from tinyflow.native import loops

__all__ = ['runs_to_prepare']

_START = 0.5                # seconds: importing llvmlite, in turns with the runs
_EACH = 0.05                # to compile a loop
_INSTRUCTION = 0.0006       # to look at one and write the source, in turns
_MOST = 20_000


def runs_to_prepare(program: Program, exact: bool = False) -> int:
    """The number of runs; 0 if there are no loops to compile."""
    count = loops.about_how_many(program, exact)
    if not count:
        return 0
    step = sum(map(numpy_seconds, program.instructions))
    seconds = _START + _EACH * count + _INSTRUCTION * len(program.instructions)
    return min(_MOST, math.ceil(seconds / step))
