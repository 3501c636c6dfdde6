"""Recurrent estimators: losses and predictions of TensorFlow 1.15.5 from the same seed."""
from __future__ import annotations

import itertools

import numpy as np
import pytest

import tinyflow as tf
from estimator_layer.canned.rnn.sequential_head import SequentialHeadWrapper, flatten_steps

column = tf.feature_column
STEPS = [[0, 0], [0, 1], [1, 0], [2, 0], [2, 1], [2, 2]]


def sequences():
    """Features of three sequences of 2, 1 and 3 steps, and labels of two classes.

    The other input functions begin with it, so that all graphs have the nodes, and with a seed the
    initial values, of the program that ran in TensorFlow.
    """
    words = tf.SparseTensor(STEPS, ['a', 'b', 'c', 'a', 'a', 'b'], [3, 3])
    numbers = tf.SparseTensor(STEPS, [1., 2, 3, 4, 5, 6], [3, 3])
    return {'word': words, 'number': numbers, 'context': tf.constant([[1.], [2.], [3.]]),
            'weight': tf.constant([[1.], [.5], [2.]])}, tf.constant([[0], [1], [1]])


def columns():
    words = column.sequence_categorical_column_with_vocabulary_list('word', ['a', 'b', 'c'])
    return [column.embedding_column(words, 4), column.sequence_numeric_column('number')]


def three_classes():
    return sequences()[0], tf.constant([2, 0, 1])


def numbers_as_labels():
    return sequences()[0], tf.constant([[1.], [2.], [3.]])


def label_of_each_step():
    return sequences()[0], tf.SparseTensor(STEPS, [1, 0, 1, 0, 0, 1], [3, 3])


class Losses(tf.train.SessionRunHook):
    """Keeps the loss of each step."""

    def begin(self):
        self.losses, self.loss = [], tf.get_collection(tf.GraphKeys.LOSSES)[-1]

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        self.losses.append(float(run_values.results))


def losses(estimator, input_fn):
    hook = Losses()
    estimator.train(input_fn, steps=4, hooks=[hook])
    return hook.losses


def settings(directory):
    return tf.estimator.RunConfig(model_dir=str(directory), tf_random_seed=7)


V1 = tf.contrib.estimator
CONTRIB = {
    'cells': (lambda config: V1.RNNClassifier(
        columns(), [column.numeric_column('context')], num_units=[5], cell_type='basic_rnn',
        weight_column='weight', config=config),
        sequences, [0.673429, 0.630349, 0.601333, 0.576211]),
    'gru': (lambda config: V1.RNNClassifier(
        columns(), [column.numeric_column('context')], num_units=[5], cell_type='gru',
        weight_column='weight', config=config),
        sequences, [0.752612, 0.690577, 0.653188, 0.626086]),
    'two layers': (lambda config: V1.RNNClassifier(
        columns(), num_units=[5, 3], n_classes=3, optimizer=tf.train.AdamOptimizer(.01),
        config=config), three_classes, [1.556476, 1.472283, 1.381780, 1.287112]),
    'cell function': (lambda config: V1.RNNEstimator(
        V1.regression_head(), columns(), rnn_cell_fn=lambda mode: tf.nn.rnn_cell.LSTMCell(4),
        config=config), numbers_as_labels, [4.090505, 3.478463, 3.047512, 2.706276]),
    'each step': (lambda config: V1.RNNEstimator(
        SequentialHeadWrapper(tf.estimator.BinaryClassHead(), 'mask'), columns(), num_units=[3],
        return_sequences=True, config=config), label_of_each_step,
        [0.838577, 0.812136, 0.791676, 0.775065]),
}


@pytest.mark.slow
@pytest.mark.parametrize('name', CONTRIB)
def test_contrib_losses_equal_tensorflow(name, tmp_path):
    make, input_fn, expected = CONTRIB[name]
    np.testing.assert_allclose(losses(make(settings(tmp_path)), input_fn), expected, rtol=1e-5)


@pytest.mark.slow
def test_contrib_classifier_evaluates_and_predicts(tmp_path):
    """The figures of TensorFlow after four steps."""
    make, input_fn, _ = CONTRIB['cells']
    estimator = make(settings(tmp_path)).train(input_fn, steps=4)
    assert 'rnn/logits/dense/kernel' in estimator.get_variable_names()
    metrics = estimator.evaluate(input_fn, steps=1)
    assert (round(metrics['average_loss'], 4), round(metrics['auc'], 3)) == (0.4733, 1.)
    first = next(estimator.predict(lambda: input_fn()[0]))
    np.testing.assert_allclose(first['logits'], [0.72478], rtol=1e-4)


V2 = tf.compat.v2.estimator.experimental
KERAS = {
    'cells': (lambda config: V2.RNNClassifier(
        columns(), [column.numeric_column('context')], units=[5], cell_type='simple_rnn',
        weight_column='weight', config=config), sequences, [0.91638, 0.82692, 0.77540, 0.73656]),
    'two layers': (lambda config: V2.RNNClassifier(
        columns(), units=[5, 3], cell_type='lstm', config=config),
        sequences, [0.70170, 0.69644, 0.69191, 0.68791]),
    'each step': (lambda config: V2.RNNClassifier(
        columns(), units=[3], return_sequences=True, config=config,
        optimizer=tf.keras.optimizers.Adam(.05)), label_of_each_step,
        [0.68425, 0.63699, 0.60554, 0.58285]),
}


@pytest.mark.slow
@pytest.mark.parametrize('name', KERAS)
def test_keras_losses_equal_tensorflow(name, tmp_path):
    make, input_fn, expected = KERAS[name]
    np.testing.assert_allclose(losses(make(settings(tmp_path)), input_fn), expected, rtol=2e-5)


def test_predictions_of_each_step_have_the_mask(tmp_path):
    make, input_fn, _ = KERAS['each step']
    estimator = make(settings(tmp_path)).train(input_fn, steps=1)
    found = list(itertools.islice(estimator.predict(lambda: sequences()[0]), 3))
    assert [row['sequence_mask'].tolist() for row in found] == [
        [True, True, False], [True, False, False], [True, True, True]]
    assert found[0]['class_ids'].shape == (3, 1)


def test_model_of_its_config():
    from estimator_layer.canned.rnn.model import RNNModel
    model = RNNModel(tf.keras.layers.SimpleRNN(2, return_sequences=True), 3, columns(),
                     return_sequences=True, activation='relu')
    copy = RNNModel.from_config(model.get_config())
    assert copy.get_config() == model.get_config()
    shapes = [m(sequences()[0]).shape.as_list() for m in (model, copy)]
    assert shapes == [[3, 3, 3]] * 2


@pytest.mark.parametrize('make, text', [
    (lambda: V1.RNNClassifier(columns(), num_units=[3], rnn_cell_fn=lambda mode: None),
     'must not be specified when using rnn_cell_fn'),
    (lambda: V1.RNNClassifier(columns(), num_units=3), r'num_units=\[32\]'),
    (lambda: V1.RNNClassifier(columns(), num_units=[3], cell_type='x').train(sequences, steps=1),
     'Supported cell types'),
    (lambda: V1.RNNEstimator(V1.regression_head(), columns(), num_units=[3],
                             return_sequences=True), '`_SequentialHead`'),
    (lambda: V2.RNNClassifier(columns(), units=[3], cell_type='x').train(sequences, steps=1),
     'class producing a RNN cell'),
    (lambda: V2.RNNEstimator(tf.estimator.RegressionHead(), columns(), units=[3],
                             rnn_cell_fn=lambda: None), 'must not be specified'),
    (lambda: SequentialHeadWrapper(tf.estimator.MultiHead([tf.estimator.RegressionHead(name='a')])),
     '`MultiHead` is not supported'),
])
def test_refusals(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_steps_that_a_mask_selects(session):
    mask = tf.constant([[True, True], [True, False]])
    number = tf.constant(3)
    dense = flatten_steps(tf.reshape(tf.range(8), [2, 2, 2]), mask, number)
    assert session.run(dense).tolist() == [[0, 1], [2, 3], [4, 5]]
    unsorted = tf.SparseTensor([[1, 0], [0, 0], [0, 1]], [3, 1, 2], [2, 2])
    assert session.run(flatten_steps(unsorted, mask, number)).tolist() == [[1], [2], [3]]
    one_step = tf.SparseTensor([[0, 0]], [1], [2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match='incompatible with provided mask'):
        session.run(flatten_steps(one_step, mask, number))
