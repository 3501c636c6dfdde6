"""Names of operations with the functions around them, such as 'loop/body/Mul'."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tinyflow.graph.control_flow_names import local_name
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation
from tinyflow.ops.control_flow.function_nodes import functions_of
from tinyflow.session.observed_steps import Frame

__all__ = ['full_name', 'label_of', 'named_operations', 'path_of']

_LABELS = {'then_branch': 'if true', 'else_branch': 'if false', 'cond': 'condition'}


def full_name(operation: Operation, frames: Sequence[Frame]) -> str:
    """The name of an operation with the functions that are being run."""
    return '/'.join([*(f'{local_name(f.operation)}/{label_of(f.operation, f.function)}'
                       for f in frames), local_name(operation)])


def path_of(operation: Operation) -> str:
    """The name of an operation with the functions around it, found in the graph."""
    name, graph = local_name(operation), operation.graph
    while getattr(graph, 'outer_graph', None) is not None:
        owner = next((op for op in graph.outer_graph.get_operations()
                      if graph in functions_of(op)), None)
        if owner is None:
            return name
        name, graph = f'{local_name(owner)}/{label_of(owner, graph)}/{name}', owner.graph
    return name


def label_of(operation: Operation, function: Any) -> str:
    """What a function of an operation is called: 'body', 'if true', or its own name."""
    for name in operation.definition.functions:
        if operation.attrs.get(name) is function:
            return _LABELS.get(name, name)
    return str(function.name)


def named_operations(graph: Graph, before: str = '') -> Iterator[tuple[str, Operation]]:
    """(full name, operation), also of those inside of functions."""
    for operation in graph.get_operations():
        yield before + local_name(operation), operation
        for function in functions_of(operation):
            if isinstance(function, Graph):
                label = label_of(operation, function)
                yield from named_operations(function, f'{before}{local_name(operation)}/{label}/')
