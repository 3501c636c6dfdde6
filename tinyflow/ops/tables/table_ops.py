"""Lookup table ops: HashTableV2 etc. return a handle, other ops read and change the table.

Each Session has its own table behind a handle, a 0-d object array that holds it.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import as_text
from tinyflow.ops.support.resource_handles import SessionHandle

WHOLE_LINE, LINE_NUMBER = -2, -1


class Table:
    """A dict from keys to values; `fixed` tables are filled once, before they are read."""

    def __init__(self, attrs, fixed):
        self.key_dtype, self.value_dtype = attrs['key_dtype'], attrs['value_dtype']
        self.value_shape = tuple(attrs.get('value_shape') or ())
        self.fixed = fixed
        self.filled = not fixed
        self.values = {}

    def _check_filled(self):
        if not self.filled:
            raise errors.op_error(errors.FailedPreconditionError,
                                  'Table not initialized.',
                                  'sess.run(tf.tables_initializer()) in this Session, after the '
                                  'table was created.')

    def find(self, keys, default):
        """The values of the keys, `default` for missing keys."""
        self._check_filled()
        flat = [self.values.get(key, default) for key in _plain(keys)]
        result = np.empty((len(flat), *self.value_shape), self.value_dtype.np)
        for i, value in enumerate(flat):
            result[i] = value
        return result.reshape(keys.shape + self.value_shape)

    def insert(self, keys, values):
        """Sets the values of the keys."""
        self.values.update(zip(_plain(keys), _values(values, keys.shape)))

    def remove(self, keys):
        """Removes the keys that exist."""
        for key in _plain(keys):
            self.values.pop(key, None)

    def fill(self, keys, values):
        """Fills a fixed table; a second time changes nothing. A mutable one is replaced."""
        if self.fixed and self.filled:
            return
        found = {}
        for key, value in zip(_plain(keys), _values(values, keys.shape)):
            if self.fixed and key in found and found[key] != value:
                raise errors.FailedPreconditionError(
                    None, None, 'HashTable has different value for same key. Key '
                                f'{as_text(key)} has {as_text(found[key])} and trying to add value '
                                f'{as_text(value)}')
            found[key] = value
        self.values, self.filled = found, True

    def export(self):
        """All keys and all values."""
        keys = np.empty(len(self.values), self.key_dtype.np)
        values = np.empty((len(self.values), *self.value_shape), self.value_dtype.np)
        for i, (key, value) in enumerate(self.values.items()):
            keys[i], values[i] = key, value
        return keys, values

    def size(self):
        """The number of keys."""
        self._check_filled()
        return len(self.values)


def _plain(keys):
    """The keys as hashable Python values."""
    return keys.reshape(-1).tolist()


def _values(values, keys_shape):
    """The value of each key: a Python value, or an array in a table of tensors."""
    inner = values.shape[len(keys_shape):]
    if not inner:
        return values.reshape(-1).tolist()
    return [np.array(row) for row in values.reshape((-1, *inner))]


class _TableNode(SessionHandle, abstract=True):
    signature = '-> table_handle: resource'
    attrs = {'container': '', 'shared_name': '', 'use_node_name_sharing': False,
             'key_dtype': REQUIRED, 'value_dtype': REQUIRED}


class HashTableV2(_TableNode):
    """A table that is filled once."""

    def state(attrs):
        return boxed(Table(attrs, fixed=True))


class MutableHashTableV2(_TableNode):
    """A mutable table."""

    def state(attrs):
        return boxed(Table(attrs, fixed=False))


class MutableHashTableOfTensorsV2(_TableNode):
    """A mutable table of vectors."""

    attrs = {**_TableNode.attrs, 'value_shape': ()}

    def state(attrs):
        return boxed(Table(attrs, fixed=False))


class MutableDenseHashTableV2(_TableNode):
    """As MutableHashTableV2, with two reserved keys: empty and deleted."""

    signature = 'empty_key: key_dtype, deleted_key: key_dtype -> table_handle: resource'
    attrs = {**_TableNode.attrs, 'value_shape': (), 'initial_num_buckets': 131072,
             'max_load_factor': 0.8}

    def shape(empty_key, deleted_key):
        return ()

    def state(attrs):
        return boxed(Table(attrs, fixed=False))

    def kernel(handle, empty_key, deleted_key):
        if empty_key == deleted_key:
            raise ValueError('Empty and deleted keys must be different')
        handle.item().reserved = {*_plain(empty_key), *_plain(deleted_key)}
        return handle


class _TableUse(Op, abstract=True):
    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE


def _check_keys(table, keys):
    """InvalidArgumentError for the reserved keys of a dense table."""
    reserved = getattr(table, 'reserved', None)
    if reserved and not reserved.isdisjoint(_plain(keys)):
        raise ValueError('Using the empty_key or deleted_key as a table key is not allowed')


class LookupTableFindV2(_TableUse):
    """The values of the keys, `default_value` for missing keys."""

    signature = 'table_handle: resource, keys: Tin, default_value: Tout -> values: Tout'

    def shape(table_handle, keys, default_value):
        return None if keys is None or default_value is None else keys + default_value

    def kernel(table_handle, keys, default_value):
        table = table_handle.item()
        _check_keys(table, keys)
        default = default_value.item() if default_value.ndim == 0 else default_value
        return table.find(keys, default)


class LookupTableInsertV2(_TableUse):
    """Sets the values of the keys."""

    signature = 'table_handle: resource, keys: Tin, values: Tout ->'

    def kernel(table_handle, keys, values):
        table = table_handle.item()
        _check_keys(table, keys)
        table.insert(keys, values)
        return ()


class LookupTableRemoveV2(_TableUse):
    """Removes the keys."""

    signature = 'table_handle: resource, keys: Tin ->'

    def kernel(table_handle, keys):
        table_handle.item().remove(keys)
        return ()


class LookupTableImportV2(_TableUse):
    """Fills a table."""

    signature = 'table_handle: resource, keys: Tin, values: Tout ->'

    def shape(table_handle, keys, values):
        if keys and values and None not in (keys[0], values[0]) and keys[0] != values[0]:
            raise OpFailure(f'Dimension 0 in both shapes must be equal, but are {keys[0]} and '
                            f'{values[0]}. Shapes are {shapes.text(keys)} and '
                            f'{shapes.text(values)}.',
                            'each key has one value.')

    def kernel(table_handle, keys, values):
        table_handle.item().fill(keys, values)
        return ()


class LookupTableExportV2(_TableUse):
    """All keys, and their values."""

    signature = 'table_handle: resource -> keys: Tkeys, values: Tvalues'
    attrs = {'Tkeys': REQUIRED, 'Tvalues': REQUIRED}

    def shape(table_handle):
        return (None,), None

    def kernel(table_handle):
        return table_handle.item().export()


class LookupTableSizeV2(_TableUse):
    """The number of keys."""

    signature = 'table_handle: resource -> size: int64'

    def shape(table_handle):
        return ()

    def kernel(table_handle):
        return np.array(table_handle.item().size(), np.int64)


class InitializeTableFromTextFileV2(_TableUse):
    """Fills a table from the lines of a file."""

    signature = 'table_handle: resource, filename: string ->'
    attrs = {'key_index': REQUIRED, 'value_index': REQUIRED, 'vocab_size': -1, 'delimiter': '\t'}

    def kernel(table_handle, filename, *, key_index, value_index, vocab_size, delimiter):
        table, path = table_handle.item(), filename.item().decode()
        if table.filled:
            return ()
        lines = _lines(path, vocab_size)
        keys = _column(path, lines, key_index, delimiter, table.key_dtype)
        values = _column(path, lines, value_index, delimiter, table.value_dtype)
        table.fill(keys, values)
        return ()


def _lines(path, count):
    """The lines of a vocabulary file. InvalidArgumentError if there are fewer than `count`."""
    try:
        with open(path, 'rb') as file:
            lines = file.read().split(b'\n')
    except OSError as error:
        raise errors.NotFoundError(None, None, f'{path}; {error.strerror}') from None
    lines = [line.removesuffix(b'\r') for line in (lines[:-1] if not lines[-1] else lines)]
    if count > len(lines):
        raise ValueError(f'Invalid vocab_size in {path}: expected {count} but got {len(lines)}')
    return lines if count < 0 else lines[:count]


def _column(path, lines, index, delimiter, dtype):
    """Keys or values: whole lines, their numbers, or columns between delimiters."""
    if index == LINE_NUMBER:
        return np.arange(len(lines), dtype=dtype.np)
    if index == WHOLE_LINE:
        parts = lines
    else:
        split = [line.split(delimiter.encode()) for line in lines]
        for number, words in enumerate(split):
            if len(words) <= index:
                raise ValueError(f'Invalid number of columns in {path} line {number} '
                                 f'({lines[number].decode("utf-8", "replace")}): expected at least '
                                 f'{index + 1} got {len(words)}')
        parts = [words[index] for words in split]
    column = np.empty(len(parts), dtype.np)
    for number, part in enumerate(parts):
        try:
            column[number] = part if dtype is dtypes.string else \
                float(part) if dtype.is_floating else int(part)
        except (ValueError, OverflowError):
            raise ValueError(f'Field {part.decode("utf-8", "replace")} in line {number} of {path} '
                             f'is not a valid {dtype.name}.') from None
    return column


__all__ = ['LINE_NUMBER', 'Table', 'WHOLE_LINE']
