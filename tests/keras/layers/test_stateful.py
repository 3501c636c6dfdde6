"""stateful=True: the batch size has to be known."""
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

pytestmark = pytest.mark.usefixtures('new_graph')


@pytest.mark.parametrize('make', [
    lambda: layers.LSTM(2, stateful=True)(keras.Input((3, 4))),
    lambda: layers.RNN([layers.LSTMCell(2), layers.GRUCell(3)], stateful=True)(
        keras.Input((3, 4))),
    lambda: keras.Sequential([layers.Bidirectional(layers.GRU(2, stateful=True),
                                                   input_shape=(3, 4))]),
    lambda: layers.SimpleRNN(2, stateful=True).reset_states(),
    lambda: layers.ConvLSTM2D(2, 3, stateful=True)(keras.Input((3, 8, 8, 1))),
])
def test_states_need_a_known_batch_size(make):
    with pytest.raises(ValueError, match='If a RNN is stateful, it needs to know its batch size'):
        make()
