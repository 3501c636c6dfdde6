"""What the tests of messages share: checks of an error's text, and small graphs."""
from __future__ import annotations

import inspect
import os
import subprocess
import sys

import pytest

import tinyflow as tf

LONGEST = 9                             # lines of a message


def message_of(kind, function, *args, **kwargs):
    """The text of the error that the call raises: of exactly this class, and short."""
    with pytest.raises(kind) as caught:
        function(*args, **kwargs)
    error = caught.value
    assert type(error) is kind
    assert isinstance(error, tf.errors.OpError) or error.raised_by_tinyflow
    text = str(error)
    assert len(text.splitlines()) <= LONGEST, text
    return text


def expect(text, *parts):
    for part in parts:
        assert part in text, f'{part!r} is not in:\n{text}'


def check_message(kind, function, *parts):
    """message_of(kind, function), after checking that these parts are in it."""
    text = message_of(kind, function)
    expect(text, *parts)
    return text


def check_mistake(mistake, kind, words):
    """Calling mistake() raises an error of this class, with these words, in a few lines."""
    with pytest.raises(kind) as caught:
        mistake()
    text = str(caught.value)
    expect(text, *words)
    assert len(text.splitlines()) <= 8, text


# ---- lines of the test that calls ------------------------------------------------------------

def line():
    """The number of the line that calls this."""
    return inspect.currentframe().f_back.f_lineno


def at(number):
    """How a message names a line of the calling file."""
    return f'{os.path.basename(inspect.currentframe().f_back.f_code.co_filename)}:{number}'


# ---- small graphs ----------------------------------------------------------------------------

def holder(dtype, shape, name):
    return tf.placeholder(dtype, shape, name=name)


def ints(name='n'):
    return holder(tf.int32, [2], name)


def floats(name='f'):
    return holder(tf.float32, [2], name)


def input_x(*shape):
    return holder(tf.float32, list(shape), 'x')


def x23():
    return tf.placeholder(tf.float32, [2, 3], name='x')


def weights():
    return tf.Variable(tf.zeros([2, 2]), name='w')


def scores():
    """x, one-hot labels y, class indices c, and logits made with the Variable w."""
    x, y = holder(tf.float32, [None, 2], 'x'), holder(tf.float32, [None, 2], 'y')
    return x, y, holder(tf.int64, [None], 'c'), tf.matmul(x, weights(), name='scores')


def minimize(loss, rate=0.1, **settings):
    return tf.train.GradientDescentOptimizer(rate).minimize(loss, **settings)


def run(fetch, feed=None):
    """The fetched value, after the initializers of all Variables."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def run_all(*fetches, feed=None):
    return run(list(fetches), feed)


def traceback_of(tmp_path, text, **more):
    """What a program that fails prints on stderr; `more` are environment variables."""
    program = tmp_path / 'program.py'
    program.write_text(text)
    root = os.path.dirname(os.path.dirname(tf.__file__))
    return subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                          env={**os.environ, 'PYTHONPATH': root, **more}, timeout=60).stderr
