"""Elementwise functions of two tensors, of which one or both are ragged.

Axes of one length for all rows broadcast as those of Tensors do; an axis of different lengths must
have the same lengths in both, or belong to one of them only.
"""
from __future__ import annotations

import numpy as np

from tinyflow.api.ragged import indexing, rows
from tinyflow.api.ragged.tensor import RaggedTensor
from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value as static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import InvalidArgumentError, misuse, report
from tinyflow.ops.array import constants, gathering, joining, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import identity
from tinyflow.ops.array.where_onehot import where
from tinyflow.ops.checks.assertions import Assert
from tinyflow.ops.math import logic, reduction


def elementwise(op, x, y, name=None):
    """op(x, y) of two ragged tensors, or of one and a Tensor, broadcast."""
    ragged = x if isinstance(x, RaggedTensor) else y
    x, y = [v if isinstance(v, RaggedTensor) else convert_to_tensor(v, ragged.dtype)
            for v in (x, y)]
    other = y if ragged is x else x
    inner = ragged.flat_values.shape.ndims or 1
    if not isinstance(other, RaggedTensor) and (
            other.shape.ndims is not None and other.shape.ndims < inner):
        return ragged.with_flat_values(op(ragged.flat_values, other) if ragged is x
                                       else op(other, ragged.flat_values))
    if not _same_rows(x, y):
        if x.shape.ndims is None or y.shape.ndims is None:
            raise misuse(ValueError('Unable to broadcast: unknown rank\n  Hint: tf.ragged.'
                                    'placeholder(..., value_shape=[]) has a known one.'))
        rank = max(x.shape.ndims, y.shape.ndims)
        # One more outer axis, so that all others are axes of rows.
        x, y = _matched(_outer(x, rank + 1), _outer(y, rank + 1))
        x, y = x.values, y.values
    values = op(x.flat_values, y.flat_values)
    return x.with_flat_values(values)


def _same_rows(x, y):
    return isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor) and (
        len(x.nested_row_splits) == len(y.nested_row_splits)
        and all(a is b for a, b in zip(x.nested_row_splits, y.nested_row_splits)))


def _outer(x, rank):
    """`x` with outer axes of length 1, up to `rank`."""
    for _ in range(rank - x.shape.ndims):
        if isinstance(x, RaggedTensor):
            count = x.nrows()
            splits = joining.stack([constants.constant(0, count.dtype), count])
            x = _Uniform(x, splits, internal=True)
        else:
            x = shaping.expand_dims(x, 0)
    return x


class _Uniform(RaggedTensor):
    """A RaggedTensor whose rows have one length, because they were those of a Tensor."""


def _rows_of_tensor(x):
    """A Tensor of rank 2 or more as rows."""
    sizes = shape_ops.shape(x, out_type=dtypes.int64)
    values = shaping.reshape(x, joining.concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
    known = x.raw_shape
    if None not in known[:2]:
        values.set_shape([known[0] * known[1], *known[2:]])
    return _Uniform(values, constants.range(sizes[0] + 1) * sizes[1], internal=True)


def _matched(x, y):
    """x and y, of one rank and number of rows, with the same rows at all axes."""
    x, y = [v if isinstance(v, RaggedTensor) else _rows_of_tensor(v) for v in (x, y)]
    if x.row_splits.dtype is not y.row_splits.dtype:
        x, y = [_with_splits(v, rows.index(v.row_splits, 'row_splits', dtypes.int64))
                for v in (x, y)]
    if x.row_splits is not y.row_splits:
        x, y = _same_lengths(x, y)
    inner = x.values, y.values
    if any(isinstance(v, RaggedTensor) for v in inner):
        inner = _matched(*inner)
    return [RaggedTensor(v, x.row_splits, internal=True) for v in inner]


def _with_splits(x, splits):
    return type(x)(x.values, splits, internal=True)


def _same_lengths(x, y):
    """x and y with rows of the same lengths: a uniform length of 1 takes the other's lengths."""
    lengths = [v.row_splits[1:] - v.row_splits[:-1] for v in (x, y)]
    _refuse_known(x, y, lengths)
    ones = [_all_one(n) if isinstance(v, _Uniform) else None for v, n in zip((x, y), lengths)]
    if ones[0] is None and ones[1] is None:
        wanted = lengths[0]
        fits = _equal(*lengths)
    elif ones[1] is None or ones[0] is None:
        uniform = 0 if ones[1] is None else 1
        wanted = lengths[1 - uniform]
        fits = logic.logical_or(ones[uniform], _equal(*lengths))
    else:
        wanted = where(ones[0], lengths[1], lengths[0])
        fits = logic.logical_or(logic.logical_or(ones[0], ones[1]), _equal(*lengths))
    check = Assert(fits, ['Unable to broadcast: dimension size mismatch in dimension', 'lengths=',
                          lengths[0], 'dim_size=', lengths[1]])
    with control_dependencies([check] if check is not None else []):
        wanted = identity(wanted)
    ids, columns, splits = rows.places_of_lengths(wanted)
    result = []
    for v, one in zip((x, y), ones):
        if one is None:
            result.append(type(v)(_as_long_as(v.values, splits), splits, internal=True))
            continue
        places = where(one, constants.zeros_like(columns), columns)
        places = places + gathering.gather(v.row_splits[:-1], ids)
        result.append(_Uniform(indexing.gather(v.values, places), splits, internal=True))
    return result


def _refuse_known(x, y, lengths):
    """InvalidArgumentError for constant lengths that differ."""
    known = [static_value(n) for n in lengths]
    if any(n is None for n in known) or np.array_equal(*known) or any(
            isinstance(v, _Uniform) and (n == 1).all() for v, n in zip((x, y), known)):
        return
    raise misuse(InvalidArgumentError(None, None, report(
        'Unable to broadcast: dimension size mismatch in dimension\nlengths='
        f'{known[0].tolist()}\ndim_size={known[1].tolist()}',
        hint='rows of different lengths must have the same lengths in both.', site=user_site())))


def _as_long_as(values, splits):
    """`values`, of which no size is known before the splits are checked."""
    if isinstance(values, RaggedTensor):
        return _with_splits(values, values.row_splits[:splits[-1] + 1])
    return values[:splits[-1]]


def _all_one(lengths):
    return reduction.reduce_all(logic.equal(lengths, constants.constant(1, lengths.dtype)))


def _equal(a, b):
    return reduction.reduce_all(logic.equal(a, b))


__all__ = ['elementwise']
