"""ConvLSTM cells in one, two and three dimensions."""
from __future__ import annotations

from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn.cell import RNNCell
from tinyflow.layers.rnn.cells import LSTMStateTuple
from tinyflow.ops.array import joining
from tinyflow.ops.conv import convolution_functions
from tinyflow.ops.math import unary
from tinyflow.ops.variables.initializers import constant_initializer
from tinyflow.ops.variables.variable_scope import get_variable


class ConvLSTMCell(RNNCell):
    """An LSTM with convolutional gates over images, sequences or volumes; states have spatial axes.

    Shapes: inputs [batch, *input_shape], state LSTMStateTuple of two [batch, *sizes,
    output_channels] -> output likewise (plus the input's channels if `skip_connection`).
    Source: Shi et al., "Convolutional LSTM network", NIPS 2015.
    """

    def __init__(self, conv_ndims, input_shape, output_channels, kernel_shape, use_bias=True,
                 skip_connection=False, forget_bias=1.0, initializers=None,
                 name='conv_lstm_cell'):
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise misuse(ValueError(f'Invalid input_shape {input_shape} for '
                                    f'conv_ndims={conv_ndims}.'))
        self._conv_ndims, self._kernel_shape = conv_ndims, list(kernel_shape)
        self._output_channels, self._use_bias = output_channels, use_bias
        self._forget_bias, self._skip_connection = forget_bias, skip_connection
        places = list(input_shape[:-1])
        state = TensorShape([*places, output_channels])
        total = output_channels + (input_shape[-1] if skip_connection else 0)
        self._state_size = LSTMStateTuple(state, state)
        self._output_size = TensorShape([*places, total])

    @property
    def state_size(self):
        return self._state_size

    @property
    def output_size(self):
        return self._output_size

    def call(self, inputs, state, scope=None):
        cells, hidden = state
        gates = self._convolved([inputs, hidden])
        i, j, f, o = joining.split(value=gates, num_or_size_splits=4, axis=self._conv_ndims + 1)
        new_cells = unary.sigmoid(f + self._forget_bias) * cells
        new_cells += unary.sigmoid(i) * unary.tanh(j)
        output = unary.tanh(new_cells) * unary.sigmoid(o)
        if self._skip_connection:
            output = joining.concat([output, inputs], axis=-1)
        return output, LSTMStateTuple(new_cells, output)

    def _convolved(self, parts):
        """The gates before their activations, [batch, *sizes, 4 output_channels]."""
        dtype, rank, channels = parts[0].dtype, self._conv_ndims, 4 * self._output_channels
        depth = sum(part.shape[-1].value for part in parts)
        kernel = get_variable('kernel', [*self._kernel_shape, depth, channels], dtype=dtype)
        convolve = getattr(convolution_functions, f'conv{rank}d')
        strides = 1 if rank == 1 else (rank + 2) * [1]
        result = convolve(joining.concat(axis=rank + 1, values=parts), kernel, strides,
                          padding='SAME')
        if not self._use_bias:
            return result
        return result + get_variable('biases', [channels], dtype=dtype,
                                     initializer=constant_initializer(0.0, dtype=dtype))


class Conv1DLSTMCell(ConvLSTMCell):
    """ConvLSTMCell over inputs [batch, width, channels].

    Shapes: as ConvLSTMCell.
    """

    def __init__(self, name='conv_1d_lstm_cell', **kwargs):
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """ConvLSTMCell over inputs [batch, height, width, channels].

    Shapes: as ConvLSTMCell.
    """

    def __init__(self, name='conv_2d_lstm_cell', **kwargs):
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """ConvLSTMCell over inputs [batch, depth, height, width, channels].

    Shapes: as ConvLSTMCell.
    """

    def __init__(self, name='conv_3d_lstm_cell', **kwargs):
        super().__init__(conv_ndims=3, name=name, **kwargs)


__all__ = ['Conv1DLSTMCell', 'Conv2DLSTMCell', 'Conv3DLSTMCell', 'ConvLSTMCell']
