"""Gradients of broadcasting: sums a gradient over the axes along which an input was broadcast.

Gradient functions of elementwise ops ignore broadcasting (`dy * y, dy * x`): their results have the
output's shape. gradients() passes them to `sum_like`. If static shapes determine the broadcast
axes, it adds one Sum or nothing at all; otherwise the axes are computed at run time, as in TF1.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.shapes import known

# The output has the shape of input 0.
_LIKE_FIRST_INPUT = frozenset({'AddN', 'OnesLike', 'ZerosLike', 'Softmax', 'LogSoftmax',
                               'BiasAdd'})
_EQUAL_PARTS = frozenset({'Split', 'Unpack'})               # all outputs have one shape
_SHAPE_INPUT = {'Fill': 0, 'Reshape': 1, 'BroadcastTo': 1}  # the input that is the output's shape


def sum_like(grad: Tensor, operation: Operation, index: int, sources: dict) -> Tensor:
    """Sums `grad`, of the output's shape, over the axes along which input `index` was broadcast.

    `sources` caches which tensors are known to have equal shapes; pass an empty dict at first.
    """
    tensor = operation.inputs[index]
    shape = tensor.raw_shape
    if grad.raw_shape == shape and known(shape):
        return grad
    axes = _broadcast_axes(operation, index, sources)
    if axes is None:
        return _sum_dynamically(grad, tensor, operation.outputs[0])
    if not axes:
        return grad
    missing = len(operation.outputs[0].raw_shape) - len(shape)
    kept = axes[missing:]
    if not kept or not missing:
        return _sum(grad, axes, keep_dims=bool(kept))
    return _sum(_sum(grad, axes[:missing], False), [a - missing for a in kept], True)


def _broadcast_axes(operation, index, sources):
    """The output's axes along which input `index` was broadcast; None if unknown."""
    inputs = [t.raw_shape for t in operation.inputs]
    if None in inputs:
        return _no_axes_if_same_shape(operation, index, sources)
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
            return _no_axes_if_same_shape(operation, index, sources)
    return axes


def _no_axes_if_same_shape(operation, index, sources):
    """[] if all other inputs are scalars or provably have the same shape; else None."""
    source = _shape_source(operation.inputs[index], sources)
    for other in operation.inputs:
        if other.raw_shape != () and _shape_source(other, sources) is not source:
            return None
    return []


def _shape_source(tensor, sources):
    """A canonical tensor of the same shape: equal results prove that two shapes are equal."""
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
            roots = {sources[t] for t in origins}
            sources[current] = roots.pop() if len(roots) == 1 else current
    return sources[tensor]


def _shaped_like(tensor):
    """Tensors that determine the shape: if they all have one shape, so has `tensor`."""
    operation = tensor.op
    if operation.definition.elementwise:
        return [t for t in operation.inputs if t.raw_shape != ()]
    if operation.type in _LIKE_FIRST_INPUT:
        return operation.inputs[:1]
    if operation.type in _EQUAL_PARTS and tensor.value_index:
        return operation.outputs[:1]
    position = _SHAPE_INPUT.get(operation.type)
    if position is not None and operation.inputs[position].op.type == 'Shape':
        return operation.inputs[position].op.inputs
    return ()


def _sum(grad, axes, keep_dims):
    axes = convert_to_tensor(np.array(axes, np.int32), name='axes')
    return nodes.Sum(grad, axes, keep_dims=keep_dims)


def _sum_dynamically(grad, tensor, output):
    """Computes the axes to sum over at run time, because the static shapes are unknown."""
    shape = nodes.Shape(tensor)
    axes = nodes.BroadcastGradientArgs(shape, nodes.Shape(output))[0]
    return nodes.Reshape(nodes.Sum(grad, axes), shape)
