"""What is bound by memory, as loops that LLVM compiles: elementwise chains, optimizer updates.

    trace.py            what a NumPy kernel computes for an element, found by running it
    vectors.py          such an expression in LLVM's language, on vectors
    functions.py        exp, log and tanh
    kernel.py           a loop over arrays for some expressions
    machine.py          LLVM: compiling a loop to a function that Python can call
    object_cache.py     compiled loops on disk
    calls.py            calling loops on several threads, and with arrays that have gaps
    expressions.py      the expression of an instruction
    groups.py           which instructions become one loop
    updates.py          optimizer updates
    softmax.py          softmax and its cross entropies
    rows.py             sums into chosen rows of a table
    interpolation.py    bilinear resizing
    random_floats.py    uniform random floats
"""
from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.memory.copy_stale_reads import copy_stale_views
from tinyflow.native.instructions import native_instruction, note
from tinyflow.native.loops import groups
from tinyflow.native.loops.interpolation import RESIZES, resize_kernel
from tinyflow.native.loops.machine import found
from tinyflow.native.loops.random_floats import UNIFORMS, uniform_kernel
from tinyflow.native.loops.rows import SCATTERS, scatter_kernel
from tinyflow.native.loops.softmax import ROW_KERNELS
from tinyflow.native.loops.updates import UPDATES, update_kernel

__all__ = ['about_how_many', 'found', 'raised']

# Loops whose results have the bits of NumPy's kernels.
_EXACT: dict[str, Callable[[Instruction], Any]] = \
    dict.fromkeys(SCATTERS, scatter_kernel) | dict.fromkeys(RESIZES, resize_kernel) \
    | dict.fromkeys(UNIFORMS, uniform_kernel)
_KERNELS = dict.fromkeys(UPDATES, update_kernel) | ROW_KERNELS | _EXACT


def raised(program: Program, exact: bool = False) -> Program:
    """The program with loops; the same object if there is nothing for them.

    With `exact` only loops of some ops, which do not change a bit. A loop may read a view of a
    Variable in place of what was broadcast from it, and after a write: then the view is copied.
    """
    if not about_how_many(program, exact):
        return program
    found_groups = groups.Groups(program, exact)
    instructions, moved = found_groups.instructions(), found_groups.moved
    kernels = _EXACT if exact else _KERNELS
    for i, instruction in enumerate(instructions):
        make = kernels.get(instruction.type)
        if make is not None and not instruction.copy:
            kernel = make(instruction)
            if kernel is not None:
                moved[instruction.type] += 1
                instructions[i] = native_instruction(instruction, kernel)
    if not moved:
        return program
    return copy_stale_views(program.with_instructions(
        instructions, note(program, instructions, 'loops', moved)))


def about_how_many(program: Program, exact: bool = False) -> int:
    """An estimate of the number of loops to compile; 0 if there are none."""
    if not found():
        return 0
    scatters = {i.type for i in program.instructions
                if i.type in SCATTERS and _is_large(i.inputs[2])}
    by_result = {i.type for i in program.instructions if i.type in RESIZES | UNIFORMS
                 and (_is_large(i.outputs[0]) or not i.outputs[0].known_shape)}
    kinds = {(i.type, i.outputs[0].raw_shape) for i in program.instructions
             if i.definition.elementwise and i.outputs and _is_large(i.outputs[0])}
    count = len(scatters) + 2 * len(by_result) + -(-len(kinds) // 2)
    if exact:
        return count
    updates = {i.type for i in program.instructions
               if i.type in UPDATES and i.inputs and _is_large(i.inputs[0])}
    rows = {i.type for i in program.instructions
            if i.type in ROW_KERNELS and _is_large(i.inputs[0])}
    return count + 2 * len(updates) + len(rows)


def _is_large(value: Value) -> bool:
    return value.known_shape and prod(value.sizes) >= groups.LEAST
