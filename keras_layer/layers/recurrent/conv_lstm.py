"""ConvLSTM2D: an LSTM over images, with convolutions instead of matrix products."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import InputSpec
from keras_layer.layers.recurrent.cells import (
    UnitsCell,
    add_weight_of,
    bias_with_open_forget_gate,
    dropped,
)
from keras_layer.layers.recurrent.states import listed_states
from keras_layer.layers.recurrent.units_layer import UnitsRNN, of_cell, without
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import arguments

__all__ = ['ConvLSTM2D', 'ConvLSTM2DCell']


class ConvLSTM2DCell(UnitsCell):
    """An LSTM cell with convolutions instead of matrix products: Shi et al. (2015).

    Shapes: inputs [batch, rows, columns, channels], states h and c [batch, new rows, new columns,
    filters]; the kernel [*kernel_size, channels, 4 filters] holds the gates in the order
    i, f, c, o.
    """

    options = ('filters', 'kernel_size', 'strides', 'padding', 'data_format', 'dilation_rate',
               'activation', 'recurrent_activation', 'use_bias', 'kernel_initializer',
               'recurrent_initializer', 'bias_initializer', 'unit_forget_bias',
               *UnitsCell.options[6:])

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', data_format=None,
                 dilation_rate=(1, 1), activation='tanh', recurrent_activation='hard_sigmoid',
                 use_bias=True, kernel_initializer='glorot_uniform',
                 recurrent_initializer='orthogonal', bias_initializer='zeros',
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None,
                 bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, dropout=0., recurrent_dropout=0., **kwargs):
        options = without(locals())
        for name in ('kernel_size', 'strides', 'dilation_rate'):
            options[name] = arguments.sizes(options[name], 2, name)
        options['padding'] = arguments.padding(padding)
        options['data_format'] = arguments.data_format(data_format or K.image_data_format())
        self.units = filters
        super().__init__(options, **kwargs)
        self.state_size, self.output_size = (filters, filters), None

    def build(self, input_shape):
        channels = input_shape[1 if self.data_format == 'channels_first' else -1]
        if channels is None:
            raise misuse(ValueError('The channel dimension of the inputs should be defined. Found '
                                    '`None`.'))
        self.kernel_shape = (*self.kernel_size, channels, self.filters * 4)
        self.kernel = add_weight_of(self, 'kernel', self.kernel_shape)
        self.recurrent_kernel = add_weight_of(
            self, 'recurrent', (*self.kernel_size, self.filters, self.filters * 4),
            name='recurrent_kernel')
        self.bias = None
        if self.use_bias:
            open_gate = bias_with_open_forget_gate(self, self.filters) if self.unit_forget_bias \
                else None
            self.bias = add_weight_of(self, 'bias', (self.filters * 4,), initializer=open_gate)
        self.built = True

    def call(self, inputs, states, training=None):
        h, c = states
        masks = self.get_dropout_mask_for_cell(inputs, training, count=4)
        recurrent_masks = self.get_recurrent_dropout_mask_for_cell(h, training, count=4)
        given = dropped(inputs, masks, self.dropout, 4)
        before = dropped(h, recurrent_masks, self.recurrent_dropout, 4)
        kernels = K.split(self.kernel, 4, axis=3)
        recurrent_kernels = K.split(self.recurrent_kernel, 4, axis=3)
        biases = K.split(self.bias, 4, axis=0) if self.use_bias else [None] * 4
        x = [self.input_conv(*parts, padding=self.padding)
             for parts in zip(given, kernels, biases)]
        inner = [self.recurrent_conv(*parts) for parts in zip(before, recurrent_kernels)]
        i = self.recurrent_activation(x[0] + inner[0])
        f = self.recurrent_activation(x[1] + inner[1])
        c = f * c + i * self.activation(x[2] + inner[2])
        o = self.recurrent_activation(x[3] + inner[3])
        h = o * self.activation(c)
        return h, [h, c]

    def input_conv(self, x, w, b=None, padding='valid'):
        """The convolution of the inputs."""
        out = K.conv2d(x, w, strides=self.strides, padding=padding, data_format=self.data_format,
                       dilation_rate=self.dilation_rate)
        return out if b is None else K.bias_add(out, b, data_format=self.data_format)

    def recurrent_conv(self, x, w):
        """The convolution of the states, which keeps their size."""
        return K.conv2d(x, w, strides=(1, 1), padding='same', data_format=self.data_format)


class _ConvRNN2D(UnitsRNN):
    """A recurrent layer over images; the states are images as well."""

    input_rank = 5

    def __init__(self, options, activity_regularizer, kwargs, **flags):
        if kwargs.pop('unroll', False):
            raise misuse(TypeError("Unrolling isn't possible with convolutional RNNs."))
        super().__init__(options, activity_regularizer, kwargs, **flags)

    def _image(self, sizes):
        """[channels, rows, columns] or [rows, columns, channels] of the states."""
        cell = self.cell
        first = cell.data_format == 'channels_first'
        rows, columns = [
            arguments.output_length(size, kernel, cell.padding, stride, dilation)
            for size, kernel, stride, dilation in zip(
                sizes[1:] if first else sizes[:2], cell.kernel_size, cell.strides,
                cell.dilation_rate)]
        return [cell.filters, rows, columns] if first else [rows, columns, cell.filters]

    def compute_output_shape(self, input_shape):
        if isinstance(input_shape, list) and not isinstance(input_shape[0], (int, type(None))):
            input_shape = input_shape[0]
        batch, steps, *sizes = tf.TensorShape(input_shape).as_list()
        image = self._image(sizes)
        output = tf.TensorShape([batch, steps, *image] if self.return_sequences
                                else [batch, *image])
        if self.return_state:
            return [output] + [tf.TensorShape([batch, *image])] * 2
        return output

    def build(self, input_shape):
        if isinstance(input_shape, list) and not isinstance(input_shape[0], (int, type(None))):
            input_shape = input_shape[0]
        batch, _, *sizes = tf.TensorShape(input_shape).as_list()
        self.input_spec[0] = InputSpec(shape=(batch if self.stateful else None, None, *sizes))
        self.cell.build((batch, *sizes))
        self.cell.built = True
        first = self.cell.data_format == 'channels_first'
        filters = listed_states(self.cell.state_size)
        if self.state_spec is None:
            self.state_spec = [InputSpec(shape=(None, size, None, None) if first
                                         else (None, None, None, size)) for size in filters]
        elif [spec.shape[1 if first else 3] for spec in self.state_spec] != filters:
            raise misuse(ValueError(
                'An initial_state was passed that is not compatible with `cell.state_size`. '
                f'Received `state_spec`={[spec.shape for spec in self.state_spec]}; However '
                f'`cell.state_size` is {self.cell.state_size}'))
        if self.stateful:
            self.reset_states()
        self.built = True

    @staticmethod
    def _iterations(inputs):
        return K.int_shape(inputs)[1]

    def get_initial_state(self, inputs):
        """Zero states of the shape of a step's output: zero inputs convolved with zeros."""
        zeros = K.sum(K.zeros_like(inputs), axis=1)
        kernel = K.zeros_of_shape((*self.cell.kernel_shape[:-1], self.cell.filters), inputs.dtype)
        zeros = self.cell.input_conv(zeros, kernel, padding=self.cell.padding)
        return [zeros for _ in self.cell.state_size]

    def _state_shapes(self):
        shape = self.input_spec[0].shape
        image = self._image(shape[2:]) if shape is not None else [None]
        if shape is None or None in image or not shape[0]:
            raise misuse(ValueError(
                'If a RNN is stateful, it needs to know its batch size, and the number of rows '
                'and columns.\n  Hint: batch_input_shape=(batch, steps, rows, columns, channels) '
                'for the first layer of a Sequential, Input(batch_shape=...) otherwise.'))
        return [[shape[0], *image]] * len(self.cell.state_size)


@of_cell(*ConvLSTM2DCell.options)
class ConvLSTM2D(_ConvRNN2D):
    """A recurrent layer of ConvLSTM2DCell over sequences of images. Shi et al. (2015).

    Shapes: [batch, time, rows, columns, channels] -> [batch, new rows, new columns, filters], or
    [batch, time, new rows, new columns, filters] with `return_sequences`; channels before the rows
    for data_format='channels_first'. TypeError for `unroll`.
    """

    cell_class = ConvLSTM2DCell

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', data_format=None,
                 dilation_rate=(1, 1), activation='tanh', recurrent_activation='hard_sigmoid',
                 use_bias=True, kernel_initializer='glorot_uniform',
                 recurrent_initializer='orthogonal', bias_initializer='zeros',
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 recurrent_constraint=None, bias_constraint=None, return_sequences=False,
                 go_backwards=False, stateful=False, dropout=0., recurrent_dropout=0., **kwargs):
        options = {name: value for name, value in locals().items()
                   if name in ConvLSTM2DCell.options}
        super().__init__(options, activity_regularizer, kwargs, return_sequences=return_sequences,
                         go_backwards=go_backwards, stateful=stateful)
