"""Convolutions of sequences, images and volumes as layers."""
from __future__ import annotations

from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import arguments, named
from tinyflow.layers.base import Layer
from tinyflow.layers.convolution_plan import ConvolutionPlan
from tinyflow.layers.input_spec import InputSpec
from tinyflow.layers.named import ZEROS
from tinyflow.ops.array import padding as pads, shaping
from tinyflow.ops.nn import bias


class Conv(Layer):
    """Base of the convolutions; `rank` is the number of spatial axes."""

    def __init__(self, rank, filters, kernel_size, strides=1, padding='valid', data_format=None,
                 dilation_rate=1, activation=None, use_bias=True, kernel_initializer=None,
                 bias_initializer=ZEROS, kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
                 trainable=True, name=None, **kwargs):
        super().__init__(trainable=trainable, name=name,
                         activity_regularizer=named.regularizer(activity_regularizer), **kwargs)
        self.rank, self.filters = rank, filters
        self.kernel_size = arguments.sizes(kernel_size, rank, 'kernel_size')
        self.strides = arguments.sizes(strides, rank, 'strides')
        self.padding = arguments.padding(padding)
        if self.padding == 'causal' and rank != 1:
            raise misuse(ValueError('Causal padding is only supported for `Conv1D`and '
                                    '``SeparableConv1D`.'))
        self.data_format = arguments.data_format(data_format)
        self.dilation_rate = arguments.sizes(dilation_rate, rank, 'dilation_rate')
        self.activation = named.activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = named.initializer(kernel_initializer)
        self.bias_initializer = named.initializer(bias_initializer)
        self.kernel_regularizer = named.regularizer(kernel_regularizer)
        self.bias_regularizer = named.regularizer(bias_regularizer)
        self.kernel_constraint = named.constraint(kernel_constraint)
        self.bias_constraint = named.constraint(bias_constraint)
        self.input_spec = InputSpec(ndim=rank + 2)
        self.kernel = self.bias = None

    @property
    def channel_axis(self):
        """The axis of the channels: 1 or -1."""
        return 1 if self.data_format == 'channels_first' else -1

    def _channels(self, input_shape):
        """The number of input channels, which `input_spec` requires from now on."""
        channels = TensorShape(input_shape).as_list()[self.channel_axis]
        if channels is None:
            raise misuse(ValueError(self._explained(
                'The channel dimension of the inputs should be defined. Found `None`.',
                'the kernel has a size for each channel, so their number must be known: '
                'tf.reshape(x, [-1, 28, 28, 1]), or x.set_shape([None, 28, 28, 1]).')))
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self.channel_axis: channels})
        return channels

    def _add_kernel(self, shape):
        return self.add_weight('kernel', shape, initializer=self.kernel_initializer,
                               regularizer=self.kernel_regularizer,
                               constraint=self.kernel_constraint, trainable=True)

    def _add_bias(self):
        if not self.use_bias:
            return None
        return self.add_weight('bias', (self.filters,), initializer=self.bias_initializer,
                               regularizer=self.bias_regularizer,
                               constraint=self.bias_constraint, trainable=True)

    def build(self, input_shape):
        """Makes kernel [*kernel_size, channels, filters] and bias [filters]."""
        channels = self._channels(input_shape)
        self.kernel = self._add_kernel((*self.kernel_size, channels, self.filters))
        self.bias = self._add_bias()
        padding = 'valid' if self.padding == 'causal' else self.padding
        self._convolution = ConvolutionPlan(
            self.kernel.shape.as_list(),
            padding if isinstance(padding, (list, tuple)) else padding.upper(), self.strides,
            self.dilation_rate, arguments.op_format(self.data_format, self.rank + 2))
        self.built = True

    def call(self, inputs):
        """activation(inputs convolved with kernel + bias)."""
        if self.padding == 'causal':
            inputs = self._padded(inputs)
        return self._finished(self._convolution(inputs, self.kernel))

    def _padded(self, inputs):
        """Zeros before the sequence, so that no output depends on later inputs."""
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        last = self.data_format == 'channels_last'
        return pads.pad(inputs, [[0, 0], [before, 0], [0, 0]] if last
                        else [[0, 0], [0, 0], [before, 0]])

    def _finished(self, outputs):
        """With bias and activation."""
        if self.use_bias:
            if self.data_format == 'channels_last':
                outputs = bias.bias_add(outputs, self.bias, data_format='NHWC')
            elif self.rank == 1:
                outputs += shaping.reshape(self.bias, (1, self.filters, 1))
            else:
                outputs = bias.bias_add(outputs, self.bias, data_format='NCHW')
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape):
        """The shape of the outputs for inputs of that shape."""
        return self._with_space(input_shape, lambda i, length: arguments.output_length(
            length, self.kernel_size[i], self.padding, self.strides[i], self.dilation_rate[i]))

    def _with_space(self, input_shape, length):
        """[batch, *lengths, filters] in the layer's data format."""
        shape = TensorShape(input_shape).as_list()
        first = self.data_format == 'channels_first'
        space = shape[2:] if first else shape[1:-1]
        space = [length(i, size) for i, size in enumerate(space)]
        return TensorShape([shape[0], self.filters, *space] if first
                           else [shape[0], *space, self.filters])


class Conv1D(Conv):
    """A convolution of sequences.

    Shapes: inputs [batch, length, channels] -> [batch, windows, filters]; kernel
    [kernel_size, channels, filters].
    """

    def __init__(self, filters, kernel_size, strides=1, padding='valid',
                 data_format='channels_last', dilation_rate=1, activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(1, filters, kernel_size, strides, padding, data_format, dilation_rate,
                         activation, use_bias, kernel_initializer, bias_initializer,
                         kernel_regularizer, bias_regularizer, activity_regularizer,
                         kernel_constraint, bias_constraint, trainable, name, **kwargs)


class Conv2D(Conv):
    """A convolution of images.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, filters]; kernel
    [*kernel_size, channels, filters].
    """

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid',
                 data_format='channels_last', dilation_rate=(1, 1), activation=None,
                 use_bias=True, kernel_initializer=None, bias_initializer=ZEROS,
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
                 **kwargs):
        super().__init__(2, filters, kernel_size, strides, padding, data_format, dilation_rate,
                         activation, use_bias, kernel_initializer, bias_initializer,
                         kernel_regularizer, bias_regularizer, activity_regularizer,
                         kernel_constraint, bias_constraint, trainable, name, **kwargs)


class Conv3D(Conv):
    """A convolution of volumes.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, planes, rows, columns,
    filters]; kernel [*kernel_size, channels, filters].
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding='valid',
                 data_format='channels_last', dilation_rate=(1, 1, 1), activation=None,
                 use_bias=True, kernel_initializer=None, bias_initializer=ZEROS,
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
                 **kwargs):
        super().__init__(3, filters, kernel_size, strides, padding, data_format, dilation_rate,
                         activation, use_bias, kernel_initializer, bias_initializer,
                         kernel_regularizer, bias_regularizer, activity_regularizer,
                         kernel_constraint, bias_constraint, trainable, name, **kwargs)


def conv1d(inputs, filters, kernel_size, strides=1, padding='valid',
           data_format='channels_last', dilation_rate=1, activation=None, use_bias=True,
           kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
           bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
           bias_constraint=None, trainable=True, name=None, reuse=None):
    """A convolution of sequences, with new Variables `<name>/kernel` and `<name>/bias`.

    Shapes: inputs [batch, length, channels] -> [batch, windows, filters].
    """
    return Conv1D(filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
                  use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
                  bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint,
                  trainable, name, _reuse=reuse, _scope=name)(inputs)


def conv2d(inputs, filters, kernel_size, strides=(1, 1), padding='valid',
           data_format='channels_last', dilation_rate=(1, 1), activation=None, use_bias=True,
           kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
           bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
           bias_constraint=None, trainable=True, name=None, reuse=None):
    """A convolution of images, with new Variables `<name>/kernel` and `<name>/bias`.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, filters].
    """
    return Conv2D(filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
                  use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
                  bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint,
                  trainable, name, _reuse=reuse, _scope=name)(inputs)


def conv3d(inputs, filters, kernel_size, strides=(1, 1, 1), padding='valid',
           data_format='channels_last', dilation_rate=(1, 1, 1), activation=None, use_bias=True,
           kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
           bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
           bias_constraint=None, trainable=True, name=None, reuse=None):
    """A convolution of volumes, with new Variables `<name>/kernel` and `<name>/bias`.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, planes, rows, columns,
    filters].
    """
    return Conv3D(filters, kernel_size, strides, padding, data_format, dilation_rate, activation,
                  use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
                  bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint,
                  trainable, name, _reuse=reuse, _scope=name)(inputs)


__all__ = ['Conv1D', 'Conv2D', 'Conv3D', 'conv1d', 'conv2d', 'conv3d']
