"""Recurrent layers and their cells."""
from keras_layer.layers.recurrent.bidirectional import Bidirectional
from keras_layer.layers.recurrent.cells import AbstractRNNCell, StackedRNNCells
from keras_layer.layers.recurrent.conv_lstm import ConvLSTM2D, ConvLSTM2DCell
from keras_layer.layers.recurrent.cudnn import CuDNNGRU, CuDNNLSTM
from keras_layer.layers.recurrent.gru import GRU, GRUCell
from keras_layer.layers.recurrent.lstm import LSTM, LSTMCell, PeepholeLSTMCell
from keras_layer.layers.recurrent.rnn import RNN
from keras_layer.layers.recurrent.simple_rnn import SimpleRNN, SimpleRNNCell

__all__ = ['AbstractRNNCell', 'Bidirectional', 'ConvLSTM2D', 'CuDNNGRU', 'CuDNNLSTM', 'GRU',
           'GRUCell', 'LSTM', 'LSTMCell', 'RNN', 'SimpleRNN', 'SimpleRNNCell', 'StackedRNNCells']
