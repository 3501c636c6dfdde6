"""Pooling as layers: the largest element, or the mean, of each window."""
from __future__ import annotations

from tinyflow.graph.shapes import TensorShape
from tinyflow.layers import arguments
from tinyflow.layers.base import Layer
from tinyflow.layers.input_spec import InputSpec
from tinyflow.ops.array import shaping
from tinyflow.ops.conv import pooling_functions


class _Pooling(Layer):
    """Base of the pooling layers; `rank` is the number of spatial axes."""

    rank = 0
    function = ''

    def __init__(self, pool_size, strides, padding='valid', data_format='channels_last',
                 name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        strides = pool_size if strides is None else strides
        self.pool_size = arguments.sizes(pool_size, self.rank, 'pool_size')
        self.strides = arguments.sizes(strides, self.rank, 'strides')
        self.padding = arguments.padding(padding)
        self.data_format = arguments.data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _pooled(self, inputs, pool_size, strides, **settings):
        return getattr(pooling_functions, self.function)(inputs, pool_size, strides,
                                                         padding=self.padding.upper(), **settings)

    def compute_output_shape(self, input_shape):
        """The shape of the outputs for inputs of that shape."""
        shape = TensorShape(input_shape).as_list()
        start = 2 if self.data_format == 'channels_first' else 1
        for i, (size, stride) in enumerate(zip(self.pool_size, self.strides), start):
            shape[i] = arguments.output_length(shape[i], size, self.padding, stride)
        return TensorShape(shape)


class _Pooling1D(_Pooling):
    rank = 1

    def call(self, inputs):
        """Pools sequences as images of width 1."""
        first = self.data_format == 'channels_first'
        axis = 3 if first else 2
        inputs = shaping.expand_dims(inputs, axis)
        if first:               # as TF does without a GPU
            inputs = shaping.transpose(inputs, (0, 2, 3, 1))
        outputs = self._pooled(inputs, (1, *self.pool_size, 1, 1), (1, *self.strides, 1, 1),
                               data_format='NHWC')
        if first:
            outputs = shaping.transpose(outputs, (0, 3, 1, 2))
        return shaping.squeeze(outputs, axis)


class _Pooling2D(_Pooling):
    rank = 2

    def call(self, inputs):
        """Pools images."""
        if self.data_format == 'channels_last':
            sizes = (1, *self.pool_size, 1), (1, *self.strides, 1)
        else:
            sizes = (1, 1, *self.pool_size), (1, 1, *self.strides)
        return self._pooled(inputs, *sizes, data_format=arguments.op_format(self.data_format, 4))


class _Pooling3D(_Pooling):
    rank = 3

    def call(self, inputs):
        """Pools volumes."""
        first = self.data_format == 'channels_first'
        if first:
            inputs = shaping.transpose(inputs, (0, 2, 3, 4, 1))
        outputs = self._pooled(inputs, (1, *self.pool_size, 1), (1, *self.strides, 1))
        return shaping.transpose(outputs, (0, 4, 1, 2, 3)) if first else outputs


class MaxPooling1D(_Pooling1D):
    """The largest element of each window.

    Shapes: inputs [batch, length, channels] -> [batch, windows, channels].
    """

    function = 'max_pool'


class AveragePooling1D(_Pooling1D):
    """The mean of each window.

    Shapes: inputs [batch, length, channels] -> [batch, windows, channels].
    """

    function = 'avg_pool'


class MaxPooling2D(_Pooling2D):
    """The largest element of each window.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, channels].
    """

    function = 'max_pool'


class AveragePooling2D(_Pooling2D):
    """The mean of each window.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, channels].
    """

    function = 'avg_pool'


class MaxPooling3D(_Pooling3D):
    """The largest element of each window.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, planes, rows, columns,
    channels].
    """

    function = 'max_pool3d'


class AveragePooling3D(_Pooling3D):
    """The mean of each window.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, planes, rows, columns,
    channels].
    """

    function = 'avg_pool3d'


def max_pooling1d(inputs, pool_size, strides, padding='valid', data_format='channels_last',
                  name=None):
    """The largest element of each window of the sequences.

    Shapes: inputs [batch, length, channels] -> [batch, windows, channels].
    """
    return MaxPooling1D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling1d(inputs, pool_size, strides, padding='valid', data_format='channels_last',
                      name=None):
    """The mean of each window of the sequences.

    Shapes: inputs [batch, length, channels] -> [batch, windows, channels].
    """
    return AveragePooling1D(pool_size, strides, padding, data_format, name)(inputs)


def max_pooling2d(inputs, pool_size, strides, padding='valid', data_format='channels_last',
                  name=None):
    """The largest element of each window of the images.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, channels].
    """
    return MaxPooling2D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling2d(inputs, pool_size, strides, padding='valid', data_format='channels_last',
                      name=None):
    """The mean of each window of the images.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, channels].
    """
    return AveragePooling2D(pool_size, strides, padding, data_format, name)(inputs)


def max_pooling3d(inputs, pool_size, strides, padding='valid', data_format='channels_last',
                  name=None):
    """The largest element of each window of the volumes.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, planes, rows, columns,
    channels].
    """
    return MaxPooling3D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling3d(inputs, pool_size, strides, padding='valid', data_format='channels_last',
                      name=None):
    """The mean of each window of the volumes.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, planes, rows, columns,
    channels].
    """
    return AveragePooling3D(pool_size, strides, padding, data_format, name)(inputs)


__all__ = ['AveragePooling1D', 'AveragePooling2D', 'AveragePooling3D', 'MaxPooling1D',
           'MaxPooling2D', 'MaxPooling3D', 'average_pooling1d', 'average_pooling2d',
           'average_pooling3d', 'max_pooling1d', 'max_pooling2d', 'max_pooling3d']
