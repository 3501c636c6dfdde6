"""Messages about dtypes that differ."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.messages.support import (
    at,
    expect,
    floats,
    holder,
    ints,
    line,
    message_of,
    scores,
    weights,
)

pytestmark = pytest.mark.usefixtures('graph')


def test_float64_meets_float32():
    """Both sources with their lines, and the one cast that hints it."""
    a = tf.constant([1.0], name='single'); a_line = line()                         # noqa: E702
    b = tf.constant(np.array([1.0]), name='double'); b_line = line()               # noqa: E702
    text = message_of(TypeError, tf.add, a, b)
    expect(text, 'float32', 'float64', 'single', 'double', at(a_line), at(b_line), 'tf.cast')
    text = message_of(TypeError, lambda: a + b)
    expect(text, 'float32', 'float64', at(a_line), at(b_line), 'tf.cast')
    text = message_of(TypeError, tf.matmul, tf.ones([1, 1]), tf.ones([1, 1], tf.float64))
    expect(text, 'float32', 'float64', 'tf.cast')


FLOAT_OF_N = 'tf.cast(n, tf.float32)'


DTYPES = [
    ('int tensor * 0.5', lambda: tf.constant([1, 2]) * 0.5, (
        "Input 'y' of 'Mul' Op has type float32 that does not match type int32 of argument 'x'",
        "x: 'Const:0' int32 [2]", 'tf.cast(x, tf.float32)')),
    ('0.5 * int tensor', lambda: 0.5 * tf.constant([1, 2]), (
        "Expected int32, got 0.5 of type 'float' instead.", 'tf.cast(y, tf.float32)')),
    ('int tensor / 0.5', lambda: tf.constant([1, 2]) / 0.5, (
        'x and y must have the same dtype, got tf.int32 != tf.float32', 'tf.cast(x, tf.float32)')),
    ('add', lambda: tf.add(ints(), 0.5), ("'y' of 'Add'", 'got 0.5', FLOAT_OF_N)),
    ('add, number first', lambda: tf.add(0.5, ints()), (FLOAT_OF_N,)),
    ('less', lambda: ints() < 0.5, ("'y' of 'Less'", FLOAT_OF_N)),
    ('pow', lambda: ints() ** 0.5, ("'y' of 'Pow'", FLOAT_OF_N)),
    ('int + float', lambda: ints() + floats(), (FLOAT_OF_N, "'n:0'", "'f:0'")),
    ('float + int', lambda: floats() + ints(), (FLOAT_OF_N, "'n:0'", "'f:0'")),
    ('matmul(x, w)', lambda: tf.matmul(holder(tf.int32, [1, 2], 'x'), weights()),
     ('tf.cast(x, tf.float32)',)),
    ('matmul(w, x)', lambda: tf.matmul(weights(), holder(tf.int32, [2, 1], 'x')),
     ('tf.cast(x, tf.float32)',)),
    ('add(n, w)', lambda: tf.add(ints(), weights()), (FLOAT_OF_N, "'y' of 'Add'")),
    ('an int Variable', lambda: tf.Variable(3, name='v') * floats(), ('tf.cast(v, tf.float32)',)),
    ('concat', lambda: tf.concat([ints(), floats()], 0), ("'values[0]'", FLOAT_OF_N)),
    ('stack', lambda: tf.stack([floats(), ints()]), ("'values[0]'", FLOAT_OF_N)),
    ('float64 data', lambda: tf.matmul(holder(tf.float64, [1, 2], 'x'), weights()),
     ('tf.cast(x, tf.float32)',)),
    ('bool', lambda: floats() + holder(tf.bool, [2], 'b'), ('tf.cast(b, tf.float32)',)),
    ('mean of bool', lambda: tf.reduce_mean(holder(tf.bool, [2], 'b')),
     ('tf.cast(b, tf.float32)',)),
    ('sqrt', lambda: tf.sqrt(ints()), (FLOAT_OF_N,)),
    ('argmax with one-hot', lambda: tf.equal(tf.argmax(scores()[3], 1), holder(
        tf.float32, [None, 2], 'rows')), ('tf.argmax(rows, 1)',)),
    ('one-hot with argmax', lambda: tf.equal(holder(tf.float32, [None, 2], 'rows'), tf.argmax(
        scores()[3], 1)), ('tf.argmax(rows, 1)',)),
    ('argmax with int32', lambda: tf.equal(tf.argmax(scores()[3], 1), holder(
        tf.int32, [None], 'rows')), ('tf.cast(rows, tf.int64)',)),
    ('text + float', lambda: holder(tf.string, [2], 's') + floats(), ('s is text', 'float(text)')),
    ('float + text', lambda: floats() + 'a', ('y is text', 'float(text)')),
    ('mean of text', lambda: tf.reduce_mean(holder(tf.string, [2], 's')), ('float(text)',)),
]


@pytest.mark.parametrize('row', DTYPES, ids=lambda row: row[0])
def test_dtypes_that_do_not_agree(row):
    """The side that holds less is the one to cast, whichever came first."""
    _, function, parts = row
    text = message_of(TypeError, function)
    expect(text, 'test_dtypes.py:', *parts)
    hint = text.partition('Hint: ')[2]
    assert hint.count('tf.cast') <= 1 and '<' not in hint
    if 'float(text)' in parts:
        assert 'tf.cast' not in hint
