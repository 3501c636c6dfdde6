"""Helpers of all passes: Replacement, a map of replaced values, and use counts."""
from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from tinyflow.compiler.ir import Instruction, Note, Program, Value


def uses_if_any(program: Program, types: Collection[str]) -> Counter[Value]:
    """How often each value is read or fetched; empty if no instruction has one of `types`."""
    uses: Counter[Value] = Counter()
    if not program.types.isdisjoint(types):
        uses.update(v for i in program.instructions for v in i.inputs)
        uses.update(v for v in program.fetches if v is not None)
    return uses


class Replacement:
    """A map from replaced values to the values that replace them."""

    def __init__(self) -> None:
        self._replacements: dict[Value, Value] = {}

    def __call__(self, value: Value) -> Value:
        while value in self._replacements:
            value = self._replacements[value]
        return value

    def __len__(self) -> int:
        return len(self._replacements)

    def put(self, old: Value, new: Value) -> None:
        self._replacements[old] = new

    def inputs(self, instruction: Instruction) -> Instruction:
        """The instruction with its inputs replaced."""
        if self._replacements.keys().isdisjoint(instruction.inputs):
            return instruction
        return instruction.with_inputs([self(v) for v in instruction.inputs])

    def finish(self, program: Program, instructions: Sequence[Instruction], name: str,
               changes: int, text: str) -> Program:
        """The rewritten program; fetches follow the replacements too."""
        note = Note(name, f'{changes} {text}', len(program.instructions), len(instructions),
                    changes)
        fetches = tuple(None if v is None else self(v) for v in program.fetches)
        return program.with_instructions(instructions, note, fetches)
