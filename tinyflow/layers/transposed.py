"""Transposed convolutions as layers: they reverse a convolution's change of shape."""
from __future__ import annotations

from tinyflow.layers import arguments
from tinyflow.layers.convolutional import Conv, Conv2D, Conv3D
from tinyflow.layers.named import ZEROS
from tinyflow.ops.array import shape_ops, shaping
from tinyflow.ops.conv import convolution_functions
from tinyflow.ops.nn import bias


class _Transposed(Conv):
    """The part that does not depend on the number of axes."""

    def build(self, input_shape):
        """Makes kernel [*kernel_size, filters, channels] and bias [filters]."""
        channels = self._channels(input_shape)
        self.kernel = self._add_kernel((*self.kernel_size, self.filters, channels))
        self.bias = self._add_bias()
        self.built = True

    def call(self, inputs):
        """activation(inputs convolved with the transposed kernel + bias)."""
        sizes = shape_ops.shape(inputs)
        batch = sizes[0]
        first = self.data_format == 'channels_first'
        start = 2 if first else 1
        space = [sizes[start + i] for i in range(self.rank)]
        space = [self._length(i, size) for i, size in enumerate(space)]
        shape = [batch, self.filters, *space] if first else [batch, *space, self.filters]
        outputs = self._apply(inputs, shaping.stack(shape))
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        if self.use_bias:
            outputs = bias.bias_add(outputs, self.bias, data_format='NCHW' if first else 'NHWC')
        return outputs if self.activation is None else self.activation(outputs)

    def _length(self, i, length):
        return arguments.transposed_length(length, self.kernel_size[i], self.padding,
                                           self.strides[i])

    def compute_output_shape(self, input_shape):
        """The shape of the outputs for inputs of that shape."""
        return self._with_space(input_shape, self._length)


class Conv2DTranspose(_Transposed, Conv2D):
    """A transposed convolution of images.

    Shapes: inputs [batch, height, width, channels] -> [batch, height * stride,
    width * stride, filters] for padding 'same'; kernel [*kernel_size, filters, channels].
    """

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid',
                 data_format='channels_last', activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(filters, kernel_size, strides, padding, data_format, 1, activation,
                         use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
                         bias_regularizer, activity_regularizer, kernel_constraint,
                         bias_constraint, trainable, name, **kwargs)

    def _apply(self, inputs, shape):
        first = self.data_format == 'channels_first'
        if first:               # as TF does without a GPU
            inputs = shaping.transpose(inputs, (0, 2, 3, 1))
            shape = shaping.stack([shape[0], shape[2], shape[3], shape[1]])
        else:
            shape[0]            # an unused node of TF, which affects random seeds
        outputs = convolution_functions.conv2d_transpose(
            inputs, self.kernel, shape, (1, *self.strides, 1), padding=self.padding.upper(),
            data_format='NHWC')
        return shaping.transpose(outputs, (0, 3, 1, 2)) if first else outputs


class Conv3DTranspose(_Transposed, Conv3D):
    """A transposed convolution of volumes.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, depth * stride,
    height * stride, width * stride, filters] for padding 'same'.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding='valid',
                 data_format='channels_last', activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(filters, kernel_size, strides, padding, data_format, 1, activation,
                         use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
                         bias_regularizer, activity_regularizer, kernel_constraint,
                         bias_constraint, trainable, name, **kwargs)

    def _apply(self, inputs, shape):
        first = self.data_format == 'channels_first'
        strides = (1, 1, *self.strides) if first else (1, *self.strides, 1)
        return convolution_functions.conv3d_transpose(
            inputs, self.kernel, shape, strides, padding=self.padding.upper(),
            data_format=arguments.op_format(self.data_format, 5))


def conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), padding='valid',
                     data_format='channels_last', activation=None, use_bias=True,
                     kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
                     bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                     bias_constraint=None, trainable=True, name=None, reuse=None):
    """A transposed convolution of images, with Variables `<name>/kernel` and `<name>/bias`.

    Shapes: inputs [batch, height, width, channels] -> [batch, height * stride, width * stride,
    filters] for padding 'same'.
    """
    return Conv2DTranspose(
        filters, kernel_size, strides, padding, data_format, activation, use_bias,
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
        activity_regularizer, kernel_constraint, bias_constraint, trainable, name, _reuse=reuse,
        _scope=name)(inputs)


def conv3d_transpose(inputs, filters, kernel_size, strides=(1, 1, 1), padding='valid',
                     data_format='channels_last', activation=None, use_bias=True,
                     kernel_initializer=None, bias_initializer=ZEROS, kernel_regularizer=None,
                     bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                     bias_constraint=None, trainable=True, name=None, reuse=None):
    """A transposed convolution of volumes, with Variables `<name>/kernel` and `<name>/bias`.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, depth * stride,
    height * stride, width * stride, filters] for padding 'same'.
    """
    return Conv3DTranspose(
        filters, kernel_size, strides, padding, data_format, activation, use_bias,
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
        activity_regularizer, kernel_constraint, bias_constraint, trainable, name, _reuse=reuse,
        _scope=name)(inputs)


__all__ = ['Conv2DTranspose', 'Conv3DTranspose', 'conv2d_transpose', 'conv3d_transpose']
