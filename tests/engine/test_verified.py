"""What a second look at control flow found untested."""
import numpy as np
import pytest

import tinyflow as tf


def test_gradient_where_only_a_companion_of_a_growing_variable_has_one():
    """The growing variable's own gradient begins as zeros: of its last shape, not of its first."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1., 2.])
        *_, total = tf.while_loop(
            lambda i, a, b: i < 3,
            lambda i, a, b: (i + 1, tf.concat([a, a * 2.], 0), b + tf.reduce_sum(a * a)),
            [0, x, tf.constant(0.)],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None]), tf.TensorShape([])])
        value, gradient = session.run([total, tf.gradients(total, x)[0]])
    np.testing.assert_allclose(value, 5 * (1 + 5 + 25))
    np.testing.assert_allclose(gradient, 2 * (1 + 5 + 25) * np.array([1., 2.]))


@pytest.mark.parametrize('resource', [True, False])
def test_what_a_written_out_loop_read_stays_as_it_was(resource):
    """A loop whose steps are known hands out a Variable's value, not the place it is kept in."""
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable('w', initializer=np.ones((2, 2), 'f'), use_resource=resource)
        *_, read = tf.while_loop(lambda i, a, b: i < 3,
                                 lambda i, a, b: (i + 1, tf.matmul(a, w), tf.identity(w)),
                                 [0, tf.ones([1, 2]), tf.zeros([2, 2])])
        with tf.control_dependencies([read]):
            longer = w.assign_add(tf.ones([2, 2]))
        with tf.control_dependencies([longer]):
            later = read * 1.
        session.run(tf.global_variables_initializer())
        found = session.run([later, read])
        session.run(longer)
    np.testing.assert_array_equal(found, np.ones((2, 2, 2)))
