"""tf.nn.conv1d, conv2d, conv3d, their transposed versions and backprop functions."""
from __future__ import annotations

from tinyflow.graph import shapes
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import joining, shaping
from tinyflow.ops.conv.convolution import (
    Conv2D,
    Conv2DBackpropFilter,
    Conv2DBackpropInput,
    Conv3D,
    Conv3DBackpropFilterV2,
    Conv3DBackpropInputV2,
)
from tinyflow.ops.support.arguments import renamed

_ONES_2D, _ONES_3D = [1] * 4, [1] * 5


def for_each_axis(value, axes, channels_first, label):
    """Expands a number, or one number per spatial axis, to a list attribute for all axes.

    None means 1 for each; a list for all axes is returned as it is. ValueError for other lengths.
    """
    if value is None:
        value = [1]
    elif not hasattr(value, '__len__'):
        value = [value]
    value = integers(value, label)
    if len(value) == axes + 2:
        return value
    if len(value) == 1:
        value *= axes
    elif len(value) != axes:
        raise misuse(ValueError(f'{label} should be of length 1, {axes} or {axes + 2} but was '
                                f'{len(value)}'))
    return (1, 1, *value) if channels_first else (1, *value, 1)


def integers(value, label):
    """A list attribute as a tuple of ints. TypeError if it is not a list."""
    if isinstance(value, (str, bytes)) or not hasattr(value, '__iter__'):
        raise misuse(TypeError(f"Expected list for '{label}' argument, not {value!r}."))
    return tuple(shapes.integer(v, label) for v in value)


def _explicit(padding):
    """(padding, explicit_paddings) from a padding that may be a list of pairs."""
    if isinstance(padding, (list, tuple)):
        for pair in padding:
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise misuse(ValueError('When padding is a list, each element of it must be a list '
                                        f'or tuple of size 2. Got: {pair!r}'))
        if len(padding) != 4:
            raise misuse(ValueError('When padding is a list, it must be of size 4. Got padding of '
                                    f'size: {len(padding)}'))
        return 'EXPLICIT', integers([n for pair in padding for n in pair], 'padding')
    if padding == 'EXPLICIT':
        raise misuse(ValueError('"EXPLICIT" is not a valid value for the padding parameter. To use '
                                'explicit padding, the padding parameter must be a list of pairs.'))
    return padding, ()


def channels_first(data_format):
    """True for NCHW, NCW or NCDHW, False for channels last or None."""
    return isinstance(data_format, str) and data_format.startswith('NC')


def conv2d(input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True,
           data_format='NHWC', dilations=[1, 1, 1, 1],  # noqa: B006 - TF's signature
           name=None, filters=None):
    """y[p] = sum over k of input[p * stride + k * dilation - margin] . filter[k], over images.

    Shapes: input [batch, height, width, in], filter [height, width, in, out] -> [batch, height,
    width, out]; data_format 'NCHW' has the channels as axis 1. padding is 'SAME' (output sizes are
    sizes / strides, rounded up), 'VALID' (no padding), or
    [[0, 0], [top, bottom], [left, right], [0, 0]].
    `filters` is the newer name of `filter`. ValueError if sizes are incompatible.
    """
    filter = renamed('filters', filters, 'filter', filter)
    padding, explicit = _explicit(padding)
    data_format = 'NHWC' if data_format is None else data_format
    strides = for_each_axis(strides, 2, channels_first(data_format), 'strides')
    dilations = for_each_axis(dilations, 2, channels_first(data_format), 'dilations')
    return Conv2D.apply(input, filter, strides=strides, padding=padding, explicit_paddings=explicit,
                        use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=data_format,
                        dilations=dilations, name=name)


def conv1d(value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None,
           data_format=None, name=None, input=None, dilations=None):
    """1-D convolution of sequences: `conv2d` of images of height 1.

    Shapes: value [batch, width, in], filters [width, in, out] -> [batch, width, out]; data_format
    'NCW' has the channels as axis 1. `input` is the newer name of `value`.
    """
    value = renamed('input', input, 'value', value)
    with name_scope(name, 'conv1d', [value, filters]) as scope:
        axis = _width_axis(data_format)
        first = axis == 2
        strides = (1, *for_each_axis(stride, 1, first, 'stride'))
        rates = (1, *for_each_axis(dilations, 1, first, 'dilations'))
        images = shaping.expand_dims(value, axis)
        result = conv2d(images, shaping.expand_dims(filters, 0), strides, padding,
                        use_cudnn_on_gpu is None or use_cudnn_on_gpu,
                        'NCHW' if first else 'NHWC', rates, scope)
        return shaping.squeeze(result, [axis])


def _width_axis(data_format, known=(None, 'NHWC', 'NWC', 'NCHW', 'NCW')):
    """The axis of the width, where the height of 1 is inserted."""
    if data_format not in known:
        raise misuse(ValueError(f'data_format must be "NWC" or "NCW", not {data_format!r}.'))
    return 2 if channels_first(data_format) else 1


def conv3d(input, filter=None, strides=None, padding=None, data_format='NDHWC',
           dilations=[1, 1, 1, 1, 1], name=None, filters=None):  # noqa: B006 - TF's signature
    """3-D convolution of volumes; see `conv2d`.

    Shapes: input [batch, depth, height, width, in], filter [depth, height, width, in, out] ->
    [batch, depth, height, width, out]; 'NCDHW' has the channels as axis 1.
    """
    filter = renamed('filters', filters, 'filter', filter)
    return Conv3D.apply(input, filter, strides=integers(strides, 'strides'), padding=padding,
                        data_format='NDHWC' if data_format is None else data_format,
                        dilations=_ones_or(dilations, _ONES_3D), name=name)


def _ones_or(dilations, ones):
    return integers(ones if dilations is None else dilations, 'dilations')


# ---- transposed --------------------------------------------------------------------------------

def conv2d_transpose(value=None, filter=None, output_shape=None, strides=None, padding='SAME',
                     data_format='NHWC', name=None, input=None, filters=None, dilations=None):
    """Transposed 2-D convolution (gradient of `conv2d` for its input): upsamples by the strides.

    Shapes: value [batch, height, width, in], filter [height, width, out, in], output_shape [4] ->
    output_shape, which `conv2d` with the same filter maps to the shape of value. `input` and
    `filters` are the newer names of value and filter. ValueError if the shapes are incompatible.
    """
    value = renamed('input', input, 'value', value)
    filter = renamed('filters', filters, 'filter', filter)
    with name_scope(name, 'conv2d_transpose', [value, filter, output_shape]) as scope:
        data_format = 'NHWC' if data_format is None else data_format
        first = channels_first(data_format)
        return Conv2DBackpropInput.apply(
            output_shape, filter, value, strides=for_each_axis(strides, 2, first, 'strides'),
            padding=padding, data_format=data_format,
            dilations=for_each_axis(dilations, 2, first, 'dilations'), name=scope)


def conv3d_transpose(value, filter=None, output_shape=None, strides=None, padding='SAME',
                     data_format='NDHWC', name=None, input=None, filters=None, dilations=None):
    """Transposed 3-D convolution (gradient of `conv3d` for its input): upsamples by the strides.

    Shapes: value [batch, depth, height, width, in], filter [depth, height, width, out, in],
    output_shape [5] -> output_shape.
    """
    value = renamed('input', input, 'value', value)
    filter = renamed('filters', filters, 'filter', filter)
    with name_scope(name, 'conv3d_transpose', [value, filter, output_shape]) as scope:
        data_format = 'NDHWC' if data_format is None else data_format
        first = channels_first(data_format)
        return Conv3DBackpropInputV2.apply(
            output_shape, filter, value, strides=for_each_axis(strides, 3, first, 'strides'),
            padding=padding, data_format=data_format,
            dilations=for_each_axis(dilations, 3, first, 'dilations'), name=scope)


def conv1d_transpose(input, filters, output_shape, strides, padding='SAME', data_format='NWC',
                     dilations=None, name=None):
    """Transposed 1-D convolution (gradient of `conv1d` for its input): upsamples by the strides.

    Shapes: input [batch, width, in], filters [width, out, in], output_shape [3] -> output_shape.
    """
    with name_scope(name, 'conv1d_transpose', [input, filters, output_shape]) as scope:
        axis = _width_axis(data_format, (None, 'NWC', 'NCW'))
        first = axis == 2
        strides = (1, *for_each_axis(strides, 1, first, 'strides'))
        rates = (1, *for_each_axis(dilations, 1, first, 'dilations'))
        images = shaping.expand_dims(input, axis)
        filters = shaping.expand_dims(filters, 0)
        if not isinstance(output_shape, Tensor):
            output_shape = list(output_shape)
        sizes = joining.concat([output_shape[:axis], [1], output_shape[axis:]], 0)
        result = Conv2DBackpropInput.apply(
            sizes, filters, images, strides=strides, padding=padding,
            data_format='NCHW' if first else 'NHWC', dilations=rates, name=scope)
        return shaping.squeeze(result, [axis])


def conv_transpose(input, filters, output_shape, strides, padding='SAME', data_format=None,
                   dilations=None, name=None):
    """`conv1d_transpose`, `conv2d_transpose` or `conv3d_transpose`, by the length of output_shape.

    Shapes: input [batch, *sizes, in], filters [*kernel, out, in], output_shape [n + 2] ->
    output_shape.
    """
    with name_scope(name, 'conv_transpose', [input, filters, output_shape]) as scope:
        entries = _length(output_shape)
        try:
            transposed, last = {3: (conv1d_transpose, 'NWC'), 4: (conv2d_transpose, 'NHWC'),
                                5: (conv3d_transpose, 'NDHWC')}[entries]
        except KeyError:
            raise misuse(ValueError(f'output_shape must have 3, 4 or 5 entries, batch and channels '
                                    f'included, not {entries}')) from None
        return transposed(input, filters, output_shape, strides, padding,
                          data_format or last, dilations=dilations, name=scope)


def _length(output_shape):
    if isinstance(output_shape, Tensor):
        known = output_shape.raw_shape
        if not shapes.known(known) or len(known) != 1:
            raise misuse(ValueError('output_shape must be a vector whose length is known while the '
                                    'graph is built.'))
        return known[0]
    return len(output_shape)


# ---- gradients ---------------------------------------------------------------------------------

def conv2d_backprop_input(input_sizes, filter=None, out_backprop=None, strides=None, padding=None,
                          use_cudnn_on_gpu=True, data_format='NHWC',
                          dilations=[1, 1, 1, 1],  # noqa: B006 - TF's signature
                          name=None, filters=None):
    """The gradient of sum(out_backprop * conv2d(x, filter)) for x.

    Shapes: input_sizes [4], filter [height, width, in, out], out_backprop [batch, height, width,
    out] -> input_sizes.
    """
    filter = renamed('filters', filters, 'filter', filter)
    padding, explicit = _explicit(padding)
    return Conv2DBackpropInput.apply(
        input_sizes, filter, out_backprop, strides=integers(strides, 'strides'), padding=padding,
        explicit_paddings=explicit, use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=data_format,
        dilations=_ones_or(dilations, _ONES_2D), name=name)


def conv2d_backprop_filter(input, filter_sizes, out_backprop, strides, padding,
                           use_cudnn_on_gpu=True, data_format='NHWC',
                           dilations=[1, 1, 1, 1],  # noqa: B006 - TF's signature
                           name=None):
    """The gradient of sum(out_backprop * conv2d(input, filter)) for the filter.

    Shapes: input [batch, height, width, in], filter_sizes [4], out_backprop [batch, height, width,
    out] -> filter_sizes.
    """
    padding, explicit = _explicit(padding)
    return Conv2DBackpropFilter.apply(
        input, filter_sizes, out_backprop, strides=integers(strides, 'strides'), padding=padding,
        explicit_paddings=explicit, use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=data_format,
        dilations=_ones_or(dilations, _ONES_2D), name=name)


def conv3d_backprop_filter(input, filter_sizes, out_backprop, strides, padding,
                           data_format='NDHWC',
                           dilations=[1, 1, 1, 1, 1],  # noqa: B006 - TF's signature
                           name=None):
    """The gradient of sum(out_backprop * conv3d(input, filter)) for the filter.

    Shapes: input [batch, depth, height, width, in], filter_sizes [5], out_backprop [batch, depth,
    height, width, out] -> filter_sizes.
    """
    return Conv3DBackpropFilterV2.apply(
        input, filter_sizes, out_backprop, strides=integers(strides, 'strides'), padding=padding,
        data_format=data_format, dilations=_ones_or(dilations, _ONES_3D), name=name)


conv3d_backprop_filter_v2 = conv3d_backprop_filter

__all__ = ['conv1d', 'conv1d_transpose', 'conv2d', 'conv2d_backprop_filter',
           'conv2d_backprop_input', 'conv2d_transpose', 'conv3d', 'conv3d_backprop_filter',
           'conv3d_backprop_filter_v2', 'conv3d_transpose', 'conv_transpose']
