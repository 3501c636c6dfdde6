"""The steps of an observed run: the operations in their order, and where their values are."""
from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tinyflow.compiler.codegen.results import as_result
from tinyflow.compiler.functions.nested import FunctionMaker, callables_of, function_to_program
from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.prune import prune
from tinyflow.compiler.schedule import schedule
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.waits import check_deadline, deadlines
from tinyflow.graph.variable_refs import variable_of, variable_read_by
from tinyflow.session.failure import explain_failure, uninitialized
from tinyflow.session.interpret import arguments_of, updating
from tinyflow.session.interrupts import steps_through
from tinyflow.session.store import Store

__all__ = ['Frame', 'ObservedRun', 'Steps', 'main_steps']


class Frame(NamedTuple):
    """A function that is being run: of which node, which one, and the how many-th time (from 0)."""

    operation: Operation
    function: FuncGraph
    iteration: int


# Where the value of a tensor is: a Value of the Program, a Variable's operation, or nowhere.
Source = Value | Operation | None


@dataclass(frozen=True)
class Step:
    """One operation, the instructions that compute it, and the sources of what it shows."""

    operation: Operation
    instructions: tuple[Instruction, ...]
    shown: tuple[Source, ...]


@dataclass(frozen=True)
class Steps:
    """A Program as Steps; `last` are reads of fetched Variables after all of them."""

    program: Program
    steps: tuple[Step, ...]
    last: tuple[Instruction, ...]
    fed: tuple[tuple[Operation, tuple[int, ...]], ...]      # operation, its outputs' feeds, or -1


def main_steps(program: Program, fetches: Sequence[Tensor | Operation],
               feeds: Sequence[Tensor]) -> Steps:
    """The Steps of what graph_to_program(fetches, feeds) returned."""
    order = schedule(prune(fetches, feeds), frozenset(feeds))
    sources: dict[Tensor, Source] = dict(zip(feeds, program.feeds))
    steps, done = [], 0
    instructions = program.instructions
    for operation in order:
        first = done
        while done < len(instructions) and instructions[done].operation is operation:
            done += 1
        own = instructions[first:done]
        for tensor in operation.outputs:
            if tensor not in sources:
                sources[tensor] = _source(tensor, own, sources)
        shown = [sources[t] for t in operation.outputs] or \
            [variable_of(operation.inputs[i]) for i in operation.writes]
        steps.append(Step(operation, own, tuple(shown)))
    places: dict[Operation, list[int]] = {}
    for place, tensor in enumerate(feeds):
        if place < len(program.feeds):
            places.setdefault(tensor.op, [-1] * len(tensor.op.outputs))[tensor.value_index] = place
    return Steps(program, tuple(steps), instructions[done:],
                 tuple([(operation, tuple(found)) for operation, found in places.items()
                        if operation not in set(order)]))


def _source(tensor: Tensor, own: Sequence[Instruction], sources: dict[Tensor, Source]) -> Source:
    operation, unchanged = tensor.op, False
    if operation.type == 'While':
        body, k = operation.attrs['body'], tensor.value_index
        unchanged = body.outputs[k] is body.inputs[k]
    for instruction in reversed(own):
        if unchanged and instruction.type == 'While':
            continue                            # it computes only what its body changes
        for value in instruction.outputs:
            if value.name == tensor.name:
                return value
    variable = variable_of(tensor) or variable_read_by(tensor)
    if variable is not None:
        return variable
    return sources.get(operation.inputs[tensor.value_index]) if unchanged else None


class ObservedRun:
    """One run; interprets Steps, and tells the observers of each operation."""

    def __init__(self, store: Store, make_function: FunctionMaker,
                 observers: Sequence[Any]) -> None:
        self.store = store
        self._make_function = make_function
        # Of the methods `before`, those that do something.
        self._before = [o.before for o in observers if not getattr(o.before, 'is_empty', False)]
        self._value = [o.value for o in observers]
        self._frames: tuple[Frame, ...] = ()
        self._has_written = False
        self._stop: BaseException | None = None         # what an observer has raised

    @steps_through
    def results(self, steps: Steps, feeds: Sequence[np.ndarray]) -> list:
        """The fetched arrays of a Program, given its feeds."""
        program = steps.program
        env: dict[Value, Any] = dict(zip(program.feeds, feeds))
        for operation, places in steps.fed:
            self._tell(self._value, operation, [None if p < 0 else feeds[p] for p in places])
        for step in steps.steps:
            if self._before:
                self._tell(self._before, step.operation)
            for instruction in step.instructions:
                self._compute(instruction, env)
            self._tell(self._value, step.operation,
                       [self._shown(source, env) for source in step.shown])
        for instruction in steps.last:
            self._compute(instruction, env)
        results = [None if v is None else np.array(self._fetched(v, env), v.dtype.np)
                   for v in program.fetches]
        return results if program.nested else \
            [None if array is None else as_result(array, True) for array in results]

    def _tell(self, methods: Sequence[Callable[..., None]], *arguments: Any) -> None:
        try:
            for method in methods:
                method(*arguments, self._frames)
        except BaseException as error:
            self._stop = error
            raise

    def _shown(self, source: Source, env: dict[Value, Any]) -> Any:
        if source is None:
            return None
        if isinstance(source, Operation):
            return self.store.storage(source).value
        if source.variable is not None:
            return self.store.storage(source.variable).value
        return env.get(source) if source.array is None else source.array

    def _fetched(self, value: Value, env: dict[Value, Any]) -> Any:
        found = self._shown(value, env)
        if found is None and value.variable is not None:
            raise uninitialized([self.store.storage(value.variable)])
        return found

    def _compute(self, instruction: Instruction, env: dict[Value, Any]) -> None:
        self._has_written = self._has_written or bool(instruction.writes)
        if deadlines and not self._has_written:         # a step's writes happen together
            check_deadline()
        frames = self._frames
        arguments = arguments_of(instruction, env, self.store)
        try:
            outputs = self._call(instruction, arguments)
        except Exception as error:                      # noqa: BLE001 - reported with the node
            if error is self._stop:
                raise
            raise explain_failure(instruction, error, arguments) from None
        finally:
            self._frames = frames
        for value, output in zip(instruction.outputs, outputs):
            if output is not None:
                env[value] = np.array(output, value.dtype.np, copy=instruction.copy or None)

    def _call(self, instruction: Instruction, arguments: list[Any]) -> Sequence[Any]:
        definition = instruction.definition
        if definition.bind is not None:
            return callables_of(instruction, self._maker(instruction.operation))(*arguments)
        first: tuple = () if definition.state is None else \
            (self.store.state(instruction.operation),)
        if definition.functions:                # of tf.data: called by other threads, and later
            first += tuple(callables_of(instruction, self._make_function))
        with updating(instruction, arguments, self.store):
            return definition.call(instruction.attrs, arguments, first)

    def _maker(self, operation: Operation) -> FunctionMaker:
        """Makes the functions of a loop or cond, whose operations are reported with a Frame."""
        def make(graph: FuncGraph, parameters: Sequence[Tensor] | None = None,
                 wanted: Sequence[Tensor] | None = None,
                 known: dict[Tensor, np.ndarray] | None = None,
                 owned: Collection[Tensor] = ()) -> Callable[..., list]:
            program = function_to_program(graph, parameters, wanted, known, owned)
            passed = list(graph.inputs if parameters is None else parameters)
            steps = main_steps(program, list(graph.outputs if wanted is None else wanted),
                               [*passed, *(known or ())])
            calls = 0

            def call(*arrays: np.ndarray) -> list:
                nonlocal calls
                around = self._frames
                self._frames = (*around, Frame(operation, graph, calls))
                calls += 1
                try:
                    return self.results(steps, arrays)
                finally:
                    self._frames = around
            call.store = self.store             # type: ignore[attr-defined]  # see _replayable
            return call
        return make
