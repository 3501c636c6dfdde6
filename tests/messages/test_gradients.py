"""Messages about gradients that do not exist."""
from __future__ import annotations

import pytest

import tinyflow as tf
from tests.messages.support import check_message, check_mistake

pytestmark = pytest.mark.usefixtures('graph')


def test_the_op_that_has_no_gradient_is_named():
    w = tf.get_variable('w', [3, 2])
    found = tf.argmax(tf.matmul(tf.ones([4, 3]), w), 1)
    loss = tf.reduce_mean(tf.cast(found, tf.float32))
    check_message(ValueError, lambda: tf.train.GradientDescentOptimizer(0.1).minimize(loss),
                  'No gradients provided', "ArgMax 'ArgMax', built at test_gradients.py:",
                  'did you mean the logits')


def test_an_op_without_a_derivative():
    z = tf.placeholder(tf.float64, [2, 2])
    with pytest.raises(LookupError, match='MatrixLogarithm'):
        tf.gradients(tf.real(tf.linalg.logm(tf.cast(z, tf.complex128))), z)


def test_an_op_without_a_second_derivative():
    """Not None, and not the part of it that is known."""
    x = tf.placeholder(tf.float32, [2, 1, 3])
    loss = tf.nn.ctc_loss(tf.SparseTensor([[0, 0]], [1], [1, 1]), x, [2])
    first, = tf.gradients(loss, x)
    check_message(LookupError, lambda: tf.gradients(first, x),
                  "CTCLoss 'CTCLoss' has no second derivative", 'built at test_gradients.py')


# name: (the mistake, the class of its error, words of its message)
MISTAKES = {
    'gradients that are all None': (
        lambda: tf.train.AdamOptimizer().apply_gradients([(None, tf.get_variable('w', [2]))]),
        ValueError, ["No gradients provided for any variable: ['w:0']", 'Hint: ']),
}


@pytest.mark.parametrize('name', MISTAKES)
def test_a_mistake_is_explained(name):
    check_mistake(*MISTAKES[name])
