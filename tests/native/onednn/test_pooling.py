"""Pooling by oneDNN and its gradients agree with NumPy's, whatever the windows."""
import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.engine

# data, windows, strides, padding
IMAGES = [
    ((4, 14, 14, 32), (2, 2), (2, 2), 'SAME'),
    ((4, 15, 13, 32), (2, 2), (2, 2), 'SAME'),
    ((2, 16, 17, 32), (3, 3), (2, 2), 'VALID'),         # windows leave rows unused
    ((2, 16, 17, 40), (3, 2), (1, 1), 'SAME'),
    ((2, 20, 20, 32), (1, 1), (2, 2), 'SAME'),
    ((2, 20, 20, 32), (1, 3), (1, 3), 'VALID'),
    ((1, 64, 64, 5), (5, 4), (4, 5), 'SAME'),
    ((4, 8, 8, 64), (8, 8), (1, 1), 'VALID'),           # all of an image
    ((20000, 1, 1, 1), (1, 1), (1, 1), 'SAME'),
]


def pooled(kind, case, format='NHWC'):
    shape, windows, strides, padding = case
    order = (lambda sizes: (1, *sizes, 1)) if format == 'NHWC' else (lambda sizes: (1, 1, *sizes))
    shape = shape if format == 'NHWC' else (shape[0], shape[3], *shape[1:3])
    return lambda x: [kind(x, order(windows), order(strides), padding, format)], shape


@pytest.mark.parametrize('format', ['NHWC', 'NCHW'])
@pytest.mark.parametrize('case', IMAGES, ids=str)
def test_maxima(case, format, both_tiers):
    source = both_tiers(*pooled(tf.nn.max_pool, case, format))
    assert 'native_MaxPool_' in source and 'native_MaxPoolGrad_' in source


@pytest.mark.parametrize('format', ['NHWC', 'NCHW'])
@pytest.mark.parametrize('case', IMAGES, ids=str)
def test_means(case, format, both_tiers):
    source = both_tiers(*pooled(tf.nn.avg_pool, case, format))
    assert 'native_AvgPool_' in source and 'native_AvgPoolGrad_' in source


@pytest.mark.parametrize('kind', [tf.nn.max_pool3d, tf.nn.avg_pool3d])
def test_volumes(kind, both_tiers):
    build = (lambda x: [kind(x, [1, 2, 3, 2, 1], [1, 2, 2, 1, 1], 'SAME')])
    assert 'native' in both_tiers(build, (2, 8, 9, 10, 16))


def test_the_first_of_equal_maxima_gets_the_gradient(both_tiers):
    source = both_tiers(*pooled(tf.nn.max_pool, IMAGES[0]),
                        make=lambda rng, shape: rng.randint(0, 3, shape))
    assert 'native' in source


@pytest.mark.parametrize('special', [np.nan, np.inf, -np.inf])
def test_maxima_of_special_numbers(special, both_tiers):
    """NaN is skipped."""
    def some_special(rng, shape):
        return np.where(rng.uniform(size=shape) < 0.4, special, rng.normal(size=shape))

    def build(x):
        y = tf.nn.max_pool(x, 2, 2, 'SAME')
        return [y if special > 0 or special < 0 else tf.stop_gradient(y)]
    assert 'native' in both_tiers(build, (4, 14, 14, 32), make=some_special)


def test_maxima_without_their_gradient(both_tiers):
    """No places are kept."""
    source = both_tiers(lambda x: [tf.stop_gradient(tf.nn.max_pool(x, 2, 2, 'SAME'))],
                        (4, 14, 14, 32))
    assert 'native_MaxPool_' in source and 'places' not in source


@pytest.mark.parametrize('build, shape', [
    (lambda x: [tf.nn.max_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], 'VALID')], (4, 16, 16, 32)),
    (lambda x: [tf.nn.max_pool(x, 2, 2, 'SAME')], (1, 4, 4, 3)),
    (lambda x: [tf.nn.max_pool(x, 2, 2, 'SAME')], (0, 16, 16, 64)),
    (lambda x: [tf.cast(tf.nn.avg_pool(tf.cast(x, tf.float64), 2, 2, 'SAME'), tf.float32)],
     (4, 16, 16, 32))], ids=['over channels', 'small', 'empty', 'double'])
def test_what_stays_with_numpy(build, shape, both_tiers):
    assert 'native' not in both_tiers(build, shape)
