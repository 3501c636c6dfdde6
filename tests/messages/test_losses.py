"""Messages about losses: labels and logits swapped or of another size, training on accuracy."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.messages.support import (
    check_message,
    check_mistake,
    expect,
    input_x,
    message_of,
    minimize,
    run,
    run_all,
    scores,
)

pytestmark = pytest.mark.usefixtures('graph')


def exchanged_softmax():
    _, y, _, logits = scores()
    minimize(tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=logits, logits=y)))


def exchanged_sparse():
    _, _, classes, logits = scores()
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=logits, logits=classes)


def accuracy():
    _, y, _, logits = scores()
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
    minimize(tf.reduce_mean(tf.cast(right, tf.float32)))


def in_top_k():
    _, _, classes, logits = scores()
    minimize(tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, classes, 1), tf.float32)))


@pytest.mark.parametrize('function, parts', [
    (exchanged_softmax, ("logits='y:0'", 'labels get no gradient')),
    (exchanged_sparse, ("logits='c:0'", 'Rank of labels (received 2)', 'Hint: labels= takes'))])
def test_swapped_labels_and_logits(function, parts):
    check_message(ValueError, function, 'labels and logits look swapped', "labels='scores:0'",
                  'test_losses.py:', *parts)


def test_labels_with_variables_on_both_sides_are_not_reported_as_swapped():
    _, _, _, logits = scores()
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=logits, logits=tf.stop_gradient(logits))
    text = message_of(ValueError, lambda: minimize(loss))
    assert 'look swapped' not in text and 'tf.stop_gradient is' in text


@pytest.mark.parametrize('function', [accuracy, in_top_k])
def test_training_on_an_accuracy(function):
    text = message_of(ValueError, function)
    expect(text, 'counts correct predictions', 'cross-entropy loss')
    assert 'itself' not in text


SOFTMAX = ['softmax_cross_entropy_with_logits', 'softmax_cross_entropy_with_logits_v2',
           'sparse_softmax_cross_entropy_with_logits']


@pytest.mark.parametrize('name', SOFTMAX)
def test_rows_of_labels_and_logits(name):
    x, y, classes, logits = scores()
    labels = classes if 'sparse' in name else y
    loss = getattr(tf.nn, name)(labels=labels, logits=logits)
    rows = np.zeros(labels.shape.as_list()[1:], np.float32)
    text = message_of(tf.errors.InvalidArgumentError,
                      lambda: run( loss, {x: np.zeros([5, 2]), labels: [rows] * 4}))
    expect(text, "logits: 'scores:0' float32 [5, 2]", f"labels: '{labels.name}'",
           'feed as many rows of labels as of logits')
    assert text.count('getattr(tf.nn, name)') == 1


# name: (the mistake, the class of its error, words of its message)
MISTAKES = {
    'labels and logits by position': (
        lambda: tf.nn.softmax_cross_entropy_with_logits(tf.zeros([2, 3]), tf.zeros([2, 3])),
        ValueError, ['named arguments', 'Hint: softmax_cross_entropy_with_logits(labels=y, log']),
    'a label out of range': (
        lambda: run_all(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=[10], logits=np.zeros((1, 10), np.float32))), tf.errors.InvalidArgumentError,
        ['label value of 10', '[0, 10)', 'Hint: labels count from 0']),
    'flat labels into nce_loss': (
        lambda: tf.nn.nce_loss(tf.zeros([50, 8]), tf.zeros([50]), labels=input_x(None),
                               inputs=input_x(None, 8), num_sampled=5, num_classes=50), ValueError,
        ['rank 2 but is rank 1', 'Hint: tf.reshape(labels, [-1, 1])']),
}


@pytest.mark.parametrize('name', MISTAKES)
def test_a_mistake_is_explained(name):
    check_mistake(*MISTAKES[name])
