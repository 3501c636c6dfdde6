"""keras_metadata.pb, which lists the Keras objects of a SavedModel for TensorFlow 2.5 to 2.15.

A protocol buffer: repeated field 1, an object, with its number in the object graph (2), its path
(3), identifier (4), JSON (5) and version (6).
"""
from __future__ import annotations

import json
from typing import NamedTuple

from tinyflow.formats.wire import varints
from tinyflow.graph.support.errors import DataLossError

FILE = 'keras_metadata.pb'
_VARINT, _BYTES = 0, 2


class KerasObject(NamedTuple):
    """An object of the SavedModel's object graph; `metadata` is what its JSON says."""

    node_id: int
    path: str
    identifier: str
    metadata: dict


def read(path):
    """The KerasObjects of a file. DataLossError if it is damaged."""
    with open(path, 'rb') as file:
        data = file.read()
    try:
        return [_object(value) for number, value in _fields(data) if number == 1]
    except (IndexError, ValueError, TypeError, RecursionError) as error:
        raise DataLossError(None, None, f'{path!r} is damaged: {error}') from None


def _fields(data):
    """(number, value) of each field; a value is a number or bytes."""
    position = 0
    while position < len(data):
        tag, position = varints.take(data, position)
        value, position = varints.take(data, position)
        if tag & 7 == _BYTES:
            if position + value > len(data):
                raise IndexError('a field is longer than the file')
            value, position = data[position:position + value], position + value
        elif tag & 7 != _VARINT:
            raise ValueError(f'a field of the kind {tag & 7}')
        yield tag >> 3, value


def _object(data):
    fields = dict(_fields(data))
    return KerasObject(fields.get(2, 0), *[fields.get(n, b'').decode('utf8') for n in (3, 4)],
                       _plain(json.loads(fields.get(5, b'{}'))))


def _plain(value):
    """A value in which tuples and shapes are lists."""
    if isinstance(value, dict):
        if value.get('class_name') in ('__tuple__', 'TensorShape') and 'items' in value:
            return _plain(value['items'])
        return {key: _plain(v) for key, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value


def as_bytes(objects):
    """The content of a file that lists `objects`."""
    out = bytearray()
    for one in objects:
        inner = bytearray()
        if one.node_id:
            inner.append(2 << 3 | _VARINT)
            varints.put(inner, one.node_id)
        for number, text in ((3, one.path), (4, one.identifier), (5, json.dumps(one.metadata))):
            _put_bytes(inner, number, text.encode('utf8'))
        _put_bytes(inner, 6, b'\x08\x02\x10\x01')       # version 2, for readers of version 1
        _put_bytes(out, 1, inner)
    return bytes(out)


def _put_bytes(out, number, data):
    out.append(number << 3 | _BYTES)
    varints.put(out, len(data))
    out += data
