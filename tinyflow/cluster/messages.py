"""Messages between the tasks of a cluster: a header in JSON, and the bytes of arrays.

    [kind, header, bytes of each array ...]

The header's `arrays` has dtype and shape of each array. What arrives is data only: a frame must
have just the bytes that its header announces, so a message claims no more memory than it has.
Strings are lengths (little-endian int64) and then the bytes of all of them.
"""
from __future__ import annotations

import json
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import InvalidArgumentError

__all__ = ['VERSION', 'decoded', 'decoded_header', 'encoded']

VERSION = 1             # of the messages; tasks of different versions refuse each other
_NAMES = {dtype.np: dtype.name for dtype in dtypes.ALL if dtype.np.kind != 'O'}
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}
_STRING = 'string'
_MOST_DIMENSIONS = 32


def encoded(kind: bytes, header: dict[str, Any], arrays: Sequence[Any] = ()) -> list[Any]:
    """The frames of a message. An array may be None, for a Variable without a value."""
    if not arrays:
        return [kind, json.dumps(header, separators=(',', ':')).encode()]
    specs: list[Any] = []
    frames: list[Any] = []
    for array in arrays:
        if array is None:
            specs.append(None)
            continue
        # As an array, bytes would lose the zeros at their end.
        array = np.array(array, object) if isinstance(array, bytes) else np.asarray(array)
        if array.dtype.kind == 'S':
            array = array.astype(object)
        if array.dtype == object:
            specs.append([_STRING, array.shape])
            frames.append(_strings(array))
        else:
            specs.append([_NAMES[array.dtype], array.shape])
            frames.append(array if array.flags.c_contiguous else np.ascontiguousarray(array))
    header['arrays'] = specs
    return [kind, json.dumps(header, separators=(',', ':')).encode(), *frames]


def _strings(array: np.ndarray) -> bytes:
    items = array.ravel().tolist()
    if not all(type(item) is bytes for item in items):
        wrong = next(item for item in items if type(item) is not bytes)
        raise InvalidArgumentError(None, None, f'A {type(wrong).__name__} cannot be sent to '
                                   'another task: only numbers and strings can.\n  Hint: feed '
                                   'and return arrays of numbers, or of bytes.')
    return np.array([len(item) for item in items], '<i8').tobytes() + b''.join(items)


def decoded_header(frame: bytes) -> dict[str, Any]:
    """The header of a message. InvalidArgumentError if it is none."""
    try:
        header = json.loads(frame)
    except (ValueError, RecursionError):
        header = None
    if type(header) is not dict:
        raise _damaged('its header is not a JSON object')
    return header


def decoded(header: dict[str, Any], frames: Sequence[Any]) -> list[np.ndarray | None]:
    """The arrays of a message; they share the frames' memory, and cannot be written to."""
    specs = header.get('arrays', [])
    if type(specs) is not list:
        raise _damaged('`arrays` is not a list')
    if len(specs) - specs.count(None) != len(frames):
        raise _damaged(f'it announces {len(specs) - specs.count(None)} arrays and has '
                       f'{len(frames)}')
    rest = iter(frames)
    return [None if spec is None else _array(spec, memoryview(next(rest))) for spec in specs]


def _array(spec: Any, data: memoryview) -> np.ndarray:
    try:
        name, shape = spec
        shape = tuple(shape)
        if not all(type(size) is int and 0 <= size < 2**62 for size in shape) \
                or len(shape) > _MOST_DIMENSIONS:
            raise ValueError
    except (TypeError, ValueError):
        raise _damaged(f'{_short(spec)} is not a dtype and a shape') from None
    if name == _STRING:
        return _read_strings(shape, data)
    dtype = _DTYPES.get(name) if type(name) is str else None
    if dtype is None:
        raise _damaged(f'{_short(name)} is not a dtype')
    if prod(shape) * dtype.itemsize != data.nbytes:
        raise _damaged(f'an array of {name} {list(shape)} has {data.nbytes} bytes')
    try:
        array = np.frombuffer(data, dtype).reshape(shape)
    except ValueError:                          # sizes that NumPy cannot hold, around a 0
        raise _damaged(f'{_short(spec)} is not a shape') from None
    if dtype.kind == 'b' and array.size and np.frombuffer(data, np.uint8).max() > 1:
        raise _damaged('a bool is neither 0 nor 1')
    return array if array.flags.aligned else array.copy()


def _read_strings(shape: tuple[int, ...], data: memoryview) -> np.ndarray:
    count = prod(shape)
    if count * 8 > data.nbytes:
        raise _damaged(f'{count} strings have {data.nbytes} bytes')
    lengths = np.frombuffer(data[:count * 8], '<i8').tolist()
    if any(length < 0 for length in lengths) or sum(lengths) != data.nbytes - count * 8:
        raise _damaged(f'{count} strings do not have the lengths that they announce')
    found = np.empty(count, object)
    start = count * 8
    for i, length in enumerate(lengths):
        found[i] = bytes(data[start:start + length])
        start += length
    try:
        return found.reshape(shape)
    except ValueError:
        raise _damaged(f'{list(shape)} is not a shape') from None


def _damaged(problem: str) -> Exception:
    return InvalidArgumentError(None, None, f'The message is damaged: {problem}.')


def _short(value: Any) -> str:
    return repr(value)[:60]
