"""categorical_column_with_vocabulary_list/file: the id of a value is its index in a vocabulary."""
from __future__ import annotations

from collections import namedtuple

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import check_key, check_string_or_int
from tinyflow.layers.feature_column.categorical import SingleFeatureColumn, check_feature_dtype
from tinyflow.layers.feature_column.serialization import register_column
from tinyflow.ops.array import identity_and_cast as identities
from tinyflow.ops.tables import index_tables

__all__ = ['VocabularyFileCategoricalColumn', 'VocabularyListCategoricalColumn',
           'categorical_column_with_vocabulary_file', 'categorical_column_with_vocabulary_list']


class _VocabularyColumn(SingleFeatureColumn):
    __slots__ = ()

    def _ids(self, feature):
        check_feature_dtype(self, feature)
        key_dtype = self.dtype
        if feature.dtype.is_integer:
            # Tables store integers as int64.
            key_dtype = dtypes.int64
            feature = SparseTensor(feature.indices, identities.cast(feature.values, dtypes.int64),
                                   feature.dense_shape)
        return self._table(key_dtype).lookup(feature)


def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1,
                                            num_oov_buckets=0):
    """Strings or integers of a list; the id of a value is its index in the list.

    Other values get `default_value` (-1: ignored), or by their hash one of `num_oov_buckets` ids
    after those of the list. Shapes: feature [batch, any], dense or sparse -> ids. Raises ValueError
    for invalid arguments.
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise misuse(ValueError(f'vocabulary_list {vocabulary_list} must be non-empty, '
                                f'column_name: {key}'))
    words = vocabulary_list
    words = words.tolist() if hasattr(words, 'tolist') else list(words)     # a Series, an array
    repeated = sorted({str(w) for w in words if words.count(w) > 1}) if len(set(words)) != \
        len(words) else []
    if repeated:
        raise misuse(ValueError(f'Duplicate keys in vocabulary_list, column_name: {key}: '
                                f'{", ".join(repeated[:10])}\n  Hint: sorted(set(...)).'))
    array_dtype = np.asarray(vocabulary_list).dtype
    vocabulary_dtype = dtypes.string if array_dtype.kind in 'US' else dtypes.as_dtype(array_dtype)
    check_oov(num_oov_buckets, default_value != -1, key)
    check_string_or_int(vocabulary_dtype, f'column_name: {key} vocabulary')
    dtype = vocabulary_dtype if dtype is None else dtypes.as_dtype(dtype)
    check_string_or_int(dtype, f'column_name: {key}')
    if dtype.is_integer != vocabulary_dtype.is_integer:
        raise misuse(ValueError(f'dtype {dtype.name} and vocabulary dtype {vocabulary_dtype.name} '
                                f'do not match, column_name: {key}'))
    check_key(key)
    return VocabularyListCategoricalColumn(key, tuple(words), dtype, default_value,
                                           num_oov_buckets)


@register_column
class VocabularyListCategoricalColumn(_VocabularyColumn, namedtuple(
        'VocabularyListCategoricalColumn', [
        'key', 'vocabulary_list', 'dtype', 'default_value', 'num_oov_buckets'])):
    """See categorical_column_with_vocabulary_list."""

    __slots__ = ()

    @property
    def num_buckets(self):
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _table(self, key_dtype):
        return index_tables.index_table_from_tensor(
            tuple(self.vocabulary_list), default_value=self.default_value,
            num_oov_buckets=self.num_oov_buckets, dtype=key_dtype, name=f'{self.key}_lookup')


def categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None,
                                            num_oov_buckets=0, default_value=None,
                                            dtype=dtypes.string):
    """Strings of a text file with one value per line; the id is the line number, starting at 0.

    Other values get `default_value` (None: ignored), or by their hash one of `num_oov_buckets` ids
    after those of the file. `vocabulary_size` is the number of lines, counted if not given. Shapes:
    feature [batch, any], dense or sparse -> ids. Raises ValueError for invalid arguments or a
    missing file.
    """
    if not vocabulary_file:
        raise misuse(ValueError(f'Missing vocabulary_file in {key}.'))
    if vocabulary_size is None:
        vocabulary_size = _count_lines(vocabulary_file, key)
    if vocabulary_size < 1:
        raise misuse(ValueError(f'Invalid vocabulary_size {vocabulary_size} in {key}.\n'
                                f'  file: {vocabulary_file!r}'))
    check_oov(num_oov_buckets, default_value is not None, key)
    default_value = -1 if default_value is None else default_value
    dtype = dtypes.as_dtype(dtype)
    check_string_or_int(dtype, f'column_name: {key}')
    check_key(key)
    return VocabularyFileCategoricalColumn(key, vocabulary_file, vocabulary_size, num_oov_buckets,
                                           dtype, default_value)


@register_column
class VocabularyFileCategoricalColumn(_VocabularyColumn, namedtuple(
        'VocabularyFileCategoricalColumn', [
        'key', 'vocabulary_file', 'vocabulary_size', 'num_oov_buckets', 'dtype',
        'default_value'])):
    """See categorical_column_with_vocabulary_file."""

    __slots__ = ()

    @property
    def num_buckets(self):
        return self.vocabulary_size + self.num_oov_buckets

    def _table(self, key_dtype):
        return index_tables.index_table_from_file(
            self.vocabulary_file, num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size, default_value=self.default_value,
            key_dtype=key_dtype, name=f'{self.key}_lookup')


def _count_lines(path, key):
    try:
        with open(path, 'rb') as file:
            return sum(1 for _ in file)
    except OSError as error:
        raise misuse(ValueError(f'vocabulary_file in {key} does not exist: {path} '
                                f'({error.strerror})')) from None


def check_oov(num_oov_buckets, has_default, key):
    """Raises ValueError for a negative number of buckets, and for buckets with a default."""
    if num_oov_buckets and has_default:
        raise misuse(ValueError("Can't specify both num_oov_buckets and default_value in "
                                f'{key}.'))
    if num_oov_buckets < 0:
        raise misuse(ValueError(f'Invalid num_oov_buckets {num_oov_buckets} in {key}.'))
