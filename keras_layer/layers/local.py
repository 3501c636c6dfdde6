"""Locally connected layers: convolutions with a separate kernel for each position."""
from __future__ import annotations

from functools import reduce

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.input_spec import InputSpec
from keras_layer.layers.tf_layers import Configured
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import arguments

__all__ = ['LocallyConnected1D', 'LocallyConnected2D']


class _LocallyConnected(Configured):
    """Base of both layers; `rank` is the number of spatial axes.

    `implementation` determines the storage of the weights: 1 as one small matrix for each
    position, 2 as the masked matrix from all inputs to all outputs, 3 as the elements of that
    matrix that are not masked. 1 takes 'valid' padding only.
    """

    rank = 0
    settings = ('filters', 'kernel_size', 'strides', 'padding', 'data_format', 'activation',
                'use_bias', 'kernel_initializer', 'bias_initializer', 'kernel_regularizer',
                'bias_regularizer', 'activity_regularizer', 'kernel_constraint',
                'bias_constraint', 'implementation')

    def _set_up(self, kernel_size, strides, padding, data_format, implementation, **kept):
        name = type(self).__name__
        if implementation not in (1, 2, 3):
            raise misuse(ValueError(f'Unrecognized implementation mode: {implementation}. '
                                    f'{name} has 1, 2 and 3.'))
        self._keep(kernel_size=arguments.sizes(kernel_size, self.rank, 'kernel_size'),
                   strides=arguments.sizes(strides, self.rank, 'strides'),
                   padding=arguments.padding(padding),
                   data_format=arguments.data_format(data_format or K.image_data_format()),
                   implementation=implementation, **kept)
        if self.padding != 'valid' and implementation == 1 or self.padding == 'causal':
            raise misuse(ValueError(f'Invalid border mode for {name} (only "valid" is supported if '
                                    f'implementation is 1): {padding}\n  Hint: implementation=2 or '
                                    '3 takes padding="same", too.'))
        self.input_spec = InputSpec(ndim=self.rank + 2)

    @property
    def _first(self):
        return self.data_format == 'channels_first'

    def _space(self, input_shape):
        """(sizes of the spatial axes, channels) of inputs of that shape."""
        sizes = tf.TensorShape(input_shape).as_list()
        return (tuple(sizes[2:]), sizes[1]) if self._first else (tuple(sizes[1:-1]), sizes[-1])

    def _output_positions(self, space):
        return tuple(arguments.output_length(s, k, self.padding, stride)
                     for s, k, stride in zip(space, self.kernel_size, self.strides))

    def _with_channels(self, space, channels):
        return (channels, *space) if self._first else (*space, channels)

    def build(self, input_shape):
        space, channels = self._space(input_shape)
        if channels is None or None in space:
            raise misuse(ValueError(
                f'The spatial dimensions and the channels of the inputs to a {type(self).__name__} '
                f'layer should be fully-defined, but {self.name} received the inputs shape '
                f'{tuple(tf.TensorShape(input_shape).as_list())}: each position has its own '
                'weights.\n  Hint: give the sizes in Input(shape=...) or input_shape=...'))
        self._output_space = self._output_positions(space)
        self.kernel = self.add_weight(
            shape=self._kernel_shape(space, channels), initializer=self.kernel_initializer,
            name='kernel', regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.bias = self.add_weight(
            shape=(*self._output_space, self.filters), initializer=self.bias_initializer,
            name='bias', regularizer=self.bias_regularizer,
            constraint=self.bias_constraint) if self.use_bias else None
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={1 if self._first else -1: channels})
        self.built = True

    def _kernel_shape(self, space, channels):
        positions = self._output_space
        if self.implementation == 1:
            window = int(np.prod(self.kernel_size))
            return (int(np.prod(positions)), window * channels, self.filters)
        mask = self._connectivity(space)
        shape = (*self._with_channels(space, channels),
                 *self._with_channels(positions, self.filters))
        if self.implementation == 2:
            self._mask = mask
            return shape
        connected = np.broadcast_to(mask, shape).reshape(int(np.prod(space)) * channels, -1).T
        self._matrix_shape = connected.shape            # [outputs, inputs]
        self._pairs = np.argwhere(connected)
        return (len(self._pairs),)

    def _connectivity(self, space):
        """[*inputs, *outputs]: 1 where an input is in the window of an output."""
        axes = [_windows(*sizes, self.padding) for sizes in
                zip(space, self._output_space, self.kernel_size, self.strides)]
        rank = self.rank
        spread = [axis.reshape([size if i == n else 1 for size in axis.shape for i in range(rank)])
                  for n, axis in enumerate(axes)]
        mask = reduce(np.logical_and, spread).astype(np.float32)
        channel_axes = (0, rank + 1) if self._first else (rank, 2 * rank + 1)
        return np.expand_dims(mask, channel_axes)

    def compute_output_shape(self, input_shape):
        space, _ = self._space(input_shape)
        batch = tf.TensorShape(input_shape).as_list()[0]
        positions = self._output_positions(space)
        return tf.TensorShape([batch, *self._with_channels(positions, self.filters)])

    def call(self, inputs):
        outputs = (self._by_position, self._by_masked_matrix,
                   self._by_sparse_matrix)[self.implementation - 1](inputs)
        if self.use_bias:
            outputs = K.bias_add(outputs, self.bias, data_format=self.data_format)
        return self.activation(outputs)

    def _by_position(self, inputs):
        return K.local_conv(inputs, self.kernel, self.kernel_size, self.strides,
                            self._output_space, self.data_format)

    def _by_masked_matrix(self, inputs):
        rows = K.reshape(inputs, (K.shape(inputs)[0], -1))
        kernel = self._mask * self.kernel
        shape = tf.shape(kernel)
        half = self.rank + 1
        ins, outs = shape[:half], shape[half:]
        matrix = tf.reshape(kernel, (tf.reduce_prod(ins), tf.reduce_prod(outs)))
        return self._as_positions(tf.sparse_matmul(rows, matrix, b_is_sparse=True))

    def _by_sparse_matrix(self, inputs):
        rows = K.reshape(inputs, (K.shape(inputs)[0], -1))
        columns = K.sparse_times_dense(self._pairs, self.kernel, self._matrix_shape, rows)
        return self._as_positions(K.transpose(columns))

    def _as_positions(self, rows):
        return K.reshape(rows, (K.shape(rows)[0],
                                *self._with_channels(self._output_space, self.filters)))


def _windows(length, positions, size, stride, padding):
    """True where element i of an axis is in window j, as [length, positions]."""
    starts = np.arange(positions) * stride - (size // 2 if padding == 'same' else 0)
    at = np.arange(length)[:, np.newaxis]
    return (at >= starts) & (at < starts + size)


class LocallyConnected1D(_LocallyConnected):
    """Conv1D with a separate kernel and bias for each position.

    Shapes: inputs [batch, length, channels], both known -> [batch, windows, filters]; kernel
    [windows, kernel_size * channels, filters], bias [windows, filters]. ValueError if the length
    is not known.
    """

    rank = 1

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format=None,
                 activation=None, use_bias=True, kernel_initializer='glorot_uniform',
                 bias_initializer='zeros', kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
                 implementation=1, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._set_up(kernel_size, strides, padding, data_format, implementation, filters=filters,
                     activation=activation, use_bias=use_bias,
                     kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
                     kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer,
                     kernel_constraint=kernel_constraint, bias_constraint=bias_constraint)


class LocallyConnected2D(_LocallyConnected):
    """Conv2D with a separate kernel and bias for each position.

    Shapes: inputs [batch, height, width, channels], all known but the batch -> [batch, rows,
    columns, filters]; kernel [rows * columns, window elements * channels, filters], bias [rows,
    columns, filters]. ValueError if a size is not known.
    """

    rank = 2

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', data_format=None,
                 activation=None, use_bias=True, kernel_initializer='glorot_uniform',
                 bias_initializer='zeros', kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
                 implementation=1, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._set_up(kernel_size, strides, padding, data_format, implementation, filters=filters,
                     activation=activation, use_bias=use_bias,
                     kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
                     kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer,
                     kernel_constraint=kernel_constraint, bias_constraint=bias_constraint)
