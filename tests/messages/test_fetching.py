"""Messages about fetches that are not nodes, and names that are not in the graph."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.messages.support import check_message, expect, message_of

pytestmark = pytest.mark.usefixtures('graph')


class Optimizer:
    def minimize(self):
        """As the real ones."""

    apply_gradients = compute_gradients = minimize


@pytest.mark.parametrize('fetch, parts', [
    (None, ['None', 'no return statement', 'tf.gradients']),
    (np.float32(0.25), ['overwritten', 'loss = sess.run(loss)']),
    (3.5, ['overwritten']),
    (Optimizer(), ['optimizer', 'minimize']),
    (len, ['function', 'call it'])], ids=['none', 'value', 'float', 'optimizer', 'function'])
def test_a_fetch_that_is_not_a_node(session, fetch, parts):
    """The likely cause, by what it was."""
    tf.constant(1.0)
    expect(message_of(TypeError, session.run, [fetch]), 'Fetch argument', 'Hint:', *parts)


def test_a_session_from_before_reset_default_graph():
    with tf.Graph().as_default():
        tf.constant(2.0)
        old = tf.Session()
    made = tf.constant(1.0)
    with old:
        text = check_message(ValueError, lambda: old.run(made),
                             'is not an element of this graph.)\n',
                             'after tf.reset_default_graph() make a new Session')
    assert text.endswith('Session.\n  More: python -m tinyflow why wrong-graph')


def test_a_misspelt_name(session):
    tf.constant(1.0, name='accuracy')
    expect(message_of(ValueError, session.run, 'acuracy:0'), 'acuracy:0', 'accuracy')


@pytest.mark.parametrize('fetch, nearest', [
    ('los', "'loss'"), ('los:0', "'loss:0'"), ('net/dense/MatMul_0', "'net/dense/MatMul'"),
    ('matmul', "'net/dense/MatMul'"), ('MatMul:0', "'net/dense/MatMul:0'")])
def test_a_misspelt_name_gives_the_nearest_nodes(fetch, nearest):
    tf.constant(1.0, name='loss')
    tf.matmul(tf.zeros([1, 1]), tf.zeros([1, 1]), name='net/dense/MatMul')
    with tf.Session() as sess:
        check_message(ValueError, lambda: sess.run(fetch), f"'{fetch}'", 'Nearest: ', nearest)
        check_message(KeyError, lambda: sess.graph.as_graph_element(fetch), nearest)
