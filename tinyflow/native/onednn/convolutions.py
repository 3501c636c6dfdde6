"""Convolution of images and its gradients by oneDNN.

Each function takes an instruction of known shapes, and returns a kernel with the parameters of the
op's own kernel (but no attributes), or None if oneDNN is not to be used.
"""
from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tinyflow.compiler.ir import Instruction
from tinyflow.native.instructions import result, stored, whole
from tinyflow.native.onednn.library import Primitive, descriptor, load, vector
from tinyflow.ops.conv import conv_geometry

__all__ = ['KERNELS', 'forward', 'to_filter', 'to_input']

_TRAINING, _DIRECT = 64, 1
_LEAST = 1 << 16            # multiplications; for less, NumPy is as fast


class _Sizes(NamedTuple):
    """A convolution's sizes: of the data and the filter, and where windows lie."""

    x: tuple[int, ...]          # batch, height, width, channels
    filter: tuple[int, ...]     # height, width, in, out
    y: tuple[int, ...]
    windows: Any

    @property
    def work(self) -> int:
        return prod(self.y) * prod(self.filter[:-1])

    def places(self) -> list[ctypes.Array]:
        """Strides, dilations, and the margins before and after, as oneDNN takes them."""
        windows = self.windows
        return [vector(*windows.strides), vector(*[rate - 1 for rate in windows.rates]),
                vector(*[low for low, _ in windows.margins]),
                vector(*[self._after(axis) for axis in range(2)])]

    def _after(self, axis: int) -> int:
        """The margin after the data that windows reach: less than planned if some is unused."""
        windows = self.windows
        reach = (windows.kernel[axis] - 1) * windows.rates[axis] + 1
        used = (windows.positions[axis] - 1) * windows.strides[axis] + reach
        return used - self.x[axis + 1] - windows.margins[axis][0]

    def layouts(self) -> tuple[ctypes.c_void_p, ...]:
        """Descriptors of x, y, and the filter as tinyflow has it; and of a filter as oneDNN likes.
        """
        height, width, inputs, outputs = self.filter
        sizes = outputs, inputs, height, width
        return (_images(self.x), _images(self.y),
                descriptor(sizes, (1, outputs, width * inputs * outputs, inputs * outputs)),
                descriptor(sizes))


def _images(shape: tuple[int, ...]) -> ctypes.c_void_p:
    batch, height, width, channels = shape
    return descriptor((batch, channels, height, width),
                      (height * width * channels, 1, width * channels, channels))


def _sizes(instruction: Instruction, x: Any, filter: Any, y: Any) -> _Sizes | None:
    """The sizes; None if oneDNN is not to be used for them."""
    attrs = instruction.attrs
    values = [v for v in (x, filter, y) if not isinstance(v, tuple)]
    if attrs['data_format'] != 'NHWC' or any(v.dtype.np != np.float32 for v in values):
        return None
    shapes: list[Any] = [v if isinstance(v, tuple) else v.raw_shape for v in (x, filter, y)]
    if any(shape is None or None in shape or 0 in shape for shape in shapes):
        return None
    strides, rates = attrs['strides'][1:3], attrs['dilations'][1:3]
    margins = conv_geometry.explicit_margins(attrs['explicit_paddings'], 'NHWC', 4)
    windows = conv_geometry.windows(shapes[0][1:3], shapes[1][:2], strides, rates,
                                    attrs['padding'], margins)
    if shapes[0][-1] != shapes[1][2] or shapes[2] != (shapes[0][0], *windows.positions,
                                                      shapes[1][3]):
        return None                     # the run will refuse it, with the user's line
    sizes = _Sizes(shapes[0], shapes[1], shapes[2], windows)
    return sizes if sizes.work >= _LEAST else None


def _static(instruction: Instruction, position: int) -> tuple[int, ...]:
    array = instruction.inputs[position].array
    return () if array is None else tuple(array.tolist())


def _forward_description(sizes: _Sizes, attributes: ctypes.c_void_p | None,
                         bias: ctypes.c_void_p | None = None) -> ctypes.c_void_p:
    library = load()
    x, y, _, free = sizes.layouts()
    return library.make('dnnl_convolution_forward_primitive_desc_create', library.engine,
                        _TRAINING, _DIRECT, x, free, bias, y, *sizes.places(), attributes)


def forward(instruction: Instruction) -> Callable[..., np.ndarray] | None:
    """The kernel of a Conv2D."""
    x, filter = instruction.inputs
    sizes = _sizes(instruction, x, filter, instruction.outputs[0])
    if sizes is None:
        return None
    x_layout, y_layout, filter_layout, _ = sizes.layouts()
    primitive = Primitive(lambda attributes: _forward_description(sizes, attributes),
                          {'src': x_layout, 'weights': filter_layout, 'dst': y_layout},
                          sizes.work, 'weights')

    def kernel(x, filter, out=None):
        target = result(out, sizes.y)
        primitive.run(src=whole(x), weights=whole(filter), dst=target)
        return stored(target, out)
    return kernel


def to_input(instruction: Instruction) -> Callable[..., np.ndarray] | None:
    """The kernel of a Conv2DBackpropInput."""
    _, filter, dy = instruction.inputs
    sizes = _sizes(instruction, _static(instruction, 0), filter, dy)
    if sizes is None:
        return None
    x_layout, y_layout, filter_layout, free = sizes.layouts()
    library, hint = load(), _forward_description(sizes, None)
    primitive = Primitive(
        lambda attributes: library.make(
            'dnnl_convolution_backward_data_primitive_desc_create', library.engine, _DIRECT,
            x_layout, free, y_layout, *sizes.places(), hint, attributes),
        {'diff_src': x_layout, 'weights': filter_layout, 'diff_dst': y_layout}, sizes.work,
        'weights')

    def kernel(input_sizes, filter, dy, out=None):
        target = result(out, sizes.x)
        primitive.run(diff_src=target, weights=whole(filter), diff_dst=whole(dy))
        return stored(target, out)
    return kernel


def to_filter(instruction: Instruction) -> Callable[..., np.ndarray] | None:
    """The kernel of a Conv2DBackpropFilter."""
    x, _, dy = instruction.inputs
    sizes = _sizes(instruction, x, _static(instruction, 1), dy)
    if sizes is None:
        return None
    x_layout, y_layout, filter_layout, free = sizes.layouts()
    library, hint = load(), _forward_description(sizes, None)
    primitive = Primitive(
        lambda attributes: library.make(
            'dnnl_convolution_backward_weights_primitive_desc_create', library.engine, _DIRECT,
            x_layout, free, None, y_layout, *sizes.places(), hint, attributes),
        {'src': x_layout, 'diff_weights': filter_layout, 'diff_dst': y_layout}, sizes.work,
        'diff_weights')

    def kernel(x, filter_sizes, dy, out=None):
        target = result(out, sizes.filter)
        primitive.run(src=whole(x), diff_weights=target, diff_dst=whole(dy))
        return stored(target, out)
    return kernel


KERNELS = {'Conv2D': forward, 'Conv2DBackpropInput': to_input, 'Conv2DBackpropFilter': to_filter}
