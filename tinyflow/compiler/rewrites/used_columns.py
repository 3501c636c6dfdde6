"""Computes only the rows and columns of a matrix product that are used.

A recurrent cell multiplies [x, h] by one matrix, so the gradient for h is a part of the columns of
a product; the other columns, the gradient for the data, are unused. That part is the product with a
slice of the weights, which is a view of them.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.compiler.passes.builders import part_of
from tinyflow.compiler.passes.replacement import uses_if_any

Range = tuple[int, int]         # the first, and how many


def keep_used_columns(program: Program) -> Program:
    """Slice(MatMul(a, b)) becomes MatMul(Slice(a), Slice(b)); likewise for a split with one used
    part.
    """
    uses = uses_if_any(program, _TAKERS)
    replacements: dict[Instruction, tuple[tuple[Range, Range], Value]] = {}
    gone: set[Instruction] = set()
    for instruction in program.instructions if uses else ():
        found = _part_of_product(instruction, uses)
        if found is not None and instruction.operation not in program.targets:
            product, ranges, output = found
            if product.operation not in program.targets:
                replacements[product] = ranges, output
                gone.add(instruction)
    kept = _with_narrowed(program, replacements, gone) if replacements else program.instructions
    return program.with_instructions(kept, Note(
        'used_columns', f'{len(replacements)} matrix products compute only the parts that are used',
        len(program.instructions), len(kept), len(replacements)))


def _with_narrowed(program: Program,
                   replacements: dict[Instruction, tuple[tuple[Range, Range], Value]],
                   gone: set[Instruction]) -> Sequence[Instruction]:
    kept: list[Instruction] = []
    views: dict[tuple[Value, int, Range], Value] = {}
    for instruction in program.instructions:
        if instruction.writes or not instruction.definition.pure:
            views.clear()               # views of a Variable that may have another array then
        if instruction in replacements:
            kept += _narrowed(instruction, *replacements[instruction], views)
        elif instruction not in gone:
            kept.append(instruction)
    return kept


def _part_of_product(instruction: Instruction, uses: Counter) \
        -> tuple[Instruction, tuple[Range, Range], Value] | None:
    """(product, rows and columns, the value that holds them) if the instruction takes a part."""
    taken = _TAKERS.get(instruction.type)
    if taken is None or instruction.copy:
        return None
    used = [n for n, v in enumerate(instruction.outputs) if uses[v]]
    source = instruction.inputs[1 if instruction.type == 'Split' else 0]
    product = source.producer
    if len(used) != 1 or product is None or product.type != 'MatMul' or uses[source] != 1 \
            or product.copy or not source.known_shape \
            or not all(v.known_shape for v in product.inputs):
        return None
    part = instruction.outputs[used[0]]
    begin = taken(instruction, used[0]) if part.known_shape else None
    if begin is None or not all(0 < size for size in part.sizes):
        return None
    rows, columns = zip(begin, part.sizes)
    return product, (rows, columns), part


def _begin_of_slice(instruction: Instruction, _: int) -> list[int] | None:
    begin = instruction.inputs[1].array
    return None if begin is None else begin.tolist()


def _begin_of_split(instruction: Instruction, part: int) -> list[int] | None:
    axis = instruction.inputs[0 if instruction.type == 'Split' else 2].array
    if axis is None or not all(v.known_shape for v in instruction.outputs):
        return None
    along = int(axis) % 2
    begin = [0, 0]
    begin[along] = sum(v.sizes[along] for v in instruction.outputs[:part])
    return begin


_TAKERS = {'Slice': _begin_of_slice, 'Split': _begin_of_split, 'SplitV': _begin_of_split}


def _narrowed(product: Instruction, ranges: tuple[Range, Range], output: Value,
              views: dict[tuple[Value, int, Range], Value]) -> list[Instruction]:
    made: list[Instruction] = []
    factors = list(product.inputs)
    for side, flag in enumerate(('transpose_a', 'transpose_b')):
        axis = side ^ bool(product.attrs[flag])
        key = factors[side], axis, ranges[side]
        if factors[side].sizes[axis] == ranges[side][1]:
            continue
        if key not in views:
            view = _slice(product, *key)
            views[key] = view.outputs[0]
            made.append(view)
        factors[side] = views[key]
    return [*made, Instruction(product.definition, product.operation, tuple(factors), (output,),
                               product.attrs)]


def _slice(product: Instruction, factor: Value, axis: int, taken: Range) -> Instruction:
    begin, size = [0, 0], list(factor.sizes)
    begin[axis], size[axis] = taken
    return part_of(product, factor, begin, size)
