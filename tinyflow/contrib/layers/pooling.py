"""Pooling: the largest element, or the mean, of each window."""
from __future__ import annotations

from tinyflow.contrib.framework.argument_scopes import add_arg_scope
from tinyflow.contrib.layers import utils
from tinyflow.errors import worded
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.layers import arguments, pooling
from tinyflow.ops import dilated

_IMAGES, _VOLUMES = ('NCHW', 'NHWC'), ('NCDHW', 'NDHWC')


def _pooled(kind, known, default_scope, inputs, kernel_size, stride, padding, data_format,
            outputs_collections, scope):
    channels = utils.check_data_format(data_format, known)
    with name_scope(scope, default_scope, [inputs]) as sc:
        inputs = convert_to_tensor(inputs)
        outputs = kind(kernel_size, stride, padding, channels, _scope=sc)(inputs)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def max_pool2d(inputs, kernel_size, stride=2, padding='VALID', data_format='NHWC',
               outputs_collections=None, scope=None):
    """The largest element of each window of the images.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, channels].
    """
    return _pooled(pooling.MaxPooling2D, _IMAGES, 'MaxPool2D', inputs, kernel_size, stride,
                   padding, data_format, outputs_collections, scope)


@add_arg_scope
def avg_pool2d(inputs, kernel_size, stride=2, padding='VALID', data_format='NHWC',
               outputs_collections=None, scope=None):
    """The mean of each window of the images.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, channels].
    """
    return _pooled(pooling.AveragePooling2D, _IMAGES, 'AvgPool2D', inputs, kernel_size, stride,
                   padding, data_format, outputs_collections, scope)


@add_arg_scope
def max_pool3d(inputs, kernel_size, stride=2, padding='VALID', data_format='NDHWC',
               outputs_collections=None, scope=None):
    """The largest element of each window of the volumes.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, planes, rows, columns,
    channels].
    """
    return _pooled(pooling.MaxPooling3D, _VOLUMES, 'MaxPool3D', inputs, kernel_size, stride,
                   padding, data_format, outputs_collections, scope)


@add_arg_scope
def avg_pool3d(inputs, kernel_size, stride=2, padding='VALID', data_format='NDHWC',
               outputs_collections=None, scope=None):
    """The mean of each window of the volumes.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, planes, rows, columns,
    channels].
    """
    return _pooled(pooling.AveragePooling3D, _VOLUMES, 'AvgPool3D', inputs, kernel_size, stride,
                   padding, data_format, outputs_collections, scope)


@add_arg_scope
def pool(inputs, kernel_size, pooling_type, padding='VALID', data_format=None, dilation_rate=1,
         stride=1, outputs_collections=None, scope=None):
    """Pooling of any kind ('MAX', 'AVG') and rank, also dilated.

    Shapes: inputs [batch, *sizes, channels] -> [batch, *positions, channels].
    """
    with name_scope(scope, f'{pooling_type.lower()}_pool', [inputs]) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise worded(ValueError('Rank of inputs must be known'))
        if rank < 3:
            raise worded(ValueError('Rank of inputs must be >= 3'))

        def each(value, name):
            return arguments.sizes(value, rank - 2, name)
        outputs = dilated.pool(
            inputs, each(kernel_size, 'kernel_size'), pooling_type, padding,
            dilation_rate=each(dilation_rate, 'dilation_rate'), strides=each(stride, 'stride'),
            name=sc, data_format=data_format)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


__all__ = ['avg_pool2d', 'avg_pool3d', 'max_pool2d', 'max_pool3d', 'pool']
