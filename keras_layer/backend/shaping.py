"""Shapes: reshape, concatenate, stack, split, tile, pad, resize."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer.backend.settings import image_data_format
from keras_layer.backend.tensor_info import ndim
from tinyflow.graph.support.errors import misuse

__all__ = ['batch_flatten', 'concatenate', 'expand_dims', 'flatten', 'gather', 'permute_dimensions',
           'repeat', 'repeat_elements', 'reshape', 'resize_images', 'resize_volumes', 'reverse',
           'shape', 'spatial_2d_padding', 'spatial_3d_padding', 'split', 'squeeze', 'stack',
           'temporal_padding', 'tile', 'to_dense', 'transpose', 'unstack']


def shape(x):
    """The shape at run time, a vector of integers."""
    return tf.shape(x)


def transpose(x):
    """The axes in reverse order."""
    return tf.transpose(x)


def gather(reference, indices):
    """The rows `indices` of `reference`."""
    return tf.gather(reference, indices)


def concatenate(tensors, axis=-1):
    """Tensors one after another along `axis`."""
    if axis < 0:
        rank = ndim(tensors[0])
        axis = axis % rank if rank else 0
    if all(isinstance(x, tf.SparseTensor) for x in tensors):
        return tf.sparse_concat(axis, tensors)
    return tf.concat([to_dense(x) for x in tensors], axis)


def reshape(x, shape):
    """x in that shape."""
    return tf.reshape(x, shape)


def permute_dimensions(x, pattern):
    """The axes in the order `pattern`."""
    return tf.transpose(x, perm=pattern)


def expand_dims(x, axis=-1):
    """x with an axis of size 1 at `axis`."""
    return tf.expand_dims(x, axis)


def squeeze(x, axis):
    """x without the axis `axis`, whose size is 1."""
    return tf.squeeze(x, [axis])


def flatten(x):
    """All elements as a vector."""
    return tf.reshape(x, [-1])


def batch_flatten(x):
    """[batch, ...] -> [batch, all the rest]."""
    return tf.reshape(x, tf.stack([-1, tf.reduce_prod(tf.shape(x)[1:])]))


def stack(x, axis=0):
    """Tensors of rank r as one of rank r + 1."""
    return tf.stack(x, axis=axis)


def unstack(x, axis=0):
    """A tensor of rank r as a list of tensors of rank r - 1."""
    return tf.unstack(x, axis=axis)


def split(x, parts, axis):
    """`parts` tensors of equal size, one after another along `axis`."""
    return tf.split(x, num_or_size_splits=parts, axis=axis)


def tile(x, n):
    """x repeated n[i] times along axis i."""
    return tf.tile(x, [n] if isinstance(n, int) else n)


def reverse(x, axes):
    """x backwards along `axes`."""
    return tf.reverse(x, [axes] if isinstance(axes, int) else axes)


def repeat(x, n):
    """[batch, features] -> [batch, n, features]."""
    if ndim(x) != 2:
        raise misuse(ValueError(f'repeat needs a tensor [batch, features], not {x}.'))
    return tf.tile(tf.expand_dims(x, 1), tf.stack([1, n, 1]))


def repeat_elements(x, rep, axis):
    """Each element along `axis` repeated `rep` times, in place."""
    shape_of_x = x.shape.as_list()
    if shape_of_x[axis] is not None:
        parts = tf.split(value=x, num_or_size_splits=shape_of_x[axis], axis=axis)
        return concatenate([s for s in parts for _ in range(rep)], axis)
    sizes = tf.shape(x)
    rank = ndim(x)
    axis %= rank
    repeated = tf.tile(tf.expand_dims(x, axis=axis + 1),
                       [rep if i == axis + 1 else 1 for i in range(rank + 1)])
    repeated = tf.reshape(repeated, sizes * tf.constant(
        [rep if i == axis else 1 for i in range(rank)], tf.int32))
    repeated.set_shape([None if i == axis else size for i, size in enumerate(shape_of_x)])
    return repeated


def to_dense(tensor):
    """A SparseTensor as a dense one; other tensors unchanged."""
    return tf.sparse_tensor_to_dense(tensor) if isinstance(tensor, tf.SparseTensor) else tensor


# ---- images ------------------------------------------------------------------------------


def temporal_padding(x, padding=(1, 1)):
    """Zeros before and after the middle axis of [batch, steps, features]."""
    return tf.pad(x, [[0, 0], list(padding), [0, 0]])


def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    """Zeros around the rows and columns of images."""
    return _padded(x, padding, data_format)


def spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None):
    """Zeros around the three axes of volumes."""
    return _padded(x, padding, data_format)


def _padded(x, padding, data_format):
    inner = [list(pair) for pair in padding]
    if _channels_first(data_format):
        return tf.pad(x, [[0, 0], [0, 0], *inner])
    return tf.pad(x, [[0, 0], *inner, [0, 0]])


def _channels_first(data_format):
    data_format = data_format or image_data_format()
    if data_format not in ('channels_first', 'channels_last'):
        raise misuse(ValueError(f'Unknown data_format: {data_format}'))
    return data_format == 'channels_first'


def resize_images(x, height_factor, width_factor, data_format, interpolation='nearest'):
    """Upsamples images by integer factors, nearest or bilinear."""
    first = _channels_first(data_format)
    rows, columns = (2, 3) if first else (1, 2)
    static = x.shape.as_list()
    factors = np.array([height_factor, width_factor], 'int32')
    size = tf.shape(x)[rows:columns + 1] * tf.constant(factors)
    if first:
        x = tf.transpose(x, [0, 2, 3, 1])
    if interpolation == 'nearest':
        with tf.name_scope('resize'):
            x = tf.image.resize_nearest_neighbor(x, size, half_pixel_centers=True)
    elif interpolation == 'bilinear':
        with tf.name_scope('resize'):
            x = tf.image.resize_bilinear(x, size, half_pixel_centers=True)
    else:
        raise misuse(ValueError('interpolation should be one of "nearest" or "bilinear".'))
    if first:
        x = tf.transpose(x, [0, 3, 1, 2])
    scaled = [None if s is None else s * f for s, f in
              zip((static[rows], static[columns]), (height_factor, width_factor))]
    x.set_shape([None, None, *scaled] if first else [None, *scaled, None])
    return x


def resize_volumes(x, depth_factor, height_factor, width_factor, data_format):
    """Upsamples volumes by integer factors, repeating elements."""
    axes = (2, 3, 4) if _channels_first(data_format) else (1, 2, 3)
    for axis, factor in zip(axes, (depth_factor, height_factor, width_factor)):
        x = repeat_elements(x, factor, axis=axis)
    return x
