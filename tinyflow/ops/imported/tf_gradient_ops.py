"""Ops of TensorFlow 1's gradient functions, which only imported graphs have.

tinyflow builds gradients from public ops; training graphs written by TensorFlow have these.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.dtypes import FLOATS, INDEX, INEXACT
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op, nodes
from tinyflow.ops.array import gathering
from tinyflow.ops.math import arithmetic, complex_numbers
from tinyflow.ops.sparse.segments import SparseSegmentSqrtN, SparseSegmentSum


class _OfResult(Op, abstract=True):
    """The gradient of y = f(x), computed from y: z = dy * f'(x)."""

    signature = 'y: T, dy: T -> z: T'
    types = {'T': INEXACT}
    elementwise = True

    def shape(y, dy):
        return y


class SigmoidGrad(_OfResult):
    """dy * y * (1 - y)."""

    def kernel(y, dy):
        return dy * np.conj(y * (1 - y))

    def gradient(op, grad):
        y, dy = map(complex_numbers.conj, op.inputs)
        scaled = grad * dy
        return scaled - 2 * scaled * y, nodes.SigmoidGrad(y, grad)


class TanhGrad(_OfResult):
    """dy * (1 - y**2)."""

    def kernel(y, dy):
        return dy * np.conj(1 - y * y)

    def gradient(op, grad):
        y, dy = map(complex_numbers.conj, op.inputs)
        return -2 * grad * dy * y, nodes.TanhGrad(y, grad)


class SqrtGrad(_OfResult):
    """dy * 0.5 / y."""

    def kernel(y, dy):
        return dy * np.conj(y.dtype.type(0.5) / y)

    def gradient(op, grad):
        y, dy = map(complex_numbers.conj, op.inputs)
        return -grad * dy * 0.5 / arithmetic.square(y), grad * 0.5 / y


class RsqrtGrad(_OfResult):
    """dy * -0.5 * y**3."""

    def kernel(y, dy):
        return dy * np.conj(y * y * y * y.dtype.type(-0.5))

    def gradient(op, grad):
        y, dy = map(complex_numbers.conj, op.inputs)
        return -1.5 * grad * dy * arithmetic.square(y), nodes.RsqrtGrad(y, grad)


class ReciprocalGrad(_OfResult):
    """-dy * y**2."""

    def kernel(y, dy):
        return dy * np.conj(-y * y)

    def gradient(op, grad):
        y, dy = map(complex_numbers.conj, op.inputs)
        return -2 * grad * dy * y, nodes.ReciprocalGrad(y, grad)


class InvGrad(ReciprocalGrad):
    """-dy * y**2, by its older name."""


class ConcatOffset(Op):
    """Where each of N arrays of the given shapes begins in their concatenation."""

    signature = 'concat_dim: int32, shape: N*int32 -> offset: N*int32'
    gradient = NOT_DIFFERENTIABLE

    def shape(concat_dim, shape):
        return list(shape)

    def kernel(concat_dim, shape):
        axis = int(concat_dim)
        rank = len(shape[0])
        if not -rank <= axis < rank:
            raise ValueError(f'concat_dim {axis} is out of range for arrays of rank {rank}')
        offsets, begin = [], 0
        for sizes in shape:
            if len(sizes) != rank or \
                    (np.delete(sizes, axis) != np.delete(shape[0], axis)).any():
                raise ValueError(f'arrays of the shapes {shape[0].tolist()} and {sizes.tolist()} '
                                 f'cannot be concatenated along axis {axis}')
            offset = np.zeros(rank, np.int32)
            offset[axis] = begin
            begin += sizes[axis]
            offsets.append(offset)
        return offsets


class _SparseSegmentGrad(Op, abstract=True):
    """The gradient of a sparse segment reduction with respect to its data."""

    signature = 'grad: T, indices: Tidx, segment_ids: int32, output_dim0: int32 -> output: T'
    types = {'T': FLOATS, 'Tidx': INDEX}
    attrs = {'Tidx': None}
    static = {'output_dim0': 0}
    partial_rank = True

    def shape(grad, indices, segment_ids, output_dim0):
        return None if grad is None else (output_dim0, *grad[1:])


def _spread(grad, indices, segment_ids, rows, divide):
    counts = np.bincount(segment_ids, minlength=len(grad)).astype(grad.dtype)
    parts = grad[segment_ids] / divide(counts)[segment_ids].reshape(
        -1, *[1] * (grad.ndim - 1))
    if indices.size and (indices.min() < 0 or indices.max() >= rows):
        raise ValueError(f'indices must be in [0, {rows})')
    output = np.zeros((rows, *grad.shape[1:]), grad.dtype)
    np.add.at(output, indices, parts)
    return output


class SparseSegmentSumGrad(_SparseSegmentGrad):
    """Of sparse_segment_sum: each row of `grad` added to the rows that it summed."""

    def kernel(grad, indices, segment_ids, output_dim0):
        return _spread(grad, indices, segment_ids, output_dim0, np.ones_like)

    def gradient(op, dy):
        _, indices, segments, _ = op.inputs
        return SparseSegmentSum.apply(dy, indices, segments), None, None, None


class SparseSegmentMeanGrad(_SparseSegmentGrad):
    """Of sparse_segment_mean: each row of `grad`, divided by the number of its rows."""

    def kernel(grad, indices, segment_ids, output_dim0):
        return _spread(grad, indices, segment_ids, output_dim0, lambda counts: counts)

    def gradient(op, dy):
        _, indices, segments, _ = op.inputs
        picked = gathering.gather(dy, indices)
        return nodes.SegmentMean(picked, segments), None, None, None


class SparseSegmentSqrtNGrad(_SparseSegmentGrad):
    """Of sparse_segment_sqrt_n: each row of `grad`, over the root of the number of its rows."""

    def kernel(grad, indices, segment_ids, output_dim0):
        return _spread(grad, indices, segment_ids, output_dim0, np.sqrt)

    def gradient(op, dy):
        _, indices, segments, _ = op.inputs
        return SparseSegmentSqrtN.apply(dy, indices, segments), None, None, None
