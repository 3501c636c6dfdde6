"""Slices of tensors, as checkpoints name them: '10 4 0,5:-' is rows 0 to 4 of a [10, 4] tensor.

A part is a list of pairs (start, length), one for each axis; (0, ALL) means the whole axis.
"""
from __future__ import annotations

ALL = -1


def parse(text):
    """(shape of the whole, extents) of a specification; ValueError if it is invalid."""
    *sizes, parts = text.split(' ')
    try:
        shape = tuple(int(size) for size in sizes if size)
        extents = [_extent(part) for part in parts.split(':')] if parts else []
    except ValueError:
        raise ValueError(f"'{text}' is not '<shape> <start>,<length>:...'") from None
    if len(extents) != len(shape):
        raise ValueError(f"'{text}' has {len(shape)} sizes and {len(extents)} parts")
    for (start, length), size in zip(extents, shape):
        if start < 0 or size < 0 or (length != ALL and (length < 0 or start + length > size)):
            raise ValueError(f"'{text}' reaches past the tensor")
    return shape, extents


def _extent(text):
    if text == '-':
        return 0, ALL
    start, _, length = text.partition(',')
    return int(start), int(length)


def shape_of(shape, extents):
    """The shape of the part."""
    return tuple(size if length == ALL else length for size, (_, length) in zip(shape, extents))


def index_of(shape, extents):
    """The part as an index into an array of the whole."""
    return tuple(slice(start, size if length == ALL else start + length)
                 for size, (start, length) in zip(shape, extents))


def overlap(shape, a, b):
    """The overlap of two parts: (index into the array of a, index into that of b), or None."""
    in_a, in_b = [], []
    for one, other in zip(index_of(shape, a), index_of(shape, b)):
        low, high = max(one.start, other.start), min(one.stop, other.stop)
        if low >= high:
            return None
        in_a.append(slice(low - one.start, high - one.start))
        in_b.append(slice(low - other.start, high - other.start))
    return tuple(in_a), tuple(in_b)
