"""A loss for classes.

`logits` [rows, 3] are a network's last outputs, without softmax; `labels` [rows] are 0, 1 or 2.
Complete `loss_and_accuracy`: return the mean cross-entropy, and the share of rows whose largest
logit is that of the label.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong

LEVEL, LESSON = 'training', 6

START = '''
import tinyflow as tf


def loss_and_accuracy(logits, labels):
    loss = ...
    accuracy = ...
    return loss, accuracy
'''

HINTS = (
    'tf.losses has a function for labels that are numbers of classes ("sparse").',
    'tf.argmax(logits, axis=1) is the class of each row; tf.equal compares it with the labels.',
    'accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))',
)

SOLUTION = '''
import tinyflow as tf


def loss_and_accuracy(logits, labels):
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    right = tf.equal(tf.argmax(logits, axis=1), labels)
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
    return loss, accuracy
'''

WRONG = (
    (START, 'is not a tensor'),
    (SOLUTION.replace('(labels, logits)', '(labels, tf.nn.softmax(logits))'), 'applied twice'),
    (SOLUTION.replace('axis=1', 'axis=0'), 'axis'),
    (SOLUTION.replace('    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)',
                      '    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, '
                      'logits=logits)'), 'one number'),
    (SOLUTION.replace('tf.reduce_mean(tf.cast(right, tf.float32))',
                      'tf.metrics.accuracy(labels, tf.argmax(logits, 1))'), 'for one batch'),
)


def check(answer):
    logits, labels = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int64, [None])
    values = np.random.RandomState(0).normal(0, 2, (40, 3))
    classes = np.arange(40) % 3
    try:
        both = answer.loss_and_accuracy(logits, labels)
        for name, each in zip(('loss', 'accuracy'), both):
            if not isinstance(each, tf.Tensor):
                raise Wrong(f'the {name} is not a tensor{" yet" * (each is ...)}',
                            'tf.metrics.accuracy counts over many batches, in Variables; for one '
                            'batch take tf.reduce_mean.' if isinstance(each, tuple) else
                            'tf.losses, tf.argmax')
        if tf.local_variables():
            raise Wrong('the accuracy is that of all batches so far, kept in Variables',
                        'tf.reduce_mean of what is right in this batch.')
        with tf.Session() as session:
            loss, accuracy = session.run(both, {logits: values, labels: classes})
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        raise Wrong(f'the graph cannot run: {error}', '' if 'Hint' in str(error) and 'softmax' in
                    str(error).lower() else 'each row has a class: axis=1.') from None
    if np.ndim(loss):
        raise Wrong(f'the loss has the shape {loss.shape}, not one number', 'tf.reduce_mean')
    shares = np.exp(values) / np.exp(values).sum(1, keepdims=True)

    def entropy(shares):
        return -np.log(shares[np.arange(40), classes]).mean()
    twice = np.exp(shares) / np.exp(shares).sum(1, keepdims=True)
    if np.isclose(loss, entropy(twice), rtol=1e-4):
        raise Wrong('softmax is applied twice', 'the loss applies it: give it the logits.')
    if not np.isclose(loss, entropy(shares), rtol=1e-4):
        raise Wrong(f'the loss is {loss:.4f}, not {entropy(shares):.4f}',
                    'the mean over the rows, not the sum.' if loss > 10 * entropy(shares) else
                    'tf.losses.sparse_softmax_cross_entropy(labels, logits)')
    if not np.isclose(accuracy, np.mean(values.argmax(1) == classes)):
        raise Wrong(f'the accuracy is {accuracy}, not {np.mean(values.argmax(1) == classes)}',
                    'compare tf.argmax(logits, axis=1) with the labels by tf.equal; == compares '
                    'Python objects.')
