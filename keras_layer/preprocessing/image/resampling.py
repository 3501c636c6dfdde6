"""Resampling of images: interpolation between pixels, fill modes outside."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.support.errors import misuse

__all__ = ['resampled']

_MODES = ('constant', 'nearest', 'reflect', 'wrap', 'mirror')


def resampled(x, matrix, offset, order, mode, cval):
    """out[i, j] = x[matrix (i, j) + offset], by nearest point (order 0) or bilinear (order 1).

    The values are those of scipy.ndimage.affine_transform on each channel; all channels go
    together, and SciPy is needed for higher orders only.

    Shapes: x [height, width, channels] -> the same; matrix [2, 2], offset [2].
    """
    if order not in (0, 1) or mode not in _MODES:
        return _by_scipy(x, matrix, offset, order, mode, cval)
    rows, columns = (np.arange(n, dtype=np.float64) for n in x.shape[:2])
    positions = [offset[k] + matrix[k, 0] * rows[:, None] + matrix[k, 1] * columns for k in (0, 1)]
    inside = None
    if mode == 'constant':
        inside = np.logical_and.reduce([(position >= 0) & (position <= size - 1)
                                        for position, size in zip(positions, x.shape)])
    ends = [_neighbours(position, size, order, mode) for position, size in zip(positions, x.shape)]
    found = _blended(x, *ends)
    if inside is not None:
        found = np.where(inside[:, :, None], found, cval)
    return _as_dtype(found, x.dtype)


def _neighbours(position, size, order, mode):
    """(lower indices, upper indices, fraction between them), along one axis."""
    if mode in ('constant', 'nearest'):
        position = np.clip(position, 0, size - 1)
    elif mode == 'wrap':
        position = _wrapped(position, size)
    if order == 0:
        return _index(np.floor(position + 0.5), size, mode), None, None
    low = np.floor(position)
    return _index(low, size, mode), _index(low + 1, size, mode), position - low


def _wrapped(position, size):
    """SciPy's 'wrap': the last point coincides with the first, so the period is size - 1."""
    if size <= 1:
        return np.zeros_like(position)
    period = size - 1
    below = position + period * (np.trunc(-position / period) + 1)
    above = position - period * np.trunc(position / period)
    return np.where(position < 0, below, np.where(position > period, above, position))


def _index(index, size, mode):
    index = index.astype(np.intp)
    if mode == 'reflect':                   # d c b a | a b c d | d c b a
        index = index % (2 * size)
        return np.minimum(index, 2 * size - 1 - index)
    if mode == 'mirror':                    # d c b | a b c d | c b a
        period = max(2 * size - 2, 1)
        index = index % period
        return np.minimum(index, period - index)
    return np.minimum(index, size - 1)


def _blended(x, rows, columns):
    """Nearest or bilinear values at the positions."""
    above, below, down = rows
    left, right, across = columns
    points = np.ascontiguousarray(x).reshape(-1, x.shape[2])
    if down is None:
        return points.take(above * x.shape[1] + left, axis=0)
    points = points.astype(np.float64)
    above, below = above * x.shape[1], below * x.shape[1]
    across, down = across[..., None], down[..., None]
    return _between(_between(points.take(above + left, axis=0),
                             points.take(above + right, axis=0), across),
                    _between(points.take(below + left, axis=0),
                             points.take(below + right, axis=0), across), down)


def _between(first, second, part):
    second -= first
    second *= part
    second += first
    return second


def _as_dtype(values, dtype):
    if dtype.kind in 'ui':
        limits = np.iinfo(dtype)
        away = np.trunc(values + np.where(values > 0, 0.5, -0.5))
        values = np.clip(away, limits.min, limits.max)
    return values.astype(dtype, copy=False)


def _by_scipy(x, matrix, offset, order, mode, cval):
    try:
        from scipy import ndimage  # optional package
    except ImportError:
        raise misuse(ImportError(
            f'fill_mode={mode!r} with interpolation order {order} needs the package SciPy.\n'
            f'  Hint: pip install scipy, or order 0 or 1 with one of {_MODES}.')) from None
    return np.stack([ndimage.affine_transform(x[..., c], matrix, offset, order=order, mode=mode,
                                              cval=cval) for c in range(x.shape[-1])], axis=-1)
