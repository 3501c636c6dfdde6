"""shape, size, rank and broadcasting of tensors, as ops."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op, nodes
from tinyflow.graph.sparse_tensor import SparseTensor, is_sparse
from tinyflow.ops.support.ranks import of_rank

__all__ = ['broadcast_dynamic_shape', 'broadcast_static_shape', 'broadcast_to', 'rank', 'shape',
           'shape_n', 'size']


class Shape(Op):
    """The shape as an integer vector."""

    signature = 'input: T -> output: out_type'
    attrs = {'out_type': dtypes.int32}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(input):
        return (None if input is None else len(input),)

    def kernel(input, *, out_type):
        return np.array(input.shape, out_type.np)

    def fold_partial(op, value):
        return op.inputs[0].raw_shape


class ShapeN(Op):
    """The shapes of several tensors."""

    signature = 'input: N*T -> output: N*out_type'
    attrs = {'out_type': dtypes.int32}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(input):
        return [(None if i is None else len(i),) for i in input]

    def kernel(input, *, out_type):
        return tuple(np.array(a.shape, out_type.np) for a in input)


class Size(Op):
    """Number of elements."""

    signature = 'input: T -> output: out_type'
    attrs = {'out_type': dtypes.int32}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(input):
        return ()

    def kernel(input, *, out_type):
        return np.array(input.size, out_type.np)

    def fold_partial(op, value):
        return shapes.size(op.inputs[0].raw_shape)


class Rank(Op):
    """Number of axes."""

    signature = 'input: T -> output: int32'
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(input):
        return ()

    def kernel(input):
        return np.array(input.ndim, np.int32)

    def fold_partial(op, value):
        known = op.inputs[0].raw_shape
        return None if known is None else len(known)


class BroadcastTo(Op):
    """The input repeated along axes of size 1 and new leading axes."""

    signature = 'input: T, shape: Tidx -> output: T'
    types = {'Tidx': INDEX}
    attrs = {'Tidx': dtypes.int32}
    static = {'shape': 1}
    view = True
    partial_rank = True

    def shape(input, shape):
        if shape is None:
            return None
        if input is None:
            return shape
        if len(input) > len(shape):
            raise ValueError(f'rank {len(input)} cannot be broadcast to rank {len(shape)}')
        result = shapes.broadcast(input, shape)
        if any(wanted is not None and d not in (None, wanted)
               for d, wanted in zip(result, shape)):
            raise ValueError(f'{shapes.text(input)} cannot be broadcast to {shapes.text(shape)}')
        return tuple(d if wanted is None and d != 1 else wanted
                     for d, wanted in zip(result, shape))

    def kernel(input, shape):
        try:
            return np.broadcast_to(input, shape)
        except ValueError:
            raise ValueError(f'{shapes.text(input.shape)} cannot be broadcast to '
                             f'{shapes.text(shape)}') from None

    def gradient(op, dy):
        return sum_to_shape_of(dy, op.inputs[0]), None


class BroadcastArgs(Op):
    """The shape that two shapes broadcast to."""

    signature = 's0: T, s1: T -> r0: T'
    types = {'T': INDEX}
    attrs = {'T': dtypes.int32}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(s0, s1):
        s0, s1 = of_rank(s0, 1), of_rank(s1, 1)
        if len(s0) != 1 or len(s1) != 1:
            raise ValueError('a shape must be a vector')
        return (None if None in s0 + s1 else max(s0[0], s1[0]),)

    def kernel(s0, s1):
        return np.array(shapes.broadcast(tuple(s0.tolist()), tuple(s1.tolist())), s0.dtype)


class BroadcastGradientArgs(Op):
    """The axes along which the gradients of an elementwise op's two inputs are to be summed."""

    signature = 's0: T, s1: T -> r0: T, r1: T'
    types = {'T': INDEX}
    attrs = {'T': dtypes.int32}
    gradient = NOT_DIFFERENTIABLE

    def shape(s0, s1):
        return [(None,), (None,)]

    def kernel(s0, s1):
        first, second = tuple(s0.tolist()), tuple(s1.tolist())
        result = shapes.broadcast(first, second)
        return tuple(np.array(broadcast_axes(s, result), s0.dtype) for s in (first, second))


def broadcast_axes(shape, result):
    """Axes of `result` along which `shape` was broadcast."""
    new = len(result) - len(shape)
    other_is_one = [i for i, d in enumerate(result) if i < new or shape[i - new] == 1]
    return [i for i in other_is_one if i < new or result[i] != 1]


def sum_to_shape_of(dy, x):
    """The gradient of x, from that of x broadcast: dy summed along the broadcast axes."""
    reduce_sum, reshape = nodes.Sum, nodes.Reshape
    small, large = x.raw_shape, dy.raw_shape
    if shapes.known(small) and shapes.known(large):
        if small == large:
            return dy
        axes = broadcast_axes(small, large)
    else:
        axes = BroadcastGradientArgs.apply(shape(x), shape(dy))[0]
    return reshape(reduce_sum(dy, axes, keep_dims=False), shape(x))


def shape(input, name=None, out_type=dtypes.int32):
    """The shape as an integer vector; a constant where it is known while the graph is built.

    Shapes: input [*a] -> [rank].
    """
    return shape_internal(input, name, optimize=True, out_type=out_type)


def shape_internal(input, name=None, optimize=True, out_type=dtypes.int32):
    """`shape`, which always makes a Shape node if `optimize` is False."""
    with name_scope(name, 'Shape', [input]) as scope:
        if is_sparse(input):
            return _cast_sparse_shape(input.dense_shape, out_type)
        input = convert_to_tensor(input)
        out_type = dtypes.as_dtype(out_type)
        if optimize and shapes.known(input.raw_shape):
            return convert_to_tensor(np.array(input.raw_shape, out_type.np), out_type, scope)
        return Shape.apply(input, out_type=out_type, name=scope)


def _cast_sparse_shape(dense_shape, out_type):
    """The shape of a SparseTensor; TF1 makes a Cast node even for int64."""
    return nodes.Cast(convert_to_tensor(dense_shape, dtypes.int64),
                      DstT=dtypes.as_dtype(out_type))


def shape_n(input, out_type=dtypes.int32, name=None):
    """The shapes of several tensors, from one node.

    Shapes: input, a list of [*a_i] -> a list of [rank_i].
    """
    return ShapeN.apply(input, out_type=dtypes.as_dtype(out_type), name=name)


def size(input, name=None, out_type=dtypes.int32):
    """Number of elements; a constant where it is known while the graph is built.

    Shapes: input [*a] -> [].
    """
    with name_scope(name, 'Size', [input]) as scope:
        if is_sparse(input):
            return nodes.Prod(_cast_sparse_shape(input.dense_shape, out_type), 0, keep_dims=False,
                              name=scope)
        input = convert_to_tensor(input)
        out_type = dtypes.as_dtype(out_type)
        if shapes.known(input.raw_shape):
            return convert_to_tensor(shapes.size(input.raw_shape), out_type, scope)
        return Size.apply(input, out_type=out_type, name=scope)


def rank(input, name=None):
    """Number of axes; a constant where it is known while the graph is built.

    Shapes: input [*a] -> [].
    """
    with name_scope(name, 'Rank', [input]) as scope:
        if is_sparse(input):
            return Size.apply(SparseTensor.from_value(input).dense_shape, name=scope)
        input = convert_to_tensor(input)
        if input.raw_shape is not None:
            return convert_to_tensor(len(input.raw_shape), dtypes.int32, scope)
        return Rank.apply(input, name=scope)


def broadcast_static_shape(shape_x, shape_y):
    """The TensorShape that two TensorShapes broadcast to.

    Shapes: [*a], [*b] -> [*broadcast(a, b)]. Raises ValueError if they do not fit.
    """
    return shapes.TensorShape(shapes.broadcast(shapes.raw(shape_x), shapes.raw(shape_y)))


def broadcast_dynamic_shape(shape_x, shape_y):
    """The shape that two shapes broadcast to, as a tensor.

    Shapes: shape_x [rank_x], shape_y [rank_y] -> [max(rank_x, rank_y)].
    """
    return BroadcastArgs.apply(shape_x, shape_y)


def broadcast_to(input, shape, name=None):
    """input, repeated along new leading axes and axes of size 1.

    Shapes: input [*a], shape [rank] -> [*shape]. Raises ValueError if they do not fit.
    """
    return BroadcastTo.apply(input, shape, name=name)
