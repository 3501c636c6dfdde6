"""Residual networks, version 1 (relu after the sum) and 2 (batch normalization and relu first).

He and others, "Deep residual learning for image recognition" (2015) and "Identity mappings in deep
residual networks" (2016).
"""
from __future__ import annotations

from tinyflow.api.contrib import layers
from tinyflow.api.contrib.framework import add_arg_scope, arg_scope
from tinyflow.api.contrib.layers import utils
from tinyflow.api.contrib.slim_nets import resnet_utils
from tinyflow.api.contrib.slim_nets.building import network
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.math.reduction import reduce_mean
from tinyflow.ops.nn.activations import relu
from tinyflow.ops.variables.variable_scope import variable_scope

_UNITS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}


@add_arg_scope
def bottleneck_v1(inputs, depth, depth_bottleneck, stride, rate=1, outputs_collections=None,
                  scope=None):
    """A unit of three convolutions that is added to its input, or to a projection of it."""
    with variable_scope(scope, 'bottleneck_v1', [inputs]) as sc:
        if depth == inputs.shape.with_rank_at_least(4)[-1].value:
            shortcut = resnet_utils.subsample(inputs, stride, 'shortcut')
        else:
            shortcut = layers.conv2d(inputs, depth, [1, 1], stride=stride, activation_fn=None,
                                     scope='shortcut')
        x = layers.conv2d(inputs, depth_bottleneck, [1, 1], stride=1, scope='conv1')
        x = resnet_utils.conv2d_same(x, depth_bottleneck, 3, stride, rate=rate, scope='conv2')
        x = layers.conv2d(x, depth, [1, 1], stride=1, activation_fn=None, scope='conv3')
        return utils.collect_named_outputs(outputs_collections, sc.name, relu(shortcut + x))


@add_arg_scope
def bottleneck_v2(inputs, depth, depth_bottleneck, stride, rate=1, outputs_collections=None,
                  scope=None):
    """As `bottleneck_v1`, with normalization and relu before the convolutions."""
    with variable_scope(scope, 'bottleneck_v2', [inputs]) as sc:
        ready = layers.batch_norm(inputs, activation_fn=relu, scope='preact')
        if depth == inputs.shape.with_rank_at_least(4)[-1].value:
            shortcut = resnet_utils.subsample(inputs, stride, 'shortcut')
        else:
            shortcut = layers.conv2d(ready, depth, [1, 1], stride=stride, normalizer_fn=None,
                                     activation_fn=None, scope='shortcut')
        x = layers.conv2d(ready, depth_bottleneck, [1, 1], stride=1, scope='conv1')
        x = resnet_utils.conv2d_same(x, depth_bottleneck, 3, stride, rate=rate, scope='conv2')
        x = layers.conv2d(x, depth, [1, 1], stride=1, normalizer_fn=None, activation_fn=None,
                          scope='conv3')
        return utils.collect_named_outputs(outputs_collections, sc.name, shortcut + x)


def _block(unit, scope, base_depth, num_units, stride):
    """A block whose last unit has the stride."""
    one = {'depth': base_depth * 4, 'depth_bottleneck': base_depth, 'stride': 1}
    return resnet_utils.Block(scope, unit, [one] * (num_units - 1) + [{**one, 'stride': stride}])


def resnet_v1_block(scope, base_depth, num_units, stride):
    """A block of `bottleneck_v1`, the last unit with the stride."""
    return _block(bottleneck_v1, scope, base_depth, num_units, stride)


def resnet_v2_block(scope, base_depth, num_units, stride):
    """A block of `bottleneck_v2`, the last unit with the stride."""
    return _block(bottleneck_v2, scope, base_depth, num_units, stride)


def resnet_v1(inputs, blocks, num_classes=None, is_training=True, global_pool=True,
              output_stride=None, include_root_block=True, reuse=None, scope=None):
    """(scores, or features without num_classes; end points) of images, for given blocks."""
    return _resnet(1, bottleneck_v1, inputs, blocks, num_classes, is_training, global_pool,
                   output_stride, include_root_block, reuse, scope)


def resnet_v2(inputs, blocks, num_classes=None, is_training=True, global_pool=True,
              output_stride=None, include_root_block=True, reuse=None, scope=None):
    """(scores, or features without num_classes; end points) of images, for given blocks."""
    return _resnet(2, bottleneck_v2, inputs, blocks, num_classes, is_training, global_pool,
                   output_stride, include_root_block, reuse, scope)


def _resnet(version, unit, inputs, blocks, num_classes, is_training, global_pool, output_stride,
            include_root_block, reuse, scope):
    functions = [layers.conv2d, unit, resnet_utils.stack_blocks_dense]
    with network(scope, f'resnet_v{version}', inputs, functions, reuse) as (_, ends), \
            arg_scope([layers.batch_norm], is_training=is_training):
        x = inputs
        if include_root_block:
            if output_stride is not None:
                if output_stride % 4:
                    raise misuse(ValueError('The output_stride needs to be a multiple of 4.'))
                output_stride //= 4
            plain = {'activation_fn': None, 'normalizer_fn': None} if version == 2 else {}
            with arg_scope([layers.conv2d], **plain):
                x = resnet_utils.conv2d_same(x, 64, 7, stride=2, scope='conv1')
            x = layers.max_pool2d(x, [3, 3], stride=2, scope='pool1')
        x = resnet_utils.stack_blocks_dense(x, blocks, output_stride)
        if version == 2:
            x = layers.batch_norm(x, activation_fn=relu, scope='postnorm')
        if global_pool:
            x = reduce_mean(x, [1, 2], name='pool5', keepdims=True)
        if num_classes is not None:
            x = layers.conv2d(x, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                              scope='logits')
        found = ends()
        if num_classes is not None:
            found['predictions'] = layers.softmax(x, scope='predictions')
        return x, found


def _of_depth(version, depth):
    name = f'resnet_v{version}_{depth}'
    build, block = (resnet_v1, resnet_v1_block) if version == 1 else (resnet_v2, resnet_v2_block)

    def network(inputs, num_classes=None, is_training=True, global_pool=True, output_stride=None,
                reuse=None, scope=name):
        blocks = [block(f'block{i}', 32 << i, units, stride=1 if i == 4 else 2)
                  for i, units in enumerate(_UNITS[depth], 1)]
        return build(inputs, blocks, num_classes, is_training, global_pool, output_stride,
                     include_root_block=True, reuse=reuse, scope=scope)
    network.__name__, network.default_image_size = name, 224
    network.__doc__ = f'(scores or features, end points) of the network of {depth} layers.'
    return network


resnet_v1_50, resnet_v1_101, resnet_v1_152, resnet_v1_200 = [_of_depth(1, d) for d in _UNITS]
resnet_v2_50, resnet_v2_101, resnet_v2_152, resnet_v2_200 = [_of_depth(2, d) for d in _UNITS]

__all__ = ['bottleneck_v1', 'bottleneck_v2', 'resnet_v1', 'resnet_v1_101', 'resnet_v1_152',
           'resnet_v1_200', 'resnet_v1_50', 'resnet_v1_block', 'resnet_v2', 'resnet_v2_101',
           'resnet_v2_152', 'resnet_v2_200', 'resnet_v2_50', 'resnet_v2_block']
