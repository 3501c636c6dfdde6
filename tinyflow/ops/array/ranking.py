"""argmax, argmin, top_k, in_top_k."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX, NUMBERS, REAL
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op, nodes
from tinyflow.ops.array import constants, shaping
from tinyflow.ops.support.arguments import renamed
from tinyflow.ops.support.elementwise_helpers import holds_nan
from tinyflow.ops.support.ranks import of_rank


class _ArgExtreme(Op, abstract=True):
    signature = 'input: T, dimension: Tidx -> output: output_type'
    types = {'T': NUMBERS, 'Tidx': INDEX, 'output_type': INDEX}
    attrs = {'Tidx': dtypes.int32, 'output_type': dtypes.int64}
    static = {'dimension': 0}
    gradient = NOT_DIFFERENTIABLE

    def shape(x, axis):
        if not x:
            raise ValueError('the input must have at least one axis')
        if axis is None:
            return (None,) * (len(x) - 1)
        axis = shapes.axis(axis, len(x))
        return x[:axis] + x[axis + 1:]


def _arg_extreme(find, least, x, axis, out, output_type):
    """The index of the first extreme element; NaN is ignored, as in TF."""
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f'Expected dimension in the range [{-x.ndim}, {x.ndim}), but got {axis}')
    if not x.shape[axis]:
        raise ValueError('Reduction axis is empty in shape ' + str(list(x.shape)))
    if holds_nan(x):
        x = np.where(np.isnan(x), least, x)
    if out is not None and out.dtype == np.intp:
        return find(x, axis, out)
    result = find(x, axis)
    if out is None:
        return np.asarray(result, output_type.np)
    out[...] = result
    return out


class ArgMax(_ArgExtreme):
    def kernel(x, axis, out=None, *, output_type):
        return _arg_extreme(np.argmax, -np.inf, x, axis, out, output_type)


class ArgMin(_ArgExtreme):
    def kernel(x, axis, out=None, *, output_type):
        return _arg_extreme(np.argmin, np.inf, x, axis, out, output_type)


class TopKV2(Op):
    """The k largest elements of each row, largest first, and their indices; ties keep order."""

    signature = 'input: T, k: int32 -> values: T, indices: int32'
    types = {'T': REAL}
    attrs = {'sorted': True}
    static = {'k': 0}

    def shape(x, k):
        if not x:
            raise ValueError('input must have at least one axis')
        if k is not None:
            if k < 0:
                raise ValueError(f'Need k >= 0, got {k}')
            if x[-1] is not None and x[-1] < k:
                raise ValueError(f'input must have last dimension >= k = {k} but is {x[-1]}')
        return [x[:-1] + (k,)] * 2

    def kernel(x, k):
        if k < 0 or x.ndim < 1 or x.shape[-1] < k:
            raise ValueError(f'input must have at least k = {k} columns, but has shape '
                             f'{list(x.shape)}')
        if k == 1:
            indices = x.argmax(-1, keepdims=True)
            if x.dtype.kind == 'f' and np.isnan(np.take_along_axis(x, indices, -1)).any():
                # The only k for which TensorFlow skips NaN.
                best = np.fmax.reduce(x, -1, keepdims=True)
                indices = (x == best).argmax(-1, keepdims=True)
        else:
            # A stable ascending sort of the reversed rows, read backwards, is a descending one
            # that keeps equal elements in their order.
            last = x.shape[-1] - 1
            indices = last - np.argsort(x[..., ::-1], -1, 'stable')[..., ::-1][..., :k]
        return np.take_along_axis(x, indices, -1), indices.astype(np.int32)

    def gradient(op, dy, _):
        x, indices = op.inputs[0], op.outputs[1]
        shape = constants.shape(x)
        columns = shape[-1]
        flat = shaping.reshape(indices, convert_to_tensor([-1, constants.shape(indices)[-1]]))
        rows = constants.range(constants.shape(flat)[0]) * columns
        positions = shaping.reshape(flat + shaping.expand_dims(rows, -1), [-1])
        total = nodes.UnsortedSegmentSum(
            shaping.reshape(dy, [-1]), positions, constants.size(x))
        return shaping.reshape(total, shape), None


class InTopKV2(Op):
    """Whether each row's target is among its k largest; ties count as inside."""

    signature = 'predictions: float32, targets: T, k: T -> precision: bool'
    types = {'T': INDEX}
    attrs = {'T': dtypes.int32}
    static = {'k': 0}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(predictions, targets, k):
        predictions, targets = of_rank(predictions, 2), of_rank(targets, 1)
        if len(predictions) != 2 or len(targets) != 1:
            raise ValueError('predictions must be a matrix and targets a vector, not '
                             f'{shapes.text(predictions)} and {shapes.text(targets)}')
        return shapes.merge(predictions[:1], targets)

    def kernel(predictions, targets, k):
        if predictions.ndim != 2 or targets.shape != predictions.shape[:1]:
            raise ValueError(f'First dimension of predictions {list(predictions.shape)} must match '
                             f'length of targets {list(targets.shape)}')
        classes = predictions.shape[1]
        inside = (targets >= 0) & (targets < classes)
        if not classes:
            return inside
        chosen = np.take_along_axis(predictions, np.where(inside, targets, 0)[:, None], 1)
        larger = np.count_nonzero(predictions > chosen, 1)
        return inside & np.isfinite(predictions).all(1) & (larger < k)


class InTopK(Op):
    """InTopKV2 with k as an attribute, as older graphs have it."""

    signature = 'predictions: float32, targets: T -> precision: bool'
    types = {'T': INDEX}
    attrs = {'T': dtypes.int32, 'k': 1}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(predictions, targets):
        return InTopKV2.shape(predictions, targets, None)

    def kernel(predictions, targets, *, k):
        return InTopKV2.kernel(predictions, targets, k)


# ---- public functions ------------------------------------------------------------------------

def argmax(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
    """The index of the largest element along `axis` (0 if None), the first of equal ones.

    Shapes: input [*a] -> [*a without axis] int64.
    """
    axis = renamed('axis', axis, 'dimension', dimension)
    return ArgMax.apply(input, 0 if axis is None else axis, name=name,
                        output_type=dtypes.as_dtype(output_type))


def argmin(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
    """The index of the smallest element along `axis` (0 if None), the first of equal ones.

    Shapes: input [*a] -> [*a without axis] int64.
    """
    axis = renamed('axis', axis, 'dimension', dimension)
    return ArgMin.apply(input, 0 if axis is None else axis, name=name,
                        output_type=dtypes.as_dtype(output_type))


class TopK(NamedTuple):
    """What top_k returns."""

    values: Any
    indices: Any


def arg_max(input, dimension, output_type=dtypes.int64, name=None):
    """As argmax, under TF's older name. Shapes: input [*a] -> [*a without dimension] int64."""
    return argmax(input, dimension, name, output_type=output_type)


def arg_min(input, dimension, output_type=dtypes.int64, name=None):
    """As argmin, under TF's older name. Shapes: input [*a] -> [*a without dimension] int64."""
    return argmin(input, dimension, name, output_type=output_type)


def top_k(input, k=1, sorted=True, name=None):
    """(values, indices) of the k largest elements of each row, largest first.

    Shapes: input [*a, n] -> values [*a, k], indices [*a, k] int32. Of equal elements the first
    comes first. For k = 1 NaN are skipped, as in TensorFlow 1.15; for others, where they leave its
    order undefined, they come first. Raises ValueError if k > n.
    """
    return TopK(*TopKV2.apply(input, k, sorted=sorted, name=name))


def in_top_k(predictions, targets, k, name=None):
    """Whether each row's target class is among its k largest predictions.

    Shapes: predictions [n, classes] float32, targets [n] int -> [n] bool.
    """
    with name_scope(name, 'in_top_k'):
        return InTopKV2.apply(predictions, targets, k)


__all__ = ['arg_max', 'arg_min', 'argmax', 'argmin', 'in_top_k', 'top_k']
