"""Names with an underscore, and others, that programs import from the modules of Keras 2.

The modules of this folder look here last; each name is in all of them.
"""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.keras2.initializers import fans as _compute_fans
from keras_layer.layers.recurrent.cells import _drawn
from keras_layer.private_names import (
    ConvLSTM2DCell,
    ConvRNN2D,
    GlobalPooling2D as _GlobalPooling2D,
    _Merge,
    count_params,
    has_arg,
    to_list,
    to_list as _to_list,
)
from keras_layer.utils.layer_utils import convert_dense_weights_data_format, convert_kernel

__all__ = [
    'ConvLSTM2DCell', 'ConvRNN2D', '_GlobalPooling2D', '_Merge', '_batch_shuffle', '_compute_fans',
    '_generate_dropout_mask', '_make_batches', '_preprocess_conv1d_input',
    '_preprocess_conv2d_input', '_preprocess_conv3d_input', '_preprocess_padding', '_to_list',
    '_to_tensor', 'clip_norm', 'convert_dense_weights_data_format', 'convert_kernel',
    'count_params', 'has_arg', 'make_batches', 'py_all', 'to_list']

py_all = all


# ---- layers ------------------------------------------------------------------------------

def _generate_dropout_mask(ones, rate, training=None, count=None):
    """A mask of dropout of the shape of `ones`, or `count` of them in a list."""
    return _drawn(ones, rate, training, count or 1)


# ---- backend -----------------------------------------------------------------------------

def _to_tensor(x, dtype):
    return tf.convert_to_tensor(x, dtype=dtype)


def _convolution_input(x, data_format, last):
    """(x with the channels last, the name of that order for tf.nn)"""
    if (data_format or K.image_data_format()) == 'channels_first':
        x = tf.transpose(x, (0, *range(2, x.shape.ndims), 1))
    return tf.cast(x, tf.float32) if x.dtype == tf.float64 else x, last


def _preprocess_conv1d_input(x, data_format):
    return _convolution_input(x, data_format, 'NWC')


def _preprocess_conv2d_input(x, data_format):
    return _convolution_input(x, data_format, 'NHWC')


def _preprocess_conv3d_input(x, data_format):
    return _convolution_input(x, data_format, 'NDHWC')


def _preprocess_padding(padding):
    return {'same': 'SAME', 'valid': 'VALID'}[padding]


# ---- optimizers --------------------------------------------------------------------------

def clip_norm(g, c, n):
    """The gradient g, of the norm n, brought to the norm c if n is larger; unless c is 0."""
    if c <= 0:
        return g
    if isinstance(g, tf.IndexedSlices):
        return tf.IndexedSlices(clip_norm(g.values, c, n), g.indices, g.dense_shape)
    return tf.where(n >= c, g * (c / n), g) if n.shape == g.shape else \
        tf.cond(n >= c, lambda: g * (c / n), lambda: tf.identity(g))


# ---- training ----------------------------------------------------------------------------

def make_batches(size, batch_size):
    """[(first, end)] of the batches of `size` samples."""
    return [(first, min(first + batch_size, size)) for first in range(0, size, batch_size)]


def _batch_shuffle(index_array, batch_size):
    """The batches in another order; what is over stays at the end."""
    whole = len(index_array) // batch_size
    batches = index_array[:whole * batch_size].reshape(whole, batch_size)
    np.random.shuffle(batches)
    return np.append(batches.ravel(), index_array[whole * batch_size:])


_make_batches = make_batches
