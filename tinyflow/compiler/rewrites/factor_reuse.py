"""Reuses a product of two factors that is computed anyway.

A gate y = sigmoid(x) that scales a value v gets the gradient dy = d * v, which goes on to x as
(d * v) * y * (1 - y); the value gets d * y. So (d * v) * y can be (d * y) * v, and d * v need not
be computed: one pass over memory less for each gate of a recurrent cell.

Only a factor of at most one, such as y, is reordered: d * y cannot overflow where d does not.
"""
from __future__ import annotations

from collections import Counter

from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.compiler.passes.builders import with_replaced
from tinyflow.compiler.passes.replacement import uses_if_any

_Pair = frozenset[Value]
_AT_MOST_ONE = {'Sigmoid', 'Softmax', 'Tanh'}


def reuse_factors(program: Program) -> Program:
    """(a * b) * y becomes (a * y) * b if a * y is computed already and a * b has no other use."""
    uses = uses_if_any(program, _AT_MOST_ONE)
    known: dict[_Pair, Value] = {}
    replacements: dict[Instruction, list[Instruction]] = {}
    for instruction in program.instructions if uses else ():
        if _is_product(instruction):
            factors = _shared(instruction, known, uses, program)
            if factors is not None:
                replacements[instruction] = [instruction.with_inputs(factors)]
            known.setdefault(frozenset(factors or instruction.inputs), instruction.outputs[0])
    kept, count = with_replaced(program, replacements), len(replacements)
    return program.with_instructions(kept, Note(
        'factor_reuse', f'{count} products reuse another product of two of their factors',
        len(program.instructions), len(kept), count))


def _is_product(instruction: Instruction) -> bool:
    """A product of two arrays of one known shape that no update can change."""
    if instruction.type != 'Mul' or instruction.copy:
        return False
    shape = instruction.outputs[0].raw_shape
    return instruction.outputs[0].dtype.is_floating and instruction.outputs[0].known_shape \
        and all(v.raw_shape == shape and v.variable is None for v in instruction.inputs)


def _shared(instruction: Instruction, known: dict[_Pair, Value], uses: Counter,
            program: Program) -> tuple[Value, Value] | None:
    """The known product and the remaining factor."""
    for product, factor in (instruction.inputs, instruction.inputs[::-1]):
        producer = product.producer
        if factor.producer is None or factor.producer.type not in _AT_MOST_ONE:
            continue
        if producer is None or not _is_product(producer) or uses[product] != 1 \
                or producer.operation in program.targets:
            continue
        for first, second in (producer.inputs, producer.inputs[::-1]):
            other = known.get(frozenset((first, factor)))
            if other is not None and other is not product:
                return other, second
    return None
