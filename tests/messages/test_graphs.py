"""Messages about graphs: tensors of two graphs, graphs that grow in a loop, finalized graphs."""
from __future__ import annotations

import warnings

import pytest

import tinyflow as tf
from tests.messages.support import at, expect, line, message_of

pytestmark = pytest.mark.usefixtures('graph')


def test_a_graph_that_grows_in_the_loop(session):
    """One warning, which names the line that keeps making nodes."""
    x = tf.placeholder(tf.float32, [])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        for _ in range(40):
            y = x + 1.0; made = line()                                             # noqa: E702
            session.run(y, {x: 1.0})
    texts = [str(w.message) for w in caught if '[graph-growth]' in str(w.message)]
    assert len(texts) == 1 and caught[0].category is tf.errors.TinyflowWarning
    expect(texts[0], at(made), 'before the loop', 'finalize')


def test_a_graph_that_is_extended_once_gives_no_warning(session):
    """A graph that is built, run, extended and run again is in order."""
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        x = tf.constant(1.0)
        session.run(x)
        a = x + 1.0
        session.run(a)
        b = x + 2.0
        for _ in range(30):
            session.run([a, b])


def test_tensors_of_two_graphs():
    """Both graphs and both lines."""
    a = tf.constant(1.0, name='a'); a_line = line()                                # noqa: E702
    other = tf.Graph(); born = line()                                              # noqa: E702
    with other.as_default():
        b = tf.constant(2.0, name='b'); b_line = line()                            # noqa: E702
        text = message_of(ValueError, tf.add, a, b)
    expect(text, 'same graph', "'a:0'", "'b:0'", at(a_line), at(b_line), at(born),
           f'graph {a.graph.number}', f'graph {other.number}')


def test_fetch_and_feed_of_another_graph(session):
    with tf.Graph().as_default() as other:
        a = tf.constant(1.0, name='stranger'); made = line()                       # noqa: E702
    tf.constant(2.0)
    text = message_of(ValueError, session.run, a)
    expect(text, 'stranger', at(made), 'not an element of this graph', f'graph {other.number}')
    text = message_of(TypeError, session.run, tf.constant(1.0), {a: 1.0})
    expect(text, 'feed_dict key', 'stranger', 'not an element of this graph')


def test_a_finalized_graph(graph):
    """Which node, who finalized the graph and where, and what to do instead."""
    a = tf.constant(1.0)
    graph.finalize(); sealed = line()                                              # noqa: E702
    text = message_of(RuntimeError, tf.exp, a, name='late')
    expect(text, 'finalized', "'late'", at(sealed), 'before')
    with tf.Session() as session:
        assert session.run(a) == 1.0
