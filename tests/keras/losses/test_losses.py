"""Losses at the edges of their domains."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras


pytestmark = pytest.mark.usefixtures('new_graph')


def test_poisson_of_a_zero_is_finite():
    loss = keras.losses.poisson(np.ones((1, 1), 'f'), np.zeros((1, 1), 'f'))
    np.testing.assert_allclose(keras.backend.eval(loss), [-np.log(1e-7)], rtol=1e-5)
