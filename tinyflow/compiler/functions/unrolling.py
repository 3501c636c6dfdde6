"""Loop unrolling: loops whose number of iterations is known become straight-line code.

For given feed shapes a recurrent network has a known number of steps: the condition compares
counters that are constants. Once unrolled, all steps share one memory plan, values kept for the
gradient need no lists, and the gradients of the weights become one product of stacked factors (see
rewrites/batch_matmul_sums.py). Only loops with matrix products are unrolled: for others the gain
would be smaller than the cost of a longer program.
"""
from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tinyflow.compiler.cost import numpy_seconds
from tinyflow.compiler.functions.nested import function_to_program
from tinyflow.compiler.functions.resolve_tensor_lists import resolve_lists
from tinyflow.compiler.infer import infer, infer_and_fold
from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.compiler.passes.dead import drop_unused
from tinyflow.compiler.passes.replacement import Replacement
from tinyflow.graph.operation import Operation
from tinyflow.graph.shapes import Shape

_MOST_STEPS = 64            # iterations of one loop
_MOST_NODES = 5000          # that one loop becomes, if each step has as many as the first
_HEAVY = frozenset({'MatMul', 'BatchMatMulV2'})


class _CannotUnroll(Exception):
    """Raised if a loop cannot be unrolled."""


def unroll(program: Program, fold: bool) -> Program:
    """Unrolls the loops of a program and resolves their lists; the program itself if none can be.

    Run shape inference on the result again.
    """
    if not any(i.type == 'While' for i in program.instructions):
        return program
    storages = _storages(program)
    replacements = Replacement()
    instructions: list[Instruction] = []
    count = 0
    for old in program.instructions:
        instruction = replacements.inputs(old)
        if instruction.type == 'While' and old.operation not in program.targets:
            try:
                steps, results = _unrolled(instruction, storages, fold)
            except _CannotUnroll:
                instructions.append(instruction)
                continue
            instructions += steps
            count += 1
            for output, result in zip(instruction.outputs, results):
                replacements.put(output, result)
        else:
            instructions.append(instruction)
    if not count:
        return program
    note = Note('loops', f'{count} loops of known length are unrolled',
                len(program.instructions), len(instructions), count)
    fetches = tuple(None if v is None else replacements(v) for v in program.fetches)
    return drop_unused(resolve_lists(program.with_instructions(instructions, note, fetches)))


class UnrollingCost(NamedTuple):
    """The instructions that loops become, before anything is simplified, and about how many
    seconds a run of them takes with NumPy.
    """

    instructions: int
    seconds: float


def unrolling_cost(program: Program, feed_shapes: Sequence[Shape],
                   fold: bool) -> UnrollingCost | None:
    """What unrolling all loops of a program costs; None if some cannot be."""
    program = infer(program, feed_shapes, fold)
    storages, counters = _storages(program), Replacement()
    instructions, seconds = 0, 0.0
    try:
        for old in program.instructions:
            if old.type == 'While':
                loop = counters.inputs(old)
                if old.operation in program.targets:
                    raise _CannotUnroll
                condition, body = _functions(loop, storages)
                steps, found = _count_steps(loop, condition, body, fold)
                for p, value in found.items():      # the gradient's loop runs as often
                    if p < len(loop.outputs) and value.array is not None:
                        counters.put(loop.outputs[p], value)
                made: list[Instruction] = []
                body.instantiate(loop.inputs, fold, made)
                _refuse_long(steps, made)
                instructions += steps * len(made)
                seconds += steps * sum(map(numpy_seconds, made))
    except _CannotUnroll:
        return None
    return UnrollingCost(instructions, seconds)


def _storages(program: Program) -> dict[Operation, Value]:
    return {v.variable: v for i in program.instructions for v in (*i.inputs, *i.outputs)
            if v.variable is not None}


class _LoopFunction:
    """The Program of a loop's condition or body, to be instantiated for each iteration."""

    def __init__(self, instruction: Instruction, name: str,
                 storages: dict[Operation, Value]) -> None:
        graph = instruction.attrs[name]
        not_passed = instruction.storage_inputs
        self.passed = [i for i in range(len(instruction.inputs)) if i not in not_passed]
        self.outputs = graph.outputs if name == 'body' else graph.outputs[:1]
        self.unchanged = [i for i, (o, p) in enumerate(zip(self.outputs, graph.inputs)) if o is p]
        passed = [graph.inputs[i] for i in self.passed]
        self.program = function_to_program(graph, passed, self.outputs)
        self.storages = storages
        for inner in self.program.instructions:
            if not inner.removable or inner.definition.bind is not None \
                    or inner.definition.state is not None or inner.definition.functions:
                raise _CannotUnroll

    def only(self, positions: Collection[int]) -> _LoopFunction:
        """The function that computes the results at `positions`, and has arguments for the others.
        """
        part = copy(self)
        part.unchanged = [i for i in range(len(self.outputs)) if i not in positions]
        part.program = drop_unused(replace(self.program, fetches=tuple(
            [v if i in positions else None for i, v in enumerate(self.program.fetches)])))
        return part

    def needed(self) -> set[int]:
        """The positions of the arguments that are used."""
        used = {v for i in self.program.instructions for v in i.inputs} | {*self.program.fetches}
        return {p for p, v in zip(self.passed, self.program.feeds) if v in used}

    def instantiate(self, values: Sequence[Value], fold: bool,
                    made: list[Instruction]) -> list[Value]:
        """Adds the instructions for these arguments to `made`; returns the results."""
        new = dict(zip(self.program.feeds, [values[i] for i in self.passed]))

        def of(value: Value) -> Value:
            if value in new:
                return new[value]
            if value.variable is not None:         # a program has one Value for each Variable
                value = self.storages.setdefault(value.variable, value)
            return value

        for old in self.program.instructions:
            outputs = tuple([Value(v.name, v.dtype, v.raw_shape) for v in old.outputs])
            instruction = Instruction(old.definition, old.operation,
                                      tuple([of(v) for v in old.inputs]), outputs, old.attrs,
                                      old.copy)
            new.update(zip(old.outputs, outputs))
            if not infer_and_fold(instruction, fold):
                made.append(instruction)
        found = []
        for i, value in enumerate(self.program.fetches):
            if i in self.unchanged:
                found.append(values[i])
            elif value is None:
                raise _CannotUnroll
            else:
                found.append(of(value))
        return found


def _unrolled(instruction: Instruction, storages: dict[Operation, Value],
              fold: bool) -> tuple[list[Instruction], list[Value]]:
    condition, body = _functions(instruction, storages)
    values = list(instruction.inputs)
    made: list[Instruction] = []
    steps, _ = _count_steps(instruction, condition, body, fold)
    for i in range(steps):
        values = body.instantiate(values, fold, made)
        if i == 0:
            _refuse_long(steps, made)
    return made, _arrays(values[:len(instruction.outputs)])


def _refuse_long(steps: int, first: list[Instruction]) -> None:
    """Refuses a loop of so many steps whose first one consists of these instructions."""
    if steps * len(first) > _MOST_NODES:
        raise _CannotUnroll


def _functions(loop: Instruction,
               storages: dict[Operation, Value]) -> tuple[_LoopFunction, _LoopFunction]:
    """The condition and the body."""
    if loop.writes or loop.copy or '_inputs' in loop.attrs:
        raise _CannotUnroll
    if not any(op.type in _HEAVY for op in loop.attrs['body'].get_operations()):
        raise _CannotUnroll
    condition = _LoopFunction(loop, 'cond', storages)
    body = _LoopFunction(loop, 'body', storages)
    if _returns_a_variable(body):
        raise _CannotUnroll
    return condition, body


def _count_steps(loop: Instruction, condition: _LoopFunction, body: _LoopFunction,
                 fold: bool) -> tuple[int, dict[int, Value]]:
    """(how often the body runs, the counters then by their positions); the rest is not computed."""
    needed = condition.needed() | {p for p, v in enumerate(loop.inputs)
                                   if v.dtype.is_integer and v.raw_shape == ()}
    while not needed >= (more := body.only(needed).needed()):
        needed |= more
    counting = body.only(needed)
    values: Sequence[Value] = loop.inputs
    for steps in range(_MOST_STEPS + 1):
        holds = condition.instantiate(values, fold, [])[0].array
        if holds is None:
            raise _CannotUnroll
        if not holds:
            return steps, {p: values[p] for p in needed}
        values = counting.instantiate(values, fold, [])
    raise _CannotUnroll


def _arrays(values: Iterable[Value]) -> list[Value]:
    """Converts constants among the results to arrays, as a loop would return them."""
    for value in values:
        if value.array is not None:
            value.array = np.asarray(value.array)
    return list(values)


def _returns_a_variable(body: _LoopFunction) -> bool:
    """True if a result may be a Variable's storage itself: it could change after the loop."""
    seen = {v for i in body.program.instructions for v in i.inputs if v.variable is not None}
    for instruction in body.program.instructions:
        if instruction.definition.view and not instruction.copy and instruction.inputs and \
                instruction.inputs[0] in seen:
            seen.update(instruction.outputs)
    return any(v in seen or v is not None and v.variable is not None
               for i, v in enumerate(body.program.fetches) if i not in body.unchanged)
