"""Functional models: inputs and outputs, layers called several times."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
BATCH = np.random.RandomState(0).rand(40, 6).astype('float32')
INPUTS = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')

pytestmark = pytest.mark.usefixtures('new_graph')


def test_the_output_of_a_layer_is_that_of_its_first_call():
    """As in TF 1.15: features of a model can be had after it was used inside another one."""
    base = keras.Sequential([layers.Dense(4, input_shape=(3,), name='features'), layers.Dense(2)])
    outer_input = keras.Input((3,))
    keras.Model(outer_input, base(outer_input))
    features = keras.Model(base.input, base.get_layer('features').output)
    value = np.ones((2, 3))
    kernel, bias = base.get_layer('features').get_weights()
    np.testing.assert_allclose(features.predict(value), value @ kernel + bias, rtol=1e-5)


def test_inputs_and_outputs_of_each_call_of_a_layer():
    layer, a, b = layers.Dense(2), keras.Input((5, 3)), keras.Input((3,))
    first, second = layer(a), layer(b)
    assert layer.input is a
    assert layer.output is first
    assert layer.get_output_at(1) is second
    assert layer.get_input_shape_at(1) == (None, 3)
    with pytest.raises(AttributeError, match='"layer output shape" is ill-defined'):
        _ = layer.output_shape
    with pytest.raises(ValueError, match='only 2 inbound nodes'):
        layer.get_input_at(2)
    with pytest.raises(AttributeError, match='never been called'):
        _ = layers.Dense(2).output


def test_an_output_of_an_unknown_input_raises():
    x, other = keras.Input((3,)), keras.Input((3,))
    with pytest.raises(ValueError, match='Graph disconnected'):
        keras.Model(x, [layers.Dense(1)(x), other])
    assert keras.Model([x, other], [layers.Dense(1)(x), other]).predict(
        [np.ones((1, 3))] * 2)[1].tolist() == [[1.] * 3]


@pytest.mark.parametrize('make', [
    lambda x: keras.Model(x), lambda x: keras.Model([x]), lambda x: keras.Model(inputs=x)])
def test_a_model_of_inputs_alone_raises(make):
    with pytest.raises(TypeError, match=r'needs its outputs, too.*\n.*Model\(inputs, outputs\)'):
        make(layers.Input((3,)))


def test_an_input_given_twice_raises():
    x = keras.Input((3,))
    with pytest.raises(ValueError, match='inputs passed to the model is redundant'):
        keras.Model([x, x], layers.Dense(1)(x))


def test_arrays_as_inputs_or_outputs_raise():
    with pytest.raises(ValueError, match=r'a NumPy array of shape \(40, 6\)'):
        keras.Model(BATCH, BATCH)
    with pytest.raises(ValueError, match='Output tensors to a Model .* Found: 5'):
        keras.Model(keras.Input([4]), 5)


def test_dynamic_models_and_models_without_inputs_raise():
    with pytest.raises(NotImplementedError, match='dynamic=True'):
        keras.Model(name='own', dynamic=True)
    with pytest.raises(TypeError, match='needs its inputs'):
        keras.Model(outputs=layers.Dense(1)(keras.Input((3,))))


def test_source_inputs_are_in_the_order_of_the_layers():
    x, y = keras.Input((3,)), keras.Input((3,))
    total = layers.add([layers.Dense(3)(x), y])
    assert [a is b for a, b in zip(keras.utils.get_source_inputs(total), (x, y))] == [True, True]


def test_a_model_is_callable_in_low_level_code():
    model = keras.Sequential([layers.Dense(3, input_shape=(4,))])
    x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 3])
    loss = tf.reduce_mean(tf.squared_difference(model(x), y))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feeds = {x: INPUTS, y: np.ones((16, 3))}
        first = session.run(loss, feeds)
        for _ in range(20):
            session.run(step, feeds)
        assert session.run(loss, feeds) < first / 2


def test_programs_may_keep_attributes_on_tensors():
    """Code for Keras 1 and 2 sets _keras_shape and reads _keras_history."""
    x = keras.Input((3,))
    y = layers.Dense(2)(x)
    y._keras_shape = (None, 2)
    assert y._keras_shape == (None, 2) and y._keras_history[0].name == 'dense'
    assert not hasattr(tf.constant(1.), '_keras_history')
