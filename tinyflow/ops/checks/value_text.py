"""Tensor values as text, for tf.Print, tf.Assert and tf.print.

There are two formats, as in TF1. `first_values` shows a number of leading values: '0.1 2 3...',
with brackets around each row from rank 2 on. `both_ends` shows a number of values at each end of
each axis, like NumPy.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_ESCAPES = {ord('\n'): r'\n', ord('\r'): r'\r', ord('\t'): r'\t', ord('"'): r'\"',
            ord("'"): r"\'", ord('\\'): r'\\'}


def escaped(text: bytes) -> str:
    """A string with C escapes: printable ASCII as it is, other bytes as octal numbers."""
    return ''.join(_ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f'\\{byte:03o}')
                   for byte in text)


def _float32(value: float) -> str:
    short = f'{value:.6g}'
    return short if np.float32(short) == value else f'{value:.9g}'


def _float64(value: float) -> str:
    short = f'{value:.15g}'
    return short if float(short) == value else f'{value:.17g}'


def _float(value: float, digits: Callable[[float], str]) -> str:
    # NaN is shown without its sign.
    return 'nan' if value != value else digits(value)


def _writer(dtype: np.dtype, quotes: bool) -> Callable:
    """The function that formats one value of a dtype, with the fewest digits that identify it.

    TF1 shows complex numbers as a question mark; here they are shown as in Python.
    """
    if dtype.kind == 'f':
        digits = _float64 if dtype.itemsize > 4 else _float32
        return lambda value: _float(value, digits)
    if dtype.kind == 'b':
        return lambda value: '1' if value else '0'
    if dtype.kind == 'O':
        return _quoted if quotes else _plain
    return str


def _plain(value) -> str:
    return escaped(value) if isinstance(value, bytes) else str(value)


def _quoted(value) -> str:
    return f'"{escaped(value)}"' if isinstance(value, bytes) else str(value)


def first_values(array: np.ndarray, limit: int) -> str:
    """The first `limit` values (all if it is negative), and '...' if there are more."""
    limit = array.size if limit < 0 else min(limit, array.size)
    write = _writer(array.dtype, quotes=False)
    values = [write(value) for value in array.reshape(-1)[:limit]]
    if array.ndim < 2:
        text = ' '.join(values)
    else:
        text = _rows(values, array.shape, limit)[0]
    return text + '...' if array.size > limit else text


def _rows(values: list[str], shape: tuple, limit: int) -> tuple[str, int]:
    """(the values in rows with brackets, the rest of `limit`); at most `limit` values are shown.

    `values` are the remaining ones, already cut to `limit`.
    """
    if len(shape) == 1:
        taken = min(shape[0], limit)
        return ' '.join(values[:taken]) + ('...' if taken < shape[0] else ''), limit - taken
    parts, start = [], 0
    for _ in range(shape[0]):
        if not limit:
            break
        text, left = _rows(values[start:], shape[1:], limit)
        start, limit = start + limit - left, left
        parts.append(f'[{text}]')
    return ''.join(parts), limit


def both_ends(array: np.ndarray, ends: int) -> str:
    """The values with `ends` at each end of each axis (all if it is negative), else '...'."""
    write = _writer(array.dtype, quotes=True)
    if not array.ndim:
        return write(array.item() if array.dtype.kind == 'O' else array[()])
    return _axis(array, min(ends, array.size) if ends >= 0 else array.size, write, 0, array.ndim)


def _axis(array: Any, ends: int, write: Callable, axis: int, rank: int) -> str:
    if axis == rank:
        return write(array)
    count = len(array)
    first = [array[i] for i in range(min(ends, count))]
    last = [array[i] for i in range(max(ends, count - ends), count)]
    parts = [_axis(part, ends, write, axis + 1, rank) for part in first]
    if count > 2 * ends:
        # TF1 writes the gap of an empty tensor as well, with nothing before it.
        parts += ['...'] if first else ['', '...']
    parts += [_axis(part, ends, write, axis + 1, rank) for part in last]
    below = rank - axis - 1
    gap = ' ' if not below else '\n' * below + ' ' * (axis + 1)
    return f'[{gap.join(parts)}]'

