"""tf.substr: a part of each string, by position and length."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import checked_choice, string_array
from tinyflow.ops.strings.cases import UNITS

__all__ = ['substr']


class Substr(Op):
    """The substring of `len` bytes (or characters) at `pos`; pos and len broadcast."""

    signature = 'input: string, pos: T, len: T -> output: string'
    types = {'T': INDEX}
    attrs = {'unit': 'BYTE'}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(input, pos, length):
        if pos is not None and length is not None and len(pos) != len(length):
            raise OpFailure(f'pos has the shape {shapes.text(pos)} and len {shapes.text(length)}',
                            'both must have the same shape.')
        return shapes.broadcast(input, pos)

    def kernel(input, pos, length, *, unit):
        if pos.shape != length.shape:
            raise OpFailure(f'pos has the shape {list(pos.shape)} and len {list(length.shape)}',
                            'both must have the same shape.')
        texts, starts, lengths = np.broadcast_arrays(input, pos, length)
        cut = _characters if unit in ('UTF8_CHAR', b'UTF8_CHAR') else _bytes
        parts = zip(texts.reshape(-1).tolist(), starts.reshape(-1).tolist(),
                    lengths.reshape(-1).tolist())
        return string_array([cut(text, start, length, i)
                             for i, (text, start, length) in enumerate(parts)], texts.shape)


def _bytes(text, start, length, index):
    size = len(text)
    if not -size <= start <= size:
        raise ValueError(f'pos {start} out of range for string {text!r} at index {index}')
    start = start + size if start < 0 else start
    return text[start:] if length < 0 else text[start:start + length]


def _characters(text, start, length, index):
    """A substring by characters; every byte but a UTF-8 continuation byte begins one."""
    begins = [i for i, byte in enumerate(text) if byte & 0xc0 != 0x80]
    begins.append(len(text))
    size = len(begins) - 1
    if not -size <= start <= size:
        raise OpFailure(f'pos {start} out of range for string at index {index}',
                        f'the string has {size} characters.')
    start = start + size if start < 0 else start
    end = min(start + max(length, 0), size)
    return text[begins[start]:begins[end]]


def substr(input, pos, len, name=None, unit='BYTE'):
    """`len` bytes of each string from `pos` on; a negative `pos` counts from the end.

    Shapes: input [*a], pos and len [*b] -> [*a] and [*b], broadcast. unit='UTF8_CHAR' counts
    characters. InvalidArgumentError where `pos` is outside of a string.
    """
    unit = checked_choice(unit, UNITS, 'Substr', 'unit')
    return Substr.apply(input, pos, len, unit=unit, name=name)
