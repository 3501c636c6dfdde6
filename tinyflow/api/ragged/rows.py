"""The ways to say where rows begin: splits, lengths, and the row of each value."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, shape_ops
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.where_onehot import repeat
from tinyflow.ops.math import scans, segments


def index(x, name, dtype=None):
    """A tensor of int32 or int64; int64 for Python's and NumPy's numbers."""
    if not hasattr(x, 'op'):
        return convert_to_tensor(x, dtype or dtypes.int64, name=name)
    x = convert_to_tensor(x, name=name)
    if x.dtype not in (dtypes.int32, dtypes.int64):
        raise misuse(ValueError(f'{name} must have dtype int32 or int64, not {x.dtype.name}'))
    return x if dtype is None else cast(x, dtype)


def splits_of_lengths(lengths):
    """[n] -> [n + 1], beginning with 0."""
    return joining.concat([constants.zeros([1], lengths.dtype), scans.cumsum(lengths)], 0)


def ids_of_splits(splits):
    """[n + 1] -> the row of each value."""
    count = shape_ops.shape(splits, out_type=splits.dtype)[0] - 1
    lengths = cast(splits[1:] - splits[:-1], dtypes.int32)
    return repeat(constants.range(count), lengths, axis=0)


def splits_of_ids(ids, nrows=None):
    """The row of each value -> splits; by default the last row is that of the last value."""
    if nrows is None:
        count = joining.concat([constants.zeros([1], ids.dtype), ids[-1:] + 1], 0)[-1]
    else:
        count = cast(convert_to_tensor(nrows, name='nrows'), ids.dtype)
    lengths = segments.unsorted_segment_sum(constants.ones_like(ids), ids, count)
    splits = splits_of_lengths(lengths)
    if isinstance(nrows, int):
        splits.set_shape([nrows + 1])
    return splits


__all__ = ['ids_of_splits', 'index', 'splits_of_ids', 'splits_of_lengths']
