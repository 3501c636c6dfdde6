"""diag, matrix_diag, matrix_diag_part, matrix_set_diag, matrix_band_part, eye, trace."""
from __future__ import annotations

import operator

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX, INEXACT
from tinyflow.graph.op import Op
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining
from tinyflow.ops.math import arithmetic, reduction


class Diag(Op):
    """A tensor [*a, *a] with `diagonal` at [i, i] and 0 elsewhere."""

    signature = 'diagonal: T -> output: T'
    types = {'T': INEXACT | INDEX}

    def shape(x):
        return x + x

    def kernel(x, out=None):
        if not x.ndim:
            raise ValueError('the diagonal must have at least one axis, not shape []')
        out = np.empty(x.shape + x.shape, x.dtype) if out is None else out
        out[...] = 0
        out.reshape(x.size, x.size).flat[::x.size + 1] = x.reshape(-1)
        return out

    def gradient(op, dy):
        return diag_part(dy)


class DiagPart(Op):
    """The elements at [i, i] of a tensor [*a, *a]."""

    signature = 'input: T -> diagonal: T'
    types = {'T': INEXACT | INDEX}

    def shape(x):
        if not x or len(x) % 2:
            raise ValueError(f'Input must have even and non-zero rank, input rank is {len(x)}')
        half = len(x) // 2
        return shapes.merge(x[:half], x[half:])

    def kernel(x):
        half = x.shape[:x.ndim // 2]
        if x.shape != half + half or not half:
            raise ValueError(f'the shape {list(x.shape)} does not have two equal halves')
        count = int(np.prod(half))
        return x.reshape(count, count).diagonal().reshape(half).copy()

    def gradient(op, dy):
        return diag(dy)


class MatrixDiag(Op):
    """Square matrices with the rows of `diagonal` as their diagonals."""

    signature = 'diagonal: T -> output: T'

    def shape(x):
        _check_rank(x, 1)
        return x + x[-1:]

    def kernel(x, out=None):
        if not x.ndim:
            raise ValueError('input must be at least a vector')
        out = np.empty(x.shape + x.shape[-1:], x.dtype) if out is None else out
        out[...] = x.dtype.type(0)
        _write_diagonal(out, x)
        return out

    def gradient(op, dy):
        return matrix_diag_part(dy)


class MatrixDiagPart(Op):
    """The diagonals of matrices."""

    signature = 'input: T -> diagonal: T'

    def shape(x):
        _check_rank(x, 2)
        return x[:-2] + (_shorter(x),)

    def kernel(x):
        if x.ndim < 2:
            raise ValueError('input must be at least a matrix')
        return x.diagonal(0, -2, -1).copy()

    def gradient(op, dy):
        x = op.inputs[0]
        if x.raw_shape is not None and None not in x.raw_shape[-2:] \
                and x.raw_shape[-2] == x.raw_shape[-1]:
            return matrix_diag(dy)
        return matrix_set_diag(constants.zeros_like(x), dy)


class MatrixSetDiag(Op):
    """Matrices with their diagonals replaced."""

    signature = 'input: T, diagonal: T -> output: T'
    overwrites = (0,)
    partial_rank = True

    def shape(x, diagonal):
        if x is None and diagonal is None:
            return None
        if x is None:
            x = diagonal[:-1] + (None, None)
        _check_rank(x, 2)
        if diagonal is None:
            return x
        _check_rank(diagonal, 1)
        shapes.merge(x[:-2] + (_shorter(x),), diagonal)
        return x

    def kernel(x, diagonal, out=None):
        if x.ndim < 2 or diagonal.shape != x.shape[:-2] + (min(x.shape[-2:]),):
            raise ValueError(f'diagonal has shape {list(diagonal.shape)}, which does not fit '
                             f'matrices {list(x.shape)}')
        out = np.empty(x.shape, x.dtype) if out is None else out
        np.copyto(out, x)
        _write_diagonal(out, diagonal)
        return out

    def gradient(op, dy):
        diagonal = matrix_diag_part(dy)
        return matrix_set_diag(dy, constants.zeros_like(diagonal)), diagonal


class MatrixBandPart(Op):
    """Matrices with 0 outside a band around the diagonal; a negative width is unlimited."""

    signature = 'input: T, num_lower: Tindex, num_upper: Tindex -> band: T'
    types = {'Tindex': INDEX}
    attrs = {'Tindex': dtypes.int64}
    static = {'num_lower': 0, 'num_upper': 0}
    overwrites = (0,)

    def shape(x, num_lower, num_upper):
        _check_rank(x, 2)
        return x

    def kernel(x, num_lower, num_upper, out=None):
        if x.ndim < 2:
            raise ValueError('input must be at least 2-dim')
        rows, columns = x.shape[-2:]
        for name, value, limit in (('num_lower', num_lower, rows),
                                   ('num_upper', num_upper, columns)):
            if value > limit:
                raise ValueError(f'{name} must be negative or less or equal to {limit}, got '
                                 f'{value}')
        offset = np.arange(columns) - np.arange(rows)[:, None]
        outside = np.zeros((rows, columns), np.bool_)
        if num_lower >= 0:
            outside |= offset < -num_lower
        if num_upper >= 0:
            outside |= offset > num_upper
        out = np.empty(x.shape, x.dtype) if out is None else out
        np.copyto(out, x)
        np.copyto(out, x.dtype.type(0), where=outside)
        return out

    def gradient(op, dy):
        return matrix_band_part(dy, op.inputs[1], op.inputs[2]), None, None


def _check_rank(shape, least):
    if len(shape) < least:
        raise ValueError(f'Shape must be at least rank {least} but is rank {len(shape)}')


def _shorter(shape):
    return None if None in shape[-2:] else min(shape[-2:])


def _write_diagonal(matrices, diagonal):
    index = np.arange(diagonal.shape[-1])
    matrices[..., index, index] = diagonal


# ---- public functions ------------------------------------------------------------------------

def diag(diagonal, name=None):
    """A tensor with `diagonal` at [i, i] and 0 elsewhere.

    Shapes: diagonal [*a] -> [*a, *a].
    """
    return Diag.apply(diagonal, name=name)


def diag_part(input, name=None):
    """The elements at [i, i]. Shapes: input [*a, *a] -> [*a]."""
    return DiagPart.apply(input, name=name)


def matrix_diag(diagonal, name='diag', k=0, num_rows=-1, num_cols=-1, padding_value=0):
    """Square matrices with the rows of `diagonal` as their diagonals, 0 elsewhere.

    Shapes: diagonal [*batch, n] -> [*batch, n, n]. As in TF 1.15, k, num_rows, num_cols
    and padding_value must have their defaults; ValueError otherwise.
    """
    _main_diagonal_only(k, padding_value, num_rows, num_cols)
    return MatrixDiag.apply(diagonal, name=name)


def matrix_diag_part(input, name='diag_part', k=0, padding_value=0):
    """The diagonals of matrices.

    Shapes: input [*batch, rows, columns] -> [*batch, min(rows, columns)]. k must be 0.
    """
    _main_diagonal_only(k, padding_value)
    return MatrixDiagPart.apply(input, name=name)


def matrix_set_diag(input, diagonal, name='set_diag', k=0):
    """Matrices with their diagonals replaced by `diagonal`.

    Shapes: input [*batch, rows, columns], diagonal [*batch, min(rows, columns)] -> as input.
    k must be 0.
    """
    _main_diagonal_only(k)
    return MatrixSetDiag.apply(input, diagonal, name=name)


def _main_diagonal_only(k, padding=0, *sizes):
    if k != 0 or padding != 0 or any(size != -1 for size in sizes):
        raise misuse(ValueError('only the main diagonal (k = 0) of square matrices padded with 0 '
                                'is supported, as in TF 1.15'))


def matrix_band_part(input, num_lower, num_upper, name=None):
    """Keeps num_lower diagonals below and num_upper above the main one; all if negative.

    Shapes: input [*batch, rows, columns] -> as input. (-1, 0) is the lower triangle, (0, -1) the
    upper one.
    """
    return MatrixBandPart.apply(input, num_lower, num_upper, name=name)


def eye(num_rows, num_columns=None, batch_shape=None, dtype=dtypes.float32, name=None):
    """The identity matrix, or a batch of them; rectangular if num_columns differs.

    Shapes: -> [*batch_shape, num_rows, num_columns]. Raises ValueError for negative sizes.
    """
    with name_scope(name, 'eye', [num_rows, num_columns, batch_shape]):
        square = num_columns is None
        columns = num_rows if square else num_columns
        batch = [] if batch_shape is None else batch_shape
        if isinstance(num_rows, Tensor) or isinstance(columns, Tensor):
            length = arithmetic.minimum(num_rows, columns)
        else:
            num_rows, columns = _size(num_rows, 'num_rows'), _size(columns, 'num_columns')
            square, length = num_rows == columns, min(num_rows, columns)
        if isinstance(batch, Tensor) or isinstance(length, Tensor):
            batch = convert_to_tensor(batch, dtypes.int32, 'shape')
            ones_shape = joining.concat((batch, [length]), axis=0)
            full_shape = None if square else joining.concat((batch, [num_rows, columns]), axis=0)
        else:
            batch = list(shapes.raw(batch))
            ones_shape, full_shape = batch + [length], batch + [num_rows, columns]
        ones = constants.ones(ones_shape, dtype)
        if square:
            return matrix_diag(ones)
        return matrix_set_diag(constants.zeros(full_shape, dtype), ones)


def _size(value, label):
    try:
        size = operator.index(value)
    except TypeError:
        raise misuse(TypeError(f'{label} must be a positive integer value, got '
                               f'{value!r}')) from None
    if size < 0:
        raise misuse(ValueError(f'{label} must be a non-negative integer, got {value!r}'))
    return size


def trace(x, name=None):
    """The sum of the diagonal of each matrix. Shapes: x [*batch, n, n] -> [*batch]."""
    with name_scope(name, 'Trace', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        return reduction.reduce_sum(matrix_diag_part(x), [-1], name=scope)


__all__ = [
    'diag', 'diag_part', 'eye', 'matrix_band_part', 'matrix_diag', 'matrix_diag_part',
    'matrix_set_diag', 'trace',
]
