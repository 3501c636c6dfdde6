"""Products of matrices and of batches of them."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.backend.state import int_shape, ndim
from tinyflow.errors import worded

__all__ = ['batch_dot', 'bias_add', 'dot']


def dot(x, y):
    """x y; with more axes, the sum is over the last of x and the last but one of y."""
    if ndim(x) is not None and (ndim(x) > 2 or ndim(y) > 2):
        def sizes(tensor):
            return [static if static is not None else tf.shape(tensor)[i]
                    for i, static in enumerate(int_shape(tensor))]
        x_sizes, y_sizes = sizes(x), sizes(y)
        order = list(range(ndim(y)))
        order = [order.pop(-2), *order]
        left = tf.reshape(x, [-1, x_sizes[-1]])
        right = tf.reshape(tf.transpose(y, perm=order), [y_sizes[-2], -1])
        return tf.reshape(tf.matmul(left, right), x_sizes[:-1] + y_sizes[:-2] + y_sizes[-1:])
    if isinstance(x, tf.SparseTensor):
        return tf.sparse_tensor_dense_matmul(x, y)
    return tf.matmul(x, y)


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
    """x + bias, a vector of one number for each channel (or a tensor of all sizes but the batch)."""
    from keras_layer.backend.settings import image_data_format
    data_format = data_format or image_data_format()
    if data_format not in ('channels_first', 'channels_last'):
        raise worded(ValueError(f'Unknown data_format: {data_format}'))
    sizes = int_shape(bias)
    rank = ndim(x)
    if len(sizes) not in (1, rank - 1):
        raise worded(ValueError(f'Unexpected bias dimensions {len(sizes)}, expect to be 1 or '
                                f'{rank} dimensions'))
    if len(sizes) == 1:
        if data_format == 'channels_first' and rank in (4, 5):
            return x + tf.reshape(bias, (1, sizes[0], *(1,) * (rank - 2)))
        if data_format == 'channels_first' and rank == 3:
            return x + tf.reshape(bias, (1, sizes[0], 1))
        return tf.nn.bias_add(x, bias) if rank in (2, 4) else x + bias
    if data_format == 'channels_first':
        return x + tf.reshape(bias, (1, sizes[-1], *sizes[:-1]))
    return x + tf.reshape(bias, (1, *sizes))
