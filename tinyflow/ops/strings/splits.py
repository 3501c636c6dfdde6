"""The ops behind tf.string_split and tf.strings.split: the parts of strings, as SparseTensors."""
from __future__ import annotations

import re

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import string_array


def _as_sparse(rows):
    """(indices, values, dense_shape) of lists of parts, one list for each string."""
    lengths = np.array([len(row) for row in rows], np.int64)
    count = int(lengths.sum())
    indices = np.empty((count, 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(rows)), lengths)
    indices[:, 1] = np.arange(count) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    widest = int(lengths.max()) if len(rows) else 0
    return (indices, string_array([part for row in rows for part in row], (count,)),
            np.array([len(rows), widest], np.int64))


class _Split(Op, abstract=True):
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(input, separator):
        if input is not None and len(input) != 1:
            raise OpFailure(f'Shape must be rank 1 but is rank {len(input)}',
                            'use one vector of strings: tf.reshape(x, [-1]), or [x] for a scalar.')
        if separator is not None and len(separator) != 0:
            raise OpFailure(f'Shape must be rank 0 but is rank {len(separator)}',
                            'all strings are split at the same delimiter.')
        return [(None, 2), (None,), (2,)]


def _check(input, separator):
    if input.ndim != 1:
        raise ValueError(f'input must be a vector, got shape: {list(input.shape)}')
    if separator.ndim:
        raise ValueError(f'delimiter must be a scalar, got shape: {list(separator.shape)}')


class StringSplit(_Split):
    """Splits each string at any of the delimiter's characters; into bytes if it is empty."""

    signature = ('input: string, delimiter: string -> indices: int64, values: string, '
                 'shape: int64')
    attrs = {'skip_empty': True}

    def kernel(input, delimiter, *, skip_empty):
        _check(input, delimiter)
        characters = delimiter.item()
        if not characters:
            return _as_sparse([[text[i:i + 1] for i in range(len(text))]
                               for text in input.tolist()])
        split = bytes.split if len(characters) == 1 else _split_at_any
        rows = [split(text, characters) if text else [] for text in input.tolist()]
        if skip_empty:
            rows = [[part for part in row if part] for row in rows]
        return _as_sparse(rows)


def _split_at_any(text, characters):
    return re.split(b'[' + re.escape(characters) + b']', text)


class StringSplitV2(_Split):
    """Splits each string at the separator, like str.split; at whitespace if it is empty."""

    signature = 'input: string, sep: string -> indices: int64, values: string, shape: int64'
    attrs = {'maxsplit': -1}

    def kernel(input, sep, *, maxsplit):
        _check(input, sep)
        if sep.item():
            return _as_sparse([text.split(sep.item(), maxsplit) for text in input.tolist()])
        return _as_sparse([_split_at_spaces(text, maxsplit) for text in input.tolist()])


def _split_at_spaces(text, maxsplit):
    """As str.split, but what is left after `maxsplit` splits is a part even if it is empty."""
    if maxsplit == 0:
        return [text]
    parts = text.split(None, maxsplit)
    return [*parts, b''] if len(parts) == maxsplit else parts


def split_at_any(source, delimiter, skip_empty):
    """SparseTensor [n, most parts] of the parts of strings [n] between the delimiter's bytes."""
    delimiter = convert_to_tensor(' ' if delimiter is None else delimiter, dtypes.string)
    source = convert_to_tensor(source, dtypes.string)
    return SparseTensor(*StringSplit.apply(source, delimiter, skip_empty=skip_empty))


def split_like_python(input, sep, maxsplit):
    """SparseTensor [n, most parts] of the parts of strings [n], as str.split makes them."""
    sep = convert_to_tensor('' if sep is None else sep, dtypes.string)
    return SparseTensor(*StringSplitV2.apply(input, sep, maxsplit=maxsplit))


__all__ = []
