"""Data of fit, evaluate and predict: kinds, shapes, numbers of steps, errors."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)
INPUTS = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')
LABELS = np.arange(16) % 3
RNG = np.random.RandomState(0)
ROWS, TARGETS = RNG.randn(24, 4).astype('f'), RNG.randn(24, 1).astype('f')
ROW_WEIGHTS = np.linspace(0, 1, 24).astype('f')
SQUARES = (ROWS.sum(1, keepdims=True) - TARGETS)[:, 0] ** 2
PLAIN, WEIGHTED = SQUARES.mean(), (SQUARES * ROW_WEIGHTS).mean()

pytestmark = pytest.mark.usefixtures('new_graph')


def still_model(**more):
    """A model that training does not change."""
    model = keras.Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    model.compile(keras.optimizers.SGD(0.), 'mse', **more)
    return model


def classifier(units=8, **kwargs):
    model = keras.Sequential([layers.Dense(units, activation='relu', input_shape=(4,)),
                              layers.Dense(3, activation='softmax')])
    model.compile('adam', kwargs.pop('loss', 'sparse_categorical_crossentropy'), **kwargs)
    return model


def linear_model(rate=0.):
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,), kernel_initializer='ones')])
    model.compile(keras.optimizers.SGD(rate), 'mse')
    return model


def batches():
    while True:
        yield X, Y


class Halves(keras.utils.Sequence):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return X[4 * index:4 * index + 4], Y[4 * index:4 * index + 4]


def dataset():
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)


@pytest.mark.parametrize('kind', ['dataset', 'generator', 'sequence', 'tensors'])
def test_datasets_generators_sequences_and_tensors(kind):
    model = classifier()
    if kind == 'dataset':
        data = tf.data.Dataset.from_tensor_slices((INPUTS, LABELS)).batch(4)
        history = model.fit(data, verbose=0)
        assert model.predict(tf.data.Dataset.from_tensor_slices(INPUTS).batch(4)).shape == (16, 3)
    elif kind == 'generator':
        def batches():
            while True:
                yield INPUTS[:4], LABELS[:4]
        history = model.fit_generator(batches(), steps_per_epoch=3, epochs=2, verbose=0)
    elif kind == 'sequence':
        class Batches(keras.utils.Sequence):
            def __len__(self):
                return 4

            def __getitem__(self, i):
                return INPUTS[4 * i:4 * i + 4], LABELS[4 * i:4 * i + 4]
        history = model.fit(Batches(), verbose=0)
        assert model.predict(Batches()).shape == (16, 3)
    else:
        history = model.fit(tf.constant(INPUTS), tf.constant(LABELS[:, None]), steps_per_epoch=2,
                            verbose=0)
    assert np.isfinite(history.history['loss']).all()


def test_tensors_for_single_batches_and_validation():
    model = classifier()
    model.compile(keras.optimizers.SGD(0.), 'sparse_categorical_crossentropy')
    x, y = tf.constant(INPUTS), keras.backend.variable(LABELS[:, None])
    weight = tf.constant(np.arange(16.))
    expected = model.test_on_batch(INPUTS, LABELS, sample_weight=np.arange(16.))
    for given in (x, [x], {model.input_names[0]: x}):
        assert model.train_on_batch(given, y, sample_weight=weight) == expected
        assert model.test_on_batch(given, [y], sample_weight=weight) == expected
    np.testing.assert_array_equal(model.predict_on_batch(x), model.predict_on_batch(INPUTS))
    fitted = model.fit(x, y, steps_per_epoch=1, verbose=0, validation_data=([x], [y]),
                       validation_steps=2)
    assert fitted.history['val_loss'] == pytest.approx(fitted.history['loss'])
    with pytest.raises(ValueError, match='cannot use `validation_split`'):
        model.fit(x, y, steps_per_epoch=1, validation_split=.5)


@pytest.mark.parametrize('x, y, words', [
    (INPUTS[:, :2], LABELS, r'expected dense_input to have shape \(4,\)'),
    (INPUTS.reshape(16, 2, 2), LABELS, r'reshape\(-1, 4\)'),
    (INPUTS, LABELS[:5], '16 input samples and 5 target'),
    (INPUTS, None, 'y is missing'), ([INPUTS, INPUTS], LABELS, 'Expected to see 1 array'),
])
def test_data_of_the_wrong_shape(x, y, words):
    with pytest.raises(ValueError, match=words):
        classifier().fit(x, y, verbose=0)


@pytest.mark.parametrize('call, words', [
    (lambda m: m.fit(X), r'Hint: fit\(x, y\)'), (lambda m: m.evaluate(X), r'evaluate\(x, y\)'),
    (lambda m: m.train_on_batch(X), r'train_on_batch\(x, y\)'),
    (lambda m: m.test_on_batch(X), r'test_on_batch\(x, y\)'),
    (lambda m: m.evaluate(tf.data.Dataset.from_tensors(X)), r'a pair \(x, y\)'),
    (lambda m: m.fit(X, Y, validation_data=X, verbose=0), r'^validation_data must be \(x, y\)'),
    (lambda m: m.fit(X, Y, validation_data=(X,), verbose=0), r'^validation_data must be \(x, y\)'),
    (lambda m: m.fit(X, Y, validation_data=(X, None), verbose=0), r'validation_data=\(x, y\)')])
def test_missing_targets_and_the_call_that_has_them(call, words):
    with pytest.raises(ValueError, match=words):
        call(still_model())


@pytest.mark.parametrize('call, hint', [
    (lambda m: m.predict(X[0]), r'x\[np.newaxis\]'), (lambda m: m.fit(X[0], Y[:3]), 'np.newaxis'),
    (lambda m: m.fit(tf.data.Dataset.from_tensor_slices((X, Y)), verbose=0), r'\.batch\(32\)'),
    (lambda m: m.predict(tf.data.Dataset.from_tensor_slices(X)), r'\.batch\(32\)')])
def test_one_sample_without_the_axis_of_the_batch(call, hint):
    with pytest.raises(ValueError, match=f'the axis of the batch is missing: .*{hint}'):
        call(still_model())


@pytest.mark.parametrize('more, words', [
    ({'epochs': '2'}, "epochs must be a whole number, but is '2'.\n  Hint: epochs=2."),
    ({'epochs': 2.5}, 'epochs must be a whole number'), ({'initial_epoch': '1'}, 'initial_epoch'),
    ({'steps_per_epoch': 'x'}, 'steps_per_epoch must be a number'),
    ({'validation_split': 'x'}, 'validation_split must be a number')])
def test_arguments_of_fit_that_are_no_numbers(more, words):
    with pytest.raises(TypeError) as caught:
        still_model().fit(X, Y, verbose=0, **more)
    assert str(caught.value).startswith(words.partition('\n')[0])
    assert words in str(caught.value) and caught.value.raised_by_tinyflow


@pytest.mark.parametrize('x, y, words', [
    (np.zeros((0, 3)), np.zeros((0, 1)), 'Empty training data'), (None, Y, 'no inputs')])
def test_missing_or_empty_data(x, y, words):
    with pytest.raises(ValueError, match=words):
        still_model().fit(x, y, verbose=0)


@pytest.mark.parametrize('data', [Halves, batches,
                                  lambda: tf.data.Dataset.from_tensors((X, Y)).repeat()])
@pytest.mark.parametrize('more, words', [
    ({'y': Y}, '`?y`'), ({'sample_weight': np.ones(8)}, '`sample_weight`'),
    ({'batch_size': 4}, '`batch_size` argument must not be specified')])
def test_arguments_for_arrays_with_other_data_raise(data, more, words):
    with pytest.raises(ValueError, match=words):
        still_model().fit(data(), steps_per_epoch=1, verbose=0, **more)


def test_a_model_of_tensors_needs_only_a_number_of_steps():
    x = keras.Input(tensor=tf.constant(X))
    model = keras.Model(x, layers.Dense(1, kernel_initializer='ones')(x))
    model.compile(keras.optimizers.SGD(0.), 'mse', target_tensors=[tf.constant(Y)])
    by_hand = pytest.approx(((X.sum(1, keepdims=True) - Y) ** 2).mean())
    assert model.fit(epochs=2, steps_per_epoch=3, verbose=0).history['loss'] == [by_hand] * 2
    assert model.evaluate(steps=1, verbose=0) == by_hand
    assert model.predict(None, steps=2).shape == (16, 1)
    with pytest.raises(ValueError, match='steps_per_epoch'):
        model.fit(verbose=0)


@pytest.mark.parametrize('use, argument', [
    (lambda m, d: m.fit(d, verbose=0), 'steps_per_epoch'),
    (lambda m, d: m.evaluate(d, verbose=0), 'steps'),
    (lambda m, d: m.predict(d), 'steps'),
    (lambda m, d: m.fit(X, Y, validation_data=d, verbose=0), 'validation_steps')])
def test_an_infinite_dataset_needs_a_number_of_steps(use, argument):
    with pytest.raises(ValueError, match=f'infinitely repeating dataset.*`{argument}`'):
        use(still_model(), dataset().repeat())


def test_a_fixed_batch_size_is_the_default():
    model = keras.Sequential([
        layers.LSTM(2, stateful=True, batch_input_shape=(2, None, 3)), layers.Dense(1)])
    model.compile('sgd', 'mse')
    x, y = np.ones((4, 5, 3)), np.ones((4, 1))
    sizes = []
    model.fit(x, y, verbose=0, callbacks=[keras.callbacks.LambdaCallback(
        on_batch_end=lambda batch, logs: sizes.append(logs['size']))])
    assert sizes == [2, 2] and model.predict(x).shape == (4, 1)
    with pytest.raises(ValueError, match='value 4 is incompatible .* Input Layer: 2'):
        model.predict(x, batch_size=4)
    with pytest.raises(ValueError, match='stateful network.*Found: 3 samples'):
        model.fit(x[:3], y[:3], verbose=0)


def test_steps_per_epoch_over_arrays():
    history = linear_model().fit(ROWS, TARGETS, steps_per_epoch=4, batch_size=6, epochs=2,
                                 verbose=0).history
    np.testing.assert_allclose(history['loss'], [PLAIN] * 2, rtol=1e-5)


@pytest.mark.parametrize('use_resource', [False, True])
def test_an_input_may_be_a_variable(use_resource):
    """Whose values the model reads, and does not train."""
    variable = tf.Variable(np.ones((2, 3), np.float32), use_resource=use_resource)
    x = keras.Input(tensor=variable)
    model = keras.Model(x, keras.layers.Dense(1, kernel_initializer='ones')(x))
    assert model.get_config()['layers'][0]['config'] == {
        'batch_input_shape': (2, 3), 'dtype': 'float32', 'sparse': False, 'ragged': False,
        'name': 'input_1'}
    assert len(model.trainable_weights) == 2
    session = keras.backend.get_session()
    session.run(variable.initializer)
    assert model.predict(None, steps=1).tolist() == [[3.], [3.]]
    session.run(variable.assign(2 * np.ones((2, 3))))
    assert model.predict(None, steps=1).tolist() == [[6.], [6.]]
    assert keras.layers.InputLayer((3,), batch_size=4).batch_size == 4
