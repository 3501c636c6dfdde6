"""Helpers that create the instructions and constants which passes add to a program.

Each replaces an existing instruction, from which it gets its name and the user's line.
"""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.graph import dtypes
from tinyflow.graph.op import Op


def new(op_type: str, instead_of: Instruction, inputs: Sequence[Value], shape: tuple[int, ...],
        attrs: dict[str, Any], output: Value | None = None) -> Instruction:
    """An instruction with one result, `output` or a new value of the first input's dtype."""
    if output is None:
        output = Value(f'{instead_of.name}/{op_type}', inputs[0].dtype, shape)
    return Instruction(Op.registry[op_type], instead_of.operation, tuple(inputs), (output,), attrs)


def constant(user: Instruction, label: str, content: Any) -> Value:
    """A constant for the instruction `user`; integers are int32."""
    array = content if isinstance(content, np.ndarray) else np.array(content, np.int32)
    value = Value(f'{user.name}/{label}', dtypes.as_dtype(array.dtype), array.shape)
    value.array = array
    return value


def concatenated(instead_of: Instruction, values: Sequence[Value], axis: int,
                 shape: tuple[int, ...], output: Value | None = None) -> Instruction:
    """A ConcatV2 of the values; `shape` is that of the result."""
    return new('ConcatV2', instead_of, [*values, constant(instead_of, 'axis', axis)], shape,
               {'Tidx': dtypes.int32}, output)


def part_of(instead_of: Instruction, value: Value, begin: Sequence[int], size: Sequence[int],
            output: Value | None = None) -> Instruction:
    """A Slice of the value."""
    ends = [constant(instead_of, 'begin', begin), constant(instead_of, 'size', size)]
    return new('Slice', instead_of, [value, *ends], tuple(size), {'Index': dtypes.int32}, output)


def with_replaced(program: Program, replacements: Mapping[Instruction, Sequence[Instruction]],
                  gone: Collection[Instruction] = ()) -> Sequence[Instruction]:
    """The program's instructions: some are replaced by others, those in `gone` are left out."""
    if not replacements and not gone:
        return program.instructions
    return [made for old in program.instructions if old not in gone
            for made in replacements.get(old, [old])]


__all__ = ['concatenated', 'constant', 'new', 'part_of', 'with_replaced']
