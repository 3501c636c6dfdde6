"""Messages about layers, convolutions and recurrent networks."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.messages.support import check_mistake, input_x, run_all

pytestmark = pytest.mark.usefixtures('graph')


def conv(*shape, strides=(1, 1, 1, 1), padding='SAME', kernel=(5, 5, 3, 8)):
    return tf.nn.conv2d(input_x(*shape), tf.zeros(kernel), list(strides), padding)


def rnn(cell, *shape, **how):
    return tf.nn.dynamic_rnn(cell, input_x(*shape), **how)


def twice(make):
    make(), make()


def state(size):
    return tf.zeros([3, size])


def gru():
    return tf.nn.rnn_cell.GRUCell(8)


def lstm():
    return tf.nn.rnn_cell.LSTMCell(8)


# name: (the mistake, the class of its error, words of its message)
MISTAKES = {
    'flat rows into a conv layer': (
        lambda: tf.layers.conv2d(input_x(None, 784), 32, 5), ValueError,
        ['expected ndim=4, found ndim=2', "'x:0'"]),
    'another depth into conv2d': (
        lambda: conv(None, 28, 28, 1), ValueError,
        ['1 channels', 'filter takes 3', 'Hint: the filter is']),
    'NCHW into conv2d': (
        lambda: conv(None, 3, 28, 28), ValueError, ['28 channels', 'Hint: axis 1 of the input']),
    'a filter of rank 3': (
        lambda: conv(None, 28, 28, 3, kernel=(5, 5, 3)), ValueError, ['rank 4 but is rank 3']),
    'strides over the batch': (
        lambda: conv(None, 28, 28, 3, strides=(2, 1, 1, 1)), ValueError,
        ['Hint: ', 'N and C must have 1']),
    'an unknown padding': (
        lambda: conv(None, 28, 28, 3, padding='FULL'), ValueError, ["'VALID'", "'FULL'"]),
    'flat rows into max_pool': (
        lambda: tf.nn.max_pool(input_x(None, 784), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'), ValueError,
        ['rank 4 but is rank 2', 'Hint: ', 'tf.reshape']),
    'a window that is too large': (
        lambda: tf.layers.max_pooling2d(input_x(None, 1, 1, 8), 2, 2), ValueError,
        ['subtracting 2 from 1', "Hint: padding='SAME'"]),
    'a bias for NCHW': (
        lambda: tf.nn.bias_add(input_x(None, 3, 28, 28), tf.zeros([3])), ValueError,
        ['28 and 3', 'Hint: axis 3']),
    'dense on rows of unknown length': (
        lambda: tf.layers.dense(input_x(None, None), 10), ValueError, ['last dimension', 'Hint: ']),
    'flat rows into dynamic_rnn': (
        lambda: rnn(lstm(), None, 28, dtype=tf.float32), ValueError,
        ['rank at least 3', "'x:0'", '[?, 28]', 'Hint: inputs are [batch, time, in]']),
    'dynamic_rnn without a dtype': (
        lambda: rnn(lstm(), None, 28, 28), ValueError, ['dtype=tf.float32']),
    'dynamic_rnn of unknown depth': (
        lambda: rnn(lstm(), None, 28, None, dtype=tf.float32), ValueError, ['Hint: ', 'depth']),
    'static_rnn on a tensor': (
        lambda: tf.nn.static_rnn(lstm(), input_x(None, 28, 28), dtype=tf.float32), TypeError,
        ['Hint: tf.unstack(x, axis=1)']),
    'two networks in one scope': (
        lambda: twice(lambda: rnn(lstm(), None, 5, 4, dtype=tf.float32)), ValueError,
        ['rnn/lstm_cell/kernel already exists', 'Hint: ']),
    'a state of another size': (
        lambda: rnn(gru(), 3, 5, 4, initial_state=state(7)), ValueError,
        ['7 columns', 'GRUCell keeps 8', 'Hint: a state of [batch, 8]']),
    'one tensor as the state of an LSTM': (
        lambda: rnn(lstm(), 3, 5, 4, initial_state=state(8)), ValueError,
        ['is one tensor', 'LSTMStateTuple(c=8, h=8)', 'Hint: tf.nn.rnn_cell.LSTMStateTuple(c, h)']),
    'lengths of another batch': (
        lambda: rnn(gru(), 3, 5, 4, sequence_length=[1, 2], dtype=tf.float32), ValueError,
        ['sequence_length has 2 lengths', '3 rows', 'Hint: one length for each row']),
    'lengths of another batch, fed': (
        lambda: run_all(rnn(gru(), None, 5, 4, sequence_length=[1, 2], dtype=tf.float32)[1],
                     feed={'x:0': np.zeros((3, 5, 4))}), tf.errors.InvalidArgumentError,
        ['Expected shape', '[3]', 'but saw shape', '[2]']),
    'one cell in two layers': (
        lambda: rnn(tf.nn.rnn_cell.MultiRNNCell([gru()] * 2), 3, 5, 4, dtype=tf.float32),
        ValueError, ['16 and 12', 'Hint: in MultiRNNCell at least two', 'for _ in range(layers)']),
    'an index past the table': (
        lambda: run_all(tf.nn.embedding_lookup(tf.zeros([5, 2]), [7])),
        tf.errors.InvalidArgumentError, ['indices[0] = 7', '[0, 5)', 'Hint: indices count from 0']),
}


@pytest.mark.parametrize('name', MISTAKES)
def test_a_mistake_is_check_message(name):
    check_mistake(*MISTAKES[name])
