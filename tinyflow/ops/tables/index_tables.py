"""Vocabulary tables: strings to ids and back, with out-of-vocabulary (OOV) buckets."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, identity_and_cast, shape_ops
from tinyflow.ops.array.where_v2 import SelectV2
from tinyflow.ops.control_flow.grouping import no_op
from tinyflow.ops.math import arithmetic, logic
from tinyflow.ops.strings import fingerprints
from tinyflow.ops.strings.as_string import AsString
from tinyflow.ops.tables.lookup_tables import (
    KeyValueTensorInitializer,
    LookupInterface,
    StaticHashTable,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileStringTableInitializer,
)

HasherSpec = namedtuple('HasherSpec', ['hasher', 'key'])
FastHashSpec = HasherSpec('fasthash', None)


def StrongHashSpec(key):                                        # noqa: N802 (TF's name)
    """Raises NotImplementedError: SipHash is not implemented; FastHashSpec is the default.

    Shapes: no tensors.
    """
    raise misuse(NotImplementedError('StrongHashSpec: tinyflow has FastHashSpec only.'))


class IdTableWithHashBuckets(LookupInterface):
    """An id table that assigns out-of-vocabulary words to buckets by their fingerprint.

    The `num_oov_buckets` bucket ids come after the ids of the table.
    """

    def __init__(self, table, num_oov_buckets, hasher_spec=FastHashSpec, name=None,
                 key_dtype=None):
        if table is None and num_oov_buckets <= 0:
            raise misuse(ValueError('oov_buckets must be > 0 if no table is supplied.'))
        key_dtype = dtypes.as_dtype(key_dtype or (table.key_dtype if table else dtypes.string))
        if not (key_dtype.is_integer or key_dtype is dtypes.string):
            raise misuse(TypeError('Invalid key_dtype, expected integer or string, got '
                                   f'{key_dtype.name}.'))
        if not isinstance(hasher_spec, HasherSpec):
            raise misuse(TypeError(f'hasher_spec must be of type HasherSpec, got {hasher_spec!r}'))
        super().__init__(key_dtype, dtypes.int64)
        self._table, self._num_oov_buckets = table, num_oov_buckets
        self._name = (name or (table.name if table else 'hash_bucket')).rstrip('/').split('/')[-1]

    @property
    def name(self):
        return self._name

    @property
    def init(self):
        """The Operation that fills the table."""
        return self._table.init if self._table else no_op()

    initializer = init

    @property
    def resource_handle(self):
        return self._table.resource_handle if self._table else None

    def size(self, name=None):
        """The number of words plus buckets. Shapes: -> [] int64."""
        with name_scope(name, f'{self.name}_Size'):
            known = self._table.size() if self._table else constants.constant(0, dtypes.int64)
            return known + self._num_oov_buckets

    def lookup(self, keys, name=None):
        """The id of each word. Shapes: keys [*a], dense or sparse -> [*a] int64."""
        if not isinstance(keys, SparseTensor):
            keys = convert_to_tensor(keys, None if hasattr(keys, 'op') else self._key_dtype)
        self._check_key(keys)
        values = keys.values if isinstance(keys, SparseTensor) else keys
        wide = self._table is not None and self._table.key_dtype is dtypes.int64
        if wide:
            values = identity_and_cast.cast(values, dtypes.int64)
        if not self._num_oov_buckets:
            ids = self._table.lookup(values, name=name)
        else:
            with name_scope(name, f'{self.name}_Lookup'):
                ids = self._with_buckets(values)
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, ids, keys.dense_shape)
        return ids

    def _with_buckets(self, values):
        text = values if values.dtype.base_dtype is dtypes.string else AsString.apply(values)
        buckets = fingerprints.string_to_hash_bucket_fast(text, self._num_oov_buckets,
                                                          name='hash_bucket')
        if self._table is None:
            return buckets
        ids = self._table.lookup(values)
        buckets = arithmetic.add(buckets, self._table.size())
        known = logic.not_equal(ids, self._table.default_value)
        return SelectV2.apply(known, ids, buckets)


class StaticVocabularyTable(IdTableWithHashBuckets):
    """An id table with out-of-vocabulary buckets; see IdTableWithHashBuckets."""

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None):
        if num_oov_buckets <= 0:
            raise misuse(ValueError('oov_buckets must be > 0.'))
        table = None
        if initializer is not None:
            if initializer.value_dtype is not dtypes.int64:
                raise misuse(TypeError('Invalid value dtype, expected int64 but got '
                                       f'{initializer.value_dtype.name}.'))
            table = StaticHashTable(initializer, -1, name=name)
        super().__init__(table, num_oov_buckets, name=None if table else name,
                         key_dtype=lookup_key_dtype)


def _check_buckets(num_oov_buckets):
    if num_oov_buckets < 0:
        raise misuse(ValueError('num_oov_buckets must be greater or equal than 0, got '
                                f'{num_oov_buckets}.'))


def _check_key_dtype(dtype):
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype is dtypes.string):
        raise misuse(TypeError('Only integer and string keys are supported.'))
    return dtype


def index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None,
                          default_value=-1, hasher_spec=FastHashSpec, key_dtype=dtypes.string,
                          name=None, key_column_index=TextFileIndex.WHOLE_LINE,
                          value_column_index=TextFileIndex.LINE_NUMBER, delimiter='\t'):
    """A table from the lines of a vocabulary file to ids, starting at 0.

    Out-of-vocabulary words get `default_value`, or one of `num_oov_buckets` ids after those of the
    table. Shapes: its lookup takes words [*a] -> [*a] int64. ValueError for invalid
    arguments.
    """
    if not hasattr(vocabulary_file, 'op') and not vocabulary_file:
        raise misuse(ValueError('vocabulary_file must be specified and must not be empty.'))
    _check_buckets(num_oov_buckets)
    if vocab_size is not None and vocab_size < 1:
        raise misuse(ValueError(f'vocab_size must be greater than 0, got {vocab_size}.'))
    key_dtype = _check_key_dtype(key_dtype)
    with name_scope(name, 'string_to_index'):
        with name_scope(None, 'hash_table'):
            initializer = TextFileIdTableInitializer(
                vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter,
                'table_init', dtypes.int64 if key_dtype.is_integer else key_dtype)
            table = StaticHashTable(initializer, default_value)
        if num_oov_buckets:
            table = IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec,
                                           key_dtype=key_dtype)
        return table


def index_table_from_tensor(mapping, num_oov_buckets=0, default_value=-1,
                            hasher_spec=FastHashSpec, dtype=dtypes.string, name=None):
    """A table from the strings of a vector to ids, starting at 0; see index_table_from_file.

    Shapes: mapping [n].
    """
    if mapping is None:
        raise misuse(ValueError('mapping must be specified.'))
    _check_buckets(num_oov_buckets)
    dtype = _check_key_dtype(dtype)
    with name_scope(name, 'string_to_index'):
        keys = convert_to_tensor(mapping)
        if keys.dtype.is_integer != dtype.is_integer:
            raise misuse(ValueError(
                f'Expected {"integer" if dtype.is_integer else "non-integer"}, got '
                f'{keys.dtype.name}.'))
        if not dtype.is_integer and keys.dtype.base_dtype is not dtype:
            raise misuse(ValueError(f'Expected {dtype.name}, got {keys.dtype.name}.'))
        values = identity_and_cast.cast(constants.range(shape_ops.size(keys)), dtypes.int64)
        with name_scope(None, 'hash_table'):
            if keys.dtype.is_integer:
                keys = identity_and_cast.cast(keys, dtypes.int64)
            initializer = KeyValueTensorInitializer(keys, values, keys.dtype.base_dtype,
                                                    dtypes.int64, 'table_init')
            table = StaticHashTable(initializer, default_value)
        if num_oov_buckets:
            table = IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=dtype)
        return table


def index_to_string_table_from_file(vocabulary_file, vocab_size=None, default_value='UNK',
                                    name=None, key_column_index=TextFileIndex.LINE_NUMBER,
                                    value_column_index=TextFileIndex.WHOLE_LINE, delimiter='\t'):
    """A table from ids to the lines of a vocabulary file. ValueError for a bad file or size.

    Shapes: its lookup takes ids [*a] int64 -> [*a] string.
    """
    if not hasattr(vocabulary_file, 'op') and not vocabulary_file:
        raise misuse(ValueError('vocabulary_file must be specified and must not be empty.'))
    if vocab_size is not None and vocab_size < 1:
        raise misuse(ValueError(f'vocab_size must be greater than 0, got {vocab_size}.'))
    with name_scope(name, 'index_to_string'):
        initializer = TextFileStringTableInitializer(
            vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter,
            'table_init')
        return StaticHashTable(initializer, default_value)


def index_to_string_table_from_tensor(mapping, default_value='UNK', name=None):
    """A table from ids to the strings of a vector. Shapes: mapping [n]."""
    if mapping is None:
        raise misuse(ValueError('mapping must be specified.'))
    with name_scope(name, 'index_to_string'):
        values = convert_to_tensor(mapping, dtypes.string)
        keys = identity_and_cast.cast(constants.range(shape_ops.size(values)), dtypes.int64)
        initializer = KeyValueTensorInitializer(keys, values, dtypes.int64, dtypes.string,
                                                'table_init')
        return StaticHashTable(initializer, default_value)


def string_to_index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None,
                                    default_value=-1, hasher_spec=FastHashSpec, name=None):
    """The old name of index_table_from_file. Shapes: see there."""
    return index_table_from_file(vocabulary_file, num_oov_buckets, vocab_size, default_value,
                                 hasher_spec, dtypes.string, name)


def string_to_index_table_from_tensor(mapping, num_oov_buckets=0, default_value=-1,
                                      hasher_spec=FastHashSpec, name=None):
    """The old name of index_table_from_tensor. Shapes: see there."""
    return index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec,
                                   dtypes.string, name)


def string_to_index(tensor, mapping, default_value=-1, name=None):
    """The id of each string in `mapping`. Shapes: tensor [*a], mapping [n] -> [*a] int64."""
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(tensor, mapping, default_value='UNK', name=None):
    """The string of each id. Shapes: tensor [*a] int64, mapping [n] -> [*a] string."""
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)


__all__ = ['FastHashSpec', 'HasherSpec', 'IdTableWithHashBuckets', 'StaticVocabularyTable',
           'StrongHashSpec', 'index_table_from_file', 'index_table_from_tensor',
           'index_to_string', 'index_to_string_table_from_file',
           'index_to_string_table_from_tensor', 'string_to_index',
           'string_to_index_table_from_file', 'string_to_index_table_from_tensor']
