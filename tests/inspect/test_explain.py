"""tf.explain of long programs prints the head and the tail of their source."""
import re

import numpy as np
import pytest

import tinyflow as tf


@pytest.mark.parametrize('layers', [3, 400])
def test_a_long_program_is_abridged(layers):
    with tf.Graph().as_default():
        x = y = tf.placeholder(tf.float32, [3], name='x')
        for _ in range(layers):
            y = tf.sin(y)
        explanation = tf.explain(y, {x: [1.0, 2.0, 3.0]}, runs=0)
    source = explanation.source.rstrip().splitlines()
    shown = dict(explanation.sections())['7 codegen']
    if layers == 3:
        assert shown == source
    else:
        assert len(shown) == 60 and len(source) > layers
        assert shown[:44] == source[:44] and shown[-15:] == source[-15:]
        assert shown[44] == f'... {len(source) - 59:,} more lines; .source has them all'
        assert re.search(r'more lines; \.source has them all', str(explanation))
        assert 'more lines' in explanation._repr_html_()


def test_a_session_is_no_fetch():
    with tf.Graph().as_default(), tf.Session() as session, \
            pytest.raises(TypeError, match='Hint: .*session=sess'):
        tf.explain(session)


# ---- what the measured runs leave behind -----------------------------------------------------

def test_explaining_a_training_step_does_not_train():
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable([1.0, 2.0])
        step = tf.train.get_or_create_global_step()
        train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(w * w), step)
        session.run(tf.global_variables_initializer())
        session.run(train)
        before = session.run(tf.global_variables())
        assert tf.explain(train, None, session).profile.runs == 50
        for old, new in zip(before, session.run(tf.global_variables())):
            np.testing.assert_array_equal(old, new)
        session.run(train)
        assert session.run(step) == 2


def test_explaining_an_initializer_initializes_nothing():
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable(1.0)
        tf.explain(w.initializer, None, session, runs=2)
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(w)


@pytest.mark.parametrize('runs_before', [0, 1])
def test_random_numbers_and_elements_are_not_used_up(runs_before):
    def numbers(explained):
        with tf.Graph().as_default(), tf.Session() as session:
            drawn = tf.random_uniform([2], seed=3)
            iterator = tf.data.Dataset.range(100).make_initializable_iterator()
            both = [drawn, iterator.get_next()]
            session.run(iterator.initializer)
            for _ in range(runs_before):
                session.run(both)
            if explained:
                assert tf.explain(both, None, session, runs=5).profile.runs == 5
            return session.run(both)
    for explained, plain in zip(numbers(True), numbers(False)):
        np.testing.assert_array_equal(explained, plain)


def test_the_number_of_runs_is_shown():
    with tf.Graph().as_default(), tf.Session() as session:
        calls = []
        y = tf.py_func(lambda: calls.append(1) or np.float32(0), [], tf.float32)
        text = str(tf.explain(y, None, session, runs=7))
    assert len(calls) == 14 and 'median of 7; by line, from 7 more runs' in text
