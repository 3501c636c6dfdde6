"""What a second look at Keras found: weights that come late, steps over arrays, other files."""
import pathlib

import h5py
import numpy as np
import pytest

import tinyflow as tf
from keras_layer.saving import hdf5

keras = tf.keras
FOLDER = pathlib.Path(__file__).parents[1] / 'golden' / 'files' / 'keras'
RNG = np.random.RandomState(0)
X, Y = RNG.randn(24, 4).astype('f'), RNG.randn(24, 1).astype('f')
W = np.linspace(0, 1, 24).astype('f')


@pytest.fixture(autouse=True)
def _own_graph():
    with tf.Graph().as_default():
        yield


def _model(rate=0.):
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,), kernel_initializer='ones')])
    model.compile(keras.optimizers.SGD(rate), 'mse')
    return model


def _dataset(*arrays):
    return tf.data.Dataset.from_tensor_slices(arrays).batch(6).repeat()


def _generator(*arrays):
    while True:
        for i in range(0, 24, 6):
            yield tuple(a[i:i + 6] for a in arrays)


SQUARES = (X.sum(1, keepdims=True) - Y)[:, 0] ** 2
PLAIN, WEIGHTED = SQUARES.mean(), (SQUARES * W).mean()


@pytest.mark.parametrize('validation', [
    lambda: {'validation_data': (X, Y, W)},
    lambda: {'validation_data': _dataset(X, Y, W), 'validation_steps': 4},
    lambda: {'validation_data': _generator(X, Y, W), 'validation_steps': 4}])
@pytest.mark.parametrize('training', [
    lambda: {'x': X, 'y': Y}, lambda: {'x': _dataset(X, Y), 'steps_per_epoch': 4},
    lambda: {'x': _generator(X, Y), 'steps_per_epoch': 4}])
def test_weights_in_the_validation_alone(training, validation):
    history = _model().fit(**training(), **validation(), epochs=2, verbose=0).history
    np.testing.assert_allclose(history['loss'], [PLAIN] * 2, rtol=1e-5)
    np.testing.assert_allclose(history['val_loss'], [WEIGHTED] * 2, rtol=1e-5)


@pytest.mark.parametrize('source', [_dataset, _generator])
def test_weights_in_the_training_alone(source):
    history = _model().fit(source(X, Y, W), steps_per_epoch=4, validation_data=(X, Y), epochs=2,
                           verbose=0).history
    np.testing.assert_allclose(history['loss'], [WEIGHTED] * 2, rtol=1e-5)
    np.testing.assert_allclose(history['val_loss'], [PLAIN] * 2, rtol=1e-5)


@pytest.mark.parametrize('source', [_dataset, _generator])
def test_evaluate_with_weights_after_without(source):
    model = _model()
    np.testing.assert_allclose(model.evaluate(X, Y, verbose=0), PLAIN, rtol=1e-5)
    found = model.evaluate(source(X, Y, W), steps=4, verbose=0)
    np.testing.assert_allclose(found, WEIGHTED, rtol=1e-5)


def test_steps_per_epoch_over_arrays():
    history = _model().fit(X, Y, steps_per_epoch=4, batch_size=6, epochs=2, verbose=0).history
    np.testing.assert_allclose(history['loss'], [PLAIN] * 2, rtol=1e-5)


def test_a_hook_may_name_its_arguments_as_it_likes():
    seen = []
    _model().fit(X, Y, batch_size=12, verbose=0, callbacks=[keras.callbacks.LambdaCallback(
        on_batch_begin=lambda b, _: seen.append(b),
        on_batch_end=lambda b, found: seen.append(found['size']))])
    assert seen == [0, 12, 1, 12]


def test_a_saved_model_of_tensorflow_1():
    data = np.load(FOLDER / 'tf115_saved.npz')
    model = keras.models.load_model(str(FOLDER / 'tf115_saved'))
    np.testing.assert_allclose(model.predict(data['x']), data['p'], rtol=1e-5)
    assert type(model.optimizer).__name__ == 'Adam'
    loss = model.fit(data['x'], data['y'], shuffle=False, verbose=0).history['loss']
    np.testing.assert_allclose(loss, data['loss'][:1], rtol=1e-5)


def test_a_weighted_mean_divides_by_the_weights():
    metric = keras.metrics.MeanSquaredError()
    update = metric.update_state(np.zeros((3, 1), 'f'), np.array([[1.], [2.], [3.]], 'f'),
                                 sample_weight=np.array([1., 0., 3.], 'f'))
    result = metric.result()
    session = keras.backend.get_session()
    session.run([v.initializer for v in metric.weights])
    session.run(update)
    np.testing.assert_allclose(session.run(result), (1 + 27) / 4, rtol=1e-6)


def test_poisson_of_a_zero_is_finite():
    loss = keras.losses.poisson(np.ones((1, 1), 'f'), np.zeros((1, 1), 'f'))
    np.testing.assert_allclose(keras.backend.eval(loss), [-np.log(1e-7)], rtol=1e-5)


def test_nadam_looks_ahead_with_the_momentum_of_the_next_step():
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(1,),
                                                 kernel_initializer='ones')])
    model.compile(keras.optimizers.Nadam(.1, schedule_decay=5.), 'mse')
    x, w, m, v, product = 2., 1., 0., 0., 1.

    def momentum(t):
        return .9 * (1 - .5 * .96 ** (5. * t))
    for t in (1, 2, 3):
        model.train_on_batch(np.full((1, 1), x, 'f'), np.zeros((1, 1), 'f'))
        g = 2 * w * x * x
        now, then = momentum(t), momentum(t + 1)
        product *= now
        m, v = .9 * m + .1 * g, .999 * v + .001 * g * g
        mean = (1 - now) * g / (1 - product) + then * m / (1 - product * then)
        w -= .1 * mean / (np.sqrt(v / (1 - .999 ** t)) + 1e-7)
        np.testing.assert_allclose(model.get_weights()[0], [[w]], rtol=1e-4)


def test_names_beyond_what_one_attribute_holds(tmp_path):
    names = [f'{"layer" * 20}_{i}/kernel:0' for i in range(1000)]
    with h5py.File(tmp_path / 'names.h5', 'w') as file:
        hdf5._set_names(file, 'weight_names', names)
        assert len(file.attrs) > 1
        assert hdf5._names(file, 'weight_names') == names
