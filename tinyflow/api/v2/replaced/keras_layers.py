"""tf.keras.layers: recurrent layers with TensorFlow 2's defaults, those of cuDNN."""
from __future__ import annotations

from keras_layer import layers

__all__ = ['GRU', 'GRUCell', 'LSTM', 'LSTMCell']


class LSTMCell(layers.LSTMCell):
    """A step of an LSTM; the gates use sigmoid."""

    def __init__(self, units, activation='tanh', recurrent_activation='sigmoid', **settings):
        super().__init__(units, activation, recurrent_activation, **settings)


class LSTM(layers.LSTM):
    """An LSTM over the time axis; the gates use sigmoid."""

    def __init__(self, units, activation='tanh', recurrent_activation='sigmoid', **settings):
        super().__init__(units, activation, recurrent_activation, **settings)


class GRUCell(layers.GRUCell):
    """A step of a GRU; the gates use sigmoid, and the reset gate acts after the product."""

    def __init__(self, units, activation='tanh', recurrent_activation='sigmoid', reset_after=True,
                 **settings):
        super().__init__(units, activation, recurrent_activation, reset_after=reset_after,
                         **settings)


class GRU(layers.GRU):
    """A GRU over the time axis; the gates use sigmoid, and the reset gate acts after the product.
    """

    def __init__(self, units, activation='tanh', recurrent_activation='sigmoid', reset_after=True,
                 **settings):
        super().__init__(units, activation, recurrent_activation, reset_after=reset_after,
                         **settings)
