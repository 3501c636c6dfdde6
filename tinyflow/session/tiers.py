"""Which tier a program begins in: NumPy alone, or NumPy with a native tier above it.

Below both, the first run of a long program is not compiled at all (first_run.py).

The native tier (tinyflow/native/) is there if the extra `tinyflow-graph[fast]` is installed. The
environment variable TINYFLOW_NATIVE turns it off ('off') or has programs begin in it ('always').
"""
from __future__ import annotations

import os
from collections.abc import Callable
from math import prod

from tinyflow.compiler.ir import Instruction, Program
from tinyflow.graph.support.errors import misuse
from tinyflow.session.executable import Executable
from tinyflow.session.runtime import Runtime

__all__ = ['executable_of']

# What native code may compute, by package; other programs do not load anything.
_ONEDNN = frozenset({
    'Conv2D', 'Conv2DBackpropInput', 'Conv2DBackpropFilter', 'Conv3D', 'Conv3DBackpropInputV2',
    'Conv3DBackpropFilterV2', 'DepthwiseConv2dNative', 'DepthwiseConv2dNativeBackpropInput',
    'DepthwiseConv2dNativeBackpropFilter', 'MaxPool', 'MaxPool3D', 'AvgPool', 'AvgPool3D',
    'AvgPoolGrad', 'AvgPool3DGrad', 'FusedBatchNormV3'})
_UPDATES = ('Apply', 'ResourceApply')
_SOFTMAX = frozenset({'Softmax', 'LogSoftmax', 'SoftmaxCrossEntropyWithLogits',
                      'SparseSoftmaxCrossEntropyWithLogits'})
_SCATTERS = frozenset({'ScatterAdd', 'ScatterSub', 'ResourceScatterAdd', 'ResourceScatterSub'})
_BY_RESULT = frozenset({'RandomUniform', 'ResizeBilinear'})
_LEAST = 1 << 10            # elements of a result that a loop may pay for
LONG = 500                  # instructions; the first run of a longer program is not compiled


def executable_of(program: Program, runtime: Runtime,
                  replace: Callable[[Executable], None]) -> Executable:
    """An Executable of the program; `replace` is called with another one that is to follow it."""
    if len(program.instructions) >= LONG and _mode() != 'always':
        from tinyflow.session.first_run import FirstRun, goes_by_steps  # start-up time
        if goes_by_steps(program):
            return FirstRun(program, runtime, lambda: _compiled(program, runtime, replace), replace)
    return _compiled(program, runtime, replace)


def _compiled(program: Program, runtime: Runtime,
              replace: Callable[[Executable], None]) -> Executable:
    if not any(map(_may_be_native, program.instructions)):
        return Executable(program, runtime)
    mode = _mode()
    if mode == 'off':
        return Executable(program, runtime)
    from tinyflow.native.raised import found  # start-up time
    if not found():
        return Executable(program, runtime)
    from tinyflow.native.rise import rising  # start-up time
    return rising(program, runtime, replace, mode == 'always')


def _mode() -> str:
    """'off', 'auto' or 'always'. Raises ValueError for anything else."""
    given = os.environ.get('TINYFLOW_NATIVE', '')
    mode = given.strip().lower() or 'auto'
    if mode not in ('off', 'auto', 'always'):
        raise misuse(ValueError(
            f"The environment variable TINYFLOW_NATIVE is {given!r}, not 'off', 'auto' or 'always'."
            "\n  Hint: 'off' computes with NumPy alone, 'auto' (the default) moves to native code "
            "after some runs, 'always' begins with it."))
    return mode


def _may_be_native(instruction: Instruction) -> bool:
    """Whether some package may have a kernel for an instruction."""
    if instruction.type in _ONEDNN:
        return True
    if instruction.definition.elementwise:
        values = instruction.outputs
    elif instruction.type in _SOFTMAX or instruction.type.startswith(_UPDATES):
        values = instruction.inputs[:1]
    elif instruction.type in _SCATTERS:
        values = instruction.inputs[2:]
    elif instruction.type in _BY_RESULT:
        values = instruction.outputs
        if not values[0].known_shape:
            return True
    else:
        return False
    return any(v.known_shape and prod(v.sizes) >= _LEAST for v in values)
