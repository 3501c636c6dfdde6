"""Messages about feeds: placeholders without a value, values that do not fit."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.messages.support import at, expect, line, message_of, run

pytestmark = pytest.mark.usefixtures('graph')


def test_a_placeholder_without_a_feed(session):
    """The way from the fetch to the placeholder, and the placeholder's line."""
    x = tf.placeholder(tf.float32, [None, 3], name='pixels'); made = line()        # noqa: E702
    y = tf.reduce_sum(tf.exp(x, name='growth'), name='total')
    text = message_of(tf.errors.InvalidArgumentError, session.run, y)
    expect(text, "must feed a value for placeholder tensor 'pixels'", 'float', '[?, 3]', at(made),
           "'total' -> 'growth' -> 'pixels'", 'feed_dict')


def test_the_other_copy_of_a_placeholder_was_fed(session):
    """A cell that ran twice made two placeholders, and the older one is fed."""
    old = tf.placeholder(tf.float32, [], name='x'); old_line = line()              # noqa: E702
    new = tf.placeholder(tf.float32, [], name='x'); new_line = line()              # noqa: E702
    text = message_of(tf.errors.InvalidArgumentError, session.run, new * 2.0, {old: 1.0})
    expect(text, "'x_1'", "you fed 'x:0'", at(old_line), at(new_line), 'reset_default_graph')


@pytest.mark.parametrize('given, hint', [
    ([5, 28, 28], 'np.reshape(value, (-1, 784))'), ([784], 'expand_dims(value, 0)'),
    ([784, 5], 'np.transpose(value)'), ([784 * 3], 'np.reshape(value, (-1, 784))'),
    ([5, 783], '[?, 784]')])
def test_a_change_that_would_make_a_feed_fit(session, given, hint):
    """Both shapes, the placeholder's line, and the change that would make it fit."""
    x = tf.placeholder(tf.float32, [None, 784], name='images'); made = line()      # noqa: E702
    text = message_of(ValueError, session.run, x * 1.0, {x: np.zeros(given)})
    expect(text, str(tuple(given)), '(?, 784)', "'images:0'", at(made), hint)


def test_a_feed_of_labels_without_a_column(session):
    y = tf.placeholder(tf.float32, [None, 1], name='labels')
    text = message_of(ValueError, session.run, y * 1.0, {y: np.zeros(5)})
    expect(text, 'expand_dims(value, 1)', '(5,)')


def test_a_feed_of_another_kind(session):
    """Text where numbers are wanted, rows of different lengths, a tensor, too large an int."""
    x = tf.placeholder(tf.float32, name='numbers'); made = line()                  # noqa: E702
    expect(message_of(ValueError, session.run, x, {x: 'three'}), 'numbers', at(made), 'float32')
    expect(message_of(ValueError, session.run, x, {x: [[1.0], [1.0, 2.0]]}), 'same length',
           at(made))
    expect(message_of(ValueError, session.run, x, {x: None}), 'None', at(made))
    expect(message_of(TypeError, session.run, x, {x: tf.constant(1.0)}), 'cannot be a tf.Tensor',
           'sess.run', at(made))
    n = tf.placeholder(tf.int32, [], name='n')
    expect(message_of(TypeError, session.run, n, {n: 2 ** 40}), 'int64')


def test_a_placeholder_without_a_feed_is_named():
    """Not a bare KeyError, but the placeholder, its line, and the way from the fetch."""
    x = tf.placeholder(tf.float32, [2], name='inputs')
    y = tf.square(x, name='y')
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(y)
    text = str(caught.value)
    assert "placeholder tensor 'inputs'" in text and 'float32' in text
    assert 'test_feeding.py:' in text and "'y' -> 'inputs'" in text


LABELS = 'look like class indices'


# shape of the placeholder, the value, what the hint says
FEEDS = [
    ([None, 10], [3, 1, 4], (LABELS, 'np.eye(10)[labels]', 'sparse_softmax_cross_entropy')),
    ([None, 10], np.arange(10), (LABELS, 'np.eye(10)[labels]')),
    ([None, 10], np.arange(20) % 10, (LABELS,)),
    ([None, 10], np.array([1., 2., 9.]), (LABELS,)),
    ([None, 10], np.array([[1], [2]]), (LABELS, 'np.eye(10)[np.ravel(labels)]')),
    ([None, 10], np.eye(10)[3], ('np.expand_dims(value, 0)',)),
    ([None, 10], [3, 10], ('the placeholder has 2 axes, the value 1',)),
    ([None, 10], [-1, 1], ('the placeholder has 2 axes, the value 1',)),
    ([None, 10], [0.5, 1.5], ('the placeholder has 2 axes, the value 1',)),
    ([None, 3], [[1., 2.]], ('axis 1 has 2 elements where the placeholder takes 3',)),
    ([None, 784], np.zeros([5, 28, 28]), ('np.reshape(value, (-1, 784)) keeps the 5 rows',)),
    ([None, 784], np.zeros([28, 28]), ('np.reshape(value, (-1, 784)), if all of it is one row',)),
    ([None, 784], np.zeros([784]), ('np.expand_dims(value, 0)', 'a batch of one')),
    ([None, 784], np.zeros([784 * 2]), ('np.reshape(value, (-1, 784))', '2 rows')),
    ([None, 28, 28, 1], np.zeros([5, 784]), ('np.reshape(value, (-1, 28, 28, 1)) keeps',)),
    ([None, 28, 28, 1], np.zeros([5, 28, 28]), ('np.expand_dims(value, 3)', 'channel')),
    ([None, 1], [0, 0, 0], ('np.expand_dims(value, 1)', 'a column')),
    ([None], [[1.], [2.]], ('np.reshape(value, (-1,)) keeps the 2 rows',)),
    ([None], [[0, 1], [1, 0]], ('np.argmax(value, 1)',)),
    ([None], 1.0, ('[value]',)),
    ([None, 3], np.full([3, 5], 0.5), ('np.transpose(value)',)),
    ([100, 3], np.full([50, 3], 0.5), ('[None, 3] takes any number of rows', '100')),
    ([], [1.], ('value[0] is the number',)),
    ([], [[1.]], ('value[0][0] is the number',)),
    ([], [1., 2.], ('feed one number', 'tf.placeholder(tf.float32, [None])')),
]


@pytest.mark.parametrize('shape, value, parts', FEEDS)
def test_a_feed_of_another_shape(shape, value, parts):
    x = tf.placeholder(tf.float32, shape, name='x')
    text = message_of(ValueError, lambda: run(x * 1.0, {x: value}))
    expect(text, "'x:0' float32", 'test_feeding.py', *parts)
    if LABELS in parts:
        assert 'reshape' not in text and 'expand_dims' not in text
    assert 'value.' not in text.partition('Hint')[2]         # lists have no such methods
