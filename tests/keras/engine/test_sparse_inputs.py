"""Sparse data: inputs that are SparseTensors, and sparse matrices for dense inputs."""
import numpy as np
import pytest

import tinyflow as tf
from keras_layer.engine.training.sparse_rows import sparse_rows

keras = tf.keras
layers = keras.layers
K = keras.backend

X = np.array([[0, 1, 0, 0], [2, 0, 0, 3], [0, 0, 0, 0], [0, 0, 4, 0], [5, 0, 0, 6]], np.float32)
Y = np.arange(5, dtype=np.float32)[:, None]
INDICES = np.argwhere(X)

pytestmark = pytest.mark.usefixtures('new_graph')


def value(x=X):
    return tf.SparseTensorValue(np.argwhere(x), x[x != 0], x.shape)


def matrix(kind='csr'):
    return getattr(pytest.importorskip('scipy.sparse'), f'{kind}_matrix')(X)


def dense_layer():
    return layers.Dense(1, kernel_initializer=keras.initializers.constant([[1], [2], [3], [4]]))


def sparse_model():
    x = keras.Input((4,), sparse=True, name='x')
    model = keras.Model(x, dense_layer()(x))
    model.compile(keras.optimizers.SGD(.01), 'mse')
    return model


def dense_model():
    x = keras.Input((4,), name='x')
    model = keras.Model(x, dense_layer()(x))
    model.compile(keras.optimizers.SGD(.01), 'mse')
    return model


@pytest.mark.parametrize('rows', [slice(1, 4), slice(0, 0), slice(3, 9), slice(None, None, 2),
                                  [4, 0, 1], np.array([True, False, True, False, True])])
def test_rows_are_those_of_the_dense_array(rows):
    rng = np.random.RandomState(0)
    shuffled = rng.permutation(len(INDICES))
    given = tf.SparseTensorValue(INDICES[shuffled], X[tuple(INDICES[shuffled].T)], X.shape)
    assert sparse_rows(given).toarray().tolist() == X.tolist()
    found = sparse_rows(given)[rows]
    assert (found.shape, found.toarray().tolist()) == (X[rows].shape, X[rows].tolist())


@pytest.mark.slow
@pytest.mark.parametrize('data', ['csr', 'coo', 'csc', 'value'])
@pytest.mark.parametrize('model', [sparse_model, dense_model])
def test_sparse_data_give_what_dense_data_give(data, model):
    x = value() if data == 'value' else matrix(data)
    plain, model = dense_model(), model()
    np.testing.assert_allclose(model.predict(x, batch_size=2), plain.predict(X))
    np.testing.assert_allclose(model.predict_on_batch(x), plain.predict(X))
    assert model.evaluate(x, Y, batch_size=2, verbose=0) == \
        pytest.approx(plain.evaluate(X, Y, verbose=0))
    losses = []
    for one, given in ((model, x), (plain, X)):
        np.random.seed(0)
        history = one.fit(given, Y, batch_size=2, epochs=2, validation_split=.4, verbose=0)
        losses.append([*history.history['loss'], *history.history['val_loss']])
    np.testing.assert_allclose(*losses, rtol=1e-5)


def test_datasets_generators_and_tensors_of_sparse_data():
    model = sparse_model()
    wanted = dense_model().predict(X)
    sparse = tf.SparseTensor(INDICES, X[X != 0], X.shape)
    np.testing.assert_allclose(model.predict(sparse, steps=1), wanted)
    dataset = tf.data.Dataset.from_tensors(sparse)
    np.testing.assert_allclose(model.predict(dataset), wanted)
    np.testing.assert_allclose(model.predict(iter([value()]), steps=1), wanted)
    pairs = tf.data.Dataset.from_tensors((sparse, Y)).repeat()
    assert np.isfinite(model.fit(pairs, steps_per_epoch=2, verbose=0).history['loss'][0])


def test_custom_layers_take_sparse_inputs(tmp_path):
    """As in TensorFlow 1.15, with dense inputs next to them."""
    class Wide(layers.Layer):
        def build(self, input_shape):
            self.table = self.add_weight('table', (4, 1), initializer='ones')
            super().build(input_shape)

        def call(self, inputs):
            return tf.sparse.sparse_dense_matmul(inputs[0], self.table) + inputs[1]
    x, y = keras.Input((4,), sparse=True), keras.Input((1,))
    model = keras.Model([x, y], Wide()([x, y]))
    wanted = X.sum(1, keepdims=True) + Y
    np.testing.assert_allclose(model.predict([value(), Y], batch_size=2), wanted)
    model.save(str(tmp_path / 'm.h5'))
    again = keras.models.load_model(str(tmp_path / 'm.h5'), custom_objects={'Wide': Wide},
                                    compile=False)
    np.testing.assert_allclose(again.predict([value(), Y]), wanted)
    outer = keras.Input((4,), sparse=True)
    np.testing.assert_allclose(
        keras.Model([outer, y], model([outer, y])).predict([value(), Y]), wanted)


def test_dense_knows_the_shape_of_sparse_tensors():
    x = tf.SparseTensor([[0, 1], [1, 2]], [1., 2.], [2, 4])
    with tf.Session() as session:
        out = dense_layer()(x)
        session.run(tf.global_variables_initializer())
        assert session.run(out).tolist() == [[2.], [6.]]
    with pytest.raises(ValueError, match='Found `None`'):
        layers.Dense(1)(tf.sparse_placeholder(tf.float32, [None, None]))


def test_a_dense_array_for_a_sparse_input_is_refused():
    with pytest.raises(ValueError, match="input 'x' is sparse.*\n.*csr_matrix"):
        sparse_model().predict(X)
