"""Elementwise instructions that become one loop.

A group takes in instructions with results of one shape that use each other's results. It runs where
the last of them was, so it ends before any other instruction that needs one of its results, and
before anything is written to a Variable. What only the group itself uses is never stored.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import count
from math import prod
from typing import Any

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.passes.broadcasts import spread_from
from tinyflow.compiler.passes.dead import drop_unused
from tinyflow.graph.op import Op
from tinyflow.native.loops.calls import kernel_of
from tinyflow.native.loops.expressions import attributes, constant, elementwise, reading, traced
from tinyflow.native.loops.kernel import Layout, native_loop
from tinyflow.native.loops.trace import Node, Tracer, steps_of

__all__ = ['LEAST', 'Groups', 'loop_definition', 'work']

LEAST = 1 << 10            # elements; for fewer, NumPy is as fast
_MOST = 48                  # instructions in a loop: more would not fit in the registers
_MOST_INPUTS = 24
_MOST_KNOWN = 1024
_WORK = {'exp': 12, 'log': 16, 'log1p': 20, 'tanh': 20, 'divide': 4, 'sqrt': 4, 'reciprocal': 4}

_numbers = count()


class _Group:
    """Instructions for one loop, in their order, and their positions in the program."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.trailing = frozenset(range(1, len(shape) + 1))
        self.members: dict[Instruction, int] = {}
        self.made: set[Value] = set()
        self.inputs: dict[Value, None] = {}
        self.spread: dict[Value, Value] = {}        # the input read in place of a broadcast one

    def made_in_order(self) -> list[Value]:
        return [member.outputs[0] for member in self.members]

    def join(self, other: _Group) -> bool:
        """Takes in the members of another group, unless they do not fit together."""
        trailing = self.trailing & other.trailing
        inputs = [v for v in (*self.inputs, *other.inputs)
                  if v not in self.made and v not in other.made]
        if self.shape != other.shape or not trailing or len(set(inputs)) > _MOST_INPUTS \
                or len(self.members) + len(other.members) > _MOST:
            return False
        self.trailing = trailing
        both = {**self.members, **other.members}
        self.members = dict(sorted(both.items(), key=lambda item: item[1]))
        self.made |= other.made
        self.spread.update(other.spread)
        self.inputs = dict.fromkeys(inputs)
        return True


def _alone(instruction: Instruction, position: int) -> _Group:
    output = instruction.outputs[0]
    group = _Group(output.sizes)
    group.members[instruction] = position
    group.made.add(output)
    for value in instruction.inputs:
        if value.array is not None and value.array.size == 1:
            continue                                    # part of the expression
        source = spread_from(value)
        if source is not None and reading(source.sizes, group.shape):
            group.spread[value] = source
            value = source
        group.inputs[value] = None
        read = reading(value.sizes, group.shape)
        group.trailing &= read.trailing if read else frozenset()
    return group


class Groups:
    """Finds the groups of a program, and replaces each that is worth it by one instruction.

    With `exact` only those whose results have the bits of NumPy's.
    """

    def __init__(self, program: Program, exact: bool = False) -> None:
        self.program = program
        self._exact = exact
        self.moved = Counter[str]()
        self._instructions: list[Instruction | None] = list(program.instructions)
        self._open: list[_Group] = []
        self._users: dict[Value, list[Instruction | None]] = {}
        for instruction in program.instructions:
            for value in instruction.inputs:
                self._users.setdefault(value, []).append(instruction)
        for fetch in program.fetches:
            if fetch is not None:
                self._users.setdefault(fetch, []).append(None)

    def instructions(self) -> list[Instruction]:
        """The instructions of the program with loops, but for broadcasts that all loops pass by."""
        for position, instruction in enumerate(self.program.instructions):
            if _is_barrier(instruction):
                self._close(self._open)
            used = [g for g in self._open if not g.made.isdisjoint(instruction.inputs)]
            if not elementwise(instruction, self._exact):
                self._close(used)
                continue
            group = _alone(instruction, position)
            if not group.trailing:
                self._close(used)
                continue
            for other in used:
                if group.join(other):
                    self._open.remove(other)
                else:
                    self._close([other])
            self._open.append(group)
        self._close(self._open)
        kept = [i for i in self._instructions if i is not None]
        return list(drop_unused(self.program.with_instructions(kept)).instructions)

    def _close(self, groups: Iterable[_Group]) -> None:
        for group in list(groups):
            self._open.remove(group)
            loop = self._loop(group) if prod(group.shape) >= LEAST else None
            if loop is None:
                continue
            self.moved.update([i.type for i in group.members])
            for position in group.members.values():
                self._instructions[position] = None
            self._instructions[max(group.members.values())] = loop

    def _loop(self, group: _Group) -> Instruction | None:
        """One instruction for the group; None if it would gain nothing."""
        outputs = [v for member in group.members for v in member.outputs
                   if any(user not in group.members for user in self._users.get(v, ()))]
        if not outputs:
            return None
        kinds = _kinds(group)
        key = _key(group, outputs, kinds)
        found = _known.get(key)
        if found is None:
            if len(_known) >= _MOST_KNOWN:
                _known.clear()
            found = _known[key] = _native(group, outputs, kinds)
        native, total = found
        if native is None:
            return None
        kernel = kernel_of(native, kinds, group.shape, [v.dtype.np for v in outputs], total)
        overwrites = tuple(i for i, kind in enumerate(kinds) if kind == 'full')
        last = list(group.members)[-1]
        name = '_'.join(dict.fromkeys(m.type for m in group.members))[:60]
        definition: Any = loop_definition(name, kernel, len(outputs),
                                          overwrites if len(outputs) == 1 else ())
        definition.takes_gaps = len(group.shape) == 2
        return Instruction(definition, last.operation, tuple(group.inputs), tuple(outputs), {})


_known: dict[Any, tuple[Callable[..., bool] | None, int]] = {}     # loops by `_key`


def _key(group: _Group, outputs: list[Value], kinds: tuple[str, ...]) -> Any:
    """What the loop of a group depends on; groups of a repeated layer have equal keys."""
    numbers = {v: i for i, v in enumerate((*group.inputs, *group.made_in_order()))}
    numbers.update((v, numbers[source]) for v, source in group.spread.items())
    members = tuple((m.type, attributes(m), m.outputs[0].dtype,
                     tuple(numbers.get(v) if v in numbers else constant(v) for v in m.inputs))
                    for m in group.members)
    return (members, kinds, len(group.shape), min(group.trailing),
            tuple(v.dtype for v in group.inputs), tuple(numbers[v] for v in outputs))


def _native(group: _Group, outputs: list[Value],
            kinds: tuple[str, ...]) -> tuple[Callable[..., bool] | None, int]:
    """The loop of a group, None if it would gain nothing; and the work for an element."""
    tracer = Tracer()
    values = {v: tracer.input(i, v.dtype.np) for i, v in enumerate(group.inputs)}
    nodes = {**values, **{v: values[source] for v, source in group.spread.items()}}
    for member in group.members:
        nodes[member.outputs[0]] = traced(tracer, member, nodes)
    results = [nodes[v] for v in outputs]
    total = work(results)
    if total < 2:
        return None, total
    types = tuple(v.dtype.np.str[1:] for v in (*group.inputs, *outputs))
    layout = Layout(kinds, types, len(group.shape), min(group.trailing))
    return native_loop(layout, list(values.values()), results), total


def _kinds(group: _Group) -> tuple[str, ...]:
    found = [reading(v.sizes, group.shape) for v in group.inputs]
    return tuple(read.kind for read in found if read is not None)


def _is_barrier(instruction: Instruction) -> bool:
    """Whether an instruction may change what others read, or run other programs."""
    definition = instruction.definition
    return bool(not definition.pure or instruction.writes or definition.takes_storage
                or definition.functions or definition.captures)


def work(nodes: Iterable[Node]) -> int:
    """About how many simple operations make an element of the results."""
    return sum(0 if node.name in ('input', 'constant') else _WORK.get(node.name, 1)
               for node in steps_of(nodes))


def loop_definition(name: str, kernel: Callable[..., Any], outputs: int,
                    overwrites: tuple[int, ...]) -> type[Op]:
    """The definition of an instruction with a native kernel and no node of its own."""
    definition = type(Op)(name, (Op,), {}, abstract=True)
    definition.kernel = staticmethod(kernel)
    definition.type = f'native_{name}_{next(_numbers)}'     # the kernel's name in the source
    definition.overwrites = overwrites
    definition.static_positions, definition.static_ranks = (), ()
    definition.kernel_attrs, definition.has_lists = (), False
    definition.kernel_has_out, definition.one_output = True, outputs == 1
    definition.inputs = definition.outputs = ()
    return definition
