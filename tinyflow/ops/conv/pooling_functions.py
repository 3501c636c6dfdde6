"""tf.nn's max and average pooling of sequences, images and volumes."""
from __future__ import annotations

from collections import namedtuple

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import shaping
from tinyflow.ops.conv.convolution_functions import channels_first, for_each_axis, integers
from tinyflow.ops.conv.pooling import AvgPool, AvgPool3D, MaxPool, MaxPool3D, MaxPoolWithArgmax
from tinyflow.ops.support.arguments import renamed

ArgmaxPools = namedtuple('MaxPoolWithArgmax', 'output argmax')


def _pool(op, axes, value, ksize, strides, padding, data_format, name, default_name):
    """Makes the pooling node for `axes` spatial axes."""
    with name_scope(name, default_name, [value]) as scope:
        first = channels_first(data_format)
        ksize = for_each_axis(ksize, axes, first, 'ksize')
        strides = for_each_axis(strides, axes, first, 'strides')
        return op.apply(value, ksize=ksize, strides=strides, padding=padding,
                        data_format=data_format, name=scope)


def max_pool(value, ksize, strides, padding, data_format='NHWC', name=None, input=None):
    """The largest element of each window of images.

    Shapes: value [batch, height, width, channels] -> [batch, height / stride, width / stride,
    channels], rounded up for padding 'SAME'; only whole windows for 'VALID'. ksize
    and strides are one number, two, or one for each axis. `input` is the newer name of value.
    """
    value = renamed('input', input, 'value', value)
    data_format = 'NHWC' if data_format is None else data_format
    return _pool(MaxPool, 2, value, ksize, strides, padding, data_format, name, 'MaxPool')


def max_pool2d(input, ksize, strides, padding, data_format='NHWC', name=None):
    """`max_pool` under its newer name.

    Shapes: input [batch, height, width, channels] -> the same with smaller height and width.
    """
    data_format = 'NHWC' if data_format is None else data_format
    return _pool(MaxPool, 2, input, ksize, strides, padding, data_format, name, 'MaxPool2d')


def max_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):
    """The largest element of each window of volumes.

    Shapes: input [batch, depth, height, width, channels] -> the same with smaller sizes.
    """
    data_format = 'NDHWC' if data_format is None else data_format
    return _pool(MaxPool3D, 3, input, ksize, strides, padding, data_format, name, 'MaxPool3D')


def max_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):
    """The largest element of each window of sequences.

    Shapes: input [batch, width, channels] -> the same with a smaller width.
    """
    return _pool_1d(MaxPool, input, ksize, strides, padding, data_format, name, 'MaxPool1d')


def _pool_1d(op, input, ksize, strides, padding, data_format, name, default_name):
    """1-D pooling, as pooling of images of height 1."""
    with name_scope(name, default_name, [input]) as scope:
        data_format = 'NWC' if data_format is None else data_format
        first = channels_first(data_format)
        axis = 2 if first else 1
        ksize = (1, *for_each_axis(ksize, 1, first, 'ksize'))
        strides = (1, *for_each_axis(strides, 1, first, 'strides'))
        images = shaping.expand_dims(input, axis)
        result = op.apply(images, ksize=ksize, strides=strides, padding=padding,
                          data_format='NCHW' if first else 'NHWC', name=scope)
        return shaping.squeeze(result, axis)


def _of_any_rank(functions, input, ksize, strides, padding, data_format, name):
    """1-D, 2-D or 3-D pooling, by the rank of the input."""
    input = convert_to_tensor(input)
    rank = None if input.raw_shape is None else len(input.raw_shape)
    if rank is None and _is_for_volumes(data_format, ksize):
        rank = 5
    if rank is None:
        raise misuse(ValueError(report('The rank of the input must be known.',
                                       inputs=[('input', input)],
                                       hint='x.set_shape([None, height, width, channels]).')))
    if rank not in (3, 4, 5):
        raise misuse(ValueError(report(f'Input tensor must be of rank 3, 4 or 5 but was {rank}.',
                                       inputs=[('input', input)])))
    formats = {3: ('NWC', 'NCW'), 4: ('NHWC', 'NCHW'), 5: ('NDHWC', 'NCDHW')}[rank]
    return functions[rank - 3](input, ksize, strides, padding, data_format or formats[0], name=name)


def _is_for_volumes(data_format, ksize):
    return data_format in ('NDHWC', 'NCDHW') or np.ndim(ksize) and len(ksize) == 5


def max_pool_v2(input, ksize, strides, padding, data_format=None, name=None):
    """`max_pool1d`, `max_pool` or `max_pool3d`, by the rank of the input.

    Shapes: input [batch, *sizes, channels] -> [batch, *smaller sizes, channels].
    """
    return _of_any_rank((max_pool1d, max_pool, max_pool3d), input, ksize, strides, padding,
                        data_format, name)


def avg_pool(value, ksize, strides, padding, data_format='NHWC', name=None, input=None):
    """The mean of each window of images; padding is not counted.

    Shapes: value [batch, height, width, channels] -> [batch, height / stride, width / stride,
    channels], as for `max_pool`. `input` is the newer name of value.
    """
    value = renamed('input', input, 'value', value)
    data_format = 'NHWC' if data_format is None else data_format
    return _pool(AvgPool, 2, value, ksize, strides, padding, data_format, name, 'AvgPool')


avg_pool2d = avg_pool


def avg_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):
    """The mean of each window of volumes; padding is not counted.

    Shapes: input [batch, depth, height, width, channels] -> the same with smaller sizes.
    """
    data_format = 'NDHWC' if data_format is None else data_format
    return _pool(AvgPool3D, 3, input, ksize, strides, padding, data_format, name, 'AvgPool3D')


def avg_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):
    """The mean of each window of sequences; padding is not counted.

    Shapes: input [batch, width, channels] -> the same with a smaller width.
    """
    return _pool_1d(AvgPool, input, ksize, strides, padding, data_format, name, 'AvgPool1D')


def avg_pool_v2(input, ksize, strides, padding, data_format=None, name=None):
    """`avg_pool1d`, `avg_pool` or `avg_pool3d`, by the rank of the input.

    Shapes: input [batch, *sizes, channels] -> [batch, *smaller sizes, channels].
    """
    return _of_any_rank((avg_pool1d, avg_pool, avg_pool3d), input, ksize, strides, padding,
                        data_format, name)


def max_pool_with_argmax(input, ksize, strides, padding, data_format='NHWC', Targmax=None,
                         name=None, output_dtype=None, include_batch_in_index=False):
    """(output, argmax): the largest element of each window, and its flat index.

    Shapes: input [batch, height, width, channels] -> two with the shape of `max_pool`.
    argmax is (y * width + x) * channels + c, plus the size of the preceding images if
    include_batch_in_index. `output_dtype` is the newer name of Targmax: int64 or int32.
    """
    if data_format != 'NHWC':
        raise misuse(ValueError("data_format values other than 'NHWC' are not supported"))
    targmax = dtypes.as_dtype(renamed('output_dtype', output_dtype, 'Targmax', Targmax)
                              or dtypes.int64)
    output, argmax = MaxPoolWithArgmax.apply(
        input, ksize=integers(ksize, 'ksize'), strides=integers(strides, 'strides'),
        padding=padding, Targmax=targmax, include_batch_in_index=include_batch_in_index, name=name)
    return ArgmaxPools(output, argmax)


__all__ = ['avg_pool', 'avg_pool1d', 'avg_pool2d', 'avg_pool3d', 'avg_pool_v2', 'max_pool',
           'max_pool1d', 'max_pool2d', 'max_pool3d', 'max_pool_v2', 'max_pool_with_argmax']
