"""What fit, evaluate and compile are given besides the data: weights of classes, metrics, steps."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)
WEIGHTS = {0: 10., 1: 20.}


@pytest.fixture(autouse=True)
def _own_graph():
    with tf.Graph().as_default():
        yield


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


class Halves(keras.utils.Sequence):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return X[4 * index:4 * index + 4], Y[4 * index:4 * index + 4]


@pytest.mark.parametrize('weights', [{-1: 1., 1: 3.}, {1: 3., -1: 1.}])
def test_classes_may_have_negative_numbers(weights):
    model, y = still_model('hinge'), np.where(Y > 0, 1, -1)
    by_hand = np.where(Y > 0, 3., 1.).ravel()
    assert model.train_on_batch(X, y, class_weight=weights) == pytest.approx(
        model.train_on_batch(X, y, sample_weight=by_hand))


def test_class_weights_are_for_training_alone():
    plain = still_model().evaluate(X, Y, verbose=0)
    found = still_model().fit(batches(), steps_per_epoch=1, validation_data=batches(),
                              validation_steps=1, class_weight=WEIGHTS, verbose=0).history
    assert found['val_loss'] == [pytest.approx(plain)]
    assert found['loss'][0] > 5 * plain


def test_a_callback_that_evaluates_leaves_the_class_weights_of_fit():
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
def test_weights_for_outputs_that_are_not_there(more, words):
    model = model_of_two()
    model.compile('sgd', 'mse')
    with pytest.raises(ValueError, match=words):
        model.train_on_batch(X, [Y, Y], **more)


def test_each_output_has_a_metric_object_of_its_own():
    model = model_of_two()
    model.compile('sgd', 'mse', metrics=[keras.metrics.MeanAbsoluteError()])
    found = dict(zip(model.metrics_names, model.evaluate(X, [Y, Y], verbose=0)))
    assert found['a_mean_absolute_error'] == pytest.approx(np.abs(X.sum(1) - Y.ravel()).mean())
    assert found['b_mean_absolute_error'] == pytest.approx(Y.mean())


@pytest.mark.parametrize('data', [Halves, batches,
                                  lambda: tf.data.Dataset.from_tensors((X, Y)).repeat()])
@pytest.mark.parametrize('more, words', [
    ({'y': Y}, '`?y`'), ({'sample_weight': np.ones(8)}, '`sample_weight`'),
    ({'batch_size': 4}, '`batch_size` argument must not be specified')])
def test_what_is_for_arrays_alone_is_refused_with_other_data(data, more, words):
    with pytest.raises(ValueError, match=words):
        still_model().fit(data(), steps_per_epoch=1, verbose=0, **more)


def test_a_model_cannot_be_dynamic_nor_have_outputs_alone():
    with pytest.raises(NotImplementedError, match='dynamic=True'):
        keras.Model(name='own', dynamic=True)
    with pytest.raises(TypeError, match='needs its inputs'):
        keras.Model(outputs=layers.Dense(1)(keras.Input((3,))))


def test_an_empty_sequential_is_cloned():
    assert keras.models.clone_model(keras.Sequential()).layers == []


# ---- optimizers and metrics ------------------------------------------------------------------

def test_minimize_takes_the_gradient_of_the_loss_and_leaves_what_it_does_not_depend_on():
    K, step = keras.backend, keras.optimizers.SGD(0.1)
    used, unused = K.variable(2.), K.variable(5.)
    with pytest.warns(UserWarning, match='Gradients do not exist'):
        train = step.minimize(used * used, [used, unused], grad_loss=K.constant(10.))
    K.get_session().run(train)
    assert K.batch_get_value([used, unused]) == [-2., 5.]


@pytest.mark.parametrize('number, expected', [(1, .5), (2, 0.), (5, .5)])
def test_sensitivity_at_specificity_counts_outputs_of_exactly_0_and_1(number, expected):
    # The values are TF 1.15's.
    metric = keras.metrics.SensitivityAtSpecificity(0.9, num_thresholds=number)
    update = metric.update_state([0., 0, 0, 0, 1, 1, 1, 1], [0., 0, .5, .3, 0, 1, 1, .4])
    session = keras.backend.get_session()
    session.run(update)
    assert session.run(metric.result()) == expected


def test_source_inputs_come_in_the_order_in_which_layers_take_them():
    x, y = keras.Input((3,)), keras.Input((3,))
    total = layers.add([layers.Dense(3)(x), y])
    assert [a is b for a, b in zip(keras.utils.get_source_inputs(total), (x, y))] == [True, True]


def test_function_takes_the_options_of_a_run():
    K, metadata = keras.backend, tf.RunMetadata()
    x = K.placeholder((2,))
    double = K.function([x], [x * 2.], run_metadata=metadata,
                        options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE))
    assert double([[1., 2.]])[0].tolist() == [2., 4.]
    assert metadata.step_stats.dev_stats


# ---- models without data or without weights to train -----------------------------------------

def test_a_model_of_tensors_needs_no_data_but_a_number_of_steps():
    x = keras.Input(tensor=tf.constant(X))
    model = keras.Model(x, layers.Dense(1, kernel_initializer='ones')(x))
    model.compile(keras.optimizers.SGD(0.), 'mse', target_tensors=[tf.constant(Y)])
    by_hand = pytest.approx(((X.sum(1, keepdims=True) - Y) ** 2).mean())
    assert model.fit(epochs=2, steps_per_epoch=3, verbose=0).history['loss'] == [by_hand] * 2
    assert model.evaluate(steps=1, verbose=0) == by_hand
    assert model.predict(None, steps=2).shape == (16, 1)
    with pytest.raises(ValueError, match='steps_per_epoch'):
        model.fit(verbose=0)


def test_fit_of_a_frozen_model_tells_its_loss_and_changes_nothing():
    model = still_model()
    model.trainable = False
    model.compile('sgd', 'mse')
    before = model.get_weights()
    loss = model.fit(X, Y, verbose=0).history['loss']
    assert loss == [pytest.approx(model.evaluate(X, Y, verbose=0))]
    assert all(map(np.array_equal, before, model.get_weights()))
