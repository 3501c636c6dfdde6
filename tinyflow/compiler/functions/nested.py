"""Functions inside programs: branches of a cond, the body of a loop, a map of tf.data.

A function's graph is compiled like any other program. Its parameters are feeds, except captured
Variables: a function looks up their storage in the Session.
"""
from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from tinyflow.compiler.graph_to_program import graph_to_program
from tinyflow.compiler.ir import Instruction, Program
from tinyflow.graph import dtypes
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.operation import Tensor


class FunctionMaker(Protocol):
    """Compiles a FuncGraph to a callable, `f(*arrays) -> list of arrays`.

    `parameters` are the parameters that are passed (default: all), `wanted` the tensors whose
    values are returned (default: the outputs), `known` parameters with constant values, `owned`
    parameters whose arrays no other code modifies.
    """

    def __call__(self, graph: FuncGraph, parameters: Sequence[Tensor] | None = None,
                 wanted: Sequence[Tensor] | None = None,
                 known: dict[Tensor, np.ndarray] | None = None,
                 owned: Collection[Tensor] = ()) -> Callable[..., list]:
        ...


def function_to_program(graph: FuncGraph, parameters: Sequence[Tensor] | None = None,
                        wanted: Sequence[Tensor] | None = None,
                        known: dict[Tensor, np.ndarray] | None = None,
                        owned: Collection[Tensor] = ()) -> Program:
    """The Program of a function; see FunctionMaker."""
    parameters = list(graph.inputs if parameters is None else parameters)
    known = known or {}
    outputs = list(graph.outputs if wanted is None else wanted)
    program = graph_to_program(outputs, [*parameters, *known])
    for value, array in zip(program.feeds[len(parameters):], known.values()):
        value.array = array
    return replace(program, feeds=program.feeds[:len(parameters)], nested=True,
                   owned=frozenset([i for i, t in enumerate(parameters) if t in owned]))


def callables_of(instruction: Instruction, make_function: FunctionMaker) -> Any:
    """The callables of an instruction: that of its op's `bind`, or one for each function."""
    definition = instruction.definition
    if definition.bind is not None:
        return definition.bind(instruction, make_function)
    found: list[Callable[..., list]] = []
    for name in definition.functions:
        graphs = instruction.attrs[name]
        found += [make_function(graph) for graph in
                  (graphs if isinstance(graphs, (list, tuple)) else [graphs])]
    return found


def lists_read(program: Program) -> list[int]:
    """Positions of the feeds that are tensor lists whose elements are read."""
    read = {value for instruction in program.instructions
            for position in instruction.definition.static_positions
            for value in instruction.inputs[position:position + 1]}
    return [i for i, value in enumerate(program.feeds)
            if value.dtype is dtypes.variant and value in read]
