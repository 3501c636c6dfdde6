"""Depthwise separable convolutions as layers: one per channel, then 1x1 across channels."""
from __future__ import annotations

from tinyflow.layers import arguments, named
from tinyflow.layers.convolutional import Conv
from tinyflow.layers.named import ZEROS
from tinyflow.ops.array import shaping
from tinyflow.ops.conv import dilated
from tinyflow.ops.nn import bias


class SeparableConv(Conv):
    """Base of the separable convolutions."""

    def __init__(self, rank, filters, kernel_size, strides=1, padding='valid', data_format=None,
                 dilation_rate=1, depth_multiplier=1, activation=None, use_bias=True,
                 depthwise_initializer=None, pointwise_initializer=None, bias_initializer=ZEROS,
                 depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, depthwise_constraint=None, pointwise_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(
            rank, filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
            use_bias, bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, bias_constraint=bias_constraint,
            trainable=trainable, name=name, **kwargs)
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = named.initializer(depthwise_initializer)
        self.pointwise_initializer = named.initializer(pointwise_initializer)
        self.depthwise_regularizer = named.regularizer(depthwise_regularizer)
        self.pointwise_regularizer = named.regularizer(pointwise_regularizer)
        self.depthwise_constraint = named.constraint(depthwise_constraint)
        self.pointwise_constraint = named.constraint(pointwise_constraint)
        self.depthwise_kernel = self.pointwise_kernel = None

    def build(self, input_shape):
        """Makes the two kernels and the bias."""
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            'depthwise_kernel', (*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint, trainable=True)
        self.pointwise_kernel = self.add_weight(
            'pointwise_kernel',
            (*(1,) * self.rank, self.depth_multiplier * channels, self.filters),
            initializer=self.pointwise_initializer, regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint, trainable=True)
        self.bias = self._add_bias()
        self.built = True

    def _convolved(self, inputs, kernels, strides, rate, padding):
        first = self.data_format == 'channels_first'
        outputs = dilated.separable_conv2d(
            inputs, *kernels, strides=(1, 1, *strides) if first else (1, *strides, 1),
            padding=padding.upper(), rate=rate,
            data_format=arguments.op_format(self.data_format, 4))
        if self.use_bias:
            outputs = bias.bias_add(outputs, self.bias, data_format='NCHW' if first else 'NHWC')
        return outputs

    def _activated(self, outputs):
        return outputs if self.activation is None else self.activation(outputs)


class SeparableConv1D(SeparableConv):
    """A separable convolution of sequences.

    Shapes: inputs [batch, length, channels] -> [batch, windows, filters].
    """

    def __init__(self, filters, kernel_size, strides=1, padding='valid',
                 data_format='channels_last', dilation_rate=1, depth_multiplier=1,
                 activation=None, use_bias=True, depthwise_initializer=None,
                 pointwise_initializer=None, bias_initializer=ZEROS, depthwise_regularizer=None,
                 pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None,
                 trainable=True, name=None, **kwargs):
        super().__init__(1, filters, kernel_size, strides, padding, data_format, dilation_rate,
                         depth_multiplier, activation, use_bias, depthwise_initializer,
                         pointwise_initializer, bias_initializer, depthwise_regularizer,
                         pointwise_regularizer, bias_regularizer, activity_regularizer,
                         depthwise_constraint, pointwise_constraint, bias_constraint, trainable,
                         name, **kwargs)

    def call(self, inputs):
        """As images of height 1."""
        if self.padding == 'causal':
            inputs = self._padded(inputs)
        axis = 1 if self.data_format == 'channels_last' else 2
        inputs = shaping.expand_dims(inputs, axis)
        kernels = [shaping.expand_dims(self.depthwise_kernel, 0),
                   shaping.expand_dims(self.pointwise_kernel, 0)]
        outputs = self._convolved(inputs, kernels, self.strides * 2, (1, *self.dilation_rate),
                                  'valid' if self.padding == 'causal' else self.padding)
        return self._activated(shaping.squeeze(outputs, [axis]))


class SeparableConv2D(SeparableConv):
    """A separable convolution of images.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, filters].
    """

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid',
                 data_format='channels_last', dilation_rate=(1, 1), depth_multiplier=1,
                 activation=None, use_bias=True, depthwise_initializer=None,
                 pointwise_initializer=None, bias_initializer=ZEROS, depthwise_regularizer=None,
                 pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None,
                 trainable=True, name=None, **kwargs):
        super().__init__(2, filters, kernel_size, strides, padding, data_format, dilation_rate,
                         depth_multiplier, activation, use_bias, depthwise_initializer,
                         pointwise_initializer, bias_initializer, depthwise_regularizer,
                         pointwise_regularizer, bias_regularizer, activity_regularizer,
                         depthwise_constraint, pointwise_constraint, bias_constraint, trainable,
                         name, **kwargs)

    def call(self, inputs):
        """activation(pointwise(depthwise(inputs)) + bias)."""
        return self._activated(self._convolved(
            inputs, [self.depthwise_kernel, self.pointwise_kernel], self.strides,
            self.dilation_rate, self.padding))


def separable_conv1d(inputs, filters, kernel_size, strides=1, padding='valid',
                     data_format='channels_last', dilation_rate=1, depth_multiplier=1,
                     activation=None, use_bias=True, depthwise_initializer=None,
                     pointwise_initializer=None, bias_initializer=ZEROS,
                     depthwise_regularizer=None, pointwise_regularizer=None,
                     bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
                     pointwise_constraint=None, bias_constraint=None, trainable=True, name=None,
                     reuse=None):
    """A separable convolution of sequences, with Variables `<name>/depthwise_kernel`, ...

    Shapes: inputs [batch, length, channels] -> [batch, windows, filters].
    """
    return SeparableConv1D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier,
        activation, use_bias, depthwise_initializer, pointwise_initializer, bias_initializer,
        depthwise_regularizer, pointwise_regularizer, bias_regularizer, activity_regularizer,
        depthwise_constraint, pointwise_constraint, bias_constraint, trainable, name,
        _reuse=reuse, _scope=name)(inputs)


def separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), padding='valid',
                     data_format='channels_last', dilation_rate=(1, 1), depth_multiplier=1,
                     activation=None, use_bias=True, depthwise_initializer=None,
                     pointwise_initializer=None, bias_initializer=ZEROS,
                     depthwise_regularizer=None, pointwise_regularizer=None,
                     bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
                     pointwise_constraint=None, bias_constraint=None, trainable=True, name=None,
                     reuse=None):
    """A separable convolution of images, with Variables `<name>/depthwise_kernel`, ...

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, filters].
    """
    return SeparableConv2D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier,
        activation, use_bias, depthwise_initializer, pointwise_initializer, bias_initializer,
        depthwise_regularizer, pointwise_regularizer, bias_regularizer, activity_regularizer,
        depthwise_constraint, pointwise_constraint, bias_constraint, trainable, name,
        _reuse=reuse, _scope=name)(inputs)


__all__ = ['SeparableConv1D', 'SeparableConv2D', 'separable_conv1d', 'separable_conv2d']
