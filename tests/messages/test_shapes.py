"""Messages about shapes that do not fit, while the graph is built and while it runs."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.messages.support import at, expect, line, message_of

pytestmark = pytest.mark.usefixtures('graph')


def test_shapes_that_do_not_fit_while_building():
    """Both operands by name, shape and line, before anything runs."""
    a = tf.ones([2, 3], name='left'); a_line = line()                              # noqa: E702
    b = tf.ones([4, 5], name='right'); b_line = line()                             # noqa: E702
    text = message_of(ValueError, tf.matmul, a, b)
    expect(text, 'left', 'right', '[2, 3]', '[4, 5]', at(a_line), at(b_line), '3', '4')
    text = message_of(ValueError, tf.add, a, b)
    expect(text, 'left', 'right', '[2, 3]', '[4, 5]', at(a_line), at(b_line))


def test_shapes_that_do_not_fit_while_running(session):
    """The shapes that the operands had in this run, and the node's line; never the data."""
    a = tf.placeholder(tf.float32, name='left')
    b = tf.placeholder(tf.float32, name='right')
    c = tf.matmul(a, b, name='product'); made = line()                             # noqa: E702
    fed = {a: np.full([2, 3], 77.25), b: np.full([4, 5], 88.25)}
    text = message_of(tf.errors.InvalidArgumentError, session.run, c, fed)
    expect(text, "'product'", 'left', 'right', '[2, 3]', '[4, 5]', at(made))
    assert '77.25' not in text and '88.25' not in text
    d = tf.add(a, b, name='sum'); made = line()                                    # noqa: E702
    text = message_of(tf.errors.InvalidArgumentError, session.run, tf.exp(d), fed)
    expect(text, "'sum'", '[2, 3]', '[4, 5]', at(made))


def test_a_line_is_shown_once():
    a, b = (tf.placeholder(tf.float32, [size], name='x') for size in (2, 3))
    text = message_of(ValueError, lambda: a + b)
    assert text.count('tf.placeholder(') == 1 and text.count('test_shapes.py:') == 3
