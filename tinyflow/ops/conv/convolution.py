"""Conv2D and Conv3D, and their BackpropInput and BackpropFilter ops.

Each of the three is linear in two arguments, and its gradients are the other two ops, so that
derivatives of any order are correct. The names and attributes are TF's. Unlike TF, channels first
and dilated gradients work on the CPU.
"""
from __future__ import annotations

from functools import lru_cache

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.dtypes import FLOATS, INDEX
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import constants
from tinyflow.ops.conv import conv_geometry
from tinyflow.ops.conv.convolution_kernels import convolve, filter_gradient, input_gradient

_FILTER_AXES = {4: 'height, width, in channels, out channels',
                5: 'depth, height, width, in channels, out channels'}


@lru_cache(maxsize=1024)
def _result(input, filter, strides, padding, explicit_paddings, data_format, dilations):
    """(output shape, `Windows` or None) for the shapes of input and filter.

    The length of `strides` is the rank of the data. ValueError if the sizes are incompatible;
    unknown sizes are compatible with everything.
    """
    rank = len(dilations)
    conv_geometry.check_format(data_format, rank)
    conv_geometry.check_padding(padding, explicit=rank == 4)
    strides = conv_geometry.spatial(strides, data_format, 'strides', rank)
    rates = conv_geometry.spatial(dilations, data_format, 'dilations', rank)
    margins = conv_geometry.explicit_margins(explicit_paddings, data_format, rank)
    conv_geometry.check_rank('input', input, rank)
    conv_geometry.check_rank('filter', filter, rank, _FILTER_AXES[rank])
    input = (None,) * rank if input is None else conv_geometry.last_shape(input, data_format)
    filter = (None,) * rank if filter is None else filter
    _check_channels(input, filter, data_format)
    sizes, kernel = input[1:-1], filter[:-2]
    positions = conv_geometry.positions(sizes, kernel, strides, rates, padding, margins, 'a kernel')
    geometry = None
    if None not in sizes + kernel:
        geometry = conv_geometry.windows(sizes, kernel, strides, rates, padding, margins)
    return conv_geometry.from_last_shape((input[0], *positions, filter[-1]), data_format), geometry


def _check_channels(input, filter, data_format):
    input_channels, filter_channels = input[-1], filter[-2]
    if None in (input_channels, filter_channels) or input_channels == filter_channels:
        return
    hint = f'the filter is [{_FILTER_AXES[len(filter)]}].'
    if conv_geometry.channels_first(data_format):
        if input[-2] == filter_channels:
            hint = f'the last axis of the input matches, but data_format {data_format!r} means ' \
                   'that axis 1 holds the channels.'
    elif input[1] == filter_channels:
        hint = f'axis 1 of the input matches, but data_format {data_format!r} means that the ' \
               'last axis holds the channels.'
    raise OpFailure(f'Dimensions must be equal, but are {input_channels} and {filter_channels}: '
                    f'the input has {input_channels} channels, and the filter takes '
                    f'{filter_channels}',
                    hint)


def _geometry(dy, input, filter, *attrs):
    """The `Windows`; ValueError unless dy has the output shape of the convolution."""
    expected, geometry = _result(input, filter, *attrs)
    if not shapes.compatible(dy, expected):
        raise OpFailure(f'Size of out_backprop does not match: it is {shapes.text(dy)}, and the '
                        f'convolution of an input {shapes.text(input)} with a filter '
                        f'{shapes.text(filter)} gives {shapes.text(expected)}',
                        'a transposed convolution with stride s turns size n into n * s (padding '
                        "'SAME') or (n - 1) * s + kernel ('VALID').")
    return geometry


def _sizes(value, label, rank):
    """The shape in a vector, as far as it is known."""
    if value is not None and len(value) != rank:
        raise ValueError(f'{label} must have {rank} entries, one for each axis, not {len(value)}')
    return value


# Each op needs functions with its attributes as parameters; images and volumes share the bodies.

def _forward(input, filter, out, *attrs):
    geometry = _result(input.shape, filter.shape, *attrs)[1]
    data_format = attrs[3]
    y = convolve(conv_geometry.channels_last(input, data_format), filter, geometry,
                 conv_geometry.channels_last(out, data_format))
    return conv_geometry.to_output(y, data_format, out)


def _to_input(input_sizes, filter, dy, out, *attrs):
    geometry = _geometry(dy.shape, input_sizes, filter.shape, *attrs)
    data_format = attrs[3]
    sizes = conv_geometry.last_shape(input_sizes, data_format)[1:-1]
    dx = input_gradient(filter, conv_geometry.channels_last(dy, data_format), geometry, sizes,
                        conv_geometry.channels_last(out, data_format))
    return conv_geometry.to_output(dx, data_format, out)


def _to_filter(input, filter_sizes, dy, out, *attrs):
    geometry = _geometry(dy.shape, input.shape, filter_sizes, *attrs)
    data_format = attrs[3]
    return filter_gradient(conv_geometry.channels_last(input, data_format),
                           conv_geometry.channels_last(dy, data_format), geometry, out)


def _shape_of_input(input_sizes, filter, dy, *attrs):
    rank = len(attrs[-1])
    sizes = _sizes(input_sizes, 'input_sizes', rank)
    # Whether they fit is found when it runs, as in TensorFlow: programs pass an estimate first.
    return (None,) * rank if sizes is None else sizes


def _shape_of_filter(input, filter_sizes, dy, *attrs):
    rank = len(attrs[-1])
    sizes = _sizes(filter_sizes, 'filter_sizes', rank)
    _geometry(dy, input, sizes, *attrs)
    return (None,) * rank if sizes is None else sizes


class _Convolution(Op, abstract=True):
    """Base of the forward convolutions."""

    types = {'T': FLOATS}
    partial_rank = True
    signature = 'input: T, filter: T -> output: T'

    def gradient(op, dy):
        _, to_input, to_filter = _FAMILIES[len(op.attrs['strides'])]
        x, filter = op.inputs
        return (to_input.apply(constants.shape(x), filter, dy, **op.attrs),
                to_filter.apply(x, constants.shape(filter), dy, **op.attrs))


class _ToInput(Op, abstract=True):
    """The gradient for the input: the transposed convolution."""

    types = {'T': FLOATS}
    static = {'input_sizes': 1}
    partial_rank = True

    def gradient(op, ddx):
        forward, _, to_filter = _FAMILIES[len(op.attrs['strides'])]
        attrs = {k: v for k, v in op.attrs.items() if k != 'Tshape'}
        _, filter, dy = op.inputs
        return (None, to_filter.apply(ddx, constants.shape(filter), dy, **attrs),
                forward.apply(ddx, filter, **attrs))


class _ToFilter(Op, abstract=True):
    """The gradient for the filter."""

    types = {'T': FLOATS}
    signature = 'input: T, filter_sizes: int32, out_backprop: T -> output: T'
    static = {'filter_sizes': 1}
    partial_rank = True

    def gradient(op, dfilter):
        forward, to_input, _ = _FAMILIES[len(op.attrs['strides'])]
        x, _, dy = op.inputs
        return (to_input.apply(constants.shape(x), dfilter, dy, **op.attrs), None,
                forward.apply(x, dfilter, **op.attrs))


_ATTRS_2D = {'strides': REQUIRED, 'use_cudnn_on_gpu': True, 'padding': REQUIRED,
             'explicit_paddings': (), 'data_format': 'NHWC', 'dilations': (1, 1, 1, 1)}
_ATTRS_3D = {'strides': REQUIRED, 'padding': REQUIRED, 'data_format': 'NDHWC',
             'dilations': (1, 1, 1, 1, 1)}


class Conv2D(_Convolution):
    """Convolves images [batch, height, width, in] with a filter [height, width, in, out]."""

    attrs = _ATTRS_2D

    def shape(input, filter, *, strides, padding, explicit_paddings, data_format, dilations):
        return _result(input, filter, strides, padding, explicit_paddings, data_format,
                       dilations)[0]

    def kernel(input, filter, out=None, *, strides, padding, explicit_paddings, data_format,
               dilations):
        return _forward(input, filter, out, strides, padding, explicit_paddings, data_format,
                        dilations)


class Conv2DBackpropInput(_ToInput):
    signature = 'input_sizes: int32, filter: T, out_backprop: T -> output: T'
    attrs = _ATTRS_2D

    def shape(input_sizes, filter, out_backprop, *, strides, padding, explicit_paddings,
              data_format, dilations):
        return _shape_of_input(input_sizes, filter, out_backprop, strides, padding,
                               explicit_paddings, data_format, dilations)

    def kernel(input_sizes, filter, out_backprop, out=None, *, strides, padding, explicit_paddings,
               data_format, dilations):
        return _to_input(input_sizes, filter, out_backprop, out, strides, padding,
                         explicit_paddings, data_format, dilations)


class Conv2DBackpropFilter(_ToFilter):
    attrs = _ATTRS_2D

    def shape(input, filter_sizes, out_backprop, *, strides, padding, explicit_paddings,
              data_format, dilations):
        return _shape_of_filter(input, filter_sizes, out_backprop, strides, padding,
                                explicit_paddings, data_format, dilations)

    def kernel(input, filter_sizes, out_backprop, out=None, *, strides, padding, explicit_paddings,
               data_format, dilations):
        return _to_filter(input, filter_sizes, out_backprop, out, strides, padding,
                          explicit_paddings, data_format, dilations)


class Conv3D(_Convolution):
    """Convolves volumes [batch, depth, height, width, in] with a 5-D filter [*kernel, in, out]."""

    attrs = _ATTRS_3D

    def shape(input, filter, *, strides, padding, data_format, dilations):
        return _result(input, filter, strides, padding, (), data_format, dilations)[0]

    def kernel(input, filter, out=None, *, strides, padding, data_format, dilations):
        return _forward(input, filter, out, strides, padding, (), data_format, dilations)


class Conv3DBackpropInputV2(_ToInput):
    signature = 'input_sizes: Tshape, filter: T, out_backprop: T -> output: T'
    types = {'T': FLOATS, 'Tshape': INDEX}
    attrs = {**_ATTRS_3D, 'Tshape': dtypes.int32}

    def shape(input_sizes, filter, out_backprop, *, strides, padding, data_format, dilations):
        return _shape_of_input(input_sizes, filter, out_backprop, strides, padding, (), data_format,
                               dilations)

    def kernel(input_sizes, filter, out_backprop, out=None, *, strides, padding, data_format,
               dilations):
        return _to_input(input_sizes, filter, out_backprop, out, strides, padding, (), data_format,
                         dilations)


class Conv3DBackpropFilterV2(_ToFilter):
    attrs = _ATTRS_3D

    def shape(input, filter_sizes, out_backprop, *, strides, padding, data_format, dilations):
        return _shape_of_filter(input, filter_sizes, out_backprop, strides, padding, (),
                                data_format, dilations)

    def kernel(input, filter_sizes, out_backprop, out=None, *, strides, padding, data_format,
               dilations):
        return _to_filter(input, filter_sizes, out_backprop, out, strides, padding, (), data_format,
                          dilations)


_FAMILIES: dict[int, tuple[type[Op], type[Op], type[Op]]] = {
    4: (Conv2D, Conv2DBackpropInput, Conv2DBackpropFilter),
    5: (Conv3D, Conv3DBackpropInputV2, Conv3DBackpropFilterV2)}

__all__: list[str] = []
