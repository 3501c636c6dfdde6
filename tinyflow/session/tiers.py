"""Which tier a program begins in: NumPy alone, or NumPy with a native tier above it.

The native tier (tinyflow/native/) is there if the extra `tinyflow-graph[fast]` is installed. The
environment variable TINYFLOW_NATIVE turns it off ('off') or has programs begin in it ('always').
"""
from __future__ import annotations

import os
from collections.abc import Callable

from tinyflow.compiler.ir import Program
from tinyflow.session.executable import Executable
from tinyflow.session.runtime import Runtime

__all__ = ['executable_of']

# The ops that native code computes, by package; other programs do not load anything.
_ONEDNN = frozenset({'Conv2D', 'Conv2DBackpropInput', 'Conv2DBackpropFilter'})
_NATIVE = _ONEDNN


def executable_of(program: Program, runtime: Runtime,
                  replace: Callable[[Executable], None]) -> Executable:
    """An Executable of the program; `replace` is called with another one that is to follow it."""
    if all(i.type not in _NATIVE for i in program.instructions):
        return Executable(program, runtime)
    mode = os.environ.get('TINYFLOW_NATIVE', 'auto')
    if mode == 'off':
        return Executable(program, runtime)
    from tinyflow.native.raised import found  # start-up time
    if not found():
        return Executable(program, runtime)
    from tinyflow.native.rise import rising  # start-up time
    return rising(program, runtime, replace, mode == 'always')
