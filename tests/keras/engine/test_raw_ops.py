"""Raw ops between layers become layers: in summaries, configurations, files, training."""
import json

import numpy as np
import pytest

import tinyflow as tf
from keras_layer.utils.vis_utils import model_to_dot

keras = tf.keras
layers = keras.layers

INPUTS = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')

pytestmark = pytest.mark.usefixtures('new_graph')


def summary(model):
    lines = []
    model.summary(print_fn=lines.append)
    return '\n'.join(lines)


def raw_model():
    x = keras.Input((3,), name='x')
    hidden = layers.Dense(4, name='hidden')(x)
    scaled = tf.exp(hidden) * 2. + tf.reduce_mean(x, axis=1, keepdims=True)
    return keras.Model(x, layers.Dense(2, name='out')(tf.concat([scaled, x], axis=1)))


def test_the_summary_shows_raw_ops_as_layers():
    model = raw_model()
    kinds = [type(layer).__name__ for layer in model.layers]
    assert kinds.count('TensorFlowOpLayer') == 5
    shown = summary(model)
    for name in ('tf_op_layer_Exp', 'tf_op_layer_mul', 'tf_op_layer_Mean', 'tf_op_layer_concat'):
        assert name[:20] in shown
    assert 'hidden[0][0]' in shown
    assert 'Total params: 32' in shown


def test_the_drawing_shows_raw_ops_as_layers():
    drawing = model_to_dot(raw_model()).source
    assert 'tf_op_layer_Exp' in drawing
    assert 'tf_op_layer_concat' in drawing


def test_a_model_with_raw_ops_is_made_again_from_its_configuration():
    x = layers.Input((4,))
    h = tf.exp(layers.Dense(3)(x)) + 1.
    model = keras.Model(x, layers.Dense(2)(h))
    assert 'tf_op_layer_Exp' in summary(model)
    again = keras.Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again.predict(INPUTS), model.predict(INPUTS), rtol=1e-6)


def test_raw_ops_are_kept_in_a_configuration():
    model = raw_model()
    value = np.linspace(-1, 1, 6).reshape(2, 3)
    again = keras.Model.from_config(json.loads(model.to_json())['config'])
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again.predict(value), model.predict(value), rtol=1e-6)
    from_json = keras.models.model_from_json(model.to_json())
    from_json.set_weights(model.get_weights())
    np.testing.assert_allclose(from_json.predict(value), model.predict(value), rtol=1e-6)
    assert [layer.name for layer in again.layers] == [layer.name for layer in model.layers]


def test_raw_ops_are_kept_in_a_file(tmp_path):
    pytest.importorskip('h5py')
    model = raw_model()
    value = np.linspace(-1, 1, 6).reshape(2, 3)
    model.save(str(tmp_path / 'm.h5'))
    loaded = keras.models.load_model(str(tmp_path / 'm.h5'), compile=False)
    np.testing.assert_allclose(loaded.predict(value), model.predict(value), rtol=1e-6)


def test_a_raw_op_may_be_the_output():
    x = keras.Input((3,))
    model = keras.Model(x, tf.nn.softmax(layers.Dense(2)(x)))
    np.testing.assert_allclose(model.predict(np.ones((4, 3))).sum(1), np.ones(4), rtol=1e-6)


def test_an_output_that_depends_on_no_input_raises():
    x = keras.Input((3,))
    with pytest.raises(ValueError, match='must be the output of a Keras `Layer`'):
        keras.Model(x, tf.zeros([2, 3]))


def test_gradients_flow_through_raw_ops():
    x = keras.Input((3,))
    model = keras.Model(x, tf.tanh(layers.Dense(1)(x)) * 3.)
    model.compile('adam', 'mse')
    data = np.random.RandomState(0).randn(32, 3)
    target = data.sum(1, keepdims=True)
    before = model.evaluate(data, target, verbose=0)
    model.fit(data, target, epochs=20, verbose=0)
    assert model.evaluate(data, target, verbose=0) < before
