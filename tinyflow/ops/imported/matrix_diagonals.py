"""MatrixDiagV3, MatrixDiagPartV3, MatrixSetDiagV3: TensorFlow 2's ops of matrix diagonals.

Diagonal number d of a matrix holds the elements [i, i + d]. Bands [*batch, diagonals, longest] list
the diagonals from the highest number down; shorter ones are padded at the side that `align` names,
first for the diagonals above the main one, then for those below it.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.op import Op
from tinyflow.ops.array import constants

_ALIGN = {'align': 'RIGHT_LEFT'}
_K = (0, 1)                                 # ranks that k may have


def _band(k):
    """(lowest, highest) diagonal of a k: a number or one or two of them."""
    if isinstance(k, int):
        return k, k
    if len(k) not in (1, 2) or k[0] > k[-1]:
        raise ValueError(f'k must be a number or (lowest, highest), not {list(k)}')
    return k[0], k[-1]


def _known(*values):
    return all(v is not None and (isinstance(v, int) or None not in v) for v in values)


def _longest(rows, columns, low, high):
    return min(rows + min(high, 0), columns - max(low, 0))


def _check_inside(rows, columns, low, high):
    for d in (low, high):
        if d and not -rows < d < columns:
            raise ValueError(f'diagonal {d} is outside matrices of {rows} rows and {columns} '
                             'columns')


def _lines(rows, columns, low, high, align, longest):
    """For each diagonal from the highest: row and slice in the band, rows and columns of it."""
    above, below = align.split('_')
    for row, d in enumerate(range(high, low - 1, -1)):
        length = min(rows + min(d, 0), columns - max(d, 0))
        to_left = d >= 0 and above == 'LEFT' or d <= 0 and below == 'LEFT'
        first = 0 if to_left else longest - length
        along = np.arange(length)
        yield row, slice(first, first + length), along - min(d, 0), along + max(d, 0)


def _sizes(longest, low, high, rows, columns):
    """(rows, columns) of the matrices, inferred where they are -1."""
    least = longest - min(high, 0), longest + max(low, 0)
    if rows == columns == -1:
        return (max(least),) * 2
    rows, columns = [given if given != -1 else need
                     for given, need in zip((rows, columns), least)]
    if rows < least[0] or columns < least[1] or rows != least[0] and columns != least[1]:
        raise ValueError(f'diagonals of length {longest} do not fit {rows} rows and {columns} '
                         f'columns for k from {low} to {high}')
    return rows, columns


def _banded(x, low, high):
    """The bands with an axis of diagonals, also if there is one diagonal."""
    if low == high:
        return x[..., None, :]
    if x.ndim < 2 or x.shape[-2] != high - low + 1:
        raise ValueError(f'bands of shape {shapes.text(x.shape)} do not have the '
                         f'{high - low + 1} diagonals from {low} to {high}')
    return x


class MatrixDiagV3(Op):
    """Matrices with these bands of diagonals, padded elsewhere."""

    signature = ('diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T -> '
                 'output: T')
    attrs = _ALIGN
    static = {'k': _K, 'num_rows': 0, 'num_cols': 0}
    partial_rank = True

    def shape(diagonal, k, num_rows, num_cols, padding_value):
        if diagonal is None or not _known(k, num_rows, num_cols):
            return None
        low, high = _band(k)
        batch = diagonal[:-1] if low == high else diagonal[:-2]
        if diagonal[-1] is None:
            return (*batch, None, None)
        return (*batch, *_sizes(diagonal[-1], low, high, num_rows, num_cols))

    def kernel(diagonal, k, num_rows, num_cols, padding_value, *, align):
        low, high = _band(k)
        band = _banded(diagonal, low, high)
        longest = band.shape[-1]
        rows, columns = _sizes(longest, low, high, num_rows, num_cols)
        result = np.full((*band.shape[:-2], rows, columns), padding_value, diagonal.dtype)
        for row, part, i, j in _lines(rows, columns, low, high, align, longest):
            result[..., i, j] = band[..., row, part]
        return result

    def gradient(op, dy):
        return (MatrixDiagPartV3.apply(dy, op.inputs[1], constants.zeros([], dy.dtype),
                                       align=op.attrs['align']), None, None, None, None)


class MatrixDiagPartV3(Op):
    """Bands of diagonals of matrices."""

    signature = 'input: T, k: int32, padding_value: T -> diagonal: T'
    attrs = _ALIGN
    static = {'k': _K}
    partial_rank = True

    def shape(x, k, padding_value):
        if x is None or not _known(k):
            return None
        if len(x) < 2:
            raise ValueError(f'Shape must be at least rank 2 but is rank {len(x)}')
        low, high = _band(k)
        count = () if low == high else (high - low + 1,)
        if None in x[-2:]:
            return (*x[:-2], *count, None)
        _check_inside(*x[-2:], low, high)
        return (*x[:-2], *count, _longest(*x[-2:], low, high))

    def kernel(x, k, padding_value, *, align):
        low, high = _band(k)
        rows, columns = x.shape[-2:]
        _check_inside(rows, columns, low, high)
        longest = _longest(rows, columns, low, high)
        band = np.full((*x.shape[:-2], high - low + 1, longest), padding_value, x.dtype)
        for row, part, i, j in _lines(rows, columns, low, high, align, longest):
            band[..., row, part] = x[..., i, j]
        return band[..., 0, :] if low == high else band

    def gradient(op, dy):
        zeros = constants.zeros_like(op.inputs[0])
        return MatrixSetDiagV3.apply(zeros, dy, op.inputs[1], align=op.attrs['align']), None, None


class MatrixSetDiagV3(Op):
    """Matrices with bands of diagonals replaced."""

    signature = 'input: T, diagonal: T, k: int32 -> output: T'
    attrs = _ALIGN
    static = {'k': _K}
    partial_rank = True

    def shape(x, diagonal, k):
        return x

    def kernel(x, diagonal, k, *, align):
        low, high = _band(k)
        rows, columns = x.shape[-2:]
        _check_inside(rows, columns, low, high)
        band, longest = _banded(diagonal, low, high), _longest(rows, columns, low, high)
        if band.shape != (*x.shape[:-2], high - low + 1, longest):
            raise ValueError(f'diagonal has shape {shapes.text(diagonal.shape)}, which does not '
                             f'fit matrices {shapes.text(x.shape)} for k from {low} to {high}')
        result = x.copy()
        for row, part, i, j in _lines(rows, columns, low, high, align, longest):
            result[..., i, j] = band[..., row, part]
        return result

    def gradient(op, dy):
        k, align = op.inputs[2], op.attrs['align']
        zeros = constants.zeros_like(op.inputs[1])
        band = MatrixDiagPartV3.apply(dy, k, constants.zeros([], dy.dtype), align=align)
        return MatrixSetDiagV3.apply(dy, zeros, k, align=align), band, None


__all__: list[str] = []
