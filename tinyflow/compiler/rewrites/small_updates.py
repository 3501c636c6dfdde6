"""Joins an optimizer's updates of small Variables: their arrays are updated as one.

An update does the same to each element. On small arrays its dozen NumPy calls cost more than the
arithmetic, so those of several Variables are put one after the other, which gives the same bits.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from tinyflow.compiler.ir import Instruction, Note, Program, Value

_MOST = 4096            # elements that are updated together; more are better left in their places
_FEWEST = 3             # Variables that pay for the copies
# Rules that are exact operations for each element; not powers, which depend on the position.
_UPDATES = frozenset(prefix + name for prefix in ('Apply', 'ResourceApply') for name in (
    'AdaMax', 'Adadelta', 'Adagrad', 'AdagradV2', 'Adam', 'AdamWithAmsgrad', 'CenteredRMSProp',
    'KerasMomentum', 'Momentum', 'RMSProp'))


def join_small_updates(program: Program) -> Program:
    """Updates that follow each other, with the same rule and numbers, become one instruction."""
    if program.types.isdisjoint(_UPDATES) \
            or sum(i.type in _UPDATES for i in program.instructions) < _FEWEST:
        return program.with_instructions(program.instructions, _note(program, program.instructions))
    used = {v for i in program.instructions for v in i.inputs} | set(program.fetches)
    kept: list[Instruction] = []
    for group in _groups(program.instructions, used):
        kept += group if len(group) < _FEWEST else [_joined(group, len(kept))]
    return program.with_instructions(kept, _note(program, kept))


def _note(program: Program, kept: Sequence[Instruction]) -> Note:
    before, after = len(program.instructions), len(kept)
    return Note('small_updates', f'{before - after} updates joined to others', before, after,
                before - after)


def _groups(instructions: Sequence[Instruction], used: set) -> Iterator[list[Instruction]]:
    """The instructions in order, and those in one list that may be joined."""
    group: list[Instruction] = []
    key, size, targets = None, 0, set[Any]()
    for instruction in instructions:
        own = _key(instruction, used)
        elements = prod(instruction.inputs[0].sizes) if own else 0
        if not own or own != key or size + elements > _MOST \
                or any(v.variable in targets for v in instruction.inputs if v.variable is not None):
            if group:
                yield group
            group, key, size, targets = [], own, 0, set()
        group.append(instruction)
        size += elements
        targets.update(instruction.inputs[i].variable for i in instruction.writes)
    yield group


def _key(instruction: Instruction, used: set) -> tuple | None:
    """What updates that may be joined have in common; None if this one may not be."""
    if instruction.type not in _UPDATES or any(v in used for v in instruction.outputs):
        return None
    arrays, scalars = _split(instruction)
    shape = arrays[0].raw_shape
    if not arrays[0].known_shape or any(v.raw_shape != shape for v in arrays) \
            or len({v.variable for v in arrays[:-1]}) < len(arrays) - 1:
        return None
    names = instruction.definition.kernel_attrs
    return (instruction.definition, arrays[0].dtype, tuple([id(v) for v in scalars]),
            tuple([repr(instruction.attrs[n]) for n in names]))


def _split(instruction: Instruction) -> tuple[list[Value], list[Value]]:
    """(the Variable, its slots and the gradient; the scalars)"""
    places = _places(instruction)
    return ([instruction.inputs[i] for i in places],
            [v for i, v in enumerate(instruction.inputs) if i not in places])


def _places(instruction: Instruction) -> list[int]:
    """The positions of the Variable, its slots and the gradient among the inputs."""
    names = [argument.name for argument in instruction.definition.inputs]
    return [*instruction.writes, names.index('grad')]


def _joined(group: Sequence[Instruction], number: int) -> Instruction:
    """The instruction that does all the updates. It has the state of the first one."""
    first = group[0]
    columns = list(zip(*[_split(i)[0] for i in group]))     # the Variables; each slot; gradients
    base: Any = first.definition
    definition = type(base)(base.__name__, (base,), {}, abstract=True)
    definition.kernel = staticmethod(_kernel(first, [v.sizes for v in columns[0]]))
    definition.type = f'{base.type}_{len(group)}_{number}'  # the kernel's name in the source
    definition.kernel_attrs = base.kernel_attrs
    definition.writes = tuple(range(len(group) * (len(columns) - 1)))
    inputs = [v for column in columns for v in column] + _split(first)[1]
    return Instruction(definition, first.operation, tuple(inputs), (), first.attrs)


def _kernel(first: Instruction, shapes: Sequence[tuple[int, ...]]) -> Callable[..., None]:
    """The kernel of `first` on the arrays of several Variables of these shapes.

    It works on copies, in memory of its own: a Session takes one update at a time.
    """
    definition, places = first.definition, _places(first)
    scalars = [i for i in range(len(definition.inputs)) if i not in places]
    ends = np.cumsum([prod(shape) for shape in shapes]).tolist()
    rows = np.empty((len(places), ends[-1]), first.inputs[0].dtype.np)
    parts = [row[end - prod(shape):end].reshape(shape)
             for row in rows for end, shape in zip(ends, shapes)]
    written = parts[:-len(shapes)]
    ordered: list[Any] = [None] * len(definition.inputs)
    for place, row in zip(places, rows):
        ordered[place] = row
    whole = definition.kernel

    def kernel(*arguments: Any, **attrs: Any) -> None:
        state, given = (arguments[:1], arguments[1:]) if definition.state else ((), arguments)
        for part, array in zip(parts, given):
            part[...] = array
        numbers = list(ordered)
        for place, scalar in zip(scalars, given[len(parts):]):
            numbers[place] = scalar
        whole(*state, *numbers, **attrs)
        for part, array in zip(written, given):
            array[...] = part
    return kernel


__all__ = ['join_small_updates']
