"""Convolutions by oneDNN and their gradients agree with NumPy's, whatever the geometry."""
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import tinyflow as tf
from tinyflow.native.onednn.library import Primitive

pytestmark = pytest.mark.engine

# data, filter, strides, padding, dilations
IMAGES = [
    ((2, 14, 14, 16), (5, 5, 16, 8), (1, 1), 'SAME', (1, 1)),
    ((3, 12, 9, 3), (3, 3, 3, 16), (1, 1), 'VALID', (1, 1)),
    ((2, 15, 16, 16), (3, 3, 16, 24), (2, 2), 'SAME', (1, 1)),
    ((4, 17, 16, 8), (3, 2, 8, 16), (3, 2), 'VALID', (1, 1)),       # windows leave rows unused
    ((1, 28, 28, 1), (5, 5, 1, 32), (1, 1), 'SAME', (1, 1)),
    ((8, 10, 10, 32), (1, 1, 32, 16), (2, 2), 'SAME', (1, 1)),      # margins would be negative
    ((2, 16, 16, 7), (3, 3, 7, 5), (1, 1), 'SAME', (2, 3)),
    ((2, 16, 14, 8), (3, 3, 8, 8), (1, 1), 'VALID', (2, 2)),
    ((2, 12, 12, 8), (4, 3, 8, 8), (2, 1), [[0, 0], [2, 1], [0, 3], [0, 0]], (1, 1)),
    ((6000, 1, 1, 1), (1, 1, 1, 16), (1, 1), 'SAME', (1, 1)),
]


def convolved(case, format):
    """(a function of data and filter, shape of the data)."""
    shape, _, strides, padding, rates = case
    order = (lambda a, b, *sizes: [a, *sizes, b]) if format == 'NHWC' else (lambda *sizes: [*sizes])
    if not isinstance(padding, str):
        padding = order(padding[0], padding[3], *padding[1:3])

    def build(x, filter):
        return tf.nn.conv2d(x, filter, order(1, 1, *strides), padding, data_format=format,
                            dilations=order(1, 1, *rates))
    return build, order(shape[0], shape[3], *shape[1:3])


@pytest.mark.parametrize('format', ['NHWC', 'NCHW'])
@pytest.mark.parametrize('case', IMAGES, ids=str)
def test_images(case, format, both_tiers):
    build, shape = convolved(case, format)
    source = both_tiers(lambda x, filter: [build(x, filter)], shape, case[1])
    assert source.count('native_Conv2D') == 3


@pytest.mark.slow
@pytest.mark.parametrize('strides, padding', [((1, 1, 1), 'SAME'), ((2, 1, 2), 'VALID')])
def test_volumes(strides, padding, both_tiers):
    source = both_tiers(
        lambda x, filter: [tf.nn.conv3d(x, filter, [1, *strides, 1], padding)],
        (2, 6, 7, 8, 8), (3, 2, 3, 8, 16))
    assert source.count('native_Conv3D') == 3


@pytest.mark.parametrize('multiplier', [1, 2])
@pytest.mark.parametrize('format', ['NHWC', 'NCHW'])
@pytest.mark.parametrize('stride, padding', [(1, 'SAME'), (2, 'SAME'), (1, 'VALID')])
def test_depthwise(multiplier, format, stride, padding, both_tiers):
    steps = [1, stride, stride, 1] if format == 'NHWC' else [1, 1, stride, stride]
    both_tiers(lambda x, filter: [tf.nn.depthwise_conv2d(x, filter, steps, padding,
                                                         data_format=format)],
               (4, 14, 13, 32) if format == 'NHWC' else (4, 32, 14, 13), (3, 3, 32, multiplier))


def test_transposed(both_tiers):
    source = both_tiers(
        lambda x, filter: [tf.nn.conv2d_transpose(x, filter, [4, 14, 14, 8], [1, 2, 2, 1], 'SAME')],
        (4, 7, 7, 16), (5, 5, 8, 16))
    assert source.count('native_Conv2D') == 3


@pytest.mark.parametrize('case', [IMAGES[0], IMAGES[2]], ids=str)
@pytest.mark.parametrize('format, add', [
    ('NHWC', tf.nn.bias_add), ('NHWC', lambda y, bias: y + bias),
    ('NHWC', lambda y, bias: bias + y),
    ('NCHW', lambda y, bias: tf.nn.bias_add(y, bias, 'NCHW'))])
def test_a_bias_and_its_gradient_are_computed_along(case, format, add, both_tiers):
    build, shape = convolved(case, format)
    source = both_tiers(lambda x, filter, bias: [add(build(x, filter), bias)], shape, case[1],
                        case[1][-1:])
    assert source.count('native_Conv2D') == 3
    assert 'Bias' not in source.replace('BiasAdd_grad', '') and 'np.add(' not in source


@pytest.mark.parametrize('bias', [False, True])
@pytest.mark.parametrize('format', ['NHWC', 'NCHW'])
def test_normalization_with_given_statistics_is_computed_along(format, bias, both_tiers):
    build, shape = convolved(IMAGES[0], format)

    def normalized(x, filter, scale, offset, mean, root):
        y = build(x, filter)
        if bias:
            y = tf.nn.bias_add(y, scale - mean, format)
        y = tf.nn.fused_batch_norm(y, scale, offset, mean, root * root + 0.1, is_training=False,
                                   data_format=format)[0]
        return [tf.stop_gradient(y)]
    source = both_tiers(normalized, shape, IMAGES[0][1], *[IMAGES[0][1][-1:]] * 4)
    assert 'native_Conv2D' in source and 'BatchNorm' not in source.replace('FusedBatchNormV3 [', '')


@pytest.mark.parametrize('depthwise', [False, True])
def test_normalized_twice(depthwise, both_tiers, monkeypatch):
    """A filter is multiplied while its layout is changed; a depthwise one before."""
    given, run = set(), Primitive.run
    monkeypatch.setattr(Primitive, 'run', lambda *a, **k: given.update(k) or run(*a, **k))
    convolve = tf.nn.depthwise_conv2d if depthwise else tf.nn.conv2d

    def normalized(x, filter, scale, offset, mean, root):
        y = convolve(x, filter, [1, 1, 1, 1], 'SAME')
        for bias in (offset, mean):
            y = tf.nn.fused_batch_norm(tf.nn.bias_add(y, bias), scale, offset, mean,
                                       root * root + 0.1, is_training=False)[0]
        return [tf.stop_gradient(y)]
    source = both_tiers(normalized, (4, 14, 14, 16), (3, 3, 16, 1 if depthwise else 16),
                        *[(16,)] * 4)
    assert 'FusedBatchNormV3(' not in source and ('factors' in given) != depthwise


def test_what_a_convolution_is_not_joined_with(both_tiers):
    def used_twice(x, filter, bias):
        y = tf.nn.conv2d(x, filter, 1, 'SAME')
        return [tf.nn.relu(tf.nn.bias_add(y, bias)) + y]
    assert 'np.add(' in both_tiers(used_twice, (2, 14, 14, 16), (3, 3, 16, 16), (16,))

    def along_another_axis(x, filter, bias):
        return [tf.nn.bias_add(tf.nn.conv2d(x, filter, 1, 'SAME'), bias, 'NCHW')]
    assert 'BiasAdd(' in both_tiers(along_another_axis, (2, 14, 14, 16), (3, 3, 16, 16), (14,))


def test_two_convolutions_share_a_bias(both_tiers):
    """The gradient of the bias is computed once."""
    def build(x, a, b, bias):
        y = tf.nn.conv2d(x, a, 1, 'SAME') + tf.nn.conv2d(x, b, 1, 'SAME')
        return [tf.nn.bias_add(y, bias)]
    source = both_tiers(build, (2, 14, 14, 16), (3, 3, 16, 16), (5, 5, 16, 16), (16,))
    assert source.count('native_Conv2DBackpropFilter_') == 2


def test_a_bias_that_is_written_in_between(both_tiers):
    """The sum is computed where the program has it."""
    def build(x, filter):
        bias = tf.Variable(tf.zeros([16]), use_resource=True)
        y = tf.nn.conv2d(x, filter, 1, 'SAME')
        with tf.control_dependencies([y]):
            assigned = bias.assign(tf.reduce_mean(x, [0, 1, 2]) + 1.0)
        with tf.control_dependencies([assigned]):
            return [tf.nn.bias_add(y, bias.read_value())]
    both_tiers(build, (2, 14, 14, 16), (3, 3, 16, 16))


@pytest.mark.slow
@settings(max_examples=25, deadline=None, derandomize=True,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_random_geometries(both_tiers, data):
    def draw(low, high):
        return data.draw(st.integers(low, high))
    sizes, kernel, strides, rates = ([draw(1, n), draw(1, n)] for n in (12, 4, 3, 2))
    batch, inner, outer = draw(1, 3), draw(1, 17), draw(1, 17)
    padding = data.draw(st.sampled_from(['SAME', 'VALID']))
    reach = [(k - 1) * rate + 1 for k, rate in zip(kernel, rates)]
    if padding == 'VALID':
        sizes = [max(pair) for pair in zip(sizes, reach)]
    case = (batch, *sizes, inner), (*kernel, inner, outer), strides, padding, rates
    build, shape = convolved(case, data.draw(st.sampled_from(['NHWC', 'NCHW'])))
    both_tiers(lambda x, filter: [build(x, filter)], shape, case[1])


@pytest.mark.parametrize('dtype, size', [('float64', 16), ('float16', 16), ('float32', 3)])
def test_what_stays_with_numpy(dtype, size, monkeypatch, session):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    y = tf.nn.conv2d(tf.ones([2, size, size, size], dtype) * tf.placeholder(dtype, []),
                     tf.ones([3, 3, size, 4], dtype), [1, 1, 1, 1], 'SAME')
    assert 'native' not in tf.explain(y, {y.op.inputs[0].op.inputs[1]: 1.0}, session).source


def test_a_convolution_inside_a_concatenation(both_tiers):
    """Its result has gaps in memory."""
    def build(x, a, b):
        return [2 * tf.concat([tf.nn.conv2d(x, f, [1, 1, 1, 1], 'SAME') for f in (a, b)], 3)]
    both_tiers(build, (2, 16, 16, 8), (3, 3, 8, 8), (3, 3, 8, 8))
