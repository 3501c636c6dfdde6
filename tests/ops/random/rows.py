"""Rows of the ops that draw; their values are tested in tests/ops/random/test_random_ops.py.

All have seeds, so that both executors draw the same.
"""
import numpy as np

from tests.ops.rows import row
from tinyflow.ops.random.random_functions import parameterized_truncated_normal

LOGITS = np.log(np.array([[0.1, 0.9, 1e-9], [0.5, 0.25, 0.25]]))


def bounded_normal(tf):
    return parameterized_truncated_normal([4], 1.0, 2.0, 0.0, 3.0, seed=1)


ROWS = [
    row('RandomUniform', lambda tf: tf.random_uniform([3, 2], seed=1),
        bad=[lambda tf: tf.random_uniform([[3]]), lambda tf: tf.random_uniform(3)],
        run_bad=[lambda tf: tf.random_uniform([2, -1])]),
    row('RandomUniform', lambda tf, n: tf.random_uniform(n, dtype=tf.float64, seed=1),
        [np.array([2, 3], np.int32)], static_result=False),
    row('RandomUniformInt', lambda tf: tf.random_uniform([3], 0, 7, tf.int64, seed=1),
        bad=[lambda tf: tf.random_uniform([3], [0, 1], [7, 7], tf.int32)],
        run_bad=[lambda tf: tf.random_uniform([3], 7, 7, tf.int32)]),
    row('RandomStandardNormal', lambda tf: tf.random_normal([3, 2], dtype=tf.float16, seed=1)),
    row('TruncatedNormal', lambda tf: tf.truncated_normal([5], dtype=tf.float64, seed=1)),
    row('ParameterizedTruncatedNormal', bounded_normal),
    row('RandomShuffle', lambda tf, x: tf.random_shuffle(x, seed=1), [(3, 2)], grad=False),
    row('RandomShuffle', lambda tf, x: tf.random_shuffle(x, seed=1), [np.zeros(0)], grad=False,
        ref=lambda x: x, name='empty'),
    row('Multinomial', lambda tf, x: tf.multinomial(x, 4, seed=1), [LOGITS], grad=False,
        bad=[lambda tf: tf.multinomial([0.0, 1.0], 4)],
        run_bad=[lambda tf: tf.multinomial(tf.zeros([2, 0]), 4)]),
    row('RandomGamma', lambda tf, a: tf.random_gamma([2], a, dtype=tf.float64, seed=1),
        [np.array([0.5, 3.0])], grad=False),
    row('RandomPoissonV2', lambda tf, m: tf.random_poisson(m, [2], seed=1), [np.array([0.5, 30.0])],
        grad=False),
    row('StatelessRandomUniform', lambda tf: tf.random.stateless_uniform([3], [1, 2]),
        bad=[lambda tf: tf.random.stateless_uniform([3], [1, 2, 3])]),
    row('StatelessRandomUniformInt',
        lambda tf: tf.random.stateless_uniform([3], [1, 2], 0, 9, tf.int32)),
    row('StatelessRandomNormal', lambda tf: tf.random.stateless_normal([3], [1, 2])),
    row('StatelessTruncatedNormal', lambda tf: tf.random.stateless_truncated_normal([3], [1, 2])),
    row('StatelessMultinomial', lambda tf, x: tf.random.stateless_categorical(x, 4, [1, 2]),
        [LOGITS], grad=False),
]
