"""Pooling: the largest element, or the mean, of each window."""
from __future__ import annotations

from tinyflow.api.contrib.framework.argument_scopes import add_arg_scope
from tinyflow.api.contrib.layers import utils
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.layers import pooling

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


__all__ = ['avg_pool2d', 'avg_pool3d', 'max_pool2d', 'max_pool3d']
