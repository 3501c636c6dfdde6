"""Messages about arguments that a function does not take."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.messages.support import check_message, floats, message_of, scores, weights, x23
from tinyflow.graph.shapes import TensorShape

pytestmark = pytest.mark.usefixtures('graph')


def minimize(loss, rate=0.1, **settings):
    """Not that of support.py: messages name a line of this file."""
    return tf.train.GradientDescentOptimizer(rate).minimize(loss, **settings)


def in_scope():
    with tf.name_scope('my layer'):
        pass


OLD_ORDER = 'TensorFlow before 1.0'


def matrix():
    return tf.Variable(tf.zeros([2, 3]), name='m')


ARGUMENTS = [
    ('concat(1, tensors)', ValueError, lambda: tf.concat(1, [floats(), floats()]),
     (OLD_ORDER, 'the axis is the second argument: tf.concat(values, axis)', "'f:0'")),
    ('split(0, 2, t)', TypeError, lambda: tf.split(0, 2, floats()),
     (OLD_ORDER, 'tf.split(value, num_or_size_splits, axis)', "'f:0'")),
    ('zeros of an unknown size', TypeError,
     lambda: tf.Variable(tf.zeros([scores()[0].shape[0], 2])), ('not known', 'tf.shape(x)[i]')),
    ('Variable of unknown shape', ValueError,
     lambda: tf.Variable(tf.zeros([tf.shape(scores()[0])[0], 2])), ('[?, 2]', 'validate_shape')),
    ('placeholder(shape, dtype)', TypeError, lambda: tf.placeholder([None, 3], tf.float32),
     ('the dtype comes first: tf.placeholder(tf.float32, [None, 3])',)),
    ('placeholder(shape)', TypeError, lambda: tf.placeholder([None, 3]), ('comes first',)),
    ('placeholder("flaot")', TypeError, lambda: tf.placeholder('flaot'), ('tf.float32',)),
    ('placeholder of -1', ValueError, lambda: tf.placeholder(tf.float32, [-1, 3]),
     ('Dimension -1', '[None, 3]')),
    ('placeholder(dtype, name)', TypeError, lambda: tf.placeholder(tf.float32, 'x'),
     ("name='x'",)),
    ('minimize(None)', AttributeError, lambda: minimize(None), ('have a return statement',)),
    ('minimize(0.5)', AttributeError, lambda: minimize(0.5), ('loss = sess.run(loss)',)),
    ('minimize(array)', AttributeError, lambda: minimize(np.float32(0.5)),
     ('loss = sess.run(loss)',)),
    ('minimize([a, b])', AttributeError, lambda: minimize([floats(), floats()]), ('tf.add_n',)),
    ('global_step=0', AttributeError,
     lambda: minimize(tf.reduce_sum(weights()), global_step=0), ('get_or_create_global_step',)),
    ('rate as text', TypeError, lambda: minimize(tf.reduce_sum(weights()), '0.1'),
     ("learning_rate must be a number or a tensor, not the string '0.1'", "float('0.1')")),
    ('rate None', ValueError, lambda: minimize(tf.reduce_sum(weights()), None),
     ('learning_rate is None',)),
    ('int Variable', ValueError, lambda: minimize(tf.Variable(3) * 2),
     ('Invalid type tf.int32', 'tf.Variable(3.0)')),
    ('int Variable, cast', ValueError, lambda: minimize(tf.cast(tf.Variable(3), tf.float32)),
     ('int32', 'tf.Variable(3.0)')),
    ('loss + None', ValueError, lambda: tf.reduce_sum(floats()) + None,
     ('None values not supported', "x: 'Sum:0'", 'no return statement')),
    ('None + loss', ValueError, lambda: None + tf.reduce_sum(floats()),
     ('None values not supported', "y: 'Sum:0'")),
    ('clip(None)', ValueError, lambda: tf.clip_by_value(None, -1., 1.),
     ('None values not supported', 'no return statement', 'the loss does not depend on that '
      'Variable: `if g is not None`')),
    ('assign [3, 2]', ValueError, lambda: matrix().assign(tf.ones([3, 2])),
     ("'m:0'", 'tf.transpose(value) has the shape', 'tf.assign(..., validate_shape=False)')),
    ('assign [6]', ValueError, lambda: matrix().assign(tf.ones([1, 6])),
     ("'m:0'", 'tf.reshape(value, [2, 3]) has the shape', 'validate_shape=False')),
    ('assign [2]', ValueError, lambda: matrix().assign(tf.ones([2])),
     ('same rank', 'validate_shape=False')),
    ('assign_add [3, 2]', ValueError, lambda: matrix().assign_add(tf.ones([3, 2])),
     ('tf.transpose(value) has the shape of the Variable',)),
    ('dense(units=[10])', TypeError, lambda: tf.layers.dense(matrix(), units=[10]),
     ('units is an integer, not [10]', 'units=10, without brackets')),
    ('logits of images', ValueError, lambda: tf.losses.softmax_cross_entropy(
        tf.placeholder(tf.float32, [None, 10]), tf.placeholder(tf.float32, [None, 24, 24, 10])),
     ("'softmax_cross_entropy_loss': Shapes (?, 24, 24, 10) and (?, 10) are incompatible",
      'built at ', 'tf.layers.flatten')),
    ('Operation.eval()', AttributeError, lambda: tf.no_op().eval(),
     ("'Operation' object has no attribute 'eval'", 'sess.run(op), or op.run()')),
    ('w = w + 1; w.assign', AttributeError, lambda: (matrix() * 2. + 1.).assign(2.),
     ("'Tensor' object has no attribute 'assign'", "computed from the Variable 'm'",
      'do not reuse the name of the Variable')),
    ('add(loss, None)', ValueError, lambda: tf.add(floats(), None),
     ("Tried to convert 'y'", 'None values not supported', "'f:0'")),
]


@pytest.mark.parametrize('row', ARGUMENTS, ids=lambda row: row[0])
def test_arguments(row):
    _, kind, function, parts = row
    check_message(kind, function, 'Hint: ', 'test_arguments.py:', *parts)


def test_a_name_with_a_space():
    check_message(ValueError, in_scope, "'my layer' is not a valid scope name", "Hint: 'my_layer'")


def inside(scope):
    with scope:
        return tf.constant(1.0)


def nested_reset():
    with tf.Graph().as_default():
        tf.reset_default_graph()


def descent():
    return tf.train.GradientDescentOptimizer(0.1)


HUGE = 2 ** 70


# name, class of the error, what is called, words of the message
CASES = [
    ('constant of a partial shape', TypeError, lambda: tf.constant(1., shape=[None, 2]),
     'fully known, not [?, 2]'),
    ('constant of a huge int', TypeError, lambda: tf.constant(HUGE), 'does not fit in int64'),
    ('constant of a huge negative int', TypeError, lambda: tf.constant(-HUGE), 'int64'),
    ('list with a huge int', TypeError, lambda: tf.constant([1, HUGE]), 'does not fit in int64'),
    ('huge int as int32', OverflowError, lambda: tf.constant(HUGE, tf.int32), 'int32'),
    ('huge int as a string', TypeError, lambda: tf.constant(HUGE, tf.string), 'Expected string'),
    ('sum with a huge int', OverflowError, lambda: tf.constant(1) + HUGE, 'does not fit in int32'),
    ('pad without a mode', AttributeError, lambda: tf.pad(x23(), [[1, 1], [1, 1]], mode=None),
     "'REFLECT'"),
    ('name of a constant', TypeError, lambda: tf.constant(1., name=5), 'string, not 5'),
    ('name of an op', TypeError, lambda: tf.add(1., 2., name=['a']), "string, not ['a']"),
    ('name of a placeholder', TypeError, lambda: tf.placeholder(tf.float32, name=5), 'not 5'),
    ('name of a variable', TypeError, lambda: tf.Variable(1., name=5), 'not 5'),
    ('name of a scope', TypeError, lambda: inside(tf.name_scope(5)), 'string, not 5'),
    ('name_scope without names', ValueError, lambda: tf.name_scope(None, values=[1]),
     'name and default_name'),
    ('device', AttributeError, lambda: inside(tf.device(5)), "'/cpu:0'"),
    ('minimize', AttributeError, lambda: descent().minimize(5.), 'not 5.0'),
    ('minimize None', AttributeError, lambda: descent().minimize(None), 'not None'),
    ('apply_gradients of a number', TypeError, lambda: descent().apply_gradients(5), 'not 5'),
    ('apply_gradients of numbers', TypeError, lambda: descent().apply_gradients([1]),
     '1 is not a pair'),
    ('apply_gradients of a short pair', ValueError, lambda: descent().apply_gradients([(1.,)]),
     'is not a pair'),
    ('control_dependencies of an op', TypeError,
     lambda: inside(tf.control_dependencies(x23().op)), '[...] around it'),
    ('polyval', TypeError, lambda: tf.math.polyval(1., x23()), 'list of coefficients'),
    ('squeeze', TypeError, lambda: tf.squeeze(x23(), 'a'), "Expected int for argument 'axis'"),
    ('boolean_mask', TypeError, lambda: tf.boolean_mask(x23(), [True, False], axis='a'), 'axis'),
    ('eye', TypeError, lambda: tf.eye('a'), 'positive integer'),
    ('eye of a fraction', TypeError, lambda: tf.eye(1.5), 'positive integer'),
    ('eye of a negative size', ValueError, lambda: tf.eye(-1), 'non-negative'),
    ('dropout', ValueError, lambda: tf.nn.dropout(x23(), 'a'), "Tensor (got 'a')"),
    ('keep_prob', ValueError, lambda: tf.nn.dropout(x23(), 50),
     'got -49, which is 1 - keep_prob.\n  Hint: keep_prob is the fraction that is kept, a number '
     'in (0, 1]; it is 50.'),
    ('axis', TypeError, lambda: tf.argmax(x23(), '1'), "without quotes: 1 in place of '1'"),
    ('dtype None', TypeError, lambda: tf.as_dtype(None), 'Cannot convert value None'),
    ('dtype by a wrong name', TypeError, lambda: tf.as_dtype('nope'), "'nope'"),
    ('cast to None', TypeError, lambda: tf.cast(x23(), None), 'Cannot convert value None'),
    ('placeholder of None', TypeError, lambda: tf.placeholder(None), 'Cannot convert value None'),
    ('limits of a string', TypeError, lambda: tf.string.max, 'smallest'),
    ('get_operation_by_name', TypeError,
     lambda: tf.get_default_graph().get_operation_by_name(5), 'strings, not int'),
    ('get_tensor_by_name', TypeError,
     lambda: tf.get_default_graph().get_tensor_by_name(5), 'strings, not int'),
    ('nested reset_default_graph', AssertionError, nested_reset, 'clear nested graphs'),
    ('RegisterGradient', TypeError, lambda: tf.RegisterGradient(5), 'must be a string'),
    ('NotDifferentiable', TypeError, lambda: tf.NotDifferentiable(5), 'must be a string'),
    ('conversion of no class', TypeError,
     lambda: tf.register_tensor_conversion_function(5, tf.identity), 'base_type'),
    ('conversion by no function', TypeError,
     lambda: tf.register_tensor_conversion_function(TensorShape, 5), 'callable'),
]


@pytest.mark.parametrize('kind, call, said', [pytest.param(*c[1:], id=c[0]) for c in CASES])
def test_a_bad_argument(kind, call, said):
    assert said in message_of(kind, call)
