"""How images, volumes and filters lie in memory, as oneDNN describes it, and windows over them."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from tinyflow.compiler.ir import Instruction, Value
from tinyflow.native.onednn.library import descriptor, vector
from tinyflow.ops.conv import conv_geometry

__all__ = ['Windows', 'constant', 'contiguous', 'images', 'known']


def known(*values: Value | None) -> bool:
    """Whether the values are of single precision and of known sizes, none of them 0."""
    return all(v is not None and v.dtype.np == np.float32 and v.known_shape and 0 not in v.sizes
               for v in values)


def constant(value: Value) -> tuple[int, ...]:
    """The vector of a constant, () if it is not known."""
    return () if value.array is None else tuple(value.array.tolist())


def images(shape: Sequence[int], first: bool) -> ctypes.c_void_p:
    """The layout of images or volumes of a shape in its own order; `first`: of the channels."""
    axes = range(len(shape)) if first else (0, len(shape) - 1, *range(1, len(shape) - 1))
    strides = contiguous(shape)
    return descriptor([shape[axis] for axis in axes], [strides[axis] for axis in axes])


def contiguous(shape: Sequence[int]) -> list[int]:
    """The strides, in elements, of an array without gaps."""
    return [*accumulate(reversed(shape[1:]), int.__mul__, initial=1)][::-1]


class Windows(NamedTuple):
    """Windows over the spatial axes of images or volumes."""

    sizes: tuple[int, ...]      # of the data
    first: bool                 # whether the channels are axis 1
    plan: Any                   # ops/conv: kernel, strides, rates, margins, positions

    @classmethod
    def of(cls, instruction: Instruction, shape: tuple[int, ...], kernel: tuple[int, ...]
           ) -> Windows:
        """The windows of a convolution or pooling of data of that shape."""
        attrs, rank = instruction.attrs, len(shape)
        data_format = attrs['data_format']
        rates = attrs.get('dilations', (1,) * rank)
        margins = conv_geometry.explicit_margins(attrs.get('explicit_paddings'), data_format, rank)
        sizes = conv_geometry.last_shape(shape, data_format)[1:-1]
        plan = conv_geometry.windows(
            sizes, kernel,
            conv_geometry.spatial(attrs['strides'], data_format, 'strides', rank),
            conv_geometry.spatial(rates, data_format, 'dilations', rank), attrs['padding'], margins)
        return cls(sizes, conv_geometry.channels_first(data_format), plan)

    def result(self, batch: int, channels: int) -> tuple[int, ...]:
        """The shape of the result, in the data's own order."""
        positions = self.plan.positions
        return (batch, channels, *positions) if self.first else (batch, *positions, channels)

    def margins(self) -> tuple[ctypes.Array, ctypes.Array]:
        """The margins before and after, as oneDNN takes them."""
        axes = range(len(self.sizes))
        return (vector(*[low for low, _ in self.plan.margins]),
                vector(*[self._after(axis) for axis in axes]))

    def rates(self) -> ctypes.Array:
        """The number of elements between those that a window takes."""
        return vector(*[rate - 1 for rate in self.plan.rates])

    def _after(self, axis: int) -> int:
        """The margin after the data that windows reach: less than planned if some is unused."""
        plan = self.plan
        reach = (plan.kernel[axis] - 1) * plan.rates[axis] + 1
        used = (plan.positions[axis] - 1) * plan.strides[axis] + reach
        return used - self.sizes[axis] - plan.margins[axis][0]
