"""The ways to say where rows begin: splits, lengths, and the row of each value."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, gathering, joining, shape_ops
from tinyflow.ops.array.identity_and_cast import cast, identity
from tinyflow.ops.array.where_onehot import repeat
from tinyflow.ops.math import scans, segments


def index(x, name, dtype=None):
    """A tensor of int32 or int64; int64 for Python's and NumPy's numbers."""
    if not isinstance(x, Tensor):
        kind = np.asarray(x).dtype
        if kind.kind not in 'iu' and np.size(x):
            raise misuse(ValueError(f'{name} must have dtype int32 or int64, not {kind.name}'))
        return convert_to_tensor(x, dtype or dtypes.int64, name=name)
    if x.dtype not in (dtypes.int32, dtypes.int64):
        raise misuse(ValueError(f'{name} must have dtype int32 or int64, not {x.dtype.name}'))
    return x if dtype is None else cast(x, dtype)


def checked(factory, x, assertions):
    """`x`, once assert_...(*arguments) holds for each (assert_..., *arguments)."""
    message = f'Arguments to {factory} do not form a valid RaggedTensor'
    checks = [check(*arguments, message=message) for check, *arguments in assertions]
    checks = [check for check in checks if check is not None]
    if not checks:
        return x
    with control_dependencies(checks):
        return identity(x)


def zero(x):
    """A 0 of the dtype of `x`."""
    return constants.constant(0, x.dtype)


def steps(x):
    """The differences of neighbours in a vector."""
    return x[1:] - x[:-1]


def length(x):
    """The size of a vector, of its dtype."""
    return shape_ops.shape(x, out_type=x.dtype)[0]


def splits_of_lengths(lengths):
    """[n] -> [n + 1], beginning with 0."""
    return joining.concat([constants.zeros([1], lengths.dtype), scans.cumsum(lengths)], 0)


def places_of_lengths(lengths):
    """(the row of each value, its place in the row, the splits) of rows of these lengths."""
    splits = splits_of_lengths(lengths)
    ids = ids_of_splits(splits)
    return ids, constants.range(splits[-1]) - gathering.gather(splits, ids), splits


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


__all__ = ['checked', 'ids_of_splits', 'index', 'length', 'places_of_lengths', 'splits_of_ids',
           'splits_of_lengths', 'steps', 'zero']
