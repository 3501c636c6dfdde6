"""Who uses the values of a Program, for code that joins several of its instructions."""
from __future__ import annotations

from collections import defaultdict

from tinyflow.compiler.ir import Instruction, Program, Value

__all__ = ['Uses']


class Uses:
    """The users of each value, and the order of the instructions.

    `taken` are instructions that something else stands for by now.
    """

    def __init__(self, program: Program) -> None:
        self.taken: set[Instruction] = set()
        self._instructions = program.instructions
        self._position = {i: n for n, i in enumerate(program.instructions)}
        self._made = {v: n for i, n in self._position.items() for v in i.outputs}
        self._fetched = {v for v in program.fetches if v is not None}
        self._users: dict[Value, list[Instruction]] = defaultdict(list)
        for instruction in program.instructions:
            for value in dict.fromkeys(instruction.inputs):
                self._users[value].append(instruction)

    def users(self, value: Value) -> list[Instruction]:
        """The instructions that have the value as an input, in order."""
        return self._users.get(value, [])

    def unused(self, value: Value) -> bool:
        """Whether the value is not needed."""
        return value not in self._users and value not in self._fetched

    def only_used_by(self, value: Value, type: str) -> bool:
        """Whether no instruction of another type uses the value, and it is not fetched."""
        return value not in self._fetched and all(i.type == type for i in self.users(value))

    def only_user(self, value: Value) -> Instruction | None:
        """The one instruction that uses the value, if nothing else does."""
        users = self.users(value)
        return users[0] if len(users) == 1 and value not in self._fetched else None

    def ordered(self, *instructions: Instruction) -> list[Instruction]:
        """The instructions in the program's order."""
        return sorted(instructions, key=self._position.__getitem__)

    def made_before(self, value: Value, instruction: Instruction) -> bool:
        """Whether the value is known when the instruction begins."""
        return self._made.get(value, -1) < self._position[instruction]

    def undisturbed(self, first: Instruction, last: Instruction) -> bool:
        """Whether no Variable is written between two instructions: they may run side by side."""
        start, stop = self._position[first] + 1, self._position[last]
        return not any(i.writes for i in self._instructions[start:stop])
