"""Simplifies a slice of a stack: indexing a stack of known values gives that value.

`outputs[:, -1]` of a dynamic_rnn stacks all outputs, swaps two dimensions and takes one; its
gradient is zero everywhere else. Both are traced here, so that neither stack is created.
"""
from __future__ import annotations

from dataclasses import dataclass

from tinyflow.compiler.ir import Instruction, Value
from tinyflow.graph.op import Op


@dataclass(frozen=True)
class _Stack:
    """Values along an axis, 0 or 1: all of them, or `value` at `index` and zeros elsewhere."""

    axis: int
    size: int
    values: tuple[Value, ...] = ()
    index: int = 0
    value: Value | None = None


class Stacks:
    """The stacks of a program, recorded while its instructions are visited in order."""

    def __init__(self) -> None:
        self._of: dict[Value, _Stack] = {}

    def note(self, instruction: Instruction) -> None:
        """Records the values that the instruction stacks, or whose axes it swaps."""
        if instruction.type == 'Pack' and instruction.attrs['axis'] == 0:
            self._of[instruction.outputs[0]] = _Stack(0, len(instruction.inputs),
                                                      instruction.inputs)
        elif instruction.type == 'Transpose' and instruction.inputs[0] in self._of:
            self._exchange(instruction)
        elif instruction.type == 'StridedSliceGrad':
            self._note_gradient(instruction)

    def _exchange(self, instruction: Instruction) -> None:
        stack, order = self._of[instruction.inputs[0]], instruction.inputs[1].array
        if order is not None and order.tolist()[:2] == [1, 0] and \
                order.tolist()[2:] == list(range(2, len(order))):
            self._of[instruction.outputs[0]] = _Stack(1 - stack.axis, stack.size, stack.values,
                                                      stack.index, stack.value)

    def _note_gradient(self, instruction: Instruction) -> None:
        shape = instruction.inputs[0].array
        taken = _one_taken(instruction)
        if shape is None or taken is None or len(shape) < 2:
            return
        axis, index = taken
        size = int(shape[axis])
        if -size <= index < size:
            self._of[instruction.outputs[0]] = _Stack(axis, size, (), index % size,
                                                      instruction.inputs[4])

    def element(self, instruction: Instruction) -> Value | None:
        """The stacked value that a StridedSlice extracts from a stack, or None."""
        if instruction.type != 'StridedSlice' or instruction.copy:
            return None
        stack = self._of.get(instruction.inputs[0])
        taken = None if stack is None else _one_taken(instruction)
        if stack is None or taken is None or not stack.values or taken[0] != stack.axis:
            return None
        index = taken[1]
        return stack.values[index] if -stack.size <= index < stack.size else None

    def rows(self, instruction: Instruction, kept: list[Instruction]) -> list | None:
        """The rows of a stack along dimension 0; zeros are created once and shared."""
        stack = self._of.get(instruction.inputs[0])
        if stack is None or stack.axis != 0:
            return None
        if stack.values:
            return list(stack.values)
        value = stack.value
        if value is None or not value.known_shape:
            return None
        zeros = Value(f'{value.name}/zeros', value.dtype, value.raw_shape)
        kept.append(Instruction(Op.registry['ZerosLike'], instruction.operation, (value,),
                                (zeros,), {'T': value.dtype}))
        return [value if row == stack.index else zeros for row in range(stack.size)]


def _one_taken(instruction: Instruction) -> tuple[int, int] | None:
    """(axis, index) if the slice takes one index of dimension 0 or 1 and all of the others."""
    attrs = instruction.attrs
    begin, end, strides = [v.array for v in instruction.inputs[1:4]]
    if begin is None or strides is None or end is None or attrs['ellipsis_mask'] or \
            attrs['new_axis_mask'] or any(s != 1 for s in strides.tolist()):
        return None
    shrink = attrs['shrink_axis_mask']
    if shrink not in (1, 2):
        return None
    axis = shrink - 1
    for position in range(len(begin)):
        whole = attrs['begin_mask'] >> position & 1 and attrs['end_mask'] >> position & 1
        if position != axis and not whole:
            return None
    return (axis, int(begin[axis])) if axis < len(begin) else None
