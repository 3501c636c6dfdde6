"""Training loops: averages over an epoch, order of samples, early ends, functions of a step."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)
BY_STEPS, BY_SAMPLES = 1.4744800, 1.2712664

pytestmark = pytest.mark.usefixtures('new_graph')


def still_model(**more):
    """A model that training does not change."""
    model = keras.Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    model.compile(keras.optimizers.SGD(0.), 'mse', **more)
    return model


class Uneven(keras.utils.Sequence):
    """Batches of five and three rows."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        rows = slice(0, 5) if index == 0 else slice(5, 8)
        return X[rows], Y[rows]


def dataset():
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)


def test_batches_of_a_dataset_have_equal_weight():
    model = still_model()
    assert model.evaluate(dataset(), verbose=0) == pytest.approx(BY_STEPS)
    history = model.fit(dataset(), validation_data=dataset(), verbose=0).history
    assert history == {'loss': [pytest.approx(BY_STEPS)], 'val_loss': [pytest.approx(BY_STEPS)]}


def test_batches_of_a_sequence_are_weighted_by_size_in_training():
    model = still_model()
    assert model.evaluate(Uneven(), verbose=0) == pytest.approx(BY_STEPS)
    history = model.fit(Uneven(), validation_data=Uneven(), verbose=0).history
    assert history == {'loss': [pytest.approx(BY_SAMPLES)], 'val_loss': [pytest.approx(BY_STEPS)]}


def test_callbacks_get_the_number_of_steps_of_a_dataset(capsys):
    sizes = []
    note = keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: sizes.append(
        logs['size']))
    model = still_model()
    model.fit(dataset(), validation_data=dataset(), callbacks=[note])
    assert sizes == [1, 1]
    assert model.history.params['steps'] == 2 and model.history.params['samples'] == 2
    assert capsys.readouterr().out.startswith('Train on 2 steps, validate on 2 steps\n2/2 [===')


def test_an_epoch_stopped_early_is_not_validated():
    class Stop(keras.callbacks.Callback):
        def on_batch_end(self, batch, logs=None):
            self.model.stop_training = True
    history = still_model().fit(X, Y, batch_size=4, epochs=3, validation_data=(X, Y), verbose=0,
                                callbacks=[Stop()])
    assert history.epoch == [0] and list(history.history) == ['loss']


@pytest.mark.parametrize('size, loss, val_loss', [
    (4, [10.3253293, 2.7188361], [2.1145532, 3.4683218]),
    (8, [5.1286654, 7.5429182], [1.6927196, 5.3466196])])
def test_the_order_of_samples_is_that_of_tensorflow(size, loss, val_loss):
    """Validation is shuffled, too; a single batch is not."""
    np.random.seed(1)
    x = keras.Input((3,))
    noisy = layers.Lambda(lambda t: t + keras.backend.random_normal(tf.shape(t), seed=2))(x)
    model = keras.Model(x, layers.Dense(1, kernel_initializer='ones')(noisy))
    model.compile(keras.optimizers.SGD(0.), 'mse')
    history = model.fit(X, Y, batch_size=size, epochs=2, validation_data=(X, Y), verbose=0).history
    np.testing.assert_allclose(history['loss'], loss, rtol=1e-5)
    np.testing.assert_allclose(history['val_loss'], val_loss, rtol=1e-5)


def test_fit_of_a_frozen_model_reports_the_loss():
    model = still_model()
    model.trainable = False
    model.compile('sgd', 'mse')
    before = model.get_weights()
    loss = model.fit(X, Y, verbose=0).history['loss']
    assert loss == [pytest.approx(model.evaluate(X, Y, verbose=0))]
    assert all(map(np.array_equal, before, model.get_weights()))


def test_gradients_with_the_placeholders_of_a_model():
    """The recipe that many pages give: what training feeds, fed by oneself."""
    model = keras.Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    model.compile('sgd', 'mse')
    gradients = model.optimizer.get_gradients(model.total_loss, model.trainable_weights)
    ask = keras.backend.function(
        model._feed_inputs + model._feed_targets + model._feed_sample_weights, gradients)
    x, y, weights = model._standardize_user_data(X[:2], [1, 2])
    assert [a.shape for a in x + y] == [(2, 3), (2, 1)]
    of_kernel, of_bias = ask(x + y + (weights or []))
    error = X[:2].sum(1) - [1, 2]
    np.testing.assert_allclose(of_bias, [2 * error.mean()], rtol=1e-5)
    np.testing.assert_allclose(of_kernel[:, 0], X[:2].T @ error, rtol=1e-5)


def test_functions_may_be_made_early():
    """Servers with threads call `_make_predict_function` before they start."""
    model = keras.Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    assert model.predict_function is None
    model._make_predict_function()
    made = model.predict_function
    np.testing.assert_allclose(model.predict(X), X.sum(1, keepdims=True), rtol=1e-6)
    assert model.predict_function is made and not model._is_compiled
    with pytest.raises(RuntimeError, match='compile'):
        model._make_train_function()
    model.compile('sgd', 'mse')
    model._make_train_function()
    model._make_test_function()
    assert model._is_compiled and model.train_function is not model.test_function
    assert model._collected_trainable_weights == model.weights


def test_the_difference_between_loss_and_val_loss_is_documented():
    for documented in (keras.Model.fit, keras.callbacks.ProgbarLogger):
        assert 'val_loss' in documented.__doc__ and 'dropout' in documented.__doc__
