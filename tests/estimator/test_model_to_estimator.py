"""model_to_estimator: weights, optimizer state and metrics of the Keras model are kept."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.estimator import keras_programs

keras = tf.keras
GOLDEN = read_recorded('estimator.keras')


def classifier(optimizer='adam', **settings):
    model = keras.Sequential([
        keras.layers.Dense(8, activation='relu', input_shape=(4,), name='hidden'),
        keras.layers.BatchNormalization(name='norm'),
        keras.layers.Dense(3, activation='softmax', name='probabilities')])
    model.compile(optimizer, 'sparse_categorical_crossentropy',
                  metrics=['accuracy', keras.metrics.SparseCategoricalCrossentropy(name='ce')],
                  **settings)
    return model


def data(rows=64):
    x = np.random.RandomState(0).rand(rows, 4).astype(np.float32)
    return x, (x.sum(1) * 1.2).astype(np.int32) % 3


def batches(repeat=1):
    x, y = data()
    return lambda: tf.data.Dataset.from_tensor_slices((x, y)).repeat(repeat).batch(16)


@pytest.mark.slow
@pytest.mark.parametrize('optimizer', [
    lambda: keras.optimizers.Adam(0.01), lambda: keras.optimizers.SGD(0.1, momentum=0.9),
    lambda: 'rmsprop'])
@pytest.mark.parametrize('checkpoint_format', ['saver', 'checkpoint'])
def test_training_continues_after_fit(tmp_path, optimizer, checkpoint_format):
    """Calling fit twice equals calling fit and then Estimator.train."""
    x, y = data()
    tf.set_random_seed(1)
    model = classifier(optimizer())
    model.fit(x, y, batch_size=16, epochs=1, shuffle=False, verbose=0)
    estimator = keras.estimator.model_to_estimator(
        model, model_dir=str(tmp_path), checkpoint_format=checkpoint_format)
    before = estimator.evaluate(batches())
    loss, accuracy, cross_entropy = model.evaluate(x, y, batch_size=16, verbose=0)
    np.testing.assert_allclose(
        [before['loss'], before['acc'], before['ce']], [loss, accuracy, cross_entropy], rtol=1e-4)
    assert before['global_step'] == 4
    model.fit(x, y, batch_size=16, epochs=1, shuffle=False, verbose=0)
    estimator.train(batches())
    predicted = np.array([one['probabilities'] for one in estimator.predict(batches())])
    np.testing.assert_allclose(predicted, model.predict(x), rtol=1e-4, atol=1e-6)
    assert estimator.evaluate(batches())['global_step'] == 8


@pytest.mark.slow
def test_model_from_a_file_and_tf_train_optimizer(tmp_path):
    x, y = data()
    model = classifier(tf.train.GradientDescentOptimizer(0.1))
    estimator = keras.estimator.model_to_estimator(model, model_dir=str(tmp_path / 'a'))
    estimator.train(batches(), steps=2)
    assert estimator.get_variable_value('global_step') == 2
    model = classifier()
    model.fit(x, y, verbose=0)
    path = str(tmp_path / 'model.h5')
    model.save(path)
    estimator = keras.estimator.model_to_estimator(keras_model_path=path,
                                                   model_dir=str(tmp_path / 'b'))
    found = np.array([one['probabilities'] for one in estimator.predict(batches())])
    np.testing.assert_allclose(found, model.predict(x), rtol=1e-5)


def doubled(x):
    return 2 * x


def test_custom_activation_function(tmp_path):
    model = keras.Sequential([keras.layers.Dense(1, activation=doubled, input_shape=(4,))])
    model.compile('sgd', 'mse')
    estimator = keras.estimator.model_to_estimator(
        model, custom_objects={'doubled': doubled}, model_dir=str(tmp_path))
    estimator.train(batches(), steps=2)
    assert estimator.get_variable_value('global_step') == 2


@pytest.mark.slow
def test_max_steps_with_object_based_checkpoints(tmp_path):
    estimator = keras.estimator.model_to_estimator(
        classifier(), model_dir=str(tmp_path), checkpoint_format='checkpoint')
    for max_steps, reached in ((2, 2), (3, 3), (3, 3)):
        estimator.train(batches(), max_steps=max_steps)
        assert estimator.evaluate(batches())['global_step'] == reached


@pytest.mark.slow
def test_object_based_checkpoints_have_the_names_of_save_weights(tmp_path):
    """The model is the root of its checkpoint; an export restores from the same names."""
    estimator = keras.estimator.model_to_estimator(
        classifier('sgd'), model_dir=str(tmp_path / 'm'), checkpoint_format='checkpoint')
    estimator.train(batches(), steps=2)
    value = '/.ATTRIBUTES/VARIABLE_VALUE'
    names = estimator.get_variable_names()
    assert sorted(name.replace(value, '') for name in names) == [
        '_CHECKPOINTABLE_OBJECT_GRAPH', 'estimator_global_step',
        'layer_with_weights-0/bias', 'layer_with_weights-0/kernel',
        'layer_with_weights-1/beta', 'layer_with_weights-1/gamma',
        'layer_with_weights-1/moving_mean', 'layer_with_weights-1/moving_variance',
        'layer_with_weights-2/bias', 'layer_with_weights-2/kernel',
        'optimizer/decay', 'optimizer/learning_rate', 'optimizer/momentum']
    exported = estimator.export_saved_model(
        str(tmp_path / 'e'), tf.estimator.export.build_raw_serving_input_receiver_fn(
            {'hidden_input': tf.TensorSpec([None, 4], tf.float32)}))
    x, _ = data()
    predicted = np.array([one['probabilities'] for one in estimator.predict(batches())])
    served = tf.contrib.predictor.from_saved_model(exported)({'hidden_input': x})
    np.testing.assert_allclose(served['probabilities'], predicted, rtol=1e-6)
    model = classifier('sgd')
    model.load_weights(estimator.latest_checkpoint())
    np.testing.assert_allclose(model.predict(x), predicted, rtol=1e-5)


@pytest.mark.slow
def test_two_inputs_two_outputs_and_sample_weights(tmp_path):
    a, b = keras.Input((2,), name='a'), keras.Input((3,), name='b')
    both = keras.layers.concatenate([a, b])
    outputs = [keras.layers.Dense(1, name='first')(both),
               keras.layers.Dense(2, name='second')(both)]
    model = keras.Model([a, b], outputs)
    model.compile('sgd', 'mse', loss_weights={'first': 1.0, 'second': 0.5})
    rng = np.random.RandomState(0)
    x = {'a': rng.rand(12, 2), 'b': rng.rand(12, 3)}
    y = {'first': rng.rand(12, 1).astype('f4'), 'second': rng.rand(12, 2).astype('f4')}

    def input_fn():
        return tf.data.Dataset.from_tensor_slices((x, y)).batch(4)

    estimator = keras.estimator.model_to_estimator(model, model_dir=str(tmp_path))
    estimator.train(input_fn)
    assert set(next(estimator.predict(input_fn))) == {'first', 'second'}

    def wrong():
        return tf.data.Dataset.from_tensor_slices(({'a': x['a'], 'c': x['b']}, y)).batch(4)

    with pytest.raises(KeyError, match="does not have the expected inputs keys"):
        estimator.train(wrong)

    def weighted(weights):
        return lambda: tf.data.Dataset.from_tensor_slices(
            ({'features': x, 'sample_weights': weights}, y)).batch(4)

    one = estimator.evaluate(input_fn)['loss']
    two = estimator.evaluate(weighted({'first': np.full(12, 2.0, 'f4'),
                                       'second': np.full(12, 2.0, 'f4')}))['loss']
    np.testing.assert_allclose(two, 2 * one, rtol=1e-5)


@pytest.mark.parametrize('make, words', [
    (lambda e: e(), 'Either `keras_model` or `keras_model_path` needs to be provided'),
    (lambda e: e(classifier(), 'x.h5'), 'but not both'),
    (lambda e: e(keras.Sequential([keras.layers.Dense(1, input_shape=(1,))])),
     'has not been compiled yet'),
    (lambda e: e(classifier(), checkpoint_format='h5'), 'must be one of "checkpoint" or "saver"'),
])
def test_wrong_calls(make, words):
    with pytest.raises(ValueError, match=words):
        make(keras.estimator.model_to_estimator)


@pytest.mark.slow
@pytest.mark.parametrize('name', sorted(keras_programs.PROGRAMS))
def test_training_equals_tensorflow(name, tmp_path):
    """Fifty losses, metrics, predictions from equal weights; names of all Variables."""
    wanted = GOLDEN[name]
    found = keras_programs.run(tf, name, str(tmp_path))
    assert found['variables'] == wanted['variables']
    np.testing.assert_allclose(found['losses'], wanted['losses'], rtol=1e-4)
    assert found['metrics'].keys() == wanted['metrics'].keys()
    for key, value in wanted['metrics'].items():
        np.testing.assert_allclose(found['metrics'][key], value, rtol=1e-4, err_msg=key)
    np.testing.assert_allclose(found['predictions'], wanted['predictions'], rtol=1e-4, atol=1e-6)
