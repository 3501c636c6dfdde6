"""tf.image: what the tables of recorded values do not show."""
import numpy as np
import pytest

import tinyflow as tf


def test_yuv_there_and_back():
    pixels = np.random.RandomState(0).rand(3, 4, 3).astype(np.float32)
    with tf.Session() as session:
        back = session.run(tf.image.yuv_to_rgb(tf.image.rgb_to_yuv(pixels)))
    np.testing.assert_allclose(back, pixels, atol=1e-5)


def test_a_flat_image_is_standardized_to_zeros():
    with tf.Session() as session:
        np.testing.assert_allclose(
            session.run(tf.image.per_image_standardization(tf.fill([4, 5, 3], 7.))), 0, atol=0)


def test_total_variation_wants_a_known_rank():
    with pytest.raises(ValueError, match='3 or 4-dimensional'):
        tf.image.total_variation(tf.zeros([4, 5]))
