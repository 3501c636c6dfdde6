"""tf.GradientTape in graph mode, with values of TensorFlow 1.15.5."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def value(tensors):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensors)


def test_only_what_is_built_inside_counts():
    x = tf.constant(3.0)
    outside = x * x
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0 + outside
    assert value(tape.gradient(y, x)) == 2.0


def test_trainable_variables_are_watched_by_themselves():
    w = tf.Variable(2.0, use_resource=True)
    kept = tf.Variable(5.0, use_resource=True, trainable=False)
    old = tf.Variable(4.0)
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * w * kept * old
    assert tape.watched_variables() == (w, old)
    found = tape.gradient(y, {'w': w, 'old': old})
    assert value(found) == {'w': 60.0, 'old': 30.0}
    assert tape.gradient(y, [x, kept]) == [None, None]
    zeros = tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert value(zeros) == 0.0
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = w * w
    assert tape.gradient(y, w) is None


def test_a_tape_serves_once_unless_it_is_persistent():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert value(tape.gradient(y, x)) == 6.0
    with pytest.raises(RuntimeError, match='only be called once on non-persistent tapes'):
        tape.gradient(y, x)


def test_tapes_inside_tapes_give_higher_derivatives():
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x ** 3
        first = inner.gradient(y, x)
    assert value(outer.gradient(first, x)) == 18.0


def test_pauses_and_resets():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            constant = x * x
        y = constant * x
    assert value(tape.gradient(y, x)) == 9.0
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = x * x
        tape.reset()
        tape.watch(x)
        y = z * x
    assert value(tape.gradient(y, x)) == 9.0


def test_weights_of_targets():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    found = tape.gradient(y, x, output_gradients=tf.constant([10.0, 1.0]))
    np.testing.assert_allclose(value(found), [20.0, 4.0])


def test_jacobians():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    np.testing.assert_allclose(value(tape.jacobian(y, x)), [[2.0, 0.0], [0.0, 4.0]])
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = tf.stack([rows[:, 0] * rows[:, 1], rows[:, 0], rows[:, 1] ** 2], 1)
    np.testing.assert_allclose(value(tape.batch_jacobian(y, rows)),
                               [[[2, 1], [1, 0], [0, 4]], [[4, 3], [1, 0], [0, 8]]])


def test_a_training_step_by_hand():
    w = tf.get_variable('w', initializer=1.0)
    with tf.GradientTape() as tape:
        loss = tf.square(w - 3.0)
    step = tf.train.GradientDescentOptimizer(0.5).apply_gradients([(tape.gradient(loss, w), w)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run(w) == 3.0


@pytest.mark.parametrize('call, kind, words', [
    (lambda tape: tape.watch(3.0), ValueError, 'Passed in object of type'),
    (lambda tape: tape.__enter__(), ValueError, 'already recording'),
])
def test_wrong_calls(call, kind, words):
    with tf.GradientTape() as tape, pytest.raises(kind, match=words):
        call(tape)
