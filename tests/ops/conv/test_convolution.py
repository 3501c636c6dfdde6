"""Convolutions, pools and normalization of images: what the tables of rows do not show."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.ops.conv.rows_convolution import convolved, filter_gradient, transposed
from tests.threads import check_in_threads
from tinyflow.graph.support import processors
from tinyflow.ops.conv import convolution_kernels
from tinyflow.ops.conv.convolution_kernels import Windows


def evaluate(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


pytestmark = pytest.mark.usefixtures('graph')


def random(*shape, dtype=np.float64):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


def geometry(size, kernel, stride, rate, margin):
    reach = (kernel - 1) * rate + 1
    return (size + sum(margin) - reach) // stride + 1


# ---- kernels -----------------------------------------------------------------------------------

CASES = [
    # sizes, kernel, strides, rates, margins
    ((7, 6), (3, 2), (1, 1), (1, 1), ((1, 1), (0, 1))),
    ((6, 7), (5, 4), (2, 3), (1, 1), ((4, 0), (0, 3))),
    ((9, 5), (4, 1), (3, 1), (1, 1), ((0, 0), (0, 0))),
    ((5, 9), (1, 4), (1, 3), (1, 1), ((1, 0), (0, 0))),
    ((8, 8), (3, 3), (1, 1), (2, 3), ((2, 1), (3, 3))),
    ((5, 5), (2, 2), (3, 3), (1, 1), ((0, 0), (0, 0))),
    ((4, 4), (2, 3), (1, 1), (1, 1), ((5, 6), (7, 0))),
    ((12,), (5,), (1,), (1,), ((2, 2),)),
    ((4, 3, 5), (2, 2, 3), (1, 1, 2), (1, 1, 1), ((1, 0), (0, 0), (1, 1))),
]


@pytest.mark.slow
@pytest.mark.parametrize('long', [0, 1 << 30], ids=['sliding', 'full'])
@pytest.mark.parametrize('chunk', [1, 300, 1 << 20])
@pytest.mark.parametrize('sizes, kernel, strides, rates, margins', CASES)
def test_kernels_in_chunks_of_any_size(monkeypatch, long, chunk, sizes, kernel, strides, rates,
                                       margins):
    """All three kernels against sums over windows, however many images are taken at a time."""
    monkeypatch.setattr(convolution_kernels, '_CHUNK', chunk)
    monkeypatch.setattr(convolution_kernels, '_LONG', long)
    positions = tuple(map(geometry, sizes, kernel, strides, rates, margins))
    windows = Windows(kernel, strides, rates, margins, positions)
    x, w = random(3, *sizes, 2), random(*kernel, 2, 3)
    y = convolved(x, w, strides, list(margins), rates)
    np.testing.assert_allclose(convolution_kernels.convolve(x, w, windows), y, atol=1e-12)
    dy = random(*y.shape)
    np.testing.assert_allclose(convolution_kernels.filter_gradient(x, dy, windows),
                               filter_gradient(x, dy, w.shape, strides, list(margins), rates),
                               atol=1e-12)
    np.testing.assert_allclose(convolution_kernels.input_gradient(w, dy, windows, sizes),
                               transposed(dy, w, x.shape, strides, list(margins), rates),
                               atol=1e-12)


@pytest.mark.parametrize('fewest', [1, 2, 8])
@pytest.mark.parametrize('long', [0, 1 << 30], ids=['sliding', 'full'])
@pytest.mark.parametrize('one_thread', [100, 200, 1000])
def test_products_in_blocks_of_any_size(monkeypatch, one_thread, long, fewest):
    """Chunks that threads share, blocks that fill the matrices or leave some rows."""
    for name, value in (('_ONE_THREAD', one_thread), ('_LONG', long), ('_FEWEST_ROWS', fewest),
                        ('_PARTS', 2), ('_DEPTH', 5), ('_CHUNK', 300)):
        monkeypatch.setattr(convolution_kernels, name, value)
    x, w, dy = random(9, 7, 6, 3), random(3, 2, 3, 2), random(9, 4, 6, 2)
    windows = Windows((3, 2), (2, 1), (1, 1), ((1, 1), (0, 1)), (4, 6))
    margins = [(1, 1), (0, 1)]
    np.testing.assert_allclose(convolution_kernels.convolve(x, w, windows),
                               convolved(x, w, (2, 1), margins), atol=1e-12)
    np.testing.assert_allclose(
        convolution_kernels.filter_gradient(x, dy, windows),
        filter_gradient(x, dy, (3, 2, 3, 2), (2, 1), margins), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize('blas', ['one thread each', 'its own threads'])
@pytest.mark.parametrize('long', [0, 1 << 30], ids=['sliding', 'full'])
@pytest.mark.parametrize('stride', [1, 2])
def test_large_products_in_chunks(monkeypatch, stride, long, blas):
    """Chunks that threads share, and their joining where BLAS has its own threads."""
    for name, value in (('_ONE_THREAD', 0), ('_LONG', long), ('_CHUNK', 1), ('_ROWS', 1),
                        ('_LARGER', 3)):
        monkeypatch.setattr(convolution_kernels, name, value)
    if blas == 'its own threads':
        monkeypatch.setattr(convolution_kernels, 'in_tiles_of_products', lambda *_: False)
    x, w = random(7, 5, 4, 2), random(3, 3, 2, 3)
    y = convolved(x, w, (stride, stride), [(1, 1), (1, 1)])
    windows = Windows((3, 3), (stride, stride), (1, 1), ((1, 1), (1, 1)), y.shape[1:3])
    dy = random(*y.shape)
    np.testing.assert_allclose(convolution_kernels.convolve(x, w, windows), y, atol=1e-12)
    np.testing.assert_allclose(
        convolution_kernels.filter_gradient(x, dy, windows),
        filter_gradient(x, dy, w.shape, (stride, stride), [(1, 1), (1, 1)]), atol=1e-12)
    np.testing.assert_allclose(
        convolution_kernels.input_gradient(w, dy, windows, (5, 4)),
        transposed(dy, w, x.shape, (stride, stride), [(1, 1), (1, 1)]), atol=1e-12)


@pytest.mark.parametrize('long', [0, 1 << 30], ids=['sliding', 'full'])
def test_results_do_not_depend_on_the_number_of_threads(monkeypatch, long):
    monkeypatch.setattr(convolution_kernels, '_LONG', long)
    monkeypatch.setattr(convolution_kernels, '_CHUNK', 1 << 10)     # enough chunks for 4 threads
    x, w = random(70, 9, 8, 3, dtype=np.float32), random(3, 3, 3, 4, dtype=np.float32)
    image, filter = tf.constant(x), tf.constant(w)
    y = tf.nn.avg_pool(tf.nn.max_pool(tf.nn.conv2d(image, filter, 1, 'SAME'), 2, 2, 'SAME'), 2, 1,
                       'SAME')
    norm = tf.nn.fused_batch_norm(y, tf.ones([4]), tf.zeros([4]))[0]
    fetches = [norm, *tf.gradients(norm * norm * y, [image, filter])]
    several = []
    for threads in (1, 2, 4):
        monkeypatch.setattr(processors, 'most_threads', lambda n=threads: n)
        several.append(evaluate(fetches))
    for other in several[1:]:
        for a, b in zip(several[0], other):
            np.testing.assert_array_equal(a, b)


def test_sessions_run_convolutions_at_once():
    """What is kept between calls for the copies belongs to one thread each."""
    x = tf.placeholder(tf.float64, [None, 6, 6, 2])
    w = random(3, 3, 2, 2)
    y = tf.nn.max_pool(tf.nn.conv2d(x, tf.constant(w), 1, 'SAME'), 2, 2, 'SAME')
    images = [random(4 + i, 6, 6, 2) for i in range(4)]
    with tf.Session() as session:
        check_in_threads(session, y, x, images)


def test_an_infinite_pixel_reaches_its_neighbours_only():
    """The zeros and the places between images that no result comes from spoil nothing."""
    x = np.zeros([2, 5, 5, 1])
    x[0, 4, 4, 0] = np.inf
    y = evaluate(tf.nn.conv2d(tf.constant(x), tf.ones([3, 3, 1, 1], tf.float64), 1, 'SAME'))
    assert np.isinf(y[0, 3:, 3:]).all() and np.isfinite(y[1]).all()
    assert np.isfinite(y[0, :3]).all() and np.isfinite(y[0, :, :3]).all()


def test_stale_memory_is_not_visible():
    """A larger convolution, full of NaN, before one that uses the same memory."""
    nans = np.full([3, 9, 9, 2], np.nan)
    w = random(3, 3, 2, 2)
    convolution = Windows((3, 3), (1, 1), (1, 1), ((1, 1), (1, 1)), (9, 9))
    convolution_kernels.convolve(nans, w, convolution)
    convolution_kernels.filter_gradient(nans, nans, convolution)
    x = random(2, 4, 5, 2)
    small = Windows((3, 3), (1, 1), (1, 1), ((1, 1), (1, 1)), (4, 5))
    y = convolution_kernels.convolve(x, w, small)
    np.testing.assert_allclose(y, convolved(x, w, (1, 1), 'SAME'), atol=1e-12)
    np.testing.assert_allclose(convolution_kernels.filter_gradient(x, y, small),
                               filter_gradient(x, y, w.shape, (1, 1), 'SAME'), atol=1e-12)


def test_half_precision_is_rounded_once():
    x, w = random(1, 5, 5, 8, dtype=np.float16), random(3, 3, 8, 2, dtype=np.float16)
    y = evaluate(tf.nn.conv2d(tf.constant(x), tf.constant(w), 1, 'SAME'))
    exact = convolved(x.astype(np.float64), w.astype(np.float64), (1, 1), 'SAME')
    np.testing.assert_array_equal(y, exact.astype(np.float16))


# ---- static shapes -----------------------------------------------------------------------------

@pytest.mark.parametrize('given, padding, stride, wanted', [
    ([None, 28, 28, 1], 'SAME', 2, [None, 14, 14, 4]),
    ([None, None, 7, 1], 'VALID', 1, [None, None, 5, 4]),
    ([3, 28, None, None], 'SAME', 1, [3, 28, None, 4]),
    (None, 'SAME', 1, [None, None, None, 4]),
])
def test_shapes_that_are_partly_known(given, padding, stride, wanted):
    x = tf.placeholder(tf.float32, given)
    y = tf.nn.conv2d(x, tf.zeros([3, 3, 1, 4]), stride, padding)
    assert y.shape.as_list() == wanted
    pooled = tf.nn.max_pool(y, 2, 2, 'SAME').shape.as_list()
    assert pooled == [wanted[0], *[d and -(-d // 2) for d in wanted[1:3]], 4]


def test_the_gradient_has_the_static_shape_of_its_variable():
    x = tf.placeholder(tf.float32, [None, 8, 8, 3])
    w = tf.Variable(tf.zeros([3, 3, 3, 4]))
    dw, = tf.gradients(tf.nn.conv2d(x, w, 1, 'SAME'), w)
    dx, = tf.gradients(tf.nn.max_pool(x, 2, 2, 'SAME'), x)
    assert dw.shape.as_list() == [3, 3, 3, 4] and dx.shape.as_list() == [None, 8, 8, 3]


# ---- messages ----------------------------------------------------------------------------------

IMAGE, FILTER = [2, 8, 8, 3], [3, 3, 3, 4]


def conv(image=IMAGE, filter=FILTER, strides=1, padding='SAME', **how):
    return lambda: tf.nn.conv2d(tf.placeholder(tf.float32, image), tf.zeros(filter), strides,
                                padding, **how)


@pytest.mark.parametrize('call, said', [
    (conv([8, 8, 3]), 'tf.expand_dims(x, 0) adds a batch axis'),
    (conv([None, 784]), 'tf.reshape(x, [-1, height, width, channels])'),
    (conv(filter=[3, 3, 1, 4]), 'the input has 3 channels, and the filter takes 1'),
    (conv([2, 3, 8, 8]), "axis 1 of the input matches"),
    (conv(data_format='NCHW'), 'the last axis of the input matches'),
    (conv(strides=[2, 2, 2, 1]), 'would step over the batch or the channels'),
    (conv(strides=[1, 2, 1]), 'strides should be of length 1, 2 or 4 but was 3'),
    (conv(padding='same'), "write 'SAME'"),
    (conv(padding='FULL'), "'SAME' keeps the size"),
    (conv([2, 2, 8, 3], padding='VALID'), "padding='SAME' pads the input"),
    (conv(padding=[[0, 0], [1, 1], [0, 0], [1, 0]]), 'of the batch and of the channels must be 0'),
    (conv(padding=[[1, 1], [1, 1]]), 'it must be of size 4'),
    (lambda: tf.nn.max_pool(tf.zeros([2, 4, 4, 3]), 5, 1, 'VALID'),
     'a window of size 5 does not fit into 4 elements'),
    (lambda: tf.nn.depthwise_conv2d(tf.zeros(IMAGE), tf.zeros([3, 3, 1, 1]), [1, 1, 1, 1], 'SAME'),
     'the input has 3 channels, and the filter takes 1'),
    (lambda: tf.nn.fused_batch_norm(tf.zeros(IMAGE), tf.ones([3]), tf.zeros([3]), tf.zeros([3]),
                                    tf.ones([3])), 'in training the statistics are computed'),
    (lambda: tf.nn.conv1d(tf.zeros([1, 2, 2]), tf.zeros([1, 2, 2]), 1, 'SAME', data_format='CWN'),
     'data_format must be "NWC" or "NCW"'),
])
def test_mistakes_are_explained_while_the_graph_is_built(call, said):
    with pytest.raises(ValueError, match='.') as caught:
        call()
    assert said in str(caught.value)


def test_sizes_that_only_a_run_knows_are_checked_then():
    x = tf.placeholder(tf.float32)
    y = tf.nn.conv2d(x, tf.zeros(FILTER), 1, 'SAME')
    with pytest.raises(tf.errors.InvalidArgumentError, match='the filter takes 3'):
        evaluate(y, {x: np.zeros([1, 4, 4, 2])})
    with pytest.raises(tf.errors.InvalidArgumentError, match='must be rank 4'):
        evaluate(y, {x: np.zeros([4, 4, 3])})


# ---- batch normalization -----------------------------------------------------------------------

def test_third_derivative_of_fused_batch_norm():
    """The derivative of the derivative is made of public ops, so it has one itself."""
    x = tf.placeholder(tf.float64, [2, 2, 1, 2])
    y = tf.nn.fused_batch_norm(x, tf.constant([0.5, -2.0], tf.float64),
                               tf.zeros([2], tf.float64))[0]
    total = y ** 3
    for _ in range(2):
        total, = tf.gradients(total * total, x)
    tf.testing.check_gradient([total], [x], {x: random(2, 2, 1, 2)}, order=1, tol=1e-4)


def test_statistics_far_from_zero():
    """The variance of numbers that differ in their last digits only."""
    x = (1e6 + np.arange(12) % 4).astype(np.float32).reshape(3, 2, 2, 1)
    _, mean, variance = evaluate(tf.nn.fused_batch_norm(tf.constant(x), [1.0], [0.0]))
    np.testing.assert_allclose(variance, x.astype(np.float64).var() * 12 / 11, rtol=1e-5)
    np.testing.assert_allclose(mean, 1e6 + 1.5, rtol=1e-7)


def test_no_images_at_all():
    x = tf.placeholder(tf.float32, [None, 4, 4, 2])
    h = tf.nn.conv2d(x, tf.ones([3, 3, 2, 3]), 1, 'SAME')
    h = tf.nn.fused_batch_norm(h, tf.ones([3]), tf.zeros([3]))[0]
    y = tf.nn.avg_pool(tf.nn.max_pool(h, 2, 2, 'SAME'), 2, 1, 'VALID')
    values = evaluate([y, *tf.gradients(y, [x])], {x: np.zeros([0, 4, 4, 2])})
    assert [v.shape for v in values] == [(0, 1, 1, 3), (0, 4, 4, 2)]


@pytest.mark.parametrize('sizes', [[2, 9, 8, 5], [2, 8, 8, 4]])
def test_output_shapes_of_conv2d_transpose_are_checked_when_it_runs(session, sizes):
    result = tf.nn.conv2d_transpose(tf.zeros([2, 4, 4, 3]), tf.zeros([3, 3, 5, 3]), sizes, 2)
    assert result.shape.as_list() == sizes                  # as TensorFlow says, too
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(result)
    assert sizes[-1] == 4 or 'a transposed convolution with stride s turns' in str(caught.value)
