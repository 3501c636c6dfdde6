"""The state of an iterator as bytes, and back. Nothing is unpickled: plain data and arrays only.

    b'tinyflow iterator 1\\n' | crc32 of the rest, uint32 | one value
    a value: a letter for its kind, then its content; lengths are uint64, all little-endian
"""
from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from tinyflow.data.runtime.batching import Listed
from tinyflow.graph.object_scalars import BoxedArray
from tinyflow.graph.support import errors

_MAGIC = b'tinyflow iterator 1\n'
_LEAST_ROWS = 32            # above this number, elements are written column by column
_LENGTH = struct.Struct('<Q')
_DOUBLE = struct.Struct('<d')
_CRC = struct.Struct('<I')


def encode(state: Any) -> bytes:
    """Plain data (None, numbers, str, bytes, arrays, lists, tuples, dicts) as bytes."""
    parts: list[bytes] = []
    _write(state, parts.append)
    body = b''.join(parts)
    return _MAGIC + _CRC.pack(zlib.crc32(body)) + body


def decode(data: bytes) -> Any:
    """The decoded data. DataLossError if the bytes are damaged, or not such a state."""
    start = len(_MAGIC) + _CRC.size
    if data[:len(_MAGIC)] != _MAGIC or len(data) < start:
        raise _damaged('not an iterator state of tinyflow')
    if zlib.crc32(data[start:]) != _CRC.unpack_from(data, len(_MAGIC))[0]:
        raise _damaged('its checksum does not match')
    reader = _Reader(data, start)
    try:
        value = reader.value()
    except (ValueError, KeyError, IndexError, TypeError, struct.error) as error:
        raise _damaged(str(error)) from None
    if reader.position != len(data):
        raise _damaged('there are extra bytes')
    return value


def _damaged(why: str) -> errors.OpError:
    return errors.DataLossError(None, None, f'the saved iterator state cannot be read: {why}')


def _write(value: Any, put: Callable[[bytes], None]) -> None:
    if value is None:
        put(b'N')
    elif isinstance(value, (bool, np.bool_)) and not isinstance(value, np.generic):
        put(b'T' if value else b'F')
    elif isinstance(value, int) and not isinstance(value, np.generic):
        _write_text(b'i', str(value).encode(), put)
    elif isinstance(value, float) and not isinstance(value, np.generic):
        put(b'd' + _DOUBLE.pack(value))
    elif isinstance(value, str):
        _write_text(b's', value.encode(), put)
    elif isinstance(value, bytes):
        _write_text(b'b', value, put)
    elif isinstance(value, (np.ndarray, np.generic)):
        _write_array(value, put)
    elif isinstance(value, BoxedArray):
        put(b'h')
        _write(value.array, put)
    elif isinstance(value, Listed):
        _write_all(b'w', value.elements, put)
    elif isinstance(value, dict):
        _write_all(b'm', [part for item in value.items() for part in item], put)
    elif isinstance(value, list) and (table := _as_table(value)) is not None:
        _write_table(value, table, put)
    elif isinstance(value, (list, tuple)):
        _write_all(b'l' if isinstance(value, list) else b't', value, put)
    else:
        raise errors.op_error(errors.UnimplementedError,
                              f'a {type(value).__name__} in the position of an iterator cannot be '
                              'saved',
                              'an element that is a dataset can be saved only if window() made it.')


def check(state: Any) -> None:
    """UnimplementedError for data that `encode` cannot write."""
    if isinstance(state, dict):
        state = list(state.values())
    if isinstance(state, (list, tuple)):
        for part in state:
            check(part)
    elif state is not None and not isinstance(state, (int, float, str, bytes, np.ndarray,
                                                      np.generic)):
        _write(state, lambda part: None)


def _write_text(kind: bytes, text: bytes, put: Callable[[bytes], None]) -> None:
    put(kind + _LENGTH.pack(len(text)))
    put(text)


def _write_all(kind: bytes, values: Any, put: Callable[[bytes], None]) -> None:
    put(kind + _LENGTH.pack(len(values)))
    for value in values:
        _write(value, put)


def _as_table(values: list) -> list[tuple] | None:
    """The elements of a buffer, [(array, number, ...)], as columns, if they are similar and
    numerous.

    A shuffle buffer has ten thousand of them, and one empty slot (None).
    """
    rows = [value for value in values if value is not None] if len(values) >= _LEAST_ROWS else []
    if not rows or type(rows[0]) is not tuple or not rows[0]:
        return None
    alike = [(type(part), getattr(part, 'dtype', None), getattr(part, 'shape', None))
             for part in rows[0]]
    if any(dtype is None or dtype.hasobject for _, dtype, _ in alike):
        return None
    for row in rows:
        if type(row) is not tuple or len(row) != len(alike):
            return None
        for part, (kind, dtype, shape) in zip(row, alike):
            if type(part) is not kind or part.dtype != dtype or part.shape != shape:
                return None
    return rows


def _write_table(values: list, rows: list[tuple], put: Callable[[bytes], None]) -> None:
    put(b'k')
    _write_array(np.array([value is not None for value in values]), put)
    _write_all(b'l', [isinstance(part, np.generic) for part in rows[0]], put)
    _write_all(b'l', [np.stack(column) for column in zip(*rows)], put)


def _write_array(array: Any, put: Callable[[bytes], None]) -> None:
    scalar = isinstance(array, np.generic)
    array = np.asarray(array)
    if array.dtype == object:
        put(b'o')
        _write(tuple(array.shape), put)
        _write_all(b'l', array.ravel().tolist(), put)
        return
    put(b'g' if scalar else b'a')
    _write(array.dtype.str, put)
    _write(tuple(array.shape), put)
    _write_text(b'b', array.tobytes(), put)


class _Reader:
    def __init__(self, data: bytes, position: int) -> None:
        self.data, self.position = data, position

    def take(self, count: int) -> bytes:
        if self.position + count > len(self.data):
            raise ValueError('it ends too early')
        self.position += count
        return self.data[self.position - count:self.position]

    def length(self) -> int:
        return _LENGTH.unpack(self.take(_LENGTH.size))[0]

    def value(self) -> Any:
        kind = self.take(1)
        if kind in b'NTF':
            return {b'N': None, b'T': True, b'F': False}[kind]
        if kind == b'd':
            return _DOUBLE.unpack(self.take(_DOUBLE.size))[0]
        if kind in b'isb':
            text = self.take(self.length())
            return int(text) if kind == b'i' else text if kind == b'b' else text.decode()
        if kind in b'ltw':
            values = [self.value() for _ in range(self.length())]
            return values if kind == b'l' else tuple(values) if kind == b't' else Listed(values)
        if kind == b'm':
            values = [self.value() for _ in range(self.length())]
            return dict(zip(values[::2], values[1::2], strict=True))
        if kind == b'h':
            return BoxedArray(self.value())
        if kind == b'k':
            return self.table()
        if kind in b'oag':
            return self.array(kind)
        raise ValueError(f'unknown kind {kind!r}')

    def table(self) -> list:
        present, scalars, columns = self.value(), self.value(), self.value()
        rows = zip(*[list(column) if scalar else [np.array(part) for part in column]
                     for scalar, column in zip(scalars, columns, strict=True)], strict=True)
        return [next(rows) if there else None for there in present.tolist()]

    def array(self, kind: bytes) -> Any:
        if kind == b'o':
            shape = self.value()
            array = np.empty(shape, object)
            values = self.value()
            array.reshape(-1)[...] = np.fromiter(values, object, len(values))
            return array
        dtype, shape = np.dtype(self.value()), self.value()
        array = np.frombuffer(self.value(), dtype).reshape(shape).copy()
        return array[()] if kind == b'g' else array
