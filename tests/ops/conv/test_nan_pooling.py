"""Max pooling and dilation of NaN and -inf; the values are TensorFlow 1.15.5's."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')
NAN, INF, LOW = np.nan, np.inf, np.float32(np.finfo(np.float32).min)

# of 2 x 2 windows with stride 1 and padding, over 2 x 2 elements: (input, maxima, gradient)
PLANE = [([NAN, 1, 2, 3], [3, 3, 3, 3], [1, 0, 0, 3]),
         ([1, NAN, 2, 3], [3, 3, 3, 3], [0, 1, 0, 3]),
         ([NAN] * 4, [LOW] * 4, [1, 1, 1, 1]),
         ([NAN, -INF, NAN, -INF], [LOW] * 4, [1, 1, 1, 1])]
SPACE = [([NAN, 1, 2, 3], [3, 3, 3, 3], [0, 0, 0, 4]),
         ([NAN] * 4, [-INF, LOW, LOW, LOW], [0, 0, 0, 0]),
         ([NAN, -INF, NAN, -INF], [-INF, LOW, LOW, LOW], [0, 0, 0, 0])]
DILATED = [([NAN, 1, 2, 3], [3, 3, 3, 3], [0, 0, 0, 4]),
           ([1, NAN, 2, 3], [3, 3, 3, 3], [0, 0, 0, 4]),
           ([NAN] * 4, [LOW] * 4, [1, 1, 1, 1])]


def check(function, shape, x, wanted, gradient):
    x = tf.constant(np.reshape(np.float32(x), shape))
    y = function(x)
    with tf.Session() as session:
        values, dx = session.run([y, tf.gradients(y, x)[0]])
    assert values.ravel().tolist() == wanted and dx.ravel().tolist() == gradient


@pytest.mark.parametrize('x, wanted, gradient', PLANE)
def test_two_axes(x, wanted, gradient):
    check(lambda x: tf.nn.max_pool(x, 2, 1, 'SAME'), [1, 2, 2, 1], x, wanted, gradient)


@pytest.mark.parametrize('x, wanted, gradient', SPACE)
def test_three_axes(x, wanted, gradient):
    check(lambda x: tf.nn.max_pool3d(x, [1, 1, 2, 2, 1], [1] * 5, 'SAME'), [1, 1, 2, 2, 1], x,
          wanted, gradient)


@pytest.mark.parametrize('x, wanted, gradient', DILATED)
def test_dilation(x, wanted, gradient):
    check(lambda x: tf.nn.dilation2d(x, tf.zeros([2, 2, 1]), [1] * 4, [1] * 4, 'SAME'),
          [1, 2, 2, 1], x, wanted, gradient)
