"""A network that needs its hidden layer.

`x` [4, 2] are the rows 00, 01, 10, 11, and `labels` [4, 1] are 0, 1, 1, 0: "one or the other". No
line divides them. Complete `network`: return the logits [rows, 1], and an operation that makes one
training step. After 400 steps all four must be right (a logit above 0 says 1).
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'training', 6

START = '''
import tinyflow as tf


def network(x, labels):
    logits = tf.layers.dense(x, 1)
    loss = tf.losses.sigmoid_cross_entropy(labels, logits)
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    return logits, train
'''

HINTS = (
    'One layer draws one line. A layer before it, with an activation, bends the plane first.',
    'hidden = tf.layers.dense(x, 8, activation=...)',
    'hidden = tf.layers.dense(x, 8, tf.nn.tanh); logits = tf.layers.dense(hidden, 1)',
)

SOLUTION = '''
import tinyflow as tf


def network(x, labels):
    hidden = tf.layers.dense(x, 8, activation=tf.nn.tanh)
    logits = tf.layers.dense(hidden, 1)
    loss = tf.losses.sigmoid_cross_entropy(labels, logits)
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    return logits, train
'''

WRONG = (
    (START, 'no hidden layer'),
    (SOLUTION.replace(', activation=tf.nn.tanh', ''), 'without an activation'),
    (SOLUTION.replace('0.05', '0.00001'), 'have hardly moved'),
    (SOLUTION.replace('dense(hidden, 1)', 'dense(hidden, 1, activation=tf.nn.relu)'),
     'never below 0'),
)


def check(answer):
    for seed in (1, 2, 3):                      # a right network may begin with unlucky weights
        with tf.Graph().as_default():
            tf.set_random_seed(seed)
            try:
                return _check(answer)
            except Wrong as error:
                wrong = error
    raise wrong


def _check(answer):
    x, labels = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 1])
    logits, train = (given(each, name) for each, name in
                     zip(answer.network(x, labels), ('the first result', 'the training step')))
    rows = {x: [[0, 0], [0, 1], [1, 0], [1, 1]], labels: [[0], [1], [1], [0]]}
    weights = [v for v in tf.trainable_variables() if v.shape.ndims == 2]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(weights)
        for _ in range(400):
            session.run(train, rows)
        found, after = session.run([logits, weights], rows)
    if np.shape(found) != (4, 1):
        raise Wrong(f'for 4 rows the logits have the shape {np.shape(found)}, not [4, 1]')
    if np.array_equal(found[:, 0] > 0, [False, True, True, False]):
        return
    problem = f'after 400 steps the logits are {np.round(found[:, 0], 2)}'
    if len(weights) < 2:
        raise Wrong(f'{problem}: there is no hidden layer', 'two layers, the first one with tanh.')
    if not any(each.any() for each in before):
        raise Wrong(f'{problem}: all weights are 0 at first, so all units learn the same',
                    'begin with random numbers: tf.random_normal, or tf.layers.dense.')
    moved = max(np.abs(a - b).max() for a, b in zip(after, before))
    if moved < 0.05:
        raise Wrong(f'{problem}: the weights have {"hardly" if moved else "not"} moved',
                    'a larger learning rate.' if moved else 'return what minimize returns.')
    if (found >= 0).all():
        raise Wrong(f'{problem}: never below 0', 'the last layer has no activation.')
    if np.allclose(found[0] + found[3], found[1] + found[2], atol=1e-3):
        raise Wrong(f'{problem}: two layers without an activation between them are one line',
                    'activation=tf.nn.tanh')
    raise Wrong(f'{problem}, not below, above, above, below 0', 'more hidden units?')
