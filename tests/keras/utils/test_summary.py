"""model.summary."""
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers


pytestmark = pytest.mark.usefixtures('new_graph')


def summary(model):
    lines = []
    model.summary(print_fn=lines.append)
    return '\n'.join(lines)


def test_the_summary_shows_frozen_layers_and_updated_state():
    model = keras.Sequential([layers.Dense(4, input_shape=(4,)), layers.BatchNormalization(),
                              layers.Dense(2)])
    model.layers[0].trainable = False
    text = summary(model)
    assert 'Frozen (trainable=False): dense' in text
    assert 'State that training updates: batch_normalization (2)' in text
    assert 'Trainable params: 18' in text
