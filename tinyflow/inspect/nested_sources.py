"""Generated source of the functions inside a program: branches of conds, bodies of loops.

A run compiles them on their first call, for the shapes of that call; here they are compiled for the
shapes that the surrounding program passes.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tinyflow.compiler.codegen.program import ProgramSource
from tinyflow.compiler.compile import Options, optimise
from tinyflow.compiler.functions.nested import callables_of, function_to_program
from tinyflow.compiler.ir import Instruction, Program
from tinyflow.compiler.memory.plan import plan_memory
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import Shape


def sources_inside(program: Program) -> Iterator[tuple[str, str]]:
    """(name, source) of the functions that a program runs, and of those that these run."""
    for name, source in programs_inside(program):
        yield name, source.text.replace('def run(', f'def {name}(', 1)


def programs_inside(program: Program, prefix: str = '') -> Iterator[tuple[str, ProgramSource]]:
    """As `sources_inside`, with the nodes of each line."""
    number = 0
    for instruction in program.instructions:
        if not instruction.definition.functions:
            continue
        for graph, parameters, *more in _requests_of(instruction):
            inner = function_to_program(graph, parameters, *more)
            shapes = [_shape_of(instruction, graph, t) for t in parameters or graph.inputs]
            inner = optimise(inner, shapes, Options())
            name = f'{prefix}f{number}_{_role(instruction, graph)}'
            yield name, ProgramSource(plan_memory(inner))
            yield from programs_inside(inner, name + '_')
        number += 1


def _requests_of(instruction: Instruction) -> list[tuple]:
    """The arguments of the instruction's calls of its FunctionMaker."""
    requests: list[tuple] = []

    def record(graph: FuncGraph, parameters: Any = None, wanted: Any = None,
               known: Any = None, owned: Any = ()) -> Callable[..., list]:
        requests.append((graph, parameters, wanted, known, owned))
        return lambda *arrays: []
    callables_of(instruction, record)
    return requests


def _role(instruction: Instruction, graph: FuncGraph) -> str:
    for name in instruction.definition.functions:
        if instruction.attrs[name] is graph:
            return name
    return 'function'


def _shape_of(instruction: Instruction, graph: FuncGraph, parameter: Tensor) -> Shape:
    """The shape that the instruction passes for a parameter."""
    if parameter not in graph.inputs:           # an element of a list, popped outside of the body
        return parameter.raw_shape
    position = graph.inputs.index(parameter)
    skipped = 0 if instruction.type == 'While' else 1
    positions = instruction.attrs.get('_inputs')
    if positions is not None:
        position = list(positions).index(position)
    if instruction.definition.bind is None:
        return parameter.raw_shape
    return instruction.inputs[position + skipped].raw_shape


__all__ = ['programs_inside', 'sources_inside']
