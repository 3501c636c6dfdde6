"""Fused batch normalization by oneDNN agrees with NumPy's."""
import pytest

import tinyflow as tf

pytestmark = pytest.mark.engine

SHAPES = [(4, 16, 16, 24), (64, 5, 5, 11), (20000, 1, 1, 1), (1, 1, 300, 64), (2, 1, 1, 9000)]


def images(shape, format):
    return shape if format == 'NHWC' else (shape[0], shape[3], *shape[1:3])


@pytest.mark.parametrize('format', ['NHWC', 'NCHW'])
@pytest.mark.parametrize('shape', SHAPES, ids=str)
def test_in_training(shape, format, both_tiers):
    def build(x, scale, offset):
        return list(tf.nn.fused_batch_norm(3 * x + 1, scale, offset, data_format=format))
    source = both_tiers(build, images(shape, format), shape[3:], shape[3:])
    assert 'native_FusedBatchNormV3_' in source and 'native_FusedBatchNormGradV3_' in source


@pytest.mark.parametrize('format', ['NHWC', 'NCHW'])
@pytest.mark.parametrize('shape', SHAPES, ids=str)
def test_with_given_statistics(shape, format, both_tiers):
    def build(x, scale, offset, mean, root):
        return [tf.nn.fused_batch_norm(x, scale, offset, mean, root * root, is_training=False,
                                       data_format=format)[0]]
    source = both_tiers(build, images(shape, format), *[shape[3:]] * 4)
    assert 'native_FusedBatchNormV3_' in source


def test_second_derivatives(both_tiers):
    """Their graph uses the statistics."""
    def build(x, scale):
        y = tf.nn.fused_batch_norm(x, scale, scale)[0]
        return [tf.gradients(tf.square(y), x)[0]]
    source = both_tiers(build, (4, 8, 8, 64), (64,), tolerance=2e-3)
    assert 'native_FusedBatchNormGradV3_' in source


def test_a_small_one_stays_with_numpy(both_tiers):
    source = both_tiers(lambda x, scale: [tf.nn.fused_batch_norm(x, scale, scale)[0]],
                        (2, 3, 3, 4), (4,))
    assert 'native' not in source
