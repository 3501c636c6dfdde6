"""Sums the gradients of a tensor's parts before they are put into their places.

A weight whose parts are used at every step of an unrolled loop, as the gates of a Keras cell do,
has the gradient place(x1) + place(x2) + ..., with each term as large as the weight. That is
place(x1 + x2 + ...), and a sum of small products can be stacked (see batch_matmul_sums).
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.compiler.passes.builders import new, with_replaced
from tinyflow.compiler.passes.replacement import uses_if_any

_LEAST = 3              # terms that are worth a sum of their own


def sum_parts_first(program: Program) -> Program:
    """AddN of StridedSliceGrads or ConcatV2s in the same places: the same of an AddN for each part.
    """
    uses = uses_if_any(program, ('AddN',))
    gone: set[Instruction] = set()
    replacements: dict[Instruction, list[Instruction]] = {}
    count = 0
    for instruction in program.instructions if uses else ():
        if instruction.type == 'AddN' and len(instruction.inputs) >= _LEAST:
            groups = _groups(instruction, uses)
            if groups:
                replacements[instruction] = _summed(instruction, groups)
                gone.update(i for group in groups for i in group)
                count += len(groups)
    kept = with_replaced(program, replacements, gone)
    return program.with_instructions(kept, Note(
        'part_sums', f'{len(gone)} gradients of parts are added in {count} places',
        len(program.instructions), len(kept), len(gone)))


def _groups(total: Instruction, uses: Counter) -> list[list[Instruction]]:
    """Terms of a sum that put values of the same shapes into the same places."""
    groups: dict[Hashable, list[Instruction]] = {}
    for value in total.inputs:
        producer = value.producer
        if producer is not None and uses[value] == 1 and not producer.copy:
            place = _place(producer)
            if place is not None:
                groups.setdefault(place, []).append(producer)
    return [group for group in groups.values() if len(group) >= _LEAST]


def _place(instruction: Instruction) -> Hashable | None:
    """What says where an instruction puts its values; None if it is of another kind or not known.
    """
    if instruction.type not in ('StridedSliceGrad', 'ConcatV2'):
        return None
    known = [i.array for i in instruction.inputs if i not in _values(instruction)]
    shapes = [v.raw_shape for v in _values(instruction)]
    if any(array is None for array in known) or not all(v.known_shape and v.array is None
                                                        for v in _values(instruction)):
        return None
    return (instruction.type, *[array.tobytes() for array in known if array is not None], *shapes,
            *sorted((name, value) for name, value in instruction.attrs.items()
                    if isinstance(value, int)))


def _values(instruction: Instruction) -> tuple[Value, ...]:
    """The inputs of which the result consists."""
    return instruction.inputs[4:] if instruction.type == 'StridedSliceGrad' \
        else instruction.inputs[:-1]


def _summed(total: Instruction, groups: list[list[Instruction]]) -> list[Instruction]:
    """The instructions that make the sum, the last of which has its result."""
    grouped = {i.outputs[0] for group in groups for i in group}
    terms = [v for v in total.inputs if v not in grouped]
    made = []
    for group in groups:
        first = group[0]
        sums = [_sum(total, column) for column in zip(*map(_values, group))]
        arguments = [*[s.outputs[0] for s in sums],
                     *[v for v in first.inputs if v not in _values(first)]]
        if first.type == 'StridedSliceGrad':
            arguments = arguments[1:] + arguments[:1]
        alone = not terms and len(groups) == 1
        placed = Instruction(first.definition, total.operation, tuple(arguments),
                             total.outputs if alone else first.outputs, first.attrs)
        made += [*sums, placed]
        terms += placed.outputs
    if made[-1].outputs != total.outputs:
        made.append(_sum(total, terms, total.outputs[0]))
    return made


def _sum(instead_of: Instruction, terms: list[Value] | tuple[Value, ...],
         output: Value | None = None) -> Instruction:
    return new('AddN', instead_of, terms, terms[0].sizes,
               {**instead_of.attrs, 'N': len(terms)}, output)
