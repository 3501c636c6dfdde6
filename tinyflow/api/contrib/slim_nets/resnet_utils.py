"""What the residual networks share: blocks of units, strides that become rates, the arg_scope."""
from __future__ import annotations

import collections

from tinyflow.api.contrib import layers
from tinyflow.api.contrib.framework import add_arg_scope, arg_scope
from tinyflow.api.contrib.layers import utils
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array.padding import pad
from tinyflow.ops.nn.activations import relu
from tinyflow.ops.variables.variable_scope import variable_scope


class Block(collections.namedtuple('Block', ['scope', 'unit_fn', 'args'])):
    """A scope, the function of a unit, and the arguments of each unit, a list of dicts."""


def subsample(inputs, factor, scope=None):
    """Every `factor`-th pixel."""
    if factor == 1:
        return inputs
    return layers.max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(inputs, num_outputs, kernel_size, stride, rate=1, scope=None):
    """A convolution whose padding does not depend on the image's size, for any stride."""
    if stride == 1:
        return layers.conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate,
                             padding='SAME', scope=scope)
    total = (kernel_size - 1) * rate
    margin = [total // 2, total - total // 2]
    return layers.conv2d(pad(inputs, [[0, 0], margin, margin, [0, 0]]), num_outputs, kernel_size,
                         stride=stride, rate=rate, padding='VALID', scope=scope)


@add_arg_scope
def stack_blocks_dense(net, blocks, output_stride=None, outputs_collections=None):
    """The blocks one after the other; beyond `output_stride`, rates take the place of strides.

    Raises ValueError for an output_stride that no number of units has.
    """
    reached, rate = 1, 1
    unreachable = 'The target output_stride cannot be reached.'
    for block in blocks:
        with variable_scope(block.scope, 'block', [net]) as sc:
            for i, arguments in enumerate(block.args, 1):
                if output_stride is not None and reached > output_stride:
                    raise misuse(ValueError(unreachable))
                with variable_scope(f'unit_{i}', values=[net]):
                    stride = arguments.get('stride', 1)
                    if reached == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**arguments, 'stride': 1})
                        rate *= stride
                    else:
                        net = block.unit_fn(net, rate=1, **arguments)
                        reached *= stride
            net = utils.collect_named_outputs(outputs_collections, sc.name, net)
    if output_stride is not None and reached != output_stride:
        raise misuse(ValueError(unreachable))
    return net


def resnet_arg_scope(weight_decay=0.0001, batch_norm_decay=0.997, batch_norm_epsilon=1e-5,
                     batch_norm_scale=True):
    """The arg_scope of residual networks: batch normalization, relu, an L2 penalty."""
    normal = {'decay': batch_norm_decay, 'epsilon': batch_norm_epsilon,
              'scale': batch_norm_scale, 'updates_collections': GraphKeys.UPDATE_OPS}
    with arg_scope([layers.conv2d], weights_regularizer=layers.l2_regularizer(weight_decay),
                   weights_initializer=layers.variance_scaling_initializer(),
                   activation_fn=relu, normalizer_fn=layers.batch_norm,
                   normalizer_params=normal), \
            arg_scope([layers.batch_norm], **normal), \
            arg_scope([layers.max_pool2d], padding='SAME') as arguments:
        return arguments


__all__ = ['Block', 'conv2d_same', 'resnet_arg_scope', 'stack_blocks_dense', 'subsample']
