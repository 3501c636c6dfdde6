"""Stage 1: selects the operations that the fetches need, given the fed tensors."""
from __future__ import annotations

from collections.abc import Iterable, Set

from tinyflow.compiler.prune_errors import unfed
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.variable_refs import is_variable_ref, variable_read_by


def prune(fetches: Iterable[Tensor | Operation], feeds: Iterable[Tensor]) -> list[Operation]:
    """The operations that must run for `fetches`, in order of creation.

    A fed tensor needs no operation. An operation runs if an output that is not fed is needed, or if
    it is a control input. Raises InvalidArgumentError for a placeholder that is needed but not fed.
    """
    fed = set(feeds)
    consumer_of: dict[Operation, Operation | None] = {}
    stack: list[tuple[Operation, Operation | None]] = []
    for fetch in fetches:
        if isinstance(fetch, Operation):
            stack.append((fetch, None))
        elif fetch not in fed:
            stack.append((fetch.op, None))
    while stack:
        operation, consumer = stack.pop()
        if operation in consumer_of:
            continue
        consumer_of[operation] = consumer
        if operation.type == 'Placeholder' and not _is_captured_variable(operation):
            raise unfed(_path(operation, consumer_of), feeds)
        for tensor in operation.inputs:
            if tensor not in fed and tensor.op not in consumer_of:
                stack.append((tensor.op, operation))
        for control in operation.control_inputs:
            if control not in consumer_of and not _all_fed(control, fed):
                stack.append((control, operation))
    return sorted(consumer_of, key=lambda operation: operation.id)


def _is_captured_variable(parameter: Operation) -> bool:
    """True for the placeholder of a FuncGraph that stands for a captured Variable.

    It is looked up, not fed.
    """
    tensor = parameter.outputs[0]
    return is_variable_ref(tensor) or variable_read_by(tensor) is not None


def _all_fed(operation: Operation, fed: Set[Tensor]) -> bool:
    """True if all outputs are fed: then a control dependency on the operation has no effect."""
    return bool(operation.outputs) and all(t in fed for t in operation.outputs)


def _path(placeholder: Operation,
          consumer_of: dict[Operation, Operation | None]) -> list[Operation]:
    """The path of operations from the fetch to the placeholder."""
    path = [placeholder]
    while (consumer := consumer_of[path[-1]]) is not None:
        path.append(consumer)
    return path[::-1]
