"""Warn once about ops that the user probably meant to run, but that no fetch needs.

Only what the fetches need is run, which surprises those who think of a graph as a program:

* Batch normalisation's moving averages are updated by operations in the collection
  UPDATE_OPS; a training step runs them only with a control dependency on them.
* A tf.Print whose result is unused prints nothing.
"""
from __future__ import annotations

import weakref
from collections.abc import Collection, Sequence
from typing import Any

from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.source_location import warn_at
from tinyflow.graph.support.errors import report, why
from tinyflow.graph.variable_refs import is_variable_ref

_reported: weakref.WeakSet[Operation] = weakref.WeakSet()
PRINTS = frozenset({'Print', 'PrintV2'})


def may_leave_out(fetches: Sequence[Tensor | Operation]) -> bool:
    """A quick test: could a run of this graph leave out any such op?"""
    if not fetches or fetches[0].graph.outer_graph is not None:
        return False
    graph = fetches[0].graph
    return bool(graph.get_collection(GraphKeys.UPDATE_OPS)) or \
        any(operation.type in PRINTS for operation in graph._operations)


def warn_of_what_is_left_out(kept: list[Operation]) -> None:
    """Checks the operations that a run needs, before its first run."""
    if not kept:
        return
    graph, inside = kept[0].graph, set(kept)
    for operation in silent_prints(inside, graph.get_operations()):
        if _first_time(operation):
            _warn(operation, f"[unfetched-print] {operation.type} '{operation.name}' prints "
                             'nothing: nothing uses its result, and it is not fetched.',
                  'use the result of tf.Print, x = tf.Print(x, [x]); or fetch it, too.'
                  + why('unfetched-print'))
    updates = unrun_updates(inside, graph)
    if updates and _first_time(updates[0]):
        _warn(updates[0], f'[update-ops] this training step does not run {len(updates)} of '
                          f"UPDATE_OPS, such as '{updates[0].name}': the moving averages are not "
                          'updated, and the model gives wrong results at inference.',
              'with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)): '
              'train_op = optimizer.minimize(loss)' + why('update-ops'))


def unrun_updates(inside: Collection[Operation], graph: Graph) -> list[Operation]:
    """UPDATE_OPS that a training step does not run although it computes their inputs."""
    if not any(is_training_step(operation) for operation in inside):
        return []
    members = [_operation(m) for m in graph.get_collection(GraphKeys.UPDATE_OPS)]
    return [m for m in members if m is not None and m not in inside and _fed_by(m, inside)]


def silent_prints(inside: set[Operation],
                  operations: list[Operation]) -> list[Operation]:
    """Prints without consumers that are not run although their inputs are computed."""
    return [op for op in operations if op.type in PRINTS and op not in inside
            and not any(t.consumers() for t in op.outputs)
            and (_fed_by(op, inside) or _prints_fed_tensors(op, inside))
            and not _is_waited_for(op, operations)]


def _prints_fed_tensors(operation: Operation, inside: set[Operation]) -> bool:
    return any(t.op.type == 'Placeholder' and not inside.isdisjoint(t.consumers())
               for t in operation.inputs)


def is_training_step(operation: Operation) -> bool:
    """True for an optimizer's update of a Variable."""
    kind = operation.type.removeprefix('Resource')
    sparse_descent = kind in ('ScatterSub', 'ScatterAdd') and '/update_' in operation.name
    return bool(operation.writes) and (
        sparse_descent or kind.startswith(('Apply', 'SparseApply')))


def _operation(member: Any) -> Operation | None:
    convert = getattr(member, '_as_graph_element', None)
    element = convert() if convert else None
    if element is None:
        element = member                # an Operation: it has no output tensor
    return element.op if isinstance(element, Tensor) else \
        element if isinstance(element, Operation) else None


def _fed_by(operation: Operation, inside: Collection[Operation]) -> bool:
    """True if the operation depends on an operation that runs and is not constant."""
    seen, stack = set(), [operation]
    while stack:
        current = stack.pop()
        for tensor in current.inputs:
            producer = tensor.op
            if producer in seen or is_variable_ref(tensor):
                continue
            seen.add(producer)
            if producer in inside and producer.inputs:
                return True
            stack.append(producer)
    return False


def _is_waited_for(operation: Operation, operations: list[Operation]) -> bool:
    return any(operation in other.control_inputs for other in operations)


def _first_time(operation: Operation) -> bool:
    if operation in _reported:
        return False
    _reported.add(operation)
    return True


def _warn(operation: Operation, problem: str, hint: str) -> None:
    # Point at the line that built the node.
    warn_at(operation.site, report(problem, op=operation, hint=hint))
