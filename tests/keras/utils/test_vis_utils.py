"""Drawings of models, without system packages."""
import numpy as np
import pytest

import tinyflow as tf
from keras_layer.utils.vis_utils import model_to_dot

keras = tf.keras
layers = keras.layers

INPUTS = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')
LABELS = np.arange(16) % 3

pytestmark = pytest.mark.usefixtures('new_graph')


def raw_model():
    x = keras.Input((3,), name='x')
    hidden = layers.Dense(4, name='hidden')(x)
    scaled = tf.exp(hidden) * 2. + tf.reduce_mean(x, axis=1, keepdims=True)
    return keras.Model(x, layers.Dense(2, name='out')(tf.concat([scaled, x], axis=1)))


def classifier(units=8, **kwargs):
    model = keras.Sequential([layers.Dense(units, activation='relu', input_shape=(4,)),
                              layers.Dense(3, activation='softmax')])
    model.compile('adam', kwargs.pop('loss', 'sparse_categorical_crossentropy'), **kwargs)
    return model


class TwoLayers(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Dense(5, activation='relu')
        self.second = layers.Dense(3, activation='softmax')

    def call(self, inputs):
        return self.second(self.first(inputs))


@pytest.mark.slow
def test_the_drawing_has_the_methods_of_pydot(tmp_path):
    """SVG(model_to_dot(model).create(prog='dot', format='svg')) is what notebooks say."""
    dot = model_to_dot(raw_model(), show_shapes=True)
    assert b'<svg' in dot.create(prog='dot', format='svg')
    assert dot.to_string() == dot.source
    assert dot.write_png(str(tmp_path / 'm.png'))
    assert (tmp_path / 'm.png').read_bytes()[:4] == b'\x89PNG'
    nested = keras.Sequential([keras.Sequential([layers.Dense(2, input_shape=(3,))], name='inner')])
    assert 'cluster_inner' in model_to_dot(nested, expand_nested=True).to_string()


def test_plot_model_needs_no_system_package(tmp_path, monkeypatch):
    monkeypatch.setenv('PATH', str(tmp_path))
    keras.utils.plot_model(classifier(), str(tmp_path / 'm.png'), show_shapes=True)
    assert (tmp_path / 'm.png').read_bytes().startswith(b'\x89PNG')


def test_a_subclassed_model_is_drawn_after_fit(tmp_path):
    model = TwoLayers()
    model.compile('sgd', 'sparse_categorical_crossentropy')
    model.fit(INPUTS, LABELS, verbose=0)
    keras.utils.plot_model(model, str(tmp_path / 'm.svg'))
    assert 'dense' in (tmp_path / 'm.svg').read_text()
