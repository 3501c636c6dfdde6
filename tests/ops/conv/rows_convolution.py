"""Rows of the convolutions and of what is built like them: depthwise, patches, morphology."""
import itertools

import numpy as np

from tests.ops.rows import row
from tinyflow.graph.op import Op


def same(size, kernel, stride, rate):
    """(positions, before, after) for padding 'SAME' along one axis."""
    count = -(-size // stride)
    total = max((count - 1) * stride + (kernel - 1) * rate + 1 - size, 0)
    return count, total // 2, total - total // 2


def geometry(sizes, kernel, strides, rates, padding):
    """(positions, margins) of all spatial axes."""
    if padding == 'SAME':
        axes = [same(*a) for a in zip(sizes, kernel, strides, rates)]
        return [a[0] for a in axes], [a[1:] for a in axes]
    margins = [(0, 0)] * len(sizes) if padding == 'VALID' else padding
    return [(n + sum(m) - (k - 1) * r - 1) // s + 1
            for n, k, s, r, m in zip(sizes, kernel, strides, rates, margins)], margins


def windows(x, kernel, strides, rates, padding, fill=0.0):
    """[batch, *positions, *kernel, channels]: every window of x, element by element."""
    positions, margins = geometry(x.shape[1:-1], kernel, strides, rates, padding)
    padded = np.pad(x, [(0, 0), *margins, (0, 0)], constant_values=fill)
    result = np.empty((len(x), *positions, *kernel, x.shape[-1]), x.dtype)
    for p in itertools.product(*map(range, positions)):
        for k in itertools.product(*map(range, kernel)):
            at = tuple(i * s + j * r for i, s, j, r in zip(p, strides, k, rates))
            result[(slice(None), *p, *k)] = padded[(slice(None), *at)]
    return result


def convolved(x, w, strides, padding, rates=None):
    n = w.ndim - 2
    seen = windows(x, w.shape[:n], strides, rates or (1,) * n, padding)
    return np.tensordot(seen, w, n + 1)


def depthwise(x, w, strides, padding, rates=(1, 1)):
    seen = windows(x, w.shape[:2], strides, rates, padding)
    y = np.einsum('byxhwc,hwcm->byxcm', seen, w)
    return y.reshape(*y.shape[:3], -1)


def transposed(y, w, shape, strides, padding, rates=None):
    """The adjoint of `convolved`, as a matrix applied to unit inputs, one element at a time."""
    x = np.zeros(shape)
    flat = x.reshape(-1)
    out = np.empty(flat.size)
    for i in range(flat.size):
        flat[i] = 1
        out[i] = (convolved(x, w, strides, padding, rates) * y).sum()
        flat[i] = 0
    return out.reshape(shape)


def filter_gradient(x, y, shape, strides, padding, rates=None):
    """The adjoint of `convolved` in the filter."""
    n = len(shape) - 2
    seen = windows(x, shape[:n], strides, rates or (1,) * n, padding)
    axes = list(range(n + 1))
    return np.tensordot(seen, y, (axes, axes))


def nchw(function):
    """The reference for channels first."""
    def moved(x, *rest):
        return np.moveaxis(function(np.moveaxis(x, 1, -1), *rest), -1, 1)
    return moved


def conv2d_row(x, w, strides, padding, rates=(1, 1), **settings):
    pads = [[0, 0], *map(list, padding), [0, 0]] if isinstance(padding, list) else padding
    name = f'{x} {w} {strides} {padding} {rates}'
    return row('Conv2D', lambda tf, a, b: tf.nn.conv2d(a, b, [1, *strides, 1], pads,
                                                        dilations=[1, *rates, 1]), [x, w],
               ref=lambda a, b: convolved(a, b, strides, padding, rates), name=name, **settings)


CONV2D = [
    row('Conv2D', lambda tf, x, w: tf.nn.conv2d(x, w, [1, 1, 1, 1], 'SAME'),
        [(2, 4, 5, 2), (3, 3, 2, 2)], ref=lambda x, w: convolved(x, w, (1, 1), 'SAME'),
        bad=[lambda tf: tf.nn.conv2d(tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 1, 4]), 1, 'SAME'),
             lambda tf: tf.nn.conv2d(tf.zeros([4, 4, 3]), tf.zeros([3, 3, 3, 4]), 1, 'SAME'),
             lambda tf: tf.nn.conv2d(tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 3]), 1, 'SAME'),
             lambda tf: tf.nn.conv2d(tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 3, 4]), 1, 'same'),
             lambda tf: tf.nn.conv2d(tf.zeros([1, 4, 4, 3]), tf.zeros([5, 3, 3, 4]), 1, 'VALID'),
             lambda tf: tf.nn.conv2d(tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 3, 4]), [2, 1, 1, 1],
                                     'SAME'),
             lambda tf: tf.nn.conv2d(tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 3, 4]), 1, 'SAME',
                                     data_format='NHCW')],
        run_bad=[lambda tf: tf.nn.conv2d(
            tf.placeholder_with_default(np.zeros([1, 4, 4, 3], 'f'), None),
            tf.placeholder_with_default(np.zeros([3, 3, 1, 4], 'f'), None), 1, 'SAME')]),
    conv2d_row((2, 5, 4, 1), (2, 3, 1, 3), (2, 1), 'VALID'),
    conv2d_row((1, 6, 7, 2), (3, 2, 2, 2), (2, 3), 'SAME'),
    conv2d_row((2, 7, 6, 1), (2, 3, 1, 2), (1, 1), 'SAME', (2, 2)),
    conv2d_row((1, 7, 7, 1), (3, 2, 1, 1), (2, 1), 'VALID', (1, 3)),
    conv2d_row((1, 4, 3, 2), (2, 2, 2, 1), (1, 2), [(1, 0), (0, 2)]),
    conv2d_row((1, 3, 3, 1), (2, 2, 1, 1), (1, 1), [(3, 0), (0, 4)]),
    conv2d_row((2, 3, 4, 3), (1, 1, 3, 2), (1, 1), 'VALID'),
    conv2d_row((1, 5, 5, 2), (1, 1, 2, 2), (2, 2), 'SAME'),
    conv2d_row((1, 1, 8, 2), (1, 3, 2, 2), (1, 2), 'SAME'),
    conv2d_row((1, 4, 4, 2), (2, 2, 2, 3), (2, 2), 'VALID'),
    conv2d_row((0, 4, 4, 2), (2, 2, 2, 3), (1, 1), 'SAME', grad=False),
    conv2d_row((20, 12, 5, 2), (3, 3, 2, 3), (1, 1), 'SAME', grad=False),
    row('Conv2D', lambda tf, x, w: tf.nn.conv2d(x, w, [1, 1, 2, 1], 'SAME', data_format='NCHW'),
        [(2, 2, 4, 5), (3, 3, 2, 2)], ref=nchw(lambda x, w: convolved(x, w, (2, 1), 'SAME')),
        name='channels first'),
    row('Conv2D', lambda tf, x, w: tf.nn.conv1d(x, w, 2, 'SAME'), [(2, 5, 2), (3, 2, 2)],
        ref=lambda x, w: convolved(x, w, (2,), 'SAME'), name='conv1d'),
    row('Conv2D', lambda tf, x, w: tf.nn.conv1d(x, w, 1, 'VALID', data_format='NCW', dilations=2),
        [(2, 2, 6), (2, 2, 2)], ref=nchw(lambda x, w: convolved(x, w, (1,), 'VALID', (2,))),
        name='conv1d, channels first'),
    row('Conv2D', lambda tf, x, w: tf.nn.atrous_conv2d(x, w, 2, 'SAME'),
        [(1, 5, 6, 1), (3, 3, 1, 2)],
        ref=lambda x, w: convolved(x, w, (1, 1), 'SAME', (2, 2)), unknown=False,
        name='atrous'),
    row('Conv2D', lambda tf, x, w: tf.nn.convolution(x, w, 'VALID', dilation_rate=[3, 1],
                                                     data_format='NCHW'),
        [(1, 2, 6, 5), (2, 3, 2, 2)],
        ref=nchw(lambda x, w: convolved(x, w, (1, 1), 'VALID', (3, 1))), unknown=False,
        name='convolution, dilated, channels first'),
    row('Conv2D', lambda tf, x, w: tf.nn.convolution(x, w, 'SAME', strides=[2]),
        [(1, 6, 2), (3, 2, 2)], ref=lambda x, w: convolved(x, w, (2,), 'SAME'), unknown=False,
        name='convolution of sequences'),
    row('Conv2D', lambda tf, x, d, p: tf.nn.separable_conv2d(x, d, p, [1, 2, 2, 1], 'SAME'),
        [(1, 4, 4, 2), (2, 2, 2, 2), (1, 1, 4, 3)],
        ref=lambda x, d, p: np.tensordot(depthwise(x, d, (2, 2), 'SAME'), p[0, 0], 1),
        name='separable'),
]

SIZES = [2, 5, 4, 2]

CONV2D_BACK = [
    row('Conv2DBackpropInput', lambda tf, w, y: tf.nn.conv2d_backprop_input(
        SIZES, w, y, [1, 1, 1, 1], 'SAME'), [(3, 2, 2, 2), (2, 5, 4, 2)],
        ref=lambda w, y: transposed(y, w, SIZES, (1, 1), 'SAME'),
        bad=[lambda tf: tf.nn.conv2d_transpose(tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 2, 3]),
                                               [8, 8, 2], 2)],
        run_bad=[lambda tf: tf.nn.conv2d_transpose(
            tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 2, 3]), [1, 9, 8, 2], 2),
                 lambda tf: tf.nn.conv2d_transpose(
            tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 2, 4]), [1, 8, 8, 2], 2)]),
    row('Conv2DBackpropInput', lambda tf, y, w: tf.nn.conv2d_transpose(y, w, SIZES, [1, 2, 3, 1]),
        [(2, 3, 2, 1), (2, 3, 2, 1)],
        ref=lambda y, w: transposed(y, w, SIZES, (2, 3), 'SAME'), name='transposed'),
    row('Conv2DBackpropInput', lambda tf, y, w: tf.nn.conv2d_transpose(
        y, w, [1, 6, 5, 2], 2, 'VALID'), [(1, 2, 2, 1), (3, 2, 2, 1)],
        ref=lambda y, w: transposed(y, w, [1, 6, 5, 2], (2, 2), 'VALID'),
        name='transposed, a row that no kernel reaches'),
    row('Conv2DBackpropInput', lambda tf, y, w: tf.nn.conv2d_backprop_input(
        [1, 3, 3, 1], w, y, [1, 1, 1, 1], [[0, 0], [3, 0], [0, 4], [0, 0]]),
        [(1, 5, 6, 1), (2, 2, 1, 1)],
        ref=lambda y, w: transposed(y, w, [1, 3, 3, 1], (1, 1), [(3, 0), (0, 4)]),
        name='margins larger than the kernel'),
    row('Conv2DBackpropInput', lambda tf, y, w: tf.nn.conv2d_backprop_input(
        [1, 2, 5, 4], w, y, [1, 1, 1, 1], 'SAME', data_format='NCHW', dilations=[1, 1, 2, 1]),
        [(1, 1, 5, 4), (2, 2, 2, 1)],
        ref=nchw(lambda y, w: transposed(y, w, [1, 5, 4, 2], (1, 1), 'SAME', (2, 1))),
        name='channels first, dilated'),
    row('Conv2DBackpropInput', lambda tf, y, w: tf.nn.conv1d_transpose(y, w, [1, 6, 2], 2),
        [(1, 3, 1), (3, 2, 1)], ref=lambda y, w: transposed(y, w, [1, 6, 2], (2,), 'SAME'),
        name='conv1d_transpose'),
    row('Conv2DBackpropInput', lambda tf, y, w: tf.nn.atrous_conv2d_transpose(
        y, w, [1, 5, 5, 1], 2, 'VALID'), [(1, 3, 1, 2), (2, 3, 1, 2)],
        ref=lambda y, w: transposed(y, w, [1, 5, 5, 1], (1, 1), 'VALID', (2, 2)), unknown=False,
        name='atrous_conv2d_transpose'),
    row('Conv2DBackpropFilter', lambda tf, x, y: tf.nn.conv2d_backprop_filter(
        x, [3, 2, 2, 2], y, [1, 1, 1, 1], 'SAME'), [(2, 5, 4, 2), (2, 5, 4, 2)],
        ref=lambda x, y: filter_gradient(x, y, (3, 2, 2, 2), (1, 1), 'SAME'),
        bad=[lambda tf: tf.nn.conv2d_backprop_filter(
            tf.zeros([1, 4, 4, 1]), [3, 3, 1, 1], tf.zeros([1, 4, 5, 1]), [1, 1, 1, 1], 'SAME')]),
    row('Conv2DBackpropFilter', lambda tf, x, y: tf.nn.conv2d_backprop_filter(
        x, [3, 2, 1, 2], y, [1, 2, 1, 1], 'VALID', dilations=[1, 1, 2, 1]),
        [(2, 6, 4, 1), (2, 2, 2, 2)],
        ref=lambda x, y: filter_gradient(x, y, (3, 2, 1, 2), (2, 1), 'VALID', (1, 2)),
        name='strides and rates'),
    row('Conv2DBackpropFilter', lambda tf, x, y: tf.nn.conv2d_backprop_filter(
        x, [1, 1, 2, 3], y, [1, 1, 1, 1], 'VALID'), [(2, 3, 2, 2), (2, 3, 2, 3)],
        ref=lambda x, y: filter_gradient(x, y, (1, 1, 2, 3), (1, 1), 'VALID'),
        name='single pixels'),
]

CONV3D = [
    row('Conv3D', lambda tf, x, w: tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], 'SAME'),
        [(1, 3, 4, 3, 1), (2, 3, 2, 1, 2)],
        ref=lambda x, w: convolved(x, w, (1, 1, 1), 'SAME'),
        bad=[lambda tf: tf.nn.conv3d(tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 3, 3, 4]),
                                     [1] * 5, 'SAME')]),
    row('Conv3D', lambda tf, x, w: tf.nn.conv3d(x, w, [1, 1, 2, 1, 2], 'VALID',
                                                data_format='NCDHW'),
        [(1, 2, 3, 3, 4), (2, 2, 3, 2, 1)],
        ref=nchw(lambda x, w: convolved(x, w, (2, 1, 2), 'VALID')), name='channels first'),
    row('Conv3DBackpropInputV2', lambda tf, y, w: tf.nn.conv3d_transpose(
        y, w, [1, 3, 4, 3, 1], [1, 2, 2, 1, 1]), [(1, 2, 2, 3, 2), (2, 3, 2, 1, 2)],
        ref=lambda y, w: transposed(y, w, [1, 3, 4, 3, 1], (2, 2, 1), 'SAME')),
    row('Conv3DBackpropFilterV2', lambda tf, x, y: tf.nn.conv3d_backprop_filter_v2(
        x, [2, 2, 2, 1, 2], y, [1, 1, 1, 1, 1], 'VALID'), [(1, 3, 3, 3, 1), (1, 2, 2, 2, 2)],
        ref=lambda x, y: filter_gradient(x, y, (2, 2, 2, 1, 2), (1, 1, 1), 'VALID')),
]


def depthwise_transposed(y, w, shape, strides, padding):
    n, h, b, c = shape
    full = np.zeros((*w.shape[:2], c, c * w.shape[3]))
    for i in range(c):
        full[:, :, i, i * w.shape[3]:(i + 1) * w.shape[3]] = w[:, :, i]
    return transposed(y, full, shape, strides, padding)


def depthwise_filter(x, y, shape, strides, padding):
    seen = windows(x, shape[:2], strides, (1, 1), padding)
    return np.einsum('byxhwc,byxcm->hwcm', seen, y.reshape(*y.shape[:3], shape[2], shape[3]))


DEPTHWISE = [
    row('DepthwiseConv2dNative', lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1],
                                                                         'SAME'),
        [(2, 4, 3, 2), (3, 2, 2, 2)], ref=lambda x, w: depthwise(x, w, (1, 1), 'SAME'),
        bad=[lambda tf: tf.nn.depthwise_conv2d(tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 1, 1]),
                                               [1, 1, 1, 1], 'SAME')]),
    row('DepthwiseConv2dNative', lambda tf, x, w: tf.nn.depthwise_conv2d_native(
        x, w, [1, 1, 2, 3], 'VALID', data_format='NCHW'), [(2, 2, 5, 4), (2, 2, 2, 1)],
        ref=nchw(lambda x, w: depthwise(x, w, (2, 3), 'VALID')), name='channels first'),
    row('DepthwiseConv2dNative', lambda tf, x, w: tf.nn.depthwise_conv2d(
        x, w, [1, 1, 1, 1], 'SAME', rate=[2, 2]), [(1, 5, 4, 2), (2, 3, 2, 1)],
        ref=lambda x, w: depthwise(x, w, (1, 1), 'SAME', (2, 2)), name='dilated'),
    row('DepthwiseConv2dNativeBackpropInput',
        lambda tf, w, y: tf.nn.depthwise_conv2d_native_backprop_input(
            [1, 5, 4, 2], w, y, [1, 2, 1, 1], 'SAME'), [(3, 2, 2, 2), (1, 3, 4, 4)],
        ref=lambda w, y: depthwise_transposed(y, w, [1, 5, 4, 2], (2, 1), 'SAME'),
        bad=[lambda tf: tf.nn.depthwise_conv2d_native_backprop_input(
            [1, 5, 4, 2], tf.zeros([3, 2, 2, 2]), tf.zeros([1, 5, 4, 4]), [1, 2, 1, 1], 'SAME')]),
    row('DepthwiseConv2dNativeBackpropFilter',
        lambda tf, x, y: tf.nn.depthwise_conv2d_native_backprop_filter(
            x, [3, 2, 2, 2], y, [1, 2, 1, 1], 'VALID'), [(2, 5, 4, 2), (2, 2, 3, 4)],
        ref=lambda x, y: depthwise_filter(x, y, (3, 2, 2, 2), (2, 1), 'VALID')),
]


def patches(x, kernel, strides, rates, padding):
    seen = windows(x, kernel, strides, rates, padding)
    return seen.reshape(*seen.shape[:len(kernel) + 1], -1)


PATCHES = [
    row('ExtractImagePatches', lambda tf, x: tf.extract_image_patches(
        x, [1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 2, 1], 'SAME'), [(2, 5, 4, 2)],
        ref=lambda x: patches(x, (3, 2), (2, 1), (1, 2), 'SAME'),
        bad=[lambda tf: tf.extract_image_patches(tf.zeros([4, 4, 1]), [1, 2, 2, 1], [1, 1, 1, 1],
                                                 [1, 1, 1, 1], 'SAME')]),
    row('ExtractImagePatches', lambda tf, x: tf.extract_image_patches(
        x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID'),
        [np.arange(30, dtype=np.int32).reshape(1, 5, 6, 1)],
        ref=lambda x: patches(x, (2, 2), (2, 2), (1, 1), 'VALID'), name='ints'),
    row('ExtractVolumePatches', lambda tf, x: tf.extract_volume_patches(
        x, [1, 2, 2, 1, 1], [1, 1, 2, 1, 1], 'SAME'), [(1, 3, 3, 2, 2)],
        ref=lambda x: patches(x, (2, 2, 1), (1, 2, 1), (1, 1, 1), 'SAME')),
]


def dilated(x, w, strides, rates, padding):
    seen = windows(x, w.shape[:2], strides, rates, padding, fill=-np.inf)
    return (seen + w).max((3, 4))


def back_to(what):
    """The gradient op alone, on dy = the third input."""
    def build(tf, x, w, dy):
        return Op.registry[f'Dilation2DBackprop{what}'].apply(
            x, w, dy, strides=(1, 1, 2, 1), rates=(1, 2, 1, 1), padding='VALID')
    return build


def dilation_back(x, w, dy):
    """(dx, dw) of the sum over dy of dilated(x, w), window by window."""
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for b, i, j, c in np.ndindex(*dy.shape):
        sums = x[b, i:i + 2 * w.shape[0]:2, 2 * j:2 * j + w.shape[1], c] + w[..., c]
        k, m = np.unravel_index(sums.argmax(), sums.shape)
        dx[b, i + 2 * k, 2 * j + m, c] += dy[b, i, j, c]
        dw[k, m, c] += dy[b, i, j, c]
    return dx, dw


MORPHOLOGY = [
    row('Dilation2D', lambda tf, x, w: tf.nn.dilation2d(x, w, [1, 1, 1, 1], [1, 1, 1, 1], 'SAME'),
        [(2, 4, 3, 2), (3, 2, 2)], second=False,
        ref=lambda x, w: dilated(x, w, (1, 1), (1, 1), 'SAME'),
        bad=[lambda tf: tf.nn.dilation2d(tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 1]),
                                         [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')]),
    row('Dilation2D', lambda tf, x, w: tf.nn.erosion2d(x, w, [1, 2, 1, 1], [1, 1, 2, 1], 'VALID'),
        [(1, 5, 4, 1), (2, 2, 1)], second=False,
        ref=lambda x, w: -dilated(-x, w[::-1, ::-1], (2, 1), (1, 2), 'VALID'), name='erosion'),
    row('Dilation2D', lambda tf, x, w: tf.nn.dilation2d(x, w, [1, 1, 1, 1], [1, 1, 1, 1], 'SAME'),
        [np.arange(-6, 6, dtype=np.int32).reshape(1, 3, 4, 1), np.ones([2, 2, 1], np.int32)],
        ref=lambda x, w: dilated(x * 1.0, w, (1, 1), (1, 1), 'SAME').astype(np.int32),
        name='ints'),
    row('Dilation2DBackpropInput', back_to('Input'), [(2, 5, 4, 2), (2, 2, 2), (2, 3, 2, 2)],
        ref=lambda x, w, dy: dilation_back(x, w, dy)[0], grad=False),
    row('Dilation2DBackpropFilter', back_to('Filter'), [(2, 5, 4, 2), (2, 2, 2), (2, 3, 2, 2)],
        ref=lambda x, w, dy: dilation_back(x, w, dy)[1], grad=False),
]

ROWS = CONV2D + CONV2D_BACK + CONV3D + DEPTHWISE + PATCHES + MORPHOLOGY
