"""Order-preserving keys of numbers and strings, for slices of tensors in a table.

Source: the ordered code of LevelDB-like tables, as TensorFlow uses it for tensor slices.
"""
from __future__ import annotations


def number(value):
    """An unsigned number: its count of bytes, then those bytes, highest first."""
    data = value.to_bytes((value.bit_length() + 7) // 8, 'big')
    return bytes([len(data)]) + data


def text(value):
    """A byte string with terminator and escapes."""
    parts = [part.replace(b'\xff', b'\xff\0') for part in value.split(b'\0')]
    return b'\0\xff'.join(parts) + b'\0\1'


def signed(value):
    """A number of either sign: the first bits encode the length."""
    magnitude = ~value if value < 0 else value
    length = magnitude.bit_length() // 7 + 1
    data = bytearray(value.to_bytes(max(length, 9) + 1, 'big', signed=True)[-length:])
    bits = (1 << 8 * length) - (1 << 7 * length)        # `length` leading ones
    head = int.from_bytes(data, 'big') ^ bits
    return head.to_bytes(length, 'big')


def slice_key(name, extents):
    """The key of the part `extents`, pairs (start, length) with (0, -1) for all, of a tensor."""
    parts = [number(0), text(name.encode()), number(len(extents))]
    for start, length in extents:
        parts += [signed(start), signed(length)]
    return b''.join(parts)
