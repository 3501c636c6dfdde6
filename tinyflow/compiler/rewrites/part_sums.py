"""Sums the gradients of a tensor's parts before they are put into their places.

A weight whose parts are used at every step of an unrolled loop, as the gates of a Keras cell do,
has the gradient place(x1) + place(x2) + ..., with each term as large as the weight. That is
place(x1 + x2 + ...), and a sum of small products can be stacked (see batch_matmul_sums).
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

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
    """What says where an instruction puts its values; None if it is of another kind, or not known.

    One that reads a Variable stays as it is: the Variable may be assigned to before the sum.
    """
    if instruction.type not in ('StridedSliceGrad', 'ConcatV2'):
        return None
    values, where = _split(instruction)
    arrays = [v.array for v in where if v.array is not None]
    if len(arrays) < len(where) or not all(v.known_shape and v.array is None and v.variable is None
                                           for v in values):
        return None
    masks = sorted((k, v) for k, v in instruction.attrs.items() if isinstance(v, int))
    return (instruction.type, *[array.tobytes() for array in arrays],
            *[v.raw_shape for v in values], *masks)


def _split(instruction: Instruction) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """The inputs of which the result consists, and those that say where they are put."""
    at = 4 if instruction.type == 'StridedSliceGrad' else len(instruction.inputs) - 1
    first, second = instruction.inputs[:at], instruction.inputs[at:]
    return (second, first) if instruction.type == 'StridedSliceGrad' else (first, second)


def _summed(total: Instruction, groups: list[list[Instruction]]) -> list[Instruction]:
    """The instructions that make the sum, the last of which has its result."""
    grouped = {i.outputs[0] for group in groups for i in group}
    terms = [v for v in total.inputs if v not in grouped]
    made = []
    for group in groups:
        first = group[0]
        values, _ = _split(first)
        sums = [_sum(total, column) for column in zip(*[_split(i)[0] for i in group])]
        instead = dict(zip(values, [s.outputs[0] for s in sums]))
        alone = not terms and len(groups) == 1
        placed = Instruction(first.definition, total.operation,
                             tuple([instead.get(v, v) for v in first.inputs]),
                             total.outputs if alone else first.outputs, first.attrs)
        made += [*sums, placed]
        terms += placed.outputs
    if made[-1].outputs != total.outputs:
        made.append(_sum(total, terms, total.outputs[0]))
    return made


def _sum(instead_of: Instruction, terms: Sequence[Value],
         output: Value | None = None) -> Instruction:
    return new('AddN', instead_of, terms, terms[0].sizes,
               {**instead_of.attrs, 'N': len(terms)}, output)
