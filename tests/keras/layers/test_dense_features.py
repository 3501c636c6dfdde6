"""DenseFeatures in models, with dicts of arrays and vocabularies of strings."""
import json

import numpy as np
import pytest

import tinyflow as tf

fc = tf.feature_column


@pytest.fixture(autouse=True)
def fresh_keras():
    tf.keras.backend.clear_session()
    yield
    tf.keras.backend.clear_session()


def sex():
    return fc.categorical_column_with_vocabulary_list('sex', ['female', 'male'])


def model_data():
    return ({'age': np.float32([[0.2], [0.4], [0.6]]),
             'sex': np.array([['male'], ['female'], ['male']])}, np.float32([[0], [1], [0]]))


def keras_columns():
    return [fc.numeric_column('age'), fc.embedding_column(sex(), 2)]


@pytest.mark.parametrize('text', [str, object])
def test_a_sequential_model_of_features(text):
    """TensorFlow 1.15 fails here: it does not initialize the lookup table."""
    x, y = model_data()
    x['sex'] = x['sex'].astype(text)
    model = tf.keras.Sequential([tf.keras.layers.DenseFeatures(keras_columns()),
                                 tf.keras.layers.Dense(1, activation='sigmoid')])
    model.compile(tf.keras.optimizers.Adam(0.1), 'binary_crossentropy')
    history = model.fit(x, y, epochs=30, verbose=0).history['loss']
    assert history[-1] < 0.5 * history[0]
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(3).repeat()
    first = model.evaluate(data, steps=1, verbose=0)
    assert first == pytest.approx(model.evaluate(x, y, verbose=0), rel=1e-5)
    assert model.predict(x).shape == (3, 1)
    assert [w.name.split('/', 1)[1] for w in model.layers[0].weights] == [
        'sex_embedding/embedding_weights:0']


def test_a_functional_model_of_features_and_its_config():
    x, y = model_data()
    inputs = {'age': tf.keras.Input((1,), name='age'),
              'sex': tf.keras.Input((1,), name='sex', dtype=tf.string)}
    features = tf.keras.layers.DenseFeatures(keras_columns())(inputs)
    model = tf.keras.Model(list(inputs.values()), tf.keras.layers.Dense(1)(features))
    model.compile('sgd', 'mse')
    model.fit(x, y, verbose=0)
    config = json.loads(json.dumps(model.get_config()))
    again = tf.keras.Model.from_config(config)
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again.predict(x), model.predict(x), rtol=1e-6)


def test_a_subclassed_model_of_features():
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.features = tf.keras.layers.DenseFeatures(keras_columns())
            self.out = tf.keras.layers.Dense(1)

        def call(self, inputs):
            return self.out(self.features(inputs))

    x, y = model_data()
    model = Net()
    model.compile('sgd', 'mse')
    model.fit(x, y, verbose=0)
    assert model.predict(x).shape == (3, 1) and len(model.weights) == 3
