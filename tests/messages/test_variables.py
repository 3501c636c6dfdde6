"""Messages about Variables: uninitialized, made twice, shared with another shape."""
from __future__ import annotations

import re

import pytest

import tinyflow as tf
from tests.messages.support import (
    at,
    check_message,
    check_mistake,
    expect,
    line,
    message_of,
    run_all,
)

pytestmark = pytest.mark.usefixtures('graph')


def test_all_uninitialized_variables_are_named(session):
    """Every Variable that the run needs, and none that it does not need."""
    ready = tf.Variable(1.0, name='ready')
    session.run(tf.global_variables_initializer())
    a = tf.Variable(1.0, name='a'); made = line()                                  # noqa: E702
    b = tf.Variable(1.0, name='b')
    tf.Variable(1.0, name='unneeded')
    text = message_of(tf.errors.FailedPreconditionError, session.run, a * b + ready)
    expect(text, "'a'", "'b'", at(made), 'global_variables_initializer')
    assert 'ready' not in text and 'unneeded' not in text


@pytest.mark.parametrize('optimizer', [tf.train.AdamOptimizer, tf.train.RMSPropOptimizer])
def test_slots_made_after_the_initializer_are_named_as_such(session, optimizer):
    """An optimizer's step assigns, too, but is no initializer."""
    w = tf.get_variable('w', [3])
    session.run(tf.global_variables_initializer())
    train = optimizer(0.1).minimize(tf.reduce_sum(w * w))
    late = tf.Variable(1.0, name='late')
    for fetch, name in ((train, 'w/'), (late, 'late')):
        with pytest.raises(tf.errors.FailedPreconditionError) as caught:
            session.run(fetch)
        made = re.search(r"created after the initializer 'init'.*?: (.*)", str(caught.value))
        assert made and name in made[1]


def test_a_variable_that_the_run_assigns_is_not_named(session):
    """A Variable that the run assigns to needs no value before."""
    a = tf.Variable(1.0, name='alpha')
    b = tf.Variable(1.0, name='beta')
    text = message_of(tf.errors.FailedPreconditionError, session.run, [b.initializer, a])
    expect(text, 'alpha')
    assert 'beta' not in text


def test_a_variable_made_after_the_initializer():
    """Slots made after the last initializer are listed, and one call initializes them."""
    w = tf.Variable([1.0, 2.0], name='w')
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(w.assign([5.0, 6.0]))
        train = tf.train.MomentumOptimizer(0.0, 0.9).minimize(tf.reduce_sum(w * w))
        check_message(tf.errors.FailedPreconditionError, lambda: sess.run(train),
                      "created after the initializer 'init' (test_variables.py:",
                      "'w/Momentum'", 'tf.initialize_missing_variables(sess)')
        assert sess.run(tf.report_uninitialized_variables()).tolist() == [b'w/Momentum']
        assert [v.op.name for v in tf.initialize_missing_variables(sess)] == ['w/Momentum']
        sess.run(train)
        assert sess.run(w).tolist() == [5.0, 6.0]
    with tf.Session() as other:                 # a new Session: nothing was made too late
        text = check_message(tf.errors.FailedPreconditionError, lambda: other.run(w), "'w'"[1:-1])
        assert 'made after' not in text


@pytest.mark.parametrize('shape', [None, [None, 2]])
def test_get_variable_without_a_shape(shape):
    check_message(ValueError, lambda: tf.get_variable('w', shape),
                  'The initializer passed is not valid. It should be a callable with no arguments',
                  "Hint: give the shape: get_variable('w', shape=[...])")


def test_get_variable_twice_by_one_line_or_by_two():
    """The message distinguishes the two causes, and each has its own hint."""
    def layer():
        return tf.get_variable('w', [2])
    layer()
    check_message(ValueError, layer, 'the same line made it before', 'reset_default_graph')
    with pytest.raises(ValueError, match='or the line has two calls'):
        _ = tf.get_variable('two', [2]), tf.get_variable('two', [2])
    text = check_message(ValueError, lambda: tf.get_variable('w', [2]), 'asked for again', 'reuse')
    assert 'the same line' not in text


def test_metrics_and_weights_need_both_initializers():
    metric = tf.metrics.mean(tf.get_variable('w', [2]))
    with tf.Session() as session:
        text = message_of(tf.errors.FailedPreconditionError, session.run, metric)
    assert '[tf.global_variables_initializer(), tf.local_variables_initializer()]' in text


def shared(shape):
    tf.get_variable('w', [2])
    with tf.variable_scope('', reuse=True):
        tf.get_variable('w', shape)


def accuracy_metric():
    run_all(*tf.metrics.accuracy(tf.constant([1]), tf.constant([1])))


# name: (the mistake, the class of its error, words of its message)
MISTAKES = {
    'a Variable shared with another shape': (
        lambda: shared([3]), ValueError, ['(3,)', '(2,)', 'made at', 'Hint: a variable_scope']),
    'metrics without their initializer': (
        accuracy_metric, tf.errors.FailedPreconditionError, ['accuracy/count', 'accuracy/total',
                                                         'Hint: sess.run(tf.local_variables_init']),
}


@pytest.mark.parametrize('name', MISTAKES)
def test_a_mistake_is_check_message(name):
    check_mistake(*MISTAKES[name])
