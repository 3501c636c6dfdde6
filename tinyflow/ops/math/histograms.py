"""histogram_fixed_width, unravel_index: counts of values in bins; flat to multi-dim indices."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.ops.array import identity_and_cast, shape_ops, shaping
from tinyflow.ops.math import arithmetic, clip

_TYPES = frozenset((dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64))


class HistogramFixedWidth(Op):
    """How many values fall into each of `nbins` equal bins; outliers are in the end bins."""

    signature = 'values: T, value_range: T, nbins: int32 -> out: dtype'
    types = {'T': _TYPES, 'dtype': INDEX}
    attrs = {'dtype': dtypes.int32}
    static = {'nbins': 0}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(values, value_range, nbins):
        if value_range is not None and value_range not in ((2,), (None,)):
            raise ValueError(f'value_range must have shape [2], not {shapes.text(value_range)}')
        if nbins is not None and nbins <= 0:
            raise ValueError(f'nbins should be a positive number, but got {nbins}')
        return (nbins,)

    def kernel(values, value_range, nbins, *, dtype):
        if nbins <= 0:
            raise ValueError(f'nbins should be a positive number, but got {nbins}')
        low, high = value_range.tolist()
        if not low < high:
            raise ValueError(f'value_range should satisfy value_range[0] < value_range[1], but got '
                             f'[{low}, {high}]')
        step = (high - low) / nbins
        above = np.maximum(values.reshape(-1), value_range[0]) - value_range[0]
        bins = np.minimum(above.astype(np.float64) / step, nbins - 1).astype(np.int64)
        return np.bincount(bins, minlength=nbins).astype(dtype.np)


class UnravelIndex(Op):
    """The multi-dimensional index of each flat index into an array of shape `dims`."""

    signature = 'indices: Tidx, dims: Tidx -> output: Tidx'
    types = {'Tidx': INDEX}
    attrs = {'Tidx': dtypes.int32}
    gradient = NOT_DIFFERENTIABLE

    def shape(indices, dims):
        if len(dims) != 1:
            raise ValueError(f'The dims should be a vector, not of shape {shapes.text(dims)}')
        return dims if not indices else (dims[0], shapes.size(indices))

    def kernel(indices, dims):
        if dims.ndim != 1 or (dims == 0).any():
            raise ValueError('Input dims cannot contain a dim of zero, and must be a vector')
        sizes = np.append(np.cumprod(dims[:0:-1], dtype=dims.dtype)[::-1], 1)
        flat = indices.reshape(-1)
        result = np.stack([flat // size % dim for size, dim in zip(sizes, dims)])
        return result[:, 0].astype(dims.dtype) if not indices.ndim else result.astype(dims.dtype)


def histogram_fixed_width(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    """How many values fall into each of `nbins` equal bins between the ends of `value_range`.

    Shapes: values [*a], value_range [2], nbins [] -> [nbins]. Values outside count in the first and
    the last bin. InvalidArgumentError for an empty range.
    """
    with name_scope(name, 'histogram_fixed_width', [values, value_range, nbins]) as scope:
        return HistogramFixedWidth.apply(values, value_range, nbins,
                                         dtype=dtypes.as_dtype(dtype), name=scope)


def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    """The number of the bin that each value falls into; see histogram_fixed_width.

    Shapes: values [*a], value_range [2], nbins [] -> [*a].
    """
    with name_scope(name, 'histogram_fixed_width_bins', [values, value_range, nbins]):
        values = convert_to_tensor(values, name='values')
        shape = shape_ops.shape(values)
        values = shaping.reshape(values, [-1])
        value_range = convert_to_tensor(value_range, name='value_range')
        nbins = convert_to_tensor(nbins, dtypes.int32, 'nbins')
        count = identity_and_cast.cast(nbins, values.dtype.base_dtype)
        scaled = arithmetic.truediv(values - value_range[0], value_range[1] - value_range[0],
                                    name='scaled_values')
        bins = arithmetic.floor(count * scaled, name='indices')
        bins = identity_and_cast.cast(clip.clip_by_value(bins, 0, count - 1),
                                      dtypes.as_dtype(dtype))
        return shaping.reshape(bins, shape)


def unravel_index(indices, dims, name=None):
    """Flat indices into an array of shape `dims` as multi-dimensional ones, one per column.

    Shapes: indices [] or [n], dims [rank] -> [rank] or [rank, n].
    """
    return UnravelIndex.apply(indices, dims, name=name)


__all__ = ['histogram_fixed_width', 'histogram_fixed_width_bins', 'unravel_index']
