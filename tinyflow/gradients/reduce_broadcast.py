"""Broadcasting, undone: the gradient of an input that an elementwise op has repeated.

Rules of elementwise ops speak of the output's shape only (`dy * y, dy * x`); gradients() hands what
they give to `sum_like`. Where static shapes tell which axes were repeated, that is one Sum or
nothing at all; else the run decides, as in TF1.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.shapes import known

_LIKE_FIRST_INPUT = frozenset({'AddN', 'OnesLike', 'ZerosLike', 'Softmax', 'LogSoftmax',
                               'BiasAdd'})
_EQUAL_PARTS = frozenset({'Split', 'Unpack'})
_SHAPE_INPUT = {'Fill': 0, 'Reshape': 1, 'BroadcastTo': 1}

def sum_like(grad: Tensor, operation: Operation, index: int, sources: dict) -> Tensor:
    """`grad` (of the op's output) summed over the axes along which input `index` was repeated.

    `sources` remembers which tensors are known to have equal shapes; empty at first.
    """
    tensor = operation.inputs[index]
    shape = tensor.raw_shape
    if grad.raw_shape == shape and known(shape):
        return grad
    axes = _repeated_axes(operation, index, sources)
    if axes is None:
        return _sum_dynamically(grad, tensor, operation.outputs[0])
    if not axes:
        return grad
    missing = len(operation.outputs[0].raw_shape) - len(shape)
    kept = axes[missing:]
    if not kept or not missing:
        return _sum(grad, axes, keep_dims=bool(kept))
    return _sum(_sum(grad, axes[:missing], False), [a - missing for a in kept], True)


def _repeated_axes(operation, index, sources):
    """The output's axes along which input `index` was repeated; None if it is not known."""
    inputs = [t.raw_shape for t in operation.inputs]
    if None in inputs:
        return _if_no_larger(operation, index, sources)
    rank = max(map(len, inputs))
    padded = [(1,) * (rank - len(s)) + s for s in inputs]
    missing = rank - len(inputs[index])
    axes = []
    for axis, size in enumerate(padded[index]):
        others = [s[axis] for i, s in enumerate(padded) if i != index]
        if axis < missing:
            axes.append(axis)
        elif size == 1:
            if any(other != 1 for other in others):
                axes.append(axis)
        elif size is None and any(other != 1 for other in others):
            return _if_no_larger(operation, index, sources)
    return axes


def _if_no_larger(operation, index, sources):
    """[] if the other inputs are scalars or of the very same shape, whatever it is; else None."""
    source = _shape_source(operation.inputs[index], sources)
    for other in operation.inputs:
        if other.raw_shape != () and _shape_source(other, sources) is not source:
            return None
    return []


def _shape_source(tensor, sources):
    """A tensor that certainly has the same shape, the same one for all tensors derived from it."""
    stack = [tensor]
    while stack:
        current = stack[-1]
        origins = () if current in sources else _shaped_like(current)
        pending = [t for t in origins if t not in sources]
        if pending:
            stack += pending
            continue
        stack.pop()
        if current not in sources:
            found = {sources[t] for t in origins}
            sources[current] = found.pop() if len(found) == 1 else current
    return sources[tensor]


def _shaped_like(tensor):
    """The tensors whose shapes, if all are the same, are that of `tensor` too."""
    operation = tensor.op
    if operation.definition.elementwise:
        return [t for t in operation.inputs if t.raw_shape != ()]
    if operation.type in _LIKE_FIRST_INPUT:
        return operation.inputs[:1]
    if operation.type in _EQUAL_PARTS and tensor.value_index:
        return operation.outputs[:1]
    place = _SHAPE_INPUT.get(operation.type)
    if place is not None and operation.inputs[place].op.type == 'Shape':
        return operation.inputs[place].op.inputs
    return ()


def _sum(grad, axes, keep_dims):
    axes = convert_to_tensor(np.array(axes, np.int32), name='axes')
    return nodes.Sum(grad, axes, keep_dims=keep_dims)


def _sum_dynamically(grad, tensor, output):
    """Leaves to the run which axes are summed, because the static shapes do not tell."""
    shape = nodes.Shape(tensor)
    axes = nodes.BroadcastGradientArgs(shape, nodes.Shape(output))[0]
    return nodes.Reshape(nodes.Sum(grad, axes), shape)
