"""Splits a program after the iterators that it takes elements from: their sizes are known then.

A dataset's last batch may be smaller and its sentences are of all lengths, so the graph does not
know the sizes of its elements. Once they have been taken, the rest of the program is one that is
fed with them: it can be compiled for their shapes, as for those of fed arrays.
"""
from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from tinyflow.compiler.ir import Instruction, Program
from tinyflow.graph import dtypes

__all__ = ['Split', 'split_elements']

_TAKE = frozenset({'IteratorGetNext', 'IteratorGetNextSync'})
_HANDLES = frozenset({'Const', 'IteratorV2', 'OneShotIterator', 'IteratorFromStringHandleV2'})
# These change an iterator, in an order that the program has decided on.
_CHANGE = frozenset({'MakeIterator', 'SerializeIterator', 'DeserializeIterator'})


class Split(NamedTuple):
    """`take` fetches elements; `rest` has the program's feeds, then these elements."""

    take: Program
    rest: Program


def split_elements(program: Program) -> Split | None:
    """The two parts of a program, given before shape inference.

    None if it takes no elements of unknown size first of all, or does nothing with them.
    """
    if program.nested or program.types.isdisjoint(_TAKE) or not program.types.isdisjoint(_CHANGE):
        return None
    takers = _needed([i for i in program.instructions if i.type in _TAKE])
    if takers is None or not _come_first(takers, program):
        return None
    taking = tuple([i for i in program.instructions if i in takers])
    rest = tuple([i for i in program.instructions if i not in takers or i.type == 'Const'])
    used = {v for i in rest for v in i.inputs}
    elements = [v for i in taking if i.type != 'Const' for v in i.outputs
                if v in used or v in program.fetches]
    if all(v.known_shape for v in elements) or used.isdisjoint(elements) \
            or any(v.dtype in dtypes.HANDLES for v in elements):
        return None
    feeds = (*program.feeds, *elements)
    targets = program.targets & {i.operation for i in taking}
    # Nested: the elements stay arrays, where the results of other programs may be NumPy scalars.
    take = Program(taking, program.feeds, tuple(elements), targets, nested=True)
    return Split(take, replace(program, instructions=rest, feeds=feeds,
                               owned=frozenset(range(len(program.feeds), len(feeds))),
                               targets=program.targets - targets))


def _needed(takers: list[Instruction]) -> set[Instruction] | None:
    """The instructions and what they need, None if that is more than handles of iterators."""
    found: set[Instruction] = set()
    missing = list(takers)
    while missing:
        instruction = missing.pop()
        if instruction.type not in _HANDLES and instruction.type not in _TAKE:
            return None
        found.add(instruction)
        missing += [v.producer for v in instruction.inputs if v.producer is not None]
    return found


def _come_first(takers: set[Instruction], program: Program) -> bool:
    """Whether nothing that has effects, or may fail, comes before them."""
    last = max(n for n, i in enumerate(program.instructions) if i in takers)
    others = {i.operation for i in program.instructions if i not in takers}
    return all(i.removable or i in takers for i in program.instructions[:last]) and \
        all(others.isdisjoint(i.operation.control_inputs) for i in takers)
