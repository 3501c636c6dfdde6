"""Max and average pooling of images and volumes."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.backend.channels import (
    are_channels_first,
    from_channels_last,
    to_channels_last,
    upper_padding,
)
from tinyflow.graph.support.errors import misuse

__all__ = ['pool2d', 'pool3d']

_POOLS = {2: {'max': tf.nn.max_pool, 'avg': tf.nn.avg_pool},
          3: {'max': tf.nn.max_pool3d, 'avg': tf.nn.avg_pool3d}}


def pool2d(x, pool_size, strides=(1, 1), padding='valid', data_format=None, pool_mode='max'):
    """Pooling of images; `pool_mode` is 'max' or 'avg'.

    Shapes: x [batch, height, width, channels] -> [batch, new height, new width, channels].
    ValueError for another mode, or unless there are two sizes and two strides.
    """
    return _pooled(x, 2, pool_size, strides, padding, data_format, pool_mode)


def pool3d(x, pool_size, strides=(1, 1, 1), padding='valid', data_format=None, pool_mode='max'):
    """Pooling of volumes; `pool_mode` is 'max' or 'avg'.

    Shapes: x [batch, depth, height, width, channels] -> the same with a new depth, height, width.
    ValueError for another mode, or unless there are three sizes and three strides.
    """
    return _pooled(x, 3, pool_size, strides, padding, data_format, pool_mode)


def _pooled(x, rank, pool_size, strides, padding, data_format, pool_mode):
    first = are_channels_first(data_format)
    for name, sizes in (('pool_size', pool_size), ('strides', strides)):
        if len(sizes) != rank:
            raise misuse(ValueError(f'`{name}` must be a tuple of {rank} integers.'))
    if pool_mode not in _POOLS[rank]:
        raise misuse(ValueError(f'Invalid pooling mode: {pool_mode}; use "max" or "avg".'))
    x = _POOLS[rank][pool_mode](to_channels_last(x, rank, first), (1, *pool_size, 1),
                                (1, *strides, 1), padding=upper_padding(padding))
    return from_channels_last(x, rank, first)
