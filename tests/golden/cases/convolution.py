"""Convolutions over paddings, strides, rates and odd sizes; pools; normalization of images.

Channels last only: TF 1.15 refuses the other order on a CPU, when it runs.
"""
import numpy as np

from .. import op_inputs as given
from ..op_cases import case, f32, i32


def images(*shape, **how):
    """Values of no order, few of them equal."""
    size = int(np.prod(shape))
    values = given.matrix(1, size, how.get('salt', 0)) + np.arange(size, dtype=np.float32) / 64
    return values.reshape(shape).astype(np.float32)


def filters(*shape):
    return given.matrix(1, int(np.prod(shape)), 3).reshape(shape)


# --- convolutions
SIZES = [((1, 5, 4, 2), (3, 2, 2, 2)), ((2, 4, 7, 1), (2, 3, 1, 2))]
for _x, _w in SIZES:
    for _strides in [[1, 1, 1, 1], [1, 2, 2, 1], [1, 3, 3, 1]]:
        for _padding in ['SAME', 'VALID', [[0, 0], [2, 0], [1, 3], [0, 0]]]:
            case('nn.conv2d', '%s by %s, %s, %s' % (_x, _w, _strides[1], _padding), images(*_x),
                 filters(*_w), _strides, _padding)
case('nn.conv2d', 'unequal strides', images(1, 6, 5, 2), filters(2, 2, 2, 1), [1, 2, 1, 1], 'SAME')
case('nn.conv2d', 'single pixels', images(2, 3, 2, 3), filters(1, 1, 3, 2), 1, 'VALID')
case('nn.conv2d', 'single pixels, stride 2', images(1, 5, 4, 2), filters(1, 1, 2, 2), 2, 'SAME')
case('nn.conv2d', 'a kernel larger than the image', images(1, 2, 3, 1), filters(5, 5, 1, 1), 1,
     'SAME')
case('nn.conv2d', 'float64', images(1, 4, 4, 1).astype(np.float64),
     filters(3, 3, 1, 2).astype(np.float64), 1, 'SAME')
case('nn.conv2d', 'float16', images(1, 3, 3, 1).astype(np.float16),
     filters(2, 2, 1, 2).astype(np.float16), 1, 'VALID')
case('nn.conv2d', 'no images', np.zeros([0, 4, 4, 1], np.float32), filters(2, 2, 1, 2), 1, 'SAME')
case('nn.conv2d', 'rates', images(1, 7, 6, 2), filters(3, 2, 2, 2), 1, 'SAME',
     dilations=[1, 2, 3, 1])
case('nn.conv2d', 'rates and strides', images(1, 7, 6, 1), filters(2, 2, 1, 2), 2, 'VALID',
     dilations=2)
for _what, _error in [('channels', filters(3, 3, 3, 1)), ('rank', filters(3, 3, 2))]:
    case('nn.conv2d', 'wrong ' + _what, images(1, 4, 4, 2), _error, 1, 'SAME')
case('nn.conv2d', 'too large for VALID', images(1, 2, 2, 1), filters(3, 3, 1, 1), 1, 'VALID')
case('nn.conv2d', 'no such padding', images(1, 2, 2, 1), filters(1, 1, 1, 1), 1, 'same')
case('nn.conv2d', 'no such format', images(1, 2, 2, 1), filters(1, 1, 1, 1), 1, 'SAME',
     data_format='NHCW')
case('nn.conv2d', 'no padding', images(1, 2, 2, 1), filters(1, 1, 1, 1), 1)
case('nn.conv2d', 'three strides', images(1, 2, 2, 1), filters(1, 1, 1, 1), [1, 1, 1], 'SAME')
case('nn.conv1d', 'stride 2', images(2, 7, 2), filters(3, 2, 2), 2, 'SAME')
case('nn.conv1d', 'inside', images(2, 5, 1), filters(2, 1, 3), stride=1, padding='VALID')
for _padding in ['SAME', 'VALID']:
    case('nn.conv3d', _padding, images(1, 3, 4, 5, 1), filters(2, 3, 2, 1, 2), [1, 1, 2, 1, 1],
         _padding)
    case('nn.atrous_conv2d', _padding, images(1, 7, 6, 2), filters(3, 2, 2, 2), 2, _padding)
    case('nn.convolution', 'sequences, ' + _padding, images(1, 8, 2), filters(3, 2, 2), _padding,
         dilation_rate=[2])
    case('nn.depthwise_conv2d', 'multiplier 2, ' + _padding, images(2, 5, 4, 2),
         filters(3, 2, 2, 2), [1, 2, 2, 1], _padding)
    case('nn.depthwise_conv2d', 'rate 2, ' + _padding, images(1, 6, 7, 2), filters(2, 3, 2, 1),
         [1, 1, 1, 1], _padding, [2, 2])
    case('nn.separable_conv2d', _padding, images(1, 5, 4, 2), filters(2, 3, 2, 2),
         filters(1, 1, 4, 3), [1, 1, 1, 1], _padding)
case('nn.convolution', 'volumes', images(1, 3, 3, 3, 1), filters(2, 2, 2, 1, 2), 'VALID',
     strides=[1, 2, 1])
case('nn.convolution', 'images, rates', images(1, 6, 5, 1), filters(2, 3, 1, 2), 'SAME',
     dilation_rate=[1, 2])
case('nn.separable_conv2d', 'rates', images(1, 6, 6, 1), filters(2, 2, 1, 2), filters(1, 1, 2, 1),
     [1, 1, 1, 1], 'SAME', [2, 1])

# --- transposed
case('nn.conv2d_transpose', 'SAME', images(1, 3, 2, 2), filters(3, 2, 1, 2), [1, 5, 4, 1], 2)
case('nn.conv2d_transpose', 'VALID', images(1, 2, 3, 1), filters(2, 3, 2, 1), [1, 4, 8, 2],
     [1, 2, 2, 1], 'VALID')
case('nn.conv2d_transpose', 'stride 1', images(2, 3, 3, 1), filters(3, 3, 1, 1), [2, 3, 3, 1], 1)
case('nn.conv1d_transpose', 'stride 2', images(1, 3, 2), filters(3, 1, 2), [1, 6, 1], 2)
case('nn.conv3d_transpose', 'stride 2', images(1, 2, 2, 1, 1), filters(2, 3, 2, 2, 1),
     [1, 4, 3, 2, 2], [1, 2, 2, 2, 1])
case('nn.atrous_conv2d_transpose', 'VALID', images(1, 3, 4, 1), filters(2, 3, 2, 1), [1, 5, 8, 2],
     2, 'VALID')
case('nn.atrous_conv2d_transpose', 'SAME', images(1, 5, 4, 1), filters(3, 3, 2, 1), [1, 5, 4, 2],
     2, 'SAME')
case('nn.conv2d_backprop_input', 'alone', i32([1, 4, 3, 2]), filters(2, 2, 2, 1),
     images(1, 4, 3, 1), [1, 1, 1, 1], 'SAME')
case('nn.conv2d_backprop_filter', 'alone', images(1, 4, 3, 2), i32([2, 2, 2, 1]),
     images(1, 2, 2, 1), [1, 2, 2, 1], 'SAME')
case('nn.conv3d_backprop_filter', 'alone', images(1, 3, 3, 2, 1), i32([2, 2, 2, 1, 1]),
     images(1, 2, 2, 1, 1), [1, 1, 1, 1, 1], 'VALID')
case('nn.depthwise_conv2d_native_backprop_input', 'alone', i32([1, 4, 3, 2]), filters(2, 2, 2, 1),
     images(1, 4, 3, 2), [1, 1, 1, 1], 'SAME')
case('nn.depthwise_conv2d_native_backprop_filter', 'alone', images(1, 4, 3, 2), i32([2, 2, 2, 1]),
     images(1, 2, 2, 2), [1, 2, 2, 1], 'SAME')

# --- pools
TIES = f32([[1, 1, 2, 0, 2], [1, 0, 2, 2, 1], [3, 3, 0, 0, 3]]).reshape(1, 3, 5, 1)
for _pool in ['nn.max_pool', 'nn.avg_pool']:
    for _padding in ['SAME', 'VALID']:
        for _ksize, _strides in [(2, 2), (3, 1), (3, 2), ([1, 2, 3, 1], [1, 3, 1, 1])]:
            case(_pool, '%s, %s by %s' % (_padding, _ksize, _strides), images(2, 5, 6, 2), _ksize,
                 _strides, _padding)
        case(_pool, 'equal elements, ' + _padding, TIES, 2, 1, _padding)
    case(_pool, 'too large', images(1, 2, 2, 1), 3, 1, 'VALID')
    case(_pool, 'no batch', images(2, 2, 1), 2, 1, 'SAME')
    case(_pool, 'float64', images(1, 4, 4, 1).astype(np.float64), 2, 2, 'SAME')
    case(_pool, 'float16', images(1, 4, 4, 1).astype(np.float16), 2, 2, 'SAME')
for _pool in ['nn.max_pool1d', 'nn.avg_pool1d', 'nn.max_pool_v2', 'nn.avg_pool_v2']:
    case(_pool, 'sequences', images(2, 7, 2), 3, 2, 'SAME')
for _pool in ['nn.max_pool3d', 'nn.avg_pool3d']:
    for _padding in ['SAME', 'VALID']:
        case(_pool, _padding, images(1, 3, 4, 3, 1), 2, 2, _padding)
case('nn.max_pool', 'ints', i32([[3, 1, 4, 1], [5, 9, 2, 6]]).reshape(1, 2, 4, 1), 2, 1, 'SAME')
case('nn.max_pool', 'over channels', images(1, 2, 2, 4), [1, 1, 1, 2], [1, 1, 1, 2], 'SAME')
case('nn.max_pool_with_argmax', 'SAME', images(2, 5, 3, 2), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')
case('nn.max_pool_with_argmax', 'in the batch', images(2, 4, 4, 1), [1, 2, 3, 1], [1, 1, 1, 1],
     'VALID', include_batch_in_index=True)
case('nn.pool', 'dilated', images(1, 7, 6, 2), [2, 2], 'MAX', 'VALID', [2, 3])
case('nn.pool', 'sequences', images(2, 6, 2), [3], 'AVG', 'SAME', strides=[2])
case('nn.pool', 'no such pool', images(2, 6, 2), [3], 'MIN', 'SAME')

# --- patches and morphology
case('extract_image_patches', 'rates', images(1, 6, 5, 2), [1, 2, 2, 1], [1, 2, 1, 1],
     [1, 2, 1, 1], 'VALID')
case('extract_image_patches', 'SAME', images(1, 5, 4, 1), [1, 3, 3, 1], [1, 2, 2, 1],
     [1, 1, 1, 1], 'SAME')
case('extract_volume_patches', 'SAME', images(1, 3, 2, 3, 1), [1, 2, 2, 1, 1], [1, 2, 1, 1, 1],
     'SAME')
case('nn.dilation2d', 'SAME', images(1, 4, 5, 2), filters(2, 3, 2), [1, 1, 1, 1], [1, 1, 1, 1],
     'SAME')
case('nn.dilation2d', 'rates', images(1, 6, 5, 1), filters(2, 2, 1), [1, 1, 2, 1], [1, 2, 1, 1],
     'VALID')
case('nn.erosion2d', 'strides', images(1, 6, 5, 1), filters(2, 2, 1), [1, 2, 2, 1], [1, 1, 1, 1],
     'VALID')

# --- normalization
STATISTICS = {'scale': f32([0.5, -2]), 'offset': f32([1, 0.25])}
case('nn.fused_batch_norm', 'both statistics given in training', images(2, 3, 2, 2),
     mean=f32([1, 2]), variance=f32([1, 2]), **STATISTICS)
case('nn.fused_batch_norm', 'no statistics', images(2, 3, 2, 2), is_training=False, **STATISTICS)
case('nn.lrn', 'defaults', images(1, 2, 2, 7))
case('nn.local_response_normalization', 'radius 1', images(2, 1, 2, 4), 1, 2.0, 0.5, 0.75)
case('nn.lrn', 'float16', images(1, 1, 2, 4).astype(np.float16), 2)
case('nn.bias_add', 'channels first', images(2, 3, 2, 2), f32([1, 2, 3]), data_format='NCHW')
