"""Turns sums of sums into one sum, and leaves out zeros.

A loop that is written out adds the gradient of a weight up step by step, from zeros on:
AddN(AddN(zeros, a), b). AddN adds from left to right, so that AddN(a, b) is the same number (but
for the sign of a zero), and such a sum of products can be stacked.
"""
from __future__ import annotations

from collections import Counter

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.passes.rewrite import Replacement, uses_of


def flatten_sums(program: Program) -> Program:
    """Merges an AddN with an inner AddN that has no other use; drops zeros from sums."""
    uses = uses_of(program, ('AddN',))
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
    return replacement.finish(program, kept, 'sums', count,
                          'sums have others or zeros among their terms')


def _terms(instruction: Instruction, sums: dict[Value, Instruction], uses: Counter,
           gone: set[Instruction]) -> tuple[Value, ...]:
    """What is added up: the terms of the first term, if that is a sum for this one only."""
    first, *rest = instruction.inputs
    inner = sums.get(first)
    terms = instruction.inputs
    # Only of the first: what a later term adds up itself is added up before. And a Variable is
    # read where the inner sum stands, which an assignment may part from this one.
    if inner is not None and uses[first] == 1 and all(v.variable is None for v in inner.inputs):
        gone.add(inner)
        terms = (*inner.inputs, *rest)
    others = tuple([v for v in terms if not _is_zero(v)])
    if len(others) == len(terms) or not others or len(others) == 1 and not _is_computed(others[0]):
        return terms
    return others


def _is_computed(value: Value) -> bool:
    """True for an array that an instruction has made, no feed and no view of a Variable."""
    return value.producer is not None and not value.producer.definition.view


def _is_zero(value: Value) -> bool:
    return value.producer is not None and value.producer.type == 'ZerosLike'
