"""Seeds of random ops: the node counts of TF 1.15 are followed."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)


def sums(model):
    return [w.sum() for w in model.get_weights()]


def test_seeds_after_clear_session():
    keras.backend.clear_session()
    tf.set_random_seed(1)
    model = keras.Sequential([layers.Dense(3, input_shape=(4,)), layers.Dense(2)])
    np.testing.assert_allclose(sums(model), [0.61683154, 0, -0.94898558, 0], atol=1e-6)
    keras.backend.clear_session()


@pytest.mark.usefixtures('new_graph')
def test_seeds_of_a_model_built_by_its_data():
    model = keras.Sequential([layers.Dense(3), layers.Dropout(.5), layers.Dense(2)])
    model.compile('sgd', 'mse')
    model.predict(np.ones((2, 4)))
    np.testing.assert_allclose(sums(model), [0.61683154, 0, -0.52662516, 0], atol=1e-6)
    assert model.weights[0].name == 'sequential/dense/kernel:0'


def seed_now():
    """The seed of a random op that is made now: TF's count of nodes."""
    layer = layers.Dense(1)
    layer(keras.Input((2,)))
    name = layer.name + '/kernel/Initializer/random_uniform/RandomUniform'
    return tf.get_default_graph().get_operation_by_name(name).get_attr('seed2')


@pytest.mark.usefixtures('new_graph')
def test_seeds_after_values_were_set_and_read():
    """TF makes nodes for both, which seeds count: GloVe in an Embedding, then random layers."""
    backend = keras.backend
    layers.Embedding(4, 2, weights=[np.ones((4, 2))])(keras.Input((5,)))
    seeds = [seed_now()]
    variable = backend.variable([1., 2.])
    np.testing.assert_array_equal(backend.eval(variable), [1, 2])
    seeds.append(seed_now())
    backend.set_value(variable, [0., 1.])
    backend.set_value(variable, [0., 2.])
    seeds.append(seed_now())
    model = keras.Sequential([layers.Dense(2, input_shape=(3,))])
    model.set_weights(model.get_weights())
    seeds.append(seed_now())
    model.compile('sgd', 'mse', ['mae'])
    model.evaluate(np.ones((2, 3)), np.ones((2, 2)), verbose=0)
    seeds.append(seed_now())
    model.predict(np.ones((2, 3)))
    assert [*seeds, seed_now()] == [25, 55, 82, 135, 218, 243]
