"""Recurrent layers and their cells."""
from keras_layer.layers.recurrent.cells import AbstractRNNCell, StackedRNNCells
from keras_layer.layers.recurrent.gru import GRU, GRUCell
from keras_layer.layers.recurrent.lstm import LSTM, LSTMCell, PeepholeLSTMCell
from keras_layer.layers.recurrent.rnn import RNN
from keras_layer.layers.recurrent.simple_rnn import SimpleRNN, SimpleRNNCell

__all__ = ['AbstractRNNCell', 'GRU', 'GRUCell', 'LSTM', 'LSTMCell', 'RNN', 'SimpleRNN',
           'SimpleRNNCell', 'StackedRNNCells']
