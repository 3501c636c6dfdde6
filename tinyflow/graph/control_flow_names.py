"""Names of what is inside a tf.cond or a tf.while_loop, where the node is one If or While.

In TensorFlow 1.15 the nodes of branches and loops are in the graph itself: get_tensor_by_name
gives them, and only Session.run refuses to fetch them.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinyflow.graph.graph import Graph
    from tinyflow.graph.operation import Operation, Tensor

_CONDS = ('If', 'StatelessIf')
_MACHINERY = re.compile(
    r'(Switch|Merge|Enter|Exit|NextIteration)(_\d+)?|switch_[tf]|pred_id|LoopCond')
_CALLS = {'If': 'a tf.cond', 'StatelessIf': 'a tf.cond', 'While': 'a tf.while_loop'}


def tensor_inside(graph: Graph, node: str, index: int) -> Tensor | None:
    """The tensor that TensorFlow calls `node`:`index`, if a cond or a loop of the graph has it."""
    scope, _, last = node.rpartition('/')
    call = graph._by_name.get(scope)
    if last == 'pred_id' and index == 0 and call is not None and call.type in _CONDS:
        return call.inputs[0]
    operation = operation_inside(graph, node)
    return None if operation is None or index >= len(operation.outputs) \
        else operation.outputs[index]


def operation_inside(graph: Graph, name: str) -> Operation | None:
    """The operation of that name in a branch or loop of the graph, at any depth."""
    for _, function in _around(graph, name):
        found = function._by_name.get(name) or operation_inside(function, name)
        if found is not None:
            return found
    return None


def _around(graph: Graph, name: str) -> Iterator[tuple[Operation, Graph]]:
    """The conds and loops of the graph whose names are the first parts of `name`."""
    end = name.rfind('/')
    while end > 0:
        call = graph._by_name.get(name[:end])
        if call is not None and call.type in _CALLS:
            for function in call.definition.functions:
                yield call, call.attrs[function]
        end = name.rfind('/', 0, end)


def encloses(graph: Graph, operation: Operation) -> str:
    """Of which call of the graph an operation is a part: 'a tf.cond', 'a tf.while_loop' or ''."""
    for call, function in _around(graph, operation.name):
        if function is operation.graph or encloses(function, operation):
            return f'{_CALLS[call.type]}, {call.name!r}'
    return ''


def local_name(operation: Operation) -> str:
    """The name without the scope that all nodes of a branch's or a loop's function share.

    A parameter has the name of the tensor that it stands for.
    """
    if operation.type == 'Placeholder' and operation.graph.outer_graph is not None:
        source = operation.graph.source_of(operation.outputs[0])
        if source is not None:
            return local_name(source.op)
    return operation.name.removeprefix(operation.graph.scope)


def where_inside(graph: Graph, name: str) -> str:
    """A sentence about the name of a node that TensorFlow makes for a branch or a loop, or ''."""
    node = name.partition(':')[0]
    if not _MACHINERY.fullmatch(node.rpartition('/')[2]):
        return ''
    for call, _ in _around(graph, node):
        return (f' In TensorFlow it is a part of {_CALLS[call.type]}, {call.name!r}, which is one '
                'node here: only its results (Merge, Exit) can be fetched.')
    return ''
