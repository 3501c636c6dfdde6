"""input_fn: Datasets, tensors, arrays, lists, DataFrames, and their errors."""
from __future__ import annotations

import functools
import importlib

import numpy as np
import pytest

import tinyflow as tf
from estimator_layer.session_cache.evaluation import CachedEvaluation
from tests.estimator.models import (
    KEYS,
    X,
    Y,
    classifier,
    halves,
    line,
    line_output,
    points,
)
from tinyflow.ops.random.tf1_node_count import as_in_tensorflow_1


@pytest.fixture
def trained(tmp_path):
    return line(tmp_path).train(points(), steps=60)


@pytest.mark.slow
@pytest.mark.parametrize('data', [
    points(1), ({'x': X}, Y), (X, Y),
    tf.estimator.inputs.numpy_input_fn({'x': X}, Y, batch_size=16, shuffle=False)])
def test_forms_of_input_data(tmp_path, data):
    """Arrays and pairs of them are accepted in place of an input_fn."""
    estimator = line(tmp_path).train(data, steps=3)
    np.testing.assert_allclose(
        estimator.evaluate(data)['mae'],
        np.abs(line_output(estimator) - Y).mean(), rtol=1e-5)
    found = np.array([one['y'] for one in estimator.predict(data)])
    np.testing.assert_allclose(found, line_output(estimator), rtol=1e-5)


class Stopped(Exception):
    """Raised in place of a training without end."""


@pytest.mark.parametrize('data', [
    ({'x': X}, Y), lambda: ({'x': X}, Y), lambda: ({'x': tf.constant(X)}, tf.constant(Y)),
    tf.estimator.inputs.numpy_input_fn({'x': X}, Y, num_epochs=None, shuffle=True)])
def test_training_without_end_is_announced(tmp_path, data, monkeypatch):
    def stop(*_):
        raise Stopped
    monkeypatch.setattr(importlib.import_module('estimator_layer.train'), '_run', stop)
    with pytest.warns(tf.errors.TinyflowWarning, match=r'\[endless-input\].*\n.*steps=') as found:
        with pytest.raises(Stopped):
            line(tmp_path).train(data)
    assert found[0].filename == __file__ and len(found) == 1


@pytest.mark.parametrize('data, settings', [
    (({'x': X}, Y), {'steps': 1}), (({'x': X}, Y), {'max_steps': 1}), (points(1), {}),
    (({'x': X}, Y), {'hooks': [tf.train.StopAtStepHook(1)]}),
    (tf.estimator.inputs.numpy_input_fn({'x': X}, Y, num_epochs=1, shuffle=False), {})])
def test_training_with_an_end_is_not(tmp_path, data, settings):
    line(tmp_path).train(data, **settings)          # a warning would be an error


def test_arrays_of_an_input_fn_are_one_batch(tmp_path):
    """As in TensorFlow the model_fn gets the very arrays, the same in each step."""
    rows = np.arange(300, dtype=np.float32)
    seen = []

    def model_fn(features, labels, mode):
        seen.append((type(features['x']), features['x'].shape))
        w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
        y = w * features['x']
        if mode == KEYS.PREDICT:
            return tf.estimator.EstimatorSpec(mode, {'y': y})
        loss = tf.reduce_sum(tf.square(y - labels))
        step = tf.train.GradientDescentOptimizer(1e-9).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    def input_fn():
        return {'x': rows}, rows

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path)).train(input_fn, steps=1)
    assert seen == [(np.ndarray, (300,))]
    w = 1e-9 * 2 * np.square(rows.astype(np.float64)).sum()
    np.testing.assert_allclose(estimator.get_variable_value('w'), w, rtol=1e-5)
    loss = estimator.evaluate(input_fn, steps=2)['loss']
    np.testing.assert_allclose(loss, np.square((w - 1) * rows.astype(np.float64)).sum(), rtol=1e-5)
    batches = estimator.predict(input_fn, yield_single_examples=False)
    for _ in range(2):
        np.testing.assert_allclose(next(batches)['y'], w * rows, rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize('data', [
    lambda: ({'x': X}, Y), lambda: ({'x': tf.constant(X)}, tf.constant(Y))])
def test_evaluation_without_end_is_announced(tmp_path, trained, data, monkeypatch):
    def stop(*_, **__):
        raise Stopped
    monkeypatch.setattr(importlib.import_module('estimator_layer.evaluate'), 'evaluate_once', stop)
    monkeypatch.setattr(CachedEvaluation, '_update', stop)
    with pytest.warns(tf.errors.TinyflowWarning, match=r'\[endless-input\].*\n.*steps=') as found:
        with pytest.raises(Stopped):
            trained.evaluate(data)
    assert found[0].filename == __file__ and len(found) == 1
    with pytest.raises(Stopped):
        trained.evaluate(data, steps=1)         # a warning would be an error


def test_data_frame(tmp_path):
    pandas = pytest.importorskip('pandas')
    frame = pandas.DataFrame({'a': X[:, 0], 'b': X[:, 0] ** 2})

    def model_fn(features, labels, mode):
        y = tf.layers.dense(tf.stack([features['a'], features['b']], 1), 1)[:, 0]
        if mode == KEYS.PREDICT:
            return tf.estimator.EstimatorSpec(mode, predictions=y)
        loss = tf.losses.mean_squared_error(labels, y)
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, train_op=tf.train.AdamOptimizer().minimize(
                loss, tf.train.get_global_step()))

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    labels = pandas.Series(Y[:, 0])
    estimator.train((frame, labels), steps=2)
    assert estimator.evaluate((frame, labels))['global_step'] == 2
    assert len(list(estimator.predict(frame))) == 40
    in_order = tf.estimator.inputs.pandas_input_fn(frame, labels, batch_size=30, shuffle=False)
    assert len(list(estimator.predict(in_order, yield_single_examples=False))) == 2


def test_input_fn_may_take_mode_params_and_config(tmp_path):
    arguments = {}

    def input_fn(mode, params, config):
        arguments.update(mode=mode, params=params, seed=config.tf_random_seed)
        return points()()

    line(tmp_path, {'rate': 0.2}).train(input_fn, steps=1)
    assert arguments == {'mode': 'train', 'params': {'rate': 0.2}, 'seed': 3}


def test_input_fn_may_be_a_partial(trained):
    def input_fn(params, **more):
        return tf.data.Dataset.from_tensors({'x': np.zeros([params['rows'], 1], np.float32)})

    rows = trained.predict(functools.partial(input_fn, params={'rows': 5}))
    assert len(list(rows)) == 5


def test_predict_accepts_lists(tmp_path):
    """Lists in place of an input_fn are read once; those that one returns are given again."""
    estimator = classifier(tmp_path, [4]).train(halves, steps=3)
    typed = list(estimator.predict({'x': [-1.0, 0.5, 1.0]}))
    arrays = list(estimator.predict({'x': np.array([-1.0, 0.5, 1.0], np.float32)}))
    assert len(typed) == 3
    for one, other in zip(typed, arrays):
        np.testing.assert_array_equal(one['probabilities'], other['probabilities'])


@pytest.mark.slow
def test_lists_of_strings_and_labels(tmp_path):
    word = tf.feature_column.categorical_column_with_vocabulary_list('word', ['yes', 'no'])
    estimator = tf.estimator.LinearClassifier([word], str(tmp_path), n_classes=2)
    rows = {'word': ['yes', 'no', 'yes', 'no']}, [1, 0, 1, 0]
    estimator.train(lambda: rows, steps=30)
    assert estimator.evaluate(rows)['accuracy'] == 1.0
    assert [p['class_ids'][0] for p in estimator.predict({'word': ['no', 'yes']})] == [0, 1]


def test_stacked_tensors_are_one_feature(tmp_path):
    """Stacked tensors are a feature as in TensorFlow, not an array."""
    def input_fn():
        return {'x': tf.stack([tf.constant([0.5]), tf.constant([1.0])])}, tf.constant([[2.], [3.]])
    assert np.isfinite(line(tmp_path).train(input_fn, steps=1).get_variable_value('line/bias'))


def test_tensor_of_another_graph_is_named(tmp_path):
    outside = tf.constant(Y)
    with pytest.raises(ValueError, match='created outside of input_fn') as caught:
        line(tmp_path).train(lambda: ({'x': tf.constant(X)}, outside), steps=1)
    assert 'test_input_fn.py' in str(caught.value)


# Recorded from TensorFlow 1.15.5.
NUMPY_INPUT_WEIGHTS = [0.18496131896972656, -0.7721171379089355, -0.47280240058898926]


def test_initial_weights_after_numpy_input_fn_equal_tensorflow():
    """The nodes of TF1's queue are counted, so that a seed gives the same initial weights."""
    def initial_weights(graph):
        tf.set_random_seed(4)
        tf.estimator.inputs.numpy_input_fn({'x': X}, Y, shuffle=False)()
        w = tf.get_variable('w', [3])
        with tf.Session(graph=graph) as session:
            session.run(w.initializer)
            return session.run(w)
    with tf.Graph().as_default() as graph:
        np.testing.assert_allclose(initial_weights(graph), NUMPY_INPUT_WEIGHTS, rtol=1e-6)
    for threads, columns, nodes in ((1, 2, 19), (2, 2, 23), (1, 4, 21)):
        with tf.Graph().as_default() as graph:
            tf.estimator.inputs.numpy_input_fn(
                {f'x{i}': X for i in range(columns - 1)}, Y, shuffle=True, num_threads=threads)()
            assert as_in_tensorflow_1(graph) == nodes
