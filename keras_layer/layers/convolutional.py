"""Convolutions of sequences, images and volumes."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.input_spec import InputSpec
from keras_layer.layers.tf_layers import Configured, computes_as
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import arguments, convolutional as tf_convolutional, separable, transposed

__all__ = ['Conv1D', 'Conv2D', 'Conv2DTranspose', 'Conv3D', 'Conv3DTranspose', 'DepthwiseConv2D',
           'SeparableConv1D', 'SeparableConv2D']


def _format(data_format):
    return arguments.data_format(data_format or K.image_data_format())


class _Conv(Configured):
    """Base of the convolutions; `rank` is the number of spatial axes."""

    rank = 0
    settings = ('filters', 'kernel_size', 'strides', 'padding', 'data_format', 'dilation_rate',
                'activation', 'use_bias', 'kernel_initializer', 'bias_initializer',
                'kernel_regularizer', 'bias_regularizer', 'activity_regularizer',
                'kernel_constraint', 'bias_constraint')

    def _set_up(self, filters, kernel_size, strides, padding, data_format, dilation_rate, **kept):
        rank = self.rank
        self._keep(filters=filters, kernel_size=arguments.sizes(kernel_size, rank, 'kernel_size'),
                   strides=arguments.sizes(strides, rank, 'strides'),
                   padding=arguments.padding(padding), data_format=_format(data_format),
                   dilation_rate=arguments.sizes(dilation_rate, rank, 'dilation_rate'), **kept)
        if self.padding == 'causal' and rank != 1:
            raise misuse(ValueError('Causal padding is only supported for `Conv1D` and '
                                    '`SeparableConv1D`.'))
        self.input_spec = InputSpec(ndim=rank + 2)


def _convolution(rank, doc, default_format=None):
    """The class of Conv1D, Conv2D or Conv3D."""
    class Conv(_Conv):
        def __init__(self, filters, kernel_size, strides=1, padding='valid',
                     data_format=default_format, dilation_rate=1, activation=None, use_bias=True,
                     kernel_initializer='glorot_uniform', bias_initializer='zeros',
                     kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                     kernel_constraint=None, bias_constraint=None, **kwargs):
            super().__init__(activity_regularizer=activity_regularizer, **kwargs)
            self._set_up(filters, kernel_size, strides, padding, data_format, dilation_rate,
                         activation=activation, use_bias=use_bias,
                         kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
                         kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer,
                         kernel_constraint=kernel_constraint, bias_constraint=bias_constraint)
    Conv.rank = rank
    Conv.__name__ = Conv.__qualname__ = f'Conv{rank}D'
    Conv.__init__.__qualname__ = f'Conv{rank}D.__init__'
    Conv.__doc__ = doc
    return computes_as(getattr(tf_convolutional, f'Conv{rank}D'))(Conv)


Conv1D = _convolution(1, """A convolution of sequences.

    Shapes: inputs [batch, length, channels] -> [batch, windows, filters]; kernel
    [kernel_size, channels, filters]. `padding` may be 'causal'.
    """, 'channels_last')
Conv2D = _convolution(2, """A convolution of images.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, filters]; kernel
    [*kernel_size, channels, filters].
    """)
Conv3D = _convolution(3, """A convolution of volumes.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, planes, rows, columns,
    filters]; kernel [*kernel_size, channels, filters].
    """)


@computes_as(transposed.Conv2DTranspose)
class Conv2DTranspose(_Conv):
    """A transposed convolution of images.

    Shapes: inputs [batch, rows, columns, channels] -> [batch, height, width, filters]; kernel
    [*kernel_size, filters, channels].
    """

    rank = 2
    settings = (*_Conv.settings, 'output_padding')

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', output_padding=None,
                 data_format=None, dilation_rate=(1, 1), activation=None, use_bias=True,
                 kernel_initializer='glorot_uniform', bias_initializer='zeros',
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._set_up(filters, kernel_size, strides, padding, data_format, dilation_rate,
                     activation=activation, use_bias=use_bias,
                     kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
                     kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer,
                     kernel_constraint=kernel_constraint, bias_constraint=bias_constraint)
        self.output_padding = _output_padding(self, output_padding)

    def _length(self, i, length):
        return _transposed_length(self, i, length)

    def _apply(self, inputs, shape):
        if self.dilation_rate == (1, 1):
            return transposed.Conv2DTranspose._apply(self, inputs, shape)
        if self.dilation_rate[0] != self.dilation_rate[1] or self.data_format != 'channels_last':
            raise misuse(NotImplementedError(
                f'Conv2DTranspose: dilation_rate={self.dilation_rate} with {self.data_format}; '
                'it is supported for channels_last, with equal rates along both axes.'))
        return tf.nn.atrous_conv2d_transpose(inputs, self.kernel, shape, self.dilation_rate[0],
                                             padding=self.padding.upper())


@computes_as(transposed.Conv3DTranspose)
class Conv3DTranspose(_Conv):
    """A transposed convolution of volumes.

    Shapes: inputs [batch, planes, rows, columns, channels] -> [batch, depth, height, width,
    filters]; kernel [*kernel_size, filters, channels].
    """

    rank = 3
    settings = (*(s for s in _Conv.settings if s != 'dilation_rate'), 'output_padding')

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding='valid',
                 output_padding=None, data_format=None, activation=None, use_bias=True,
                 kernel_initializer='glorot_uniform', bias_initializer='zeros',
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, **kwargs):
        if set(arguments.sizes(kwargs.pop('dilation_rate', 1), 3, 'dilation_rate')) != {1}:
            raise misuse(NotImplementedError('Conv3DTranspose: dilation_rate has to be 1.'))
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._set_up(filters, kernel_size, strides, padding, data_format, 1,
                     activation=activation, use_bias=use_bias,
                     kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
                     kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer,
                     kernel_constraint=kernel_constraint, bias_constraint=bias_constraint)
        self.output_padding = _output_padding(self, output_padding)

    def _length(self, i, length):
        return _transposed_length(self, i, length)


def _output_padding(layer, given):
    """`output_padding` as a tuple; None if it is inferred."""
    if given is None:
        return None
    padding = arguments.sizes(given, layer.rank, 'output_padding')
    if any(more >= stride for more, stride in zip(padding, layer.strides)):
        raise misuse(ValueError(f'Stride {layer.strides} must be greater than output padding '
                                f'{padding}'))
    return padding


def _transposed_length(layer, i, length):
    """The size of an output axis, by `output_padding` or inferred."""
    dilation, stride = layer.dilation_rate[i], layer.strides[i]
    size = dilation * (layer.kernel_size[i] - 1) + 1
    if layer.output_padding is None or length is None:
        return arguments.transposed_length(length, size, layer.padding, stride)
    around = size // 2 if layer.padding == 'same' else 0
    return (length - 1) * stride + size - 2 * around + layer.output_padding[i]


class _Separable(_Conv):
    settings = ('filters', 'kernel_size', 'strides', 'padding', 'data_format', 'dilation_rate',
                'activation', 'use_bias', 'bias_initializer', 'bias_regularizer',
                'activity_regularizer', 'bias_constraint', 'depth_multiplier',
                'depthwise_initializer', 'pointwise_initializer', 'depthwise_regularizer',
                'pointwise_regularizer', 'depthwise_constraint', 'pointwise_constraint',
                'kernel_initializer', 'kernel_regularizer', 'kernel_constraint')

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format=None,
                 dilation_rate=1, depth_multiplier=1, activation=None, use_bias=True,
                 depthwise_initializer='glorot_uniform', pointwise_initializer='glorot_uniform',
                 bias_initializer='zeros', depthwise_regularizer=None, pointwise_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
                 pointwise_constraint=None, bias_constraint=None, **kwargs):
        # Settings in TF's configurations that have no effect, there or here.
        unused = {key: kwargs.pop(key, default) for key, default in
                  (('kernel_initializer', 'glorot_uniform'), ('kernel_regularizer', None),
                   ('kernel_constraint', None))}
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._keep(**unused)
        self._set_up(filters, kernel_size, strides, padding, data_format, dilation_rate,
                     depth_multiplier=depth_multiplier, activation=activation, use_bias=use_bias,
                     depthwise_initializer=depthwise_initializer,
                     pointwise_initializer=pointwise_initializer,
                     bias_initializer=bias_initializer,
                     depthwise_regularizer=depthwise_regularizer,
                     pointwise_regularizer=pointwise_regularizer,
                     bias_regularizer=bias_regularizer, depthwise_constraint=depthwise_constraint,
                     pointwise_constraint=pointwise_constraint, bias_constraint=bias_constraint)


@computes_as(separable.SeparableConv1D)
class SeparableConv1D(_Separable):
    """A depthwise convolution of sequences, then a pointwise one.

    Shapes: inputs [batch, length, channels] -> [batch, windows, filters].
    """

    rank = 1


@computes_as(separable.SeparableConv2D)
class SeparableConv2D(_Separable):
    """A depthwise convolution of images, then a pointwise one.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, filters].
    """

    rank = 2


class DepthwiseConv2D(_Conv):
    """Depthwise convolution of images: one filter per channel.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns,
    channels * depth_multiplier]; depthwise_kernel [*kernel_size, channels, depth_multiplier].
    """

    rank = 2
    settings = ('kernel_size', 'strides', 'padding', 'data_format', 'dilation_rate', 'activation',
                'use_bias', 'bias_initializer', 'bias_regularizer', 'activity_regularizer',
                'bias_constraint', 'depth_multiplier', 'depthwise_initializer',
                'depthwise_regularizer', 'depthwise_constraint')

    def __init__(self, kernel_size, strides=(1, 1), padding='valid', depth_multiplier=1,
                 data_format=None, activation=None, use_bias=True,
                 depthwise_initializer='glorot_uniform', bias_initializer='zeros',
                 depthwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, bias_constraint=None, dilation_rate=(1, 1), **kwargs):
        for key in ('filters', 'kernel_initializer', 'kernel_regularizer', 'kernel_constraint'):
            kwargs.pop(key, None)
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._set_up(None, kernel_size, strides, padding, data_format, dilation_rate,
                     depth_multiplier=depth_multiplier, activation=activation, use_bias=use_bias,
                     depthwise_initializer=depthwise_initializer,
                     bias_initializer=bias_initializer,
                     depthwise_regularizer=depthwise_regularizer,
                     bias_regularizer=bias_regularizer, depthwise_constraint=depthwise_constraint,
                     bias_constraint=bias_constraint)

    def build(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        axis = 1 if self.data_format == 'channels_first' else 3
        channels = sizes[axis]
        if channels is None:
            raise misuse(ValueError('The channel dimension of the inputs to `DepthwiseConv2D` '
                                    'should be defined. Found `None`.'))
        self.depthwise_kernel = self.add_weight(
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer, name='depthwise_kernel',
            regularizer=self.depthwise_regularizer, constraint=self.depthwise_constraint)
        self.bias = self.add_weight(
            shape=(channels * self.depth_multiplier,), initializer=self.bias_initializer,
            name='bias', regularizer=self.bias_regularizer,
            constraint=self.bias_constraint) if self.use_bias else None
        self.input_spec = InputSpec(ndim=4, axes={axis: channels})
        self.built = True

    def call(self, inputs, training=None):
        first = self.data_format == 'channels_first'
        strides = (1, 1, *self.strides) if first else (1, *self.strides, 1)
        outputs = tf.nn.depthwise_conv2d(
            inputs, self.depthwise_kernel, strides=strides, padding=self.padding.upper(),
            rate=self.dilation_rate, data_format='NCHW' if first else 'NHWC')
        if self.use_bias:
            outputs = tf.nn.bias_add(outputs, self.bias, data_format='NCHW' if first else 'NHWC')
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        first = self.data_format == 'channels_first'
        space = sizes[2:] if first else sizes[1:3]
        channels = sizes[1 if first else 3] * self.depth_multiplier
        space = [arguments.output_length(s, k, self.padding, stride, rate) for s, k, stride, rate
                 in zip(space, self.kernel_size, self.strides, self.dilation_rate)]
        return tf.TensorShape([sizes[0], channels, *space] if first
                              else [sizes[0], *space, channels])
