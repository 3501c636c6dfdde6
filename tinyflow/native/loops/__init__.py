"""What is bound by memory, as loops that LLVM compiles: elementwise chains, optimizer updates.

    trace.py            what a NumPy kernel computes for an element, found by running it
    vectors.py          such an expression in LLVM's language, on vectors
    functions.py        exp, log and tanh
    kernel.py           a loop over arrays for some expressions
    machine.py          LLVM: compiling a loop to a function that Python can call
    calls.py            calling loops on several threads, and with arrays that have gaps
    expressions.py      the expression of an instruction
    groups.py           which instructions become one loop
    updates.py          optimizer updates
    softmax.py          softmax and its cross entropies
    rows.py             sums into chosen rows of a table
"""
from __future__ import annotations

from collections import Counter
from math import prod

from tinyflow.compiler.ir import Program, Value
from tinyflow.native.instructions import native_instruction, note
from tinyflow.native.loops import groups
from tinyflow.native.loops.machine import found
from tinyflow.native.loops.rows import SCATTERS, scatter_kernel
from tinyflow.native.loops.softmax import ROW_KERNELS
from tinyflow.native.loops.updates import UPDATES, update_kernel

__all__ = ['about_how_many', 'found', 'raised']

_KERNELS = dict.fromkeys(UPDATES, update_kernel) | dict.fromkeys(SCATTERS, scatter_kernel) \
    | ROW_KERNELS


def raised(program: Program) -> Program:
    """The program with loops; the same object if there is nothing for them."""
    if not about_how_many(program):
        return program
    found_groups = groups.Groups(program)
    instructions = found_groups.instructions()
    moved: Counter[str] = found_groups.moved
    for i, instruction in enumerate(instructions):
        make = _KERNELS.get(instruction.type)
        if make is not None and not instruction.copy:
            kernel = make(instruction)
            if kernel is not None:
                moved[instruction.type] += 1
                instructions[i] = native_instruction(instruction, kernel)
    if not moved:
        return program
    return program.with_instructions(instructions, note(program, instructions, 'loops', moved))


def about_how_many(program: Program) -> int:
    """An estimate of the number of loops to compile; 0 if there are none."""
    if not found():
        return 0
    kinds = {(i.type, i.outputs[0].raw_shape) for i in program.instructions
             if i.definition.elementwise and i.outputs and _is_large(i.outputs[0])}
    updates = {i.type for i in program.instructions
               if i.type in UPDATES and i.inputs and _is_large(i.inputs[0])}
    rows = {i.type for i in program.instructions
            if i.type in ROW_KERNELS and _is_large(i.inputs[0])}
    scatters = {i.type for i in program.instructions
                if i.type in SCATTERS and _is_large(i.inputs[2])}
    return -(-len(kinds) // 2) + 2 * len(updates) + len(rows) + len(scatters)


def _is_large(value: Value) -> bool:
    return value.known_shape and prod(value.sizes) >= groups.LEAST
