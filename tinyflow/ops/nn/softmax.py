"""softmax and log_softmax, along any axis."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import FLOATS
from tinyflow.graph.op import Op
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure, misuse, report
from tinyflow.ops.array import constants, joining, shape_ops, shaping
from tinyflow.ops.math import arithmetic, reduction, unary
from tinyflow.ops.support.arguments import renamed
from tinyflow.ops.support.elementwise_helpers import output_buffer

# Up to this many classes it is faster to transpose first: NumPy reduces the last axis row by row.
_FEW_CLASSES = 64


def row_max(x):
    """The largest value of each row. Shapes: x [*a, n] -> [*a, 1]."""
    if x.ndim == 2 and x.shape[1] <= _FEW_CLASSES and x.shape[0] > 8:
        return np.maximum.reduce(np.ascontiguousarray(x.T), 0)[:, None]
    return np.maximum.reduce(x, -1, keepdims=True)


def row_sum(x):
    """The sum of each row. Shapes: x [*a, n] -> [*a]."""
    return np.einsum('...i->...', x)


def _below_row_max(x, out):
    """x minus the largest value of its row, so that no exponential of it overflows."""
    out = output_buffer(out, x)
    return np.subtract(x, row_max(x), out) if x.size else out


class _Softmax(Op, abstract=True):
    types = {'T': FLOATS}
    overwrites = (0,)

    def shape(logits):
        if not logits:
            raise OpFailure('Shape must be at least rank 1 but is rank 0',
                            'a row of scores, [..., classes].')
        return logits


class Softmax(_Softmax):
    """exp(x) / sum(exp(x)) along the last axis."""

    signature = 'logits: T -> softmax: T'

    def kernel(x, out=None):
        out = _below_row_max(x, out)
        np.exp(out, out)
        return np.divide(out, row_sum(out)[..., None], out)

    def gradient(op, dy):
        return softmax_gradient(op.outputs[0], dy)


def softmax_gradient(softmax, dy):
    """The gradient for the logits, as graph nodes: (dy - sum(dy * softmax)) * softmax."""
    mean = reduction.reduce_sum(dy * softmax, -1, keepdims=True)
    return (dy - mean) * softmax


class LogSoftmax(_Softmax):
    """x - log(sum(exp(x))) along the last axis."""

    signature = 'logits: T -> logsoftmax: T'

    def kernel(x, out=None):
        out = _below_row_max(x, out)
        total = row_sum(np.exp(out))
        return np.subtract(out, np.log(total)[..., None], out)

    def gradient(op, dy):
        total = reduction.reduce_sum(dy, -1, keepdims=True)
        return dy - total * unary.exp(op.outputs[0])


def softmax(logits, axis=None, name=None, dim=None):
    """exp(x) / sum(exp(x)) along `axis` (default: the last): positive, sum 1.

    Shapes: logits [*a] -> [*a]. `dim` is the old name of `axis`.
    InvalidArgumentError if the tensor has no such axis.
    """
    return _along_axis(Softmax, logits, _chosen_axis(axis, dim), name)


def log_softmax(logits, axis=None, name=None, dim=None):
    """x - log(sum(exp(x))) along `axis` (default: the last).

    Shapes: logits [*a] -> [*a]. `dim` is the old name of `axis`.
    InvalidArgumentError if the tensor has no such axis.
    """
    return _along_axis(LogSoftmax, logits, _chosen_axis(axis, dim), name)


def _chosen_axis(axis, dim, default=-1):
    axis = renamed('axis', axis, 'dim', dim)
    return default if axis is None else shapes.integer(axis)


def _along_axis(op, logits, axis, name):
    logits = convert_to_tensor(logits)
    shape = logits.raw_shape
    if axis == -1 or (shape is not None and axis == len(shape) - 1):
        return op.apply(logits, name=name)
    _check_axis(op, logits, axis)
    rank = shape_ops.rank(logits)
    axis = axis + rank if axis < 0 else axis
    input_rank = shape_ops.rank(logits)
    axis = axis % len(shape)
    swapped = _swap_axes(logits, axis, arithmetic.subtract(input_rank, 1))
    result = _swap_axes(op.apply(swapped), axis, arithmetic.subtract(input_rank, 1), name)
    result.set_shape(shape)
    return result


def _check_axis(op, logits, axis):
    if logits.raw_shape is None:
        raise misuse(TypeError(report(
            f'{op.type}: axis {axis} of a tensor of unknown rank.', inputs=[('logits', logits)],
            hint='logits.set_shape([None, ...]) sets the rank; axis=-1 works without it.')))
    rank = len(logits.raw_shape)
    if not -rank <= axis < rank:
        raise errors.InvalidArgumentError(None, None, report(
            f'{op.type}: Dimension ({axis}) must be in the range [{-rank}, {rank}) where {rank} is '
            'the number of dimensions in the input.', inputs=[('logits', logits)]))


def _swap_axes(x, axis, last, name=None):
    """x with `axis` and the last axis swapped; the permutation's nodes are TF's."""
    permutation = joining.concat(
        [constants.range(axis), [last], constants.range(axis + 1, last), [axis]], 0)
    return shaping.transpose(x, permutation, name=name)


__all__ = ['log_softmax', 'softmax']
