"""compile: losses, metrics and their names, targets that do not fit the loss."""
import functools
import re

import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)
INPUTS = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')
LABELS = np.arange(16) % 3

pytestmark = pytest.mark.usefixtures('new_graph')


def still_model(loss='mse', **more):
    """A model that training does not change."""
    model = keras.Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    model.compile(keras.optimizers.SGD(0.), loss, **more)
    return model


def model_of_two():
    x = keras.Input((3,))
    return keras.Model(x, [layers.Dense(1, kernel_initializer='ones', name='a')(x),
                           layers.Dense(1, kernel_initializer='zeros', name='b')(x)])


def classifier(units=8, **kwargs):
    model = keras.Sequential([layers.Dense(units, activation='relu', input_shape=(4,)),
                              layers.Dense(3, activation='softmax')])
    model.compile('adam', kwargs.pop('loss', 'sparse_categorical_crossentropy'), **kwargs)
    return model


@pytest.mark.parametrize('asked, names', [
    (['acc', 'accuracy'], ['acc']), (['mse', 'MSE', 'mae'], ['mean_squared_error',
                                                           'mean_absolute_error']),
    ([keras.metrics.Precision, keras.metrics.Precision], ['precision', 'precision_1'])])
def test_metrics_of_equal_names_are_merged(asked, names):
    asked = [m() if isinstance(m, type) else m for m in asked]
    assert still_model(metrics=asked).metrics_names == ['loss', *names]


def test_metrics_of_layers_come_before_those_of_the_model():
    class Watch(layers.Layer):
        def call(self, x):
            self.add_metric(tf.reduce_mean(x), name='inside', aggregation='mean')
            return x
    x = keras.Input((3,))
    y = layers.Dense(1)(Watch()(x))
    model = keras.Model(x, y)
    model.add_metric(tf.reduce_sum(y), name='own', aggregation='mean')
    model.compile('sgd', 'mse', metrics=['mae'])
    assert model.metrics_names == ['loss', 'mean_absolute_error', 'inside', 'own']


@pytest.mark.parametrize('more, words', [
    ({'optimizer': keras.optimizers.SGD}, 'is a class'),
    ({'optimizer': 'sgd', 'sample_weight_mode': 'foo'}, 'None or "temporal". Found: \'foo\'')])
def test_invalid_arguments_of_compile(more, words):
    model = keras.Sequential([layers.Dense(1, input_shape=(3,))])
    with pytest.raises(ValueError, match=words):
        model.compile(loss='mse', **more)


@pytest.mark.parametrize('error, arguments, words', [
    (TypeError, {'loss_weights': (.5, .5)}, 'loss_weights'),
    (TypeError, {'metrics': ('mse',)}, 'metrics'),
    (ValueError, {'loss_weights': [.5]}, 'passed loss_weights='),
    (ValueError, {'sample_weight_mode': {'a': 'temporal'}}, r"no entry .* \['b'\]"),
    (ValueError, {'target_tensors': [np.ones((2, 1))]}, 'passed target_tensors='),
    (ValueError, {'target_tensors': np.ones((2, 1))}, 'single tensor')])
def test_settings_that_do_not_fit_the_outputs_are_refused(error, arguments, words):
    with pytest.raises(error, match=words):
        model_of_two().compile('sgd', 'mse', **arguments)


@pytest.mark.parametrize('arguments, hint', [
    (('mse', 'adam'), r"'mse' is a loss: compile\(optimizer, loss\)"),
    (('sgd', 'adam'), r"'adam' is an optimizer: compile\(optimizer, loss\)"),
    (('sgd', 'mean_square_error'), "did you mean 'mean_squared_error'"),
    (('adm', 'mse'), "did you mean 'adam'"),
    (('sgd', 'mse', ['acuracy']), "did you mean 'accuracy'")])
def test_hints_about_names_in_compile(arguments, hint):
    model = keras.Sequential([layers.Dense(1, input_shape=(3,))])
    with pytest.raises(ValueError, match=hint) as caught:
        model.compile(*arguments)
    assert 'custom_objects' not in str(caught.value)


@pytest.mark.parametrize('refused', [
    {'metrics': 'acc'}, {'loss': 'no_such'}, {'metrics': ['no_such']}, {'loss': ['mse', 'mse']},
    {'optimizer': 'no_such'}, {'sample_weight_mode': 'foo'}, {'loss_weights': 3}])
def test_a_compile_that_is_refused_changes_nothing(refused):
    model = keras.Sequential([layers.Dense(1, input_shape=(3,))])
    model.compile('sgd', 'mse', metrics=['mae'])
    before, loss = model.optimizer, model.evaluate(X, Y, verbose=0)
    with pytest.raises((TypeError, ValueError)):
        model.compile(**{'optimizer': 'adam', 'loss': 'mae', **refused})
    assert (model.optimizer, model.loss, model.metrics_names) == (
        before, 'mse', ['loss', 'mean_absolute_error'])
    assert model.evaluate(X, Y, verbose=0) == loss
    model.fit(X, Y, verbose=0)


def test_a_refused_first_compile_leaves_the_model_as_it_was():
    model = keras.Sequential([layers.Dense(1)])
    with pytest.raises(TypeError, match='Type of `metrics` argument not understood'):
        model.compile('sgd', 'mse', metrics='acc')
    with pytest.raises(RuntimeError, match='You must compile'):
        model.fit(X, Y)


def test_each_output_has_its_own_metric_object():
    model = model_of_two()
    model.compile('sgd', 'mse', metrics=[keras.metrics.MeanAbsoluteError()])
    found = dict(zip(model.metrics_names, model.evaluate(X, [Y, Y], verbose=0)))
    assert found['a_mean_absolute_error'] == pytest.approx(np.abs(X.sum(1) - Y.ravel()).mean())
    assert found['b_mean_absolute_error'] == pytest.approx(Y.mean())


@pytest.mark.parametrize('loss, y, words', [
    ('categorical_crossentropy', LABELS, r'integers 0\.\.2.*to_categorical\(y, 3\)'),
    ('sparse_categorical_crossentropy', np.eye(3)[LABELS], 'one-hot rows.*argmax'),
])
def test_targets_of_the_other_cross_entropy_raise(loss, y, words):
    with pytest.raises(ValueError) as caught:
        classifier(loss=loss).fit(INPUTS, y, verbose=0)
    assert re.search(words, str(caught.value), re.S)


class _Scaled:
    """A loss that is an object with neither a name nor weights."""

    def __init__(self, factor=1.):
        self.factor = factor

    def __call__(self, y_true, y_pred):
        return self.factor * keras.backend.mean(keras.backend.square(y_true - y_pred), axis=-1)

    def get_config(self):
        return {'factor': self.factor}


class _Weighted:
    """A loss that weights the samples and does not reduce, as TensorFlow lets it."""

    def __call__(self, y_true, y_pred, sample_weight=None):
        squares = (y_true - y_pred) ** 2
        return squares if sample_weight is None else sample_weight[:, None] * squares


def test_a_loss_may_be_an_object_without_a_name(tmp_path):
    plain, own = still_model(), still_model(_Scaled(2.))
    assert own.evaluate(X, Y, verbose=0) == 2 * plain.evaluate(X, Y, verbose=0)
    weights = np.arange(8.)
    assert own.evaluate(X, Y, sample_weight=weights, verbose=0) == \
        2 * plain.evaluate(X, Y, sample_weight=weights, verbose=0)
    path = str(tmp_path / 'model.h5')
    own.save(path)
    again = keras.models.load_model(path, custom_objects={'_Scaled': _Scaled})
    assert again.evaluate(X, Y, verbose=0) == own.evaluate(X, Y, verbose=0)
    partial = still_model(functools.partial(keras.losses.mean_squared_error))
    assert partial.evaluate(X, Y, verbose=0) == plain.evaluate(X, Y, verbose=0)


def test_a_loss_object_that_takes_sample_weights_is_given_them():
    found = still_model(_Weighted()).fit(X, Y, sample_weight=np.arange(8.), verbose=0)
    wanted = np.arange(8.)[:, None] * (X.sum(1, keepdims=True) - Y) ** 2
    np.testing.assert_allclose(found.history['loss'][0], wanted, rtol=1e-5)
