"""The reference executor: runs a Program instruction by instruction, with no reuse of memory.

Slow and simple on purpose: the compiled program is tested against it.
"""
from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from tinyflow.compiler.codegen.variable_uses import variables_written
from tinyflow.compiler.functions.nested import callables_of, function_to_program
from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.operation import Tensor
from tinyflow.session.failure import explain_failure, uninitialized
from tinyflow.session.store import Store


def interpret(program: Program, feeds: Sequence[np.ndarray], store: Store) -> list:
    """The fetched arrays, given arrays for the program's feeds and the Session's Store."""
    env = dict(zip(program.feeds, feeds))
    with np.errstate(all='ignore'):
        for instruction in program.instructions:
            arguments = arguments_of(instruction, env, store)
            try:
                outputs = run_kernel(instruction, arguments, store)
            except Exception as error:                  # noqa: BLE001 - reported with the node
                raise explain_failure(instruction, error, arguments) from None
            for value, array in zip(instruction.outputs, outputs):
                if array is None:               # a loop variable that the body does not change
                    continue
                env[value] = np.array(array, value.dtype.np, copy=instruction.copy or None)
    return [None if v is None else np.array(_read(v, env, store), v.dtype.np)
            for v in program.fetches]


def _read(value: Value, env: dict[Value, np.ndarray], store: Store) -> np.ndarray:
    """The array of a value; for a Variable, the current content of its storage."""
    if value.array is not None:
        return value.array
    if value.variable is None:
        return env[value]
    storage = store.storage(value.variable)
    if storage.value is None:
        raise uninitialized([storage])
    return storage.value


def arguments_of(instruction: Instruction, env: dict[Value, np.ndarray], store: Store) -> list[Any]:
    """The arguments of an instruction's kernel: arrays, or storage of Variables that it sets."""
    takes_storage = instruction.definition.takes_storage
    arguments: list[Any] = []
    for i, value in enumerate(instruction.kernel_inputs):
        if value.variable is None:
            arguments.append(env[value] if value.array is None else value.array)
            continue
        storage = store.storage(value.variable)
        if i in takes_storage:
            arguments.append(storage)
            continue
        if storage.value is None:
            raise uninitialized([storage])
        arguments.append(storage.value)
    for i in instruction.definition.keeps:
        arguments[i] = np.array(arguments[i])
    return arguments


def run_kernel(instruction: Instruction, arguments: list[Any], store: Store) -> tuple:
    """Calls an instruction's kernel; returns a tuple of its outputs."""
    definition = instruction.definition
    if definition.bind is not None:
        return callables_of(instruction, partial(interpreted, store))(*arguments)
    first: tuple = () if definition.state is None else (store.state(instruction.operation),)
    if definition.functions:
        first += tuple(callables_of(instruction, partial(interpreted, store)))
    with updating(instruction, arguments, store):
        return definition.call(instruction.attrs, arguments, first)


@contextmanager
def updating(instruction: Instruction, arguments: list[Any], store: Store) -> Iterator[None]:
    """Locks the Variables that an instruction updates, in arrays that it puts in `arguments`."""
    written = variables_written(instruction)
    if not written:
        yield
        return
    with store.update_lock:
        if instruction.definition.takes_storage:
            yield
            return
        storages = [store.storage(v.variable) for v in written if v.variable is not None]
        targets = {v: storage.target for v, storage in zip(written, storages)}
        arguments[:] = [targets.get(v, a) for v, a in zip(instruction.inputs, arguments)]
        yield
        for storage, array in zip(storages, targets.values()):
            storage.value = array


def interpreted(store: Store, graph: FuncGraph, parameters: Sequence[Tensor] | None = None,
                wanted: Sequence[Tensor] | None = None,
                known: dict[Tensor, np.ndarray] | None = None,
                owned: Collection[Tensor] = ()) -> Callable[..., list]:
    """A function's outputs by the interpreter; see nested.FunctionMaker."""
    program = function_to_program(graph, parameters, wanted, known, owned)

    def call(*arrays: np.ndarray) -> list:
        return interpret(program, arrays, store)

    call.store = store                          # type: ignore[attr-defined]  # see _replayable
    return call
