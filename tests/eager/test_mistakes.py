"""Mistakes in programs that run their ops at once: TensorFlow 1.15's classes, and a way out."""
import pytest

import tinyflow as tf


def in_a_function(call):
    return tf.function(call, autograph=False)(tf.constant([1., 2.]))


def variable_in_a_graph():
    v = tf.Variable(2.)
    with tf.Graph().as_default():
        return v * 2


def leaked():
    found = []
    tf.function(found.append)(tf.constant(1.))
    return found[0] + 1


def set_an_item():
    tf.zeros([2])[0] = 1.


@pytest.mark.parametrize('error, says, mistake', [
    (RuntimeError, "the Variable 'Variable' in graph", variable_in_a_graph),
    (RuntimeError, '(?s)tf.metrics are not supported when.*tf.keras.metrics',
     lambda: tf.metrics.mean([1., 2.])),
    (RuntimeError, 'GPU:0 unknown device', lambda: tf.zeros([2]).gpu()),
    (TypeError, '(?s)does not support item assignment.*assign', set_an_item),
    (TypeError, '(?s)"Graph" tensor.*leaves nodes in lists', leaked),
    (TypeError, r'\(x\): too many positional', lambda: tf.function(lambda x: x)(1, 2)),
    (AttributeError, '(?s)no attribute .numpy.*inside a tf.function it has no value yet',
     lambda: in_a_function(lambda x: x.numpy())),
    (NotImplementedError, '(?s)while the tf.function runs it.*return it',
     lambda: in_a_function(sum_of_array)),
    (tf.errors.OperatorNotAllowedInGraphError, '(?s)AutoGraph converts `if`',
     lambda: in_a_function(lambda x: 1 if x[0] > 0 else 2)),
    (tf.errors.OperatorNotAllowedInGraphError, '(?s)AutoGraph converts `for row in x',
     lambda: in_a_function(lambda x: list(x))),
    (ValueError, 'requested dtype float32 for Tensor with dtype int32: <tf.Tensor: .*numpy=1>',
     lambda: tf.Variable(1.).assign_add(tf.constant(1)))])
def test_message(error, says, mistake):
    with pytest.raises(error, match=says):
        mistake()


def sum_of_array(x):
    import numpy as np
    return np.sum(x)
