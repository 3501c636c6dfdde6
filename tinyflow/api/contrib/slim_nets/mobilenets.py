"""MobileNet 1: a convolution for each channel alone, then one of 1x1 that mixes them.

Howard and others, "MobileNets" (2017). TF 1.15's own slim.nets ends before it; these are the
Variables and end points of slim's published model and checkpoints.
"""
from __future__ import annotations

import collections
import functools

from tinyflow.api.contrib import layers
from tinyflow.api.contrib.framework import arg_scope
from tinyflow.api.contrib.slim_nets.building import reduced_window, scores
from tinyflow.ops.array.padding import pad
from tinyflow.ops.math.reduction import reduce_mean
from tinyflow.ops.nn.activations import relu6
from tinyflow.ops.variables.initializers import truncated_normal_initializer
from tinyflow.ops.variables.variable_scope import variable_scope

Conv = collections.namedtuple('Conv', ['kernel', 'stride', 'depth'])
DepthSepConv = collections.namedtuple('DepthSepConv', ['kernel', 'stride', 'depth'])

_LAYERS = [Conv([3, 3], 2, 32)] + [DepthSepConv([3, 3], stride, depth) for stride, depth in (
    (1, 64), (2, 128), (1, 128), (2, 256), (1, 256), (2, 512), *[(1, 512)] * 5, (2, 1024),
    (1, 1024))]


def mobilenet_v1_base(inputs, final_endpoint='Conv2d_13_pointwise', min_depth=8,
                      depth_multiplier=1.0, conv_defs=None, output_stride=None,
                      use_explicit_padding=False, scope=None):
    """(the last feature map, all of them by name).

    With an output_stride of 8, 16 or 32 later layers use dilated convolutions in place of strides.
    """
    if depth_multiplier <= 0:
        raise ValueError('depth_multiplier is not greater than zero.')
    if output_stride not in (None, 8, 16, 32):
        raise ValueError('Only allowed output_stride values are 8, 16, 32.')
    ends = {}
    with variable_scope(scope, 'MobilenetV1', [inputs]), \
            arg_scope([layers.conv2d, layers.separable_conv2d],
                      padding='VALID' if use_explicit_padding else 'SAME'):
        for name, x in _feature_maps(inputs, conv_defs or _LAYERS, output_stride,
                                     use_explicit_padding,
                                     lambda depth: max(int(depth * depth_multiplier), min_depth)):
            ends[name] = x
            if name == final_endpoint:
                return x, ends
    raise ValueError(f'Unknown final endpoint {final_endpoint}')


def _feature_maps(x, conv_defs, output_stride, padded, scale):
    """Yields (name, feature map) of layer after layer."""
    so_far, dilation = 1, 1
    for i, layer in enumerate(conv_defs):
        stride, rate = layer.stride, 1
        if so_far == output_stride:
            stride, rate, dilation = 1, dilation, dilation * layer.stride
        else:
            so_far *= layer.stride
        name = f'Conv2d_{i}'
        if padded:
            x = _padded(x, layer.kernel[0], rate)
        if isinstance(layer, Conv):
            x = layers.conv2d(x, scale(layer.depth), layer.kernel, stride=layer.stride,
                              normalizer_fn=layers.batch_norm, scope=name)
            yield name, x
            continue
        x = layers.separable_conv2d(x, None, layer.kernel, depth_multiplier=1, stride=stride,
                                    rate=rate, normalizer_fn=layers.batch_norm,
                                    scope=name + '_depthwise')
        yield name + '_depthwise', x
        x = layers.conv2d(x, scale(layer.depth), [1, 1], stride=1,
                          normalizer_fn=layers.batch_norm, scope=name + '_pointwise')
        yield name + '_pointwise', x


def _padded(x, size, rate):
    """Zeros around images, so that VALID gives the size that SAME gives."""
    total = (size - 1) * rate
    around = [total // 2, total - total // 2]
    return pad(x, [[0, 0], around, around, [0, 0]])


def mobilenet_v1(inputs, num_classes=1000, dropout_keep_prob=0.999, is_training=True, min_depth=8,
                 depth_multiplier=1.0, conv_defs=None, prediction_fn=layers.softmax,
                 spatial_squeeze=True, reuse=None, scope='MobilenetV1', global_pool=False):
    """(scores, end points) of images [n, 224, 224, 3]; without num_classes features, no scores."""
    if inputs.shape.ndims != 4:
        raise ValueError(f'Invalid input tensor rank, expected 4, was: {inputs.shape.ndims}')
    with variable_scope(scope, 'MobilenetV1', [inputs], reuse=reuse) as sc, \
            arg_scope([layers.batch_norm, layers.dropout], is_training=is_training):
        x, ends = mobilenet_v1_base(inputs, scope=sc, min_depth=min_depth,
                                    depth_multiplier=depth_multiplier, conv_defs=conv_defs)
        with variable_scope('Logits'):
            if global_pool:
                x = ends['global_pool'] = reduce_mean(x, [1, 2], keepdims=True, name='global_pool')
            else:
                x = ends['AvgPool_1a'] = layers.avg_pool2d(
                    x, reduced_window(x, [7, 7]), padding='VALID', scope='AvgPool_1a')
            if not num_classes:
                return x, ends
            x = layers.dropout(x, dropout_keep_prob, scope='Dropout_1b')
            x = scores(x, num_classes, spatial_squeeze)
        ends['Logits'] = x
        if prediction_fn:
            ends['Predictions'] = prediction_fn(x, scope='Predictions')
        return x, ends


mobilenet_v1.default_image_size = 224
mobilenet_v1_075 = functools.update_wrapper(
    functools.partial(mobilenet_v1, depth_multiplier=0.75), mobilenet_v1)
mobilenet_v1_050 = functools.update_wrapper(
    functools.partial(mobilenet_v1, depth_multiplier=0.50), mobilenet_v1)
mobilenet_v1_025 = functools.update_wrapper(
    functools.partial(mobilenet_v1, depth_multiplier=0.25), mobilenet_v1)


def mobilenet_v1_arg_scope(is_training=True, weight_decay=0.00004, stddev=0.09,
                           regularize_depthwise=False, batch_norm_decay=0.9997,
                           batch_norm_epsilon=0.001):
    """The arg_scope of MobileNet: batch normalization, relu6, an L2 penalty.

    is_training=None leaves it to the batch normalization's other arguments.
    """
    normal = {'center': True, 'scale': True, 'decay': batch_norm_decay,
              'epsilon': batch_norm_epsilon}
    if is_training is not None:
        normal['is_training'] = is_training
    penalty = layers.l2_regularizer(weight_decay)
    with arg_scope([layers.conv2d, layers.separable_conv2d], activation_fn=relu6,
                   weights_initializer=truncated_normal_initializer(stddev=stddev),
                   normalizer_fn=layers.batch_norm), \
            arg_scope([layers.batch_norm], **normal), \
            arg_scope([layers.conv2d], weights_regularizer=penalty), \
            arg_scope([layers.separable_conv2d], weights_regularizer=penalty
                      if regularize_depthwise else None) as arguments:
        return arguments


__all__ = ['mobilenet_v1', 'mobilenet_v1_025', 'mobilenet_v1_050', 'mobilenet_v1_075',
           'mobilenet_v1_arg_scope', 'mobilenet_v1_base']
