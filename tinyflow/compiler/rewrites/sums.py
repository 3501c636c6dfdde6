"""Flattens nested sums, and drops zeros from sums.

An unrolled loop accumulates the gradient of a weight step by step, starting from zeros:
AddN(AddN(zeros, a), b). AddN adds from left to right, so that AddN(a, b) is the same number (except
for the sign of a zero), and such a sum of products can be stacked.
"""
from __future__ import annotations

from collections import Counter

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.passes.replacement import Replacement, uses_if_any

_DONE = 'nested sums or zeros in sums are flattened'


def flatten_sums(program: Program) -> Program:
    """Merges an AddN with an inner AddN that has no other use; drops zeros from sums."""
    uses = uses_if_any(program, ('AddN',))
    if not uses:
        return Replacement().finish(program, program.instructions, 'sums', 0, _DONE)
    replacement = Replacement()
    sums: dict[Value, Instruction] = {}         # the AddN that makes a value, flattened
    gone: set[Instruction] = set()
    instructions: list[Instruction] = []
    count = 0
    for old in program.instructions:
        instruction = replacement.inputs(old)
        if instruction.type == 'AddN' and not instruction.copy \
                and instruction.operation not in program.targets:
            terms = _terms(instruction, sums, uses, gone)
            if len(terms) == 1:
                replacement.put(instruction.outputs[0], terms[0])
                uses[terms[0]] += uses[instruction.outputs[0]] - 1
                count += 1
                continue
            if terms != instruction.inputs:
                count += 1
                instruction = Instruction(
                    instruction.definition, instruction.operation, terms, instruction.outputs,
                    {**instruction.attrs, 'N': len(terms)}, instruction.copy)
            sums[instruction.outputs[0]] = instruction
        instructions.append(instruction)
    kept = [i for i in instructions if i not in gone]
    return replacement.finish(program, kept, 'sums', count, _DONE)


def _terms(instruction: Instruction, sums: dict[Value, Instruction], uses: Counter,
           gone: set[Instruction]) -> tuple[Value, ...]:
    """The terms of the sum; those of its first term if that is a sum without other uses."""
    first, *rest = instruction.inputs
    inner = sums.get(first)
    terms = instruction.inputs
    # Only for the first term: flattening a later one would change the order of summation. A
    # Variable is read at the inner sum, and may be assigned to between the two.
    if inner is not None and uses[first] == 1 and all(v.variable is None for v in inner.inputs):
        gone.add(inner)
        terms = (*inner.inputs, *rest)
    others = tuple([v for v in terms if not _is_zero(v)])
    if len(others) == len(terms) or not others or len(others) == 1 and not _is_computed(others[0]):
        return terms
    return others


def _is_computed(value: Value) -> bool:
    """True for an array computed by an instruction: not a feed, and not a view of a Variable."""
    return value.producer is not None and not value.producer.definition.view


def _is_zero(value: Value) -> bool:
    return value.producer is not None and value.producer.type == 'ZerosLike'
