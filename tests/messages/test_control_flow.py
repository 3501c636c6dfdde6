"""Messages about cond, while_loop, TensorArray and py_func."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.messages.support import check_mistake, run_all

pytestmark = pytest.mark.usefixtures('graph')


def written(index):
    run_all(tf.TensorArray(tf.float32, 2).write(index, 1.0).stack())


def while_loop(cond, body, values):
    return tf.while_loop(cond, body, values)


# name: (the mistake, the class of its error, words of its message)
MISTAKES = {
    'branches of different types': (
        lambda: tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(1.0)),
        ValueError, ['int32, float32', 'Hint: tf.cast']),
    'a branch that is no function': (
        lambda: tf.cond(tf.constant(True), tf.constant(1), tf.constant(2)), TypeError,
        ['true_fn must be callable', 'Hint: lambda']),
    'a body of too few arguments': (
        lambda: while_loop(lambda i, s: i < 3, lambda i: i + 1, [0, 0]), TypeError,
        ['body of the while_loop is called with 2 arguments', 'takes (i)', 'Hint: ']),
    'a condition of too few arguments': (
        lambda: while_loop(lambda i: i < 3, lambda i, s: (i + 1, s), [0, 0]), TypeError,
        ['cond of the while_loop is called with 2 arguments', 'Hint: ']),
    'a body of too few results': (
        lambda: while_loop(lambda i, s: i < 3, lambda i, s: i + 1, [0, 0]), ValueError,
        ['loop_vars: ', 'body returns: ', 'Hint: the body returns']),
    'a loop variable of another type': (
        lambda: while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [0]), TypeError,
        ['int32', 'float32', 'Hint: tf.cast']),
    'a condition that is a number': (
        lambda: while_loop(lambda i: i, lambda i: i + 1, [0]), TypeError, ['Hint: compare']),
    'a write past the end of a TensorArray': (
        lambda: written(5), tf.errors.InvalidArgumentError,
        ['element 5', '2 elements', 'Hint: size=...', 'dynamic_size=True']),
    'a py_func of another dtype': (
        lambda: run_all(tf.py_func(lambda x: x.astype(np.float64), [np.zeros(2, np.float32)],
                                tf.float32)), tf.errors.InvalidArgumentError,
        ['float64', 'expects float32', 'Hint: np.asarray']),
    'a py_func of too many values': (
        lambda: run_all(tf.py_func(lambda x: (x, x), [1.0], [tf.float32])),
        tf.errors.InvalidArgumentError, ['returns 2 values', 'Hint: Tout']),
}


@pytest.mark.parametrize('name', MISTAKES)
def test_a_mistake_is_explained(name):
    check_mistake(*MISTAKES[name])
