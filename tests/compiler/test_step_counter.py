"""A global step that a program increases itself is read where TensorFlow reads it."""
from __future__ import annotations

import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def values(session, fetch, train, count=3):
    session.run(tf.global_variables_initializer())
    return [session.run([fetch, train])[0] for _ in range(count)]


@pytest.mark.parametrize('increase', [lambda step: step.assign(step + 1),
                                      lambda step: step.assign_add(1)])
def test_uses_see_the_step_that_an_unordered_increase_makes(session, increase):
    """As BERT's optimizer has it: its first learning rate of a warm-up is not 0."""
    step = tf.train.get_or_create_global_step()
    early = tf.cast(step, tf.float32) * 2.0
    train = tf.group(increase(step), tf.ones([2, 2]))
    late = tf.cast(step, tf.float32) * 3.0
    assert values(session, [early, late], train) == [[2, 3], [4, 6], [6, 9]]


def test_an_increase_that_waits_comes_after_the_uses(session):
    step = tf.train.get_or_create_global_step()
    rate = tf.cast(step, tf.float32) * 2.0
    with tf.control_dependencies([tf.ones([2, 2]) * rate]):
        train = step.assign(step + 1)
    assert values(session, rate, train.op) == [0, 2, 4]


def test_an_optimizer_increases_the_step_after_its_updates(session):
    step = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(1.0, step, 10, 0.0)
    w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
    train = tf.train.GradientDescentOptimizer(rate).minimize(w, global_step=step)
    assert values(session, rate, train) == pytest.approx([1.0, 0.9, 0.8])


def test_another_counter_is_read_before_it_is_increased(session):
    count = tf.get_variable('count', [], initializer=tf.zeros_initializer())
    assert values(session, count * 2.0, count.assign(count + 1.0).op) == [0, 2, 4]
