"""Stage 6: static memory planning: where every value lives.

A result of known shape gets a buffer in the arena, one block of memory that is kept between runs.
The buffer is reused as soon as the value and all views of it are dead, or immediately by an
instruction that may overwrite its input. Values of unknown shape, and fetched results, which the
caller owns, are allocated in every run.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from math import prod

import numpy as np

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.memory.arena_offsets import Block, pack
from tinyflow.compiler.memory.concat_in_place import find_parts, split_parts, split_source
from tinyflow.compiler.memory.location import Location, Part


@dataclass
class MemoryPlan:
    """A program with a Location for each value, and the size of the arena in bytes."""

    program: Program
    locations: dict[Value, Location]
    arena_bytes: int
    unplanned_bytes: int                        # what the buffers would need without reuse
    dies_at: dict[Instruction, list[Value]] = field(default_factory=dict)
    roots: dict[Value, Value] = field(default_factory=dict)     # -> whose memory contains it
    parts: dict[Value, Part] = field(default_factory=dict)

    def __str__(self) -> str:
        return (f'arena of {self.arena_bytes:,} bytes for results that would take '
                f'{self.unplanned_bytes:,} without reuse')


class _Planner:
    """Plans a program in four steps.

    Feeds, constants and Variables (`_sources`); what kind of Location each result gets
    (`_kind_of_results`); which results are computed inside the buffer of a concatenation
    (`_place_parts`); and, in order of execution, buffers with their lifetimes.

    An op with `view = True` may still copy (Reshape of a transposed array), so it is tried on a
    stand-in of its input, an array of the right shape that is never filled.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.locations: dict[Value, Location] = {}
        self.live_blocks: dict[Value, Block] = {}         # of each root that is alive
        self.wholes: set[Value] = set()             # roots that are made part by part
        self.blocks: list[Block] = []               # all blocks, including those that have ended
        self.placed: list[tuple[Location, Block]] = []
        self.root: dict[Value, Value] = {}
        self.stand_ins: dict[Value, np.ndarray] = {}
        self.fetched = {v for v in program.fetches if v is not None}
        self.escaping = self.fetched | {i.inputs[position] for i in program.instructions
                                        for position in i.definition.keeps}
        self.numbers = count()
        self.unplanned = 0

    def plan(self) -> MemoryPlan:
        self._sources()
        for instruction in self.program.instructions:
            self._kind_of_results(instruction)
        self._place_parts()
        last_use = self._last_uses()
        dies_at: dict[Instruction, list[Value]] = {}
        for step, instruction in enumerate(self.program.instructions):
            self._place_results(instruction, step, last_use)
            dies_at[instruction] = self._release(instruction, step, last_use)
        arena_bytes = pack(self.blocks)
        for location, block in self.placed:
            location.offset = block.offset
        return MemoryPlan(self.program, self.locations, arena_bytes, self.unplanned, dies_at,
                          self.root, self.parts)

    def _place_parts(self) -> None:
        """Plans the inputs of concatenations inside the buffer of the result."""
        self.parts = find_parts(self.program, self.locations)
        for value in self.parts:
            self.locations[value].kind = 'part'
        for value, root in self.root.items():
            while root in self.parts:
                root = self.parts[root].whole
            self.root[value] = root
        self.wholes = {self.root[value] for value in self.parts}

    def _sources(self) -> None:
        for i, value in enumerate(self.program.feeds):
            self._locate(value, 'feed', f'x{i}')
        for value in self.fetched:
            self._source(value)
        for instruction in self.program.instructions:
            for value in instruction.inputs:
                self._source(value)

    def _source(self, value: Value) -> None:
        if value in self.locations:
            return
        if value.array is not None:
            self._locate(value, 'constant', f'c{next(self.numbers)}')
            self.stand_ins[value] = value.array
        elif value.variable is not None:
            self._locate(value, 'variable', f'v{next(self.numbers)}')

    def _locate(self, value: Value, kind: str, name: str, root: Value | None = None) -> None:
        self.locations[value] = Location(kind, name)
        self.root[value] = root or value

    def _kind_of_results(self, instruction: Instruction) -> None:
        """Decides which results are views, get a buffer, or are allocated in each run."""
        definition, outputs = instruction.definition, instruction.outputs
        if definition.view and not instruction.copy:
            self._view(instruction)
            return
        if self._split(instruction):
            return
        planned = (definition.kernel_has_out and not instruction.copy and definition.state is None
                   and not definition.takes_storage and not definition.writes
                   and all(v.known_shape and v.dtype.kind != 'O' and v not in self.escaping
                           for v in outputs))
        kind, letter = ('buffer', 'b') if planned else ('local', 't')
        for value in outputs:
            self._locate(value, kind, f'{letter}{next(self.numbers)}')

    def _split(self, instruction: Instruction) -> bool:
        """Makes the results of splitting a buffer views of it, if they can be."""
        source = split_source(instruction)
        if source is None or self.locations[source].kind != 'buffer' \
                or any(v in self.escaping for v in instruction.outputs):
            return False
        parts = split_parts(instruction)
        if not parts:
            return False
        whole = self.stand_ins.get(source)
        if whole is None:
            whole = self.stand_ins[source] = np.empty(source.sizes, source.dtype.np)
        for value, part in zip(instruction.outputs, parts):
            self.stand_ins[value] = whole[part.slices]
            self._locate(value, 'view', f'w{next(self.numbers)}', self.root[source])
        return True

    def _view(self, instruction: Instruction) -> None:
        source, value = instruction.inputs[0], instruction.outputs[0]
        if source not in self.stand_ins and self.locations[source].kind == 'buffer':
            self.stand_ins[source] = np.empty(source.sizes, source.dtype.np)
        stand_in = self._try_view(instruction)
        if stand_in is not None and np.may_share_memory(stand_in, self.stand_ins[source]) \
                and value not in self.fetched:
            self.stand_ins[value] = stand_in
            self._locate(value, 'view', f'w{next(self.numbers)}', self.root[source])
            return
        self._locate(value, 'local', f't{next(self.numbers)}', self.root[source])

    def _try_view(self, instruction: Instruction) -> np.ndarray | None:
        """The view of a stand-in of the input, if all that it depends on is known."""
        definition, inputs = instruction.definition, instruction.inputs
        if inputs[0] not in self.stand_ins or definition.has_lists \
                or any(v.array is None for v in inputs[1:]):
            return None
        arguments = [self.stand_ins[inputs[0]], *[v.array for v in inputs[1:]]]
        try:
            return definition.call(instruction.attrs, arguments)[0]
        except (ValueError, TypeError, IndexError):
            return None             # the run will refuse it, with the user's line

    def _last_uses(self) -> dict[Value, int]:
        last_use: dict[Value, int] = {}
        for step, instruction in enumerate(self.program.instructions):
            for value in instruction.inputs + instruction.outputs:
                last_use[self.root[value]] = step
        end = len(self.program.instructions)
        for value in self.fetched:
            last_use[self.root[value]] = end
        return last_use

    def _place_results(self, instruction: Instruction, step: int,
                       last_use: dict[Value, int]) -> None:
        for value in instruction.outputs:
            root = self.root[value]
            location = self.locations[root]
            if location.kind != 'buffer' or self.locations[value].kind not in ('buffer', 'part'):
                continue
            if root not in self.live_blocks:
                self._place(instruction, root, step, last_use)
            if root in self.wholes:
                self.live_blocks[root].stretches.setdefault(self._byte_range(value), step)

    def _place(self, instruction: Instruction, value: Value, step: int,
               last_use: dict[Value, int]) -> None:
        location = self.locations[value]
        self.unplanned += value.nbytes
        taken = self._overwritable(instruction, value, step, last_use)
        if taken is not None:
            self.live_blocks[value] = self.live_blocks.pop(taken)
            location.overwrites = taken
        else:
            self.live_blocks[value] = Block(value.nbytes, step, len(self.program.instructions))
            self.blocks.append(self.live_blocks[value])
        self.placed.append((location, self.live_blocks[value]))

    def _byte_range(self, value: Value) -> tuple[int, int]:
        """The bytes of its root that a value lies in, from the first to the last."""
        begin, end = 0, value.nbytes
        while value in self.parts:
            part = self.parts[value]
            value = part.whole
            if part.axis:                       # with gaps
                begin, end = 0, value.nbytes
            else:
                before = part.start * prod(value.sizes[1:]) * value.dtype.np.itemsize
                begin, end = begin + before, end + before
        return begin, end

    def _overwritable(self, instruction: Instruction, value: Value, step: int,
                      last_use: dict[Value, int]) -> Value | None:
        """An input that dies here and whose buffer may take the result."""
        if len(instruction.outputs) != 1 or value in self.wholes:
            return None
        inputs = instruction.inputs
        for i in instruction.definition.overwrites:
            if i >= len(inputs):
                continue
            candidate = inputs[i]
            if candidate in self.live_blocks and last_use[candidate] == step \
                    and candidate.raw_shape == value.raw_shape \
                    and candidate.dtype is value.dtype \
                    and [self.root[v] for v in inputs].count(candidate) == 1:
                return candidate
        return None

    def _release(self, instruction: Instruction, step: int,
                 last_use: dict[Value, int]) -> list[Value]:
        """Frees the blocks of values that are not needed after this step."""
        dead = []
        for value in dict.fromkeys(instruction.inputs + instruction.outputs):
            root = self.root[value]
            if last_use[root] != step:
                continue
            if root in self.live_blocks:
                self.live_blocks.pop(root).last = step
            if self.locations[value].kind == 'local':
                dead.append(value)
        return dead


def plan_memory(program: Program) -> MemoryPlan:
    """A Location for every value of `program`."""
    return _Planner(program).plan()


__all__ = ['MemoryPlan', 'plan_memory']
