"""Matrix products, batch dot, bias_add."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer.backend.channels import are_channels_first
from keras_layer.backend.tensor_info import int_shape, ndim
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.sparse.matmul import SparseTensorDenseMatMul

__all__ = ['batch_dot', 'bias_add', 'dot', 'sparse_times_dense']


def dot(x, y):
    """x y; with more axes, the sum is over the last of x and the last but one of y."""
    if ndim(x) is not None and (ndim(x) > 2 or ndim(y) > 2):
        x_sizes, y_sizes = _sizes(x), _sizes(y)
        order = list(range(ndim(y)))
        order = [order.pop(-2), *order]
        left = tf.reshape(x, [-1, x_sizes[-1]])
        right = tf.reshape(tf.transpose(y, perm=order), [y_sizes[-2], -1])
        return tf.reshape(tf.matmul(left, right), x_sizes[:-1] + y_sizes[:-2] + y_sizes[-1:])
    if isinstance(x, tf.SparseTensor):
        return tf.sparse_tensor_dense_matmul(x, y)
    return tf.matmul(x, y)


def _sizes(x):
    """The sizes of x, as int where they are known and as scalars of the graph elsewhere."""
    return [static if static is not None else dynamic
            for static, dynamic in zip(int_shape(x), tf.unstack(tf.shape(x)))]


def batch_dot(x, y, axes=None):
    """For each example, the sum of products over the axes `axes` of x and y.

    Shapes: x [batch, *a], y [batch, *b]; without `axes` the last of x and the last but one of y.
    """
    axes = (axes, axes) if isinstance(axes, int) else axes
    x_rank, y_rank = ndim(x), ndim(y)
    if axes is None:
        axes = [x_rank - 1, y_rank - 2]
    missing = 0
    if x_rank > y_rank:
        missing = x_rank - y_rank
        y = tf.reshape(y, tf.concat([tf.shape(y), [1] * missing], axis=0))
    elif y_rank > x_rank:
        missing = y_rank - x_rank
        x = tf.reshape(x, tf.concat([tf.shape(x), [1] * missing], axis=0))
    if ndim(x) == 2:
        if axes[0] == axes[1]:
            out = tf.reduce_sum(tf.multiply(x, y), axes[0])
        else:
            out = tf.reduce_sum(tf.multiply(tf.transpose(x, [1, 0]), y), axes[1])
    else:
        out = tf.matmul(x, y, adjoint_a=axes[0] != ndim(x) - 1,
                        adjoint_b=axes[1] == ndim(y) - 1)
    if missing:
        start = x_rank + y_rank - 3 if x_rank > y_rank else x_rank - 1
        out = tf.squeeze(out, list(range(start, start + missing)))
    return tf.expand_dims(out, 1) if ndim(out) == 1 else out


def bias_add(x, bias, data_format=None):
    """x + bias: a number for each channel, or a tensor of all sizes of x but the batch.

    Shapes: x [batch, *space, channels], bias [channels] or [*space, channels] -> x's. If the
    channels are axis 1 of x, those of a bias are still the last axis. ValueError for a bias of
    another rank.
    """
    first = are_channels_first(data_format)
    sizes, rank = int_shape(bias), ndim(x)
    if len(sizes) not in (1, rank - 1):
        raise misuse(ValueError(f'Unexpected bias dimensions {len(sizes)}, expect to be 1 or '
                                f'{rank - 1} dimensions'))
    if rank not in (3, 4, 5) or (rank == 4 and len(sizes) == 1 and not first):
        return tf.nn.bias_add(x, bias)
    if len(sizes) > 1:
        wide = (1, sizes[-1], *sizes[:-1]) if first else (1, *sizes)
    elif first:
        wide = (1, sizes[0], *(1,) * (rank - 2))
    else:
        wide = (*(1,) * (2 if rank == 3 else rank - 2), sizes[0])
    return x + tf.reshape(bias, wide)


def sparse_times_dense(indices, values, shape, dense):
    """A sparse matrix times dense^T.

    Shapes: indices [n, 2], values [n], dense [rows, shape[1]] -> [shape[0], rows].
    """
    return SparseTensorDenseMatMul.apply(indices, values, np.array(shape, np.int64), dense,
                                         adjoint_b=True)
