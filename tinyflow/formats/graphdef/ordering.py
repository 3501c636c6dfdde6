"""Control dependencies that a training graph needs when it is written.

tinyflow runs the reads of a Variable before the writes that do not wait for them (see
compiler/schedule.py); TensorFlow runs them in any order. So that an update by an optimizer does
not change weights that the gradient of another update still needs, each update waits for the nodes
that read its Variable for the other updates.
"""
from __future__ import annotations

from collections.abc import Iterable

from tinyflow.graph.operation import Operation, Tensor


def waits_for(operations: Iterable[Operation]) -> dict[Operation, list[Operation]]:
    """Update -> its additional control inputs, for the updates that a NoOp groups."""
    found: dict[Operation, list[Operation]] = {}
    users = None
    for group in operations:
        if group.type != 'NoOp' or len(group.control_inputs) < 2:
            continue
        updates = [op for op in group.control_inputs if op.writes and not op.definition.functions]
        if len(updates) < 2:
            continue
        users = users or _control_users(operations)
        before = _ancestors(updates)
        for update in updates:
            readers = [op for op in _readers(update) if op in before]
            if readers:
                after = _descendants(update, users)
                earlier = _ancestors([update], min(op.id for op in readers))
                waits = [op for op in readers if op not in after and op not in earlier]
                if waits:
                    found[update] = list(dict.fromkeys([*found.get(update, ()), *waits]))
    return found


def _ancestors(updates: list[Operation], since: int = 0) -> set[Operation]:
    """The operations before any of the updates, back to the node with id `since`."""
    seen: set[Operation] = set()
    stack = [op for update in updates for op in _before(update)]
    while stack:
        operation = stack.pop()
        if operation not in seen and operation.id >= since:
            seen.add(operation)
            stack += _before(operation)
    return seen


def _before(operation: Operation) -> list[Operation]:
    return [t.op for t in operation.inputs] + list(operation.control_inputs)


def _readers(update: Operation) -> list[Operation]:
    """The operations that use the value of the Variable that an update changes."""
    found: list[Operation] = []
    stack: list[Tensor] = [update.inputs[i] for i in update.writes]
    while stack:
        for user in stack.pop().consumers():
            if user.type == 'Identity':
                stack += user.outputs
            elif not user.writes:
                found.append(user)
    return found


def _control_users(operations: Iterable[Operation]) -> dict[Operation, list[Operation]]:
    users: dict[Operation, list[Operation]] = {}
    for operation in operations:
        for waited_for in operation.control_inputs:
            users.setdefault(waited_for, []).append(operation)
    return users


def _descendants(operation: Operation, users: dict[Operation, list[Operation]]) -> set[Operation]:
    """The operations that run after one: itself, its consumers, and operations that wait for it."""
    seen: set[Operation] = set()
    stack = [operation]
    while stack:
        operation = stack.pop()
        if operation not in seen:
            seen.add(operation)
            stack += users.get(operation, [])
            stack += [user for t in operation.outputs for user in t.consumers()]
    return seen
