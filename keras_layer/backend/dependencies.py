"""Dependencies between tensors in the graph."""
from __future__ import annotations

import tinyflow as tf

__all__ = ['computed_from', 'depends_on', 'operation_of', 'to_updates']


def operation_of(update):
    """The Operation of an update, which may be a tensor or the Operation itself."""
    return update if isinstance(update, tf.Operation) else update.op


def depends_on(target, inputs):
    """True if `target` (a tensor or Operation) is computed from one of the tensors `inputs`."""
    wanted = {t.op for t in tf.nest.flatten(inputs, expand_composites=True) if hasattr(t, 'op')}
    stack, seen = [operation_of(target)], set()
    while stack:
        operation = stack.pop()
        if operation in wanted:
            return True
        if operation in seen:
            continue
        seen.add(operation)
        stack.extend(t.op for t in operation.inputs)
        stack.extend(operation.control_inputs)
    return False


def computed_from(inputs):
    """The Operations of the tensors `inputs`, and all that are computed from them."""
    found = {t.op for t in tf.nest.flatten(inputs, expand_composites=True) if hasattr(t, 'op')}
    stack = list(found)
    while stack:
        for tensor in stack.pop().outputs:
            new = [operation for operation in tensor.consumers() if operation not in found]
            found.update(new)
            stack += new
    return found


def to_updates(updates):
    """Updates as a flat list; a (variable, new value) tuple is one update."""
    if isinstance(updates, list):
        return [u for item in updates for u in to_updates(item)]
    return [updates]
