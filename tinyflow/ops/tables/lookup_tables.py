"""Lookup tables: HashTable and its initializers."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import add_to_collection, device, get_collection, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import abstract, misuse, report
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.tables import table_ops


def tables_initializer(name='init_all_tables'):
    """An Operation that initializes every table of the graph that is not initialized yet.

    Shapes: -> no tensor.
    """
    initializers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    return grouping.group(*initializers, name=name) if initializers else grouping.no_op(name=name)


def initialize_all_tables(name='init_all_tables'):
    """The name of tables_initializer before TensorFlow 0.12. Shapes: -> no tensor."""
    return tables_initializer(name)


class TextFileIndex:
    """The part of a line to use: the whole line, its number, or a column (from 0)."""

    WHOLE_LINE = table_ops.WHOLE_LINE
    LINE_NUMBER = table_ops.LINE_NUMBER


class _Typed:
    """The dtypes of keys and values."""

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self):
        return self._key_dtype

    @property
    def value_dtype(self):
        return self._value_dtype


class TableInitializerBase(_Typed):
    """Base of the table initializers, with the dtypes of keys and values."""

    def initialize(self, table):
        """The Operation that initializes the table."""
        raise abstract(self)


def _check_dtypes(table, initializer):
    for what in ('key', 'value'):
        have = getattr(initializer, f'{what}_dtype')
        want = getattr(table, f'{what}_dtype')
        if have is not want:
            raise misuse(TypeError(f'Invalid {what} dtype, expected {want.name} but got '
                                   f'{have.name}.'))


class KeyValueTensorInitializer(TableInitializerBase):
    """Initializes a table with the given keys and values. Shapes: keys [n], values [n]."""

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self._keys = convert_to_tensor(keys, key_dtype, 'keys')
        self._values = convert_to_tensor(values, value_dtype, 'values')
        self._name = 'key_value_init' if name is None else name
        super().__init__(self._keys.dtype.base_dtype, self._values.dtype.base_dtype)

    def initialize(self, table):
        _check_dtypes(table, self)
        with name_scope(self._name, values=[table.resource_handle, self._keys, self._values]):
            operation = table_ops.LookupTableImportV2.apply(table.resource_handle, self._keys,
                                                            self._values)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, operation)
        return operation


class TextFileInitializer(TableInitializerBase):
    """Initializes a table from a text file, with a key and a value per line.

    `key_index` and `value_index` select the part: TextFileIndex.WHOLE_LINE, LINE_NUMBER, or a
    column between delimiters. ValueError for a dtype that does not match the part.
    """

    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None,
                 delimiter='\t', name=None):
        if not hasattr(filename, 'op') and not filename:
            raise misuse(ValueError('Filename required'))
        key_dtype, value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        for what, index, dtype in (('Key', key_index, key_dtype),
                                   ('Value', value_index, value_dtype)):
            _check_part(what, index, dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise misuse(ValueError(f'Invalid vocab_size {vocab_size}'))
        self._parts = {'key_index': key_index, 'value_index': value_index, 'delimiter': delimiter,
                       'vocab_size': -1 if vocab_size is None else vocab_size}
        with device('CPU'):
            self._filename = convert_to_tensor(filename, dtypes.string, 'asset_path')
        self._name = 'text_file_init' if name is None else name
        add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)
        super().__init__(key_dtype, value_dtype)

    def initialize(self, table):
        _check_dtypes(table, self)
        with name_scope(self._name, 'text_file_init', [table.resource_handle]):
            operation = table_ops.InitializeTableFromTextFileV2.apply(
                table.resource_handle, self._filename, **self._parts)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, operation)
        return operation


def _check_part(what, index, dtype):
    if index < table_ops.WHOLE_LINE:
        raise misuse(ValueError(f'Invalid {what.lower()} index {index}.'))
    if index == table_ops.LINE_NUMBER and dtype is not dtypes.int64:
        raise misuse(ValueError(f'Signature mismatch. {what}s must be dtype int64, got '
                                f'{dtype.name}.'))
    if index == table_ops.WHOLE_LINE and not (dtype.is_integer or dtype is dtypes.string):
        raise misuse(ValueError(f'Signature mismatch. {what}s must be integer or string, got '
                                f'{dtype.name}.'))


class TextFileStringTableInitializer(TextFileInitializer):
    """Initializes a table from line numbers to lines."""

    def __init__(self, filename, key_column_index=TextFileIndex.LINE_NUMBER,
                 value_column_index=TextFileIndex.WHOLE_LINE, vocab_size=None, delimiter='\t',
                 name='text_file_string_table_init'):
        super().__init__(filename, dtypes.int64, key_column_index, dtypes.string,
                         value_column_index, vocab_size, delimiter, name)


class TextFileIdTableInitializer(TextFileInitializer):
    """Initializes a table from lines to line numbers."""

    def __init__(self, filename, key_column_index=TextFileIndex.WHOLE_LINE,
                 value_column_index=TextFileIndex.LINE_NUMBER, vocab_size=None, delimiter='\t',
                 name='text_file_id_table_init', key_dtype=dtypes.string):
        super().__init__(filename, key_dtype, key_column_index, dtypes.int64, value_column_index,
                         vocab_size, delimiter, name)


class LookupInterface(_Typed):
    """A table from keys to values."""

    @property
    def name(self):
        """The name of its node, without scopes."""
        return self.resource_handle.op.name.split('/')[-1]

    @property
    def default_value(self):
        """The value of missing keys."""
        return self._default_value

    def size(self, name=None):
        """The number of keys. Shapes: -> [] int64."""
        with name_scope(name, f'{self.name}_Size', [self.resource_handle]):
            return table_ops.LookupTableSizeV2.apply(self.resource_handle)

    def _check_key(self, keys):
        if keys.dtype.base_dtype is not self._key_dtype:
            inputs = [('keys', keys.values if isinstance(keys, SparseTensor) else keys)]
            raise misuse(TypeError(report(
                f'Signature mismatch. Keys must be dtype {self._key_dtype.name}, got '
                f'{keys.dtype.name}.', inputs=inputs)))


class StaticHashTable(LookupInterface):
    """An immutable table, initialized once by sess.run(tf.tables_initializer()).

        table = tf.contrib.lookup.HashTable(
            tf.contrib.lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2]), -1)
        ids = table.lookup(words)
    """

    def __init__(self, initializer, default_value, shared_name=None, name=None):
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        if self._default_value.raw_shape not in (None, ()):
            raise misuse(ValueError('The default value must be a scalar, and has shape '
                                    f'{self._default_value.shape}.'))
        self.resource_handle = table_ops.HashTableV2.apply(
            key_dtype=self._key_dtype, value_dtype=self._value_dtype,
            shared_name=shared_name or '', name=name or 'hash_table')
        self._init_op = initializer.initialize(self)

    @property
    def init(self):
        """The Operation that initializes the table."""
        return self._init_op

    initializer = init

    def lookup(self, keys, name=None):
        """The values of the keys; missing keys get the default.

        Shapes: keys [*a], dense or sparse -> [*a]. TypeError for keys of another dtype.
        """
        keys = keys if isinstance(keys, SparseTensor) or hasattr(keys, 'dtype') and hasattr(
            keys, 'op') else convert_to_tensor(keys, self._key_dtype)
        self._check_key(keys)
        flat = keys.values if isinstance(keys, SparseTensor) else keys
        with name_scope(name, f'{self.name}_Lookup', [self.resource_handle, flat]):
            values = table_ops.LookupTableFindV2.apply(self.resource_handle, flat,
                                                       self._default_value)
        values.set_shape(flat.get_shape())
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, values, keys.dense_shape)
        return values

    def export(self, name=None):
        """(all keys, all values). Shapes: -> [n], [n]."""
        with name_scope(name, f'{self.name}_Export', [self.resource_handle]):
            keys, values = table_ops.LookupTableExportV2.apply(
                self.resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype)
        values.set_shape([None])
        return keys, values


class HashTable(StaticHashTable):
    """See StaticHashTable."""


__all__ = ['HashTable', 'KeyValueTensorInitializer', 'LookupInterface', 'StaticHashTable',
           'TableInitializerBase',
           'TextFileIdTableInitializer', 'TextFileIndex', 'TextFileInitializer',
           'TextFileStringTableInitializer', 'initialize_all_tables', 'tables_initializer']
