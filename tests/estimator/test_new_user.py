"""What somebody who is new to Estimators runs into."""
from __future__ import annotations

import logging

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.small import KEYS, X, Y, line, line_fn, points


def classifier(model_dir, units):
    columns = [tf.feature_column.numeric_column('x')]
    return tf.estimator.DNNClassifier(units, columns, str(model_dir), n_classes=2)


def halves():
    return {'x': X[:, 0]}, (Y[:, 0] > 1).astype(np.int32)


@pytest.mark.parametrize('call', [
    lambda estimator: estimator.train(halves, steps=2),
    lambda estimator: estimator.evaluate(halves, steps=1),
    lambda estimator: next(estimator.predict(halves))], ids=['train', 'evaluate', 'predict'])
def test_another_model_in_the_same_model_dir_says_what_an_estimator_can_do(tmp_path, call):
    classifier(tmp_path, [4]).train(halves, steps=1)
    with pytest.raises(tf.errors.InvalidArgumentError) as failed:
        call(classifier(tmp_path, [5]))
    told = str(failed.value)
    assert 'dnn/hiddenlayer_0/kernel' in told and 'in the checkpoint [1,4]' in told
    assert f'or delete {tmp_path}' in told and 'WarmStartSettings' in told
    assert 'sess.run' not in told


def test_a_model_with_more_layers_is_told_of_the_model_dir_too(tmp_path):
    classifier(tmp_path, [4]).train(halves, steps=1)
    with pytest.raises(tf.errors.NotFoundError, match='Take a new model_dir'):
        classifier(tmp_path, [4, 4]).evaluate(halves, steps=1)


def test_rows_to_predict_may_be_typed_in_as_lists(tmp_path):
    """Lists end as arrays do; in TensorFlow predict would go on for ever (PAINS B18)."""
    estimator = classifier(tmp_path, [4]).train(halves, steps=3)
    typed = list(estimator.predict(lambda: {'x': [-1.0, 0.5, 1.0]}))
    arrays = list(estimator.predict({'x': np.array([-1.0, 0.5, 1.0], np.float32)}))
    assert len(typed) == 3
    for one, other in zip(typed, arrays):
        np.testing.assert_array_equal(one['probabilities'], other['probabilities'])


def test_lists_of_words_and_of_labels(tmp_path):
    word = tf.feature_column.categorical_column_with_vocabulary_list('word', ['yes', 'no'])
    estimator = tf.estimator.LinearClassifier([word], str(tmp_path), n_classes=2)
    rows = {'word': ['yes', 'no', 'yes', 'no']}, [1, 0, 1, 0]
    estimator.train(lambda: rows, steps=30)
    assert estimator.evaluate(rows)['accuracy'] == 1.0
    assert [p['class_ids'][0] for p in estimator.predict({'word': ['no', 'yes']})] == [0, 1]


def test_tensors_in_lists_stay_what_the_input_fn_made_them(tmp_path):
    """A list of tensors is one feature of TensorFlow's, not an array."""
    def input_fn():
        return {'x': tf.stack([tf.constant([0.5]), tf.constant([1.0])])}, tf.constant([[2.], [3.]])
    assert np.isfinite(line(tmp_path).train(input_fn, steps=1).get_variable_value('line/bias'))


@pytest.mark.parametrize('call, kind, words', [
    (lambda d: classifier(d, 4).train(halves, steps=1), TypeError,
     r'hidden_units=\[4\], one number'),
    (lambda d: line(d).train(points(), hooks=[tf.train.StopAtStepHook], steps=1), TypeError,
     r'that is the class; StopAtStepHook\(...\) makes a hook'),
    (lambda d: classifier(d, [4]).train(
        lambda: tf.data.Dataset.from_tensor_slices(halves()), steps=1), ValueError,
     r'dataset.batch\(32\) in the input function'),
    (lambda d: line(d).train(points(), steps=1).get_variable_value('line/weights'),
     tf.errors.NotFoundError, r'get_variable_names\(\), such as line/'),
], ids=['units', 'hook class', 'no batch', 'variable'])
def test_a_slip_is_answered_with_what_was_meant(tmp_path, call, kind, words):
    with pytest.raises(kind, match=words):
        call(tmp_path)


def test_values_of_an_untrained_model_are_not_given_in_silence(tmp_path, told):
    estimator = classifier(tmp_path, [4])
    told.clear()
    logger = logging.getLogger('tensorflow')
    logger.setLevel(logging.WARNING)            # what is heard unless one asks for more
    estimator.evaluate(halves)
    next(estimator.predict({'x': [0.5]}))
    assert [text.split(', ')[-1] for text in told] == [
        'running initialization to evaluate.', 'running initialization to predict.']


def test_the_log_shows_values_as_numpy_does(tmp_path, told):
    line(tmp_path).train(points(), steps=1, hooks=[
        tf.train.LoggingTensorHook(['mean_squared_error/value'], every_n_iter=1)])
    logged = next(text for text in told if text.startswith('mean_squared_error/value = '))
    value = logged.split(' = ')[1]
    assert value == str(np.float32(value)) and len(value) < 12


def test_early_stopping_says_nothing_before_there_can_be_an_evaluation(tmp_path, told):
    estimator = line(tmp_path, save_checkpoints_steps=5)
    hook = tf.estimator.experimental.stop_if_no_decrease_hook(
        estimator, 'loss', 50, run_every_secs=None, run_every_steps=5, restore_best=True)
    tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(points(), max_steps=20, hooks=[hook]),
        tf.estimator.EvalSpec(points(1), steps=None, start_delay_secs=0, throttle_secs=0))
    assert not any('no evaluation' in text for text in told)


def scored_fn(features, labels, mode):
    """line_fn with a score of the global step: 3, then 2, then worse, and best from step 13 on."""
    spec = line_fn(features, labels, mode, {})
    if mode != KEYS.EVAL:
        return spec
    score = tf.gather([3.0] + 4 * [2.0] + 8 * [2.5] + 20 * [1.0], tf.train.get_global_step())
    return spec._replace(eval_metric_ops={'score': tf.metrics.mean(score)})


def test_the_best_checkpoint_may_be_the_one_that_is_saved_when_it_stops(tmp_path):
    estimator = tf.estimator.Estimator(
        scored_fn, str(tmp_path), tf.estimator.RunConfig(save_checkpoints_steps=4))
    hook = tf.estimator.experimental.stop_if_no_decrease_hook(
        estimator, 'score', 8, run_every_secs=None, run_every_steps=3, restore_best=True)
    tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(points(), max_steps=400, hooks=[hook]),
        tf.estimator.EvalSpec(points(1), steps=None, start_delay_secs=0, throttle_secs=0))
    found = {step: metrics['score'] for step, metrics in
             tf.contrib.estimator.read_eval_metrics(estimator.eval_dir()).items()}
    assert max(found) == min(found, key=found.get) < 20
    assert estimator.evaluate(points(1))['global_step'] == max(found)


# ---- pictures ----------------------------------------------------------------------------------

def test_an_estimator_is_drawn_as_the_graph_that_it_trained(tmp_path):
    estimator = classifier(tmp_path, [4]).train(points_of_halves, steps=1)
    model = tf.viz.draw(estimator).model
    shown = {node.name for node in model.nodes}
    assert {'kernel', 'bias', 'MatMul', 'Relu', 'IteratorGetNext'} <= shown
    assert model.node('dnn/hiddenlayer_0/kernel').kind == 'variable'    # one part, one node
    assert not any('part_0' in node.name for node in model.nodes)
    assert [node.name for node in model.nodes if node.fetched] == ['Sum']
    assert 'assert_range' in shown and not any(box.path[-1].startswith('assert_')
                                               for box in model.boxes)


def points_of_halves():
    return tf.data.Dataset.from_tensor_slices(halves()).batch(8)


def test_an_estimator_of_ones_own_is_drawn_with_its_loss(tmp_path):
    estimator = line(tmp_path).train(points(), steps=1)
    picture = tf.viz.draw(estimator)
    assert any('mean_squared_error' in node.name or node.fetched for node in picture.model.nodes)
    assert picture.model.node('line/kernel').kind == 'variable'


def test_an_estimator_without_a_checkpoint_says_how_it_is_drawn(tmp_path):
    with pytest.raises(ValueError, match='no checkpoint.*\n.*train.*first'):
        tf.viz.draw(line(tmp_path))
    graph = tf.explain(tf.estimator.Estimator(line_fn, str(tmp_path), params={})).graph(
        'train', points())
    assert tf.viz.draw(graph.spec.loss).model.nodes
