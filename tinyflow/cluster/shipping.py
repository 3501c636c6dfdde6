"""A stage as a GraphDef for its task, and back: data, never code."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tinyflow.cluster.stages import Stage
from tinyflow.formats.graphdef import functions
from tinyflow.formats.graphdef.export import add_node
from tinyflow.formats.graphdef.importing import import_graph_def
from tinyflow.formats.graphdef.names import Names
from tinyflow.formats.protos.graph_pb2 import GraphDef
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import InvalidArgumentError, report
from tinyflow.ops.array.placeholders import placeholder
from tinyflow.ops.control_flow.function_nodes import functions_of

__all__ = ['Shipped', 'packed', 'unpacked']

_OF_THE_PROGRAM = frozenset(('PyFunc', 'PyFuncStateless', 'EagerPyFunc'))


class Shipped(NamedTuple):
    """A stage for its task: the nodes, and the names of what it is fed and what it gives."""

    graph_def: bytes
    feeds: list[str]
    fetches: list[str]
    targets: list[str]


class _StageNames(Names):
    """The names of tensors in a stage: what comes from elsewhere is a placeholder."""

    def __init__(self, stage: Stage, placeholders: Mapping[Tensor, str]) -> None:
        self._inside, self._refs = stage.operations, stage.refs
        self._placeholders = placeholders

    def tensor(self, tensor: Tensor) -> str:
        found = self._placeholders.get(tensor)
        return super().tensor(self._refs.get(tensor, tensor)) if found is None else found

    def controls(self, operation: Operation) -> list[str]:
        return sorted('^' + self.node(c) for c in operation.control_inputs if c in self._inside)


def packed(stage: Stage, in_process: bool = False) -> Shipped:
    """The stage as data. InvalidArgumentError for a Python function, which cannot be sent.

    Unless its task is `in_process`: there, the functions of the program are found.
    """
    operations = list(stage.operations)
    for operation in () if in_process else _with_functions(operations):
        if operation.type in _OF_THE_PROGRAM:
            raise _stays(operation, stage)
    taken = {op.name for op in operations}
    placeholders = {}
    for i, tensor in enumerate(stage.ins):
        name = f'arrived_{i}'
        while name in taken:
            name += '_'
        placeholders[tensor] = name
    proto = GraphDef()
    with Graph().as_default():
        for tensor, name in placeholders.items():
            add_node(proto.node, placeholder(tensor.dtype.base_dtype, tensor.shape, name).op)
    found = functions.of_operations(operations)         # gives them unique names
    names = _StageNames(stage, placeholders)
    for operation in operations:
        add_node(proto.node, operation, names=names)
    for node in proto.node:
        node.device = ''
        node.attr.pop('_class', None)
    for function in found:
        functions.fill(proto.library.function.add(), function, add_node)
    return Shipped(proto.SerializeToString(), list(placeholders.values()),
                   [t.name for t in stage.outs], [op.name for op in stage.targets])


def _with_functions(operations: Iterable[Operation]) -> Iterator[Operation]:
    for operation in operations:
        yield operation
        if operation.definition.functions:
            for graph in functions_of(operation):
                yield from _with_functions(graph.get_operations())


def unpacked(shipped: Shipped) -> tuple[Graph, list[Tensor], list[Tensor], list[Operation]]:
    """A new graph with the stage's nodes, its feeds, its fetches and its targets."""
    graph = Graph()
    wanted = [f'{name}:0' for name in shipped.feeds] + shipped.fetches + shipped.targets
    with graph.as_default(), name_scope(None):
        elements = import_graph_def(GraphDef.FromString(shipped.graph_def), name='',
                                    return_elements=wanted)
    a, b = len(shipped.feeds), len(shipped.feeds) + len(shipped.fetches)
    return graph, elements[:a], elements[a:b], elements[b:]


def _stays(operation: Operation, stage: Stage) -> Any:
    return InvalidArgumentError(None, operation, report(
        f"{operation.type} '{operation.name}' calls a Python function of this program, and cannot "
        f'run on {stage.task}, which is another process.', op=operation,
        hint='tf.device with the job and task of this process around the tf.py_func; only its '
             'values are sent.'))
