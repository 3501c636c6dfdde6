"""Sample weights and class weights in training and validation."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)
RNG = np.random.RandomState(0)
ROWS, TARGETS = RNG.randn(24, 4).astype('f'), RNG.randn(24, 1).astype('f')
ROW_WEIGHTS = np.linspace(0, 1, 24).astype('f')
WITH_WEIGHTS = ROWS, TARGETS, ROW_WEIGHTS
SQUARES = (ROWS.sum(1, keepdims=True) - TARGETS)[:, 0] ** 2
PLAIN, WEIGHTED = SQUARES.mean(), (SQUARES * ROW_WEIGHTS).mean()
INPUTS = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')
LABELS = np.arange(16) % 3
BATCH = np.random.RandomState(0).rand(40, 6).astype('float32')
WEIGHTS = {0: 10., 1: 20.}

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


def batches():
    while True:
        yield X, Y


def classifier(units=8, **kwargs):
    model = keras.Sequential([layers.Dense(units, activation='relu', input_shape=(4,)),
                              layers.Dense(3, activation='softmax')])
    model.compile('adam', kwargs.pop('loss', 'sparse_categorical_crossentropy'), **kwargs)
    return model


def linear_model(rate=0.):
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,), kernel_initializer='ones')])
    model.compile(keras.optimizers.SGD(rate), 'mse')
    return model


def weighted_dataset(*arrays):
    return tf.data.Dataset.from_tensor_slices(arrays).batch(6).repeat()


def weighted_generator(*arrays):
    while True:
        for i in range(0, 24, 6):
            yield tuple(a[i:i + 6] for a in arrays)


@pytest.mark.parametrize('validation', [
    lambda: {'validation_data': (ROWS, TARGETS, ROW_WEIGHTS)},
    lambda: {'validation_data': weighted_dataset(*WITH_WEIGHTS), 'validation_steps': 4},
    lambda: {'validation_data': weighted_generator(*WITH_WEIGHTS), 'validation_steps': 4}])
@pytest.mark.parametrize('training', [
    lambda: {'x': ROWS, 'y': TARGETS},
    lambda: {'x': weighted_dataset(ROWS, TARGETS), 'steps_per_epoch': 4},
    lambda: {'x': weighted_generator(ROWS, TARGETS), 'steps_per_epoch': 4}])
def test_sample_weights_in_validation_only(training, validation):
    history = linear_model().fit(**training(), **validation(), epochs=2, verbose=0).history
    np.testing.assert_allclose(history['loss'], [PLAIN] * 2, rtol=1e-5)
    np.testing.assert_allclose(history['val_loss'], [WEIGHTED] * 2, rtol=1e-5)


@pytest.mark.parametrize('source', [weighted_dataset, weighted_generator])
def test_sample_weights_in_training_only(source):
    history = linear_model().fit(source(*WITH_WEIGHTS), steps_per_epoch=4, epochs=2, verbose=0,
                                 validation_data=(ROWS, TARGETS)).history
    np.testing.assert_allclose(history['loss'], [WEIGHTED] * 2, rtol=1e-5)
    np.testing.assert_allclose(history['val_loss'], [PLAIN] * 2, rtol=1e-5)


@pytest.mark.parametrize('source', [weighted_dataset, weighted_generator])
def test_evaluate_with_weights_after_evaluate_without(source):
    model = linear_model()
    np.testing.assert_allclose(model.evaluate(ROWS, TARGETS, verbose=0), PLAIN, rtol=1e-5)
    found = model.evaluate(source(ROWS, TARGETS, ROW_WEIGHTS), steps=4, verbose=0)
    np.testing.assert_allclose(found, WEIGHTED, rtol=1e-5)


def test_class_weights_scale_the_loss():
    model = classifier()
    even = model.evaluate(INPUTS, LABELS, verbose=0)
    zero = model.train_on_batch(INPUTS, LABELS, class_weight={0: 0., 1: 0., 2: 0.})
    assert even > 0 and zero == 0


@pytest.mark.parametrize('weights', [{-1: 1., 1: 3.}, {1: 3., -1: 1.}])
def test_classes_may_have_negative_numbers(weights):
    model, y = still_model('hinge'), np.where(Y > 0, 1, -1)
    by_hand = np.where(Y > 0, 3., 1.).ravel()
    assert model.train_on_batch(X, y, class_weight=weights) == pytest.approx(
        model.train_on_batch(X, y, sample_weight=by_hand))


def test_class_weights_are_only_for_training():
    plain = still_model().evaluate(X, Y, verbose=0)
    found = still_model().fit(batches(), steps_per_epoch=1, validation_data=batches(),
                              validation_steps=1, class_weight=WEIGHTS, verbose=0).history
    assert found['val_loss'] == [pytest.approx(plain)]
    assert found['loss'][0] > 5 * plain


def test_evaluate_in_a_callback_keeps_the_class_weights_of_fit():
    model = still_model()
    evaluating = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: model.evaluate(X, Y, verbose=0))
    losses = model.fit(batches(), steps_per_epoch=1, epochs=2, class_weight=WEIGHTS, verbose=0,
                       callbacks=[evaluating]).history['loss']
    assert losses[0] == losses[1]


@pytest.mark.parametrize('more, words', [
    ({'sample_weight': {'c': np.ones(8)}}, r"Unknown entries in sample_weight dictionary: \['c'\]"),
    ({'class_weight': {'c': WEIGHTS}}, r"Unknown entries in class_weight dictionary: \['c'\]"),
    ({'class_weight': [WEIGHTS]}, 'list of 1 elements, but the model has 2 outputs')])
def test_weights_for_unknown_outputs_raise(more, words):
    model = model_of_two()
    model.compile('sgd', 'mse')
    with pytest.raises(ValueError, match=words):
        model.train_on_batch(X, [Y, Y], **more)


@pytest.mark.parametrize('weights, loss', [
    (None, 0.6931472), (np.array([1., 5.]), 0.6931472), ([1., 5.], 0.6931472),
    ('auto', 0.6931472), ({0: 1., 1: 5.}, 2.0794415), ([{0: 1., 1: 5.}], 2.0794415)])
def test_class_weights_other_than_dicts_are_ignored(weights, loss):
    model = keras.Sequential([
        layers.Dense(2, activation='softmax', kernel_initializer='ones', input_shape=(3,))])
    model.compile(keras.optimizers.SGD(0.), 'sparse_categorical_crossentropy')
    labels = (X.sum(1) > 1.5).astype(int)
    assert model.train_on_batch(X, labels, class_weight=weights) == pytest.approx(loss)
    history = model.fit(X, labels, class_weight=weights, verbose=0).history
    assert history['loss'] == [pytest.approx(loss)]


def test_an_empty_class_weight_raises():
    model = keras.Sequential([layers.Dense(2, activation='softmax', input_shape=(3,))])
    model.compile('sgd', 'sparse_categorical_crossentropy')
    with pytest.raises(ValueError, match='must contain all classes'):
        model.fit(X, Y, class_weight={}, verbose=0)


def test_missing_classes_are_named():
    model = keras.Sequential([layers.Dense(3, activation='softmax', input_shape=(6,))])
    model.compile('sgd', 'sparse_categorical_crossentropy')
    with pytest.raises(ValueError, match=r'The classes \[1, 2\] exist'):
        model.fit(BATCH, np.arange(40) % 3, class_weight={0: 1.}, verbose=0)
