"""Base classes of feature columns: descriptions of how to convert features to tensors.

A column is an immutable named tuple. It declares which raw features it reads
(`parse_example_spec`), creates nodes from them (`transform_feature`), and returns either a dense
tensor (DenseColumn) or ids with weights (CategoricalColumn).
"""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import abstract, misuse, why
from tinyflow.layers.feature_column.serialization import SerializableColumn

__all__ = ['CategoricalColumn', 'DenseColumn', 'FeatureColumn', 'IdWeightPair',
           'SequenceDenseColumn', 'TensorSequenceLengthPair', 'check_columns', 'check_key']

IdWeightPair = namedtuple('IdWeightPair', ['id_tensor', 'weight_tensor'])
IdWeightPair.__doc__ = 'A SparseTensor of ids, and a SparseTensor of their weights or None.'
TensorSequenceLengthPair = namedtuple('TensorSequenceLengthPair',
                                      ['dense_tensor', 'sequence_length'])
TensorSequenceLengthPair.__doc__ = 'A tensor [batch, steps, ...] and the sequence lengths [batch].'


class FeatureColumn(SerializableColumn):
    """Base class of all columns."""

    __slots__ = ()
    _is_v2_column = True

    @property
    def name(self):
        """The name of the column, its scope and its Variables; columns are sorted by it."""
        raise abstract(self)

    @property
    def parse_example_spec(self):
        """The features that tf.parse_example must read for this column, a dict."""
        raise abstract(self)

    @property
    def parents(self):
        """The columns, or keys of raw features, that this column reads."""
        raise abstract(self)

    def transform_feature(self, transformation_cache, state_manager):
        """Creates the tensor of the column; called once per batch."""
        raise abstract(self)

    def create_state(self, state_manager):
        """Creates the Variables of the column, if it has any."""

    # The names before TensorFlow 1.13.

    @property
    def _var_scope_name(self):
        return self.name

    @property
    def _parse_example_spec(self):
        return self.parse_example_spec

    def _get_config(self):
        return self.get_config()

    @classmethod
    def _from_config(cls, config, custom_objects=None, columns_by_name=None):
        return cls.from_config(config, custom_objects, columns_by_name)

    def __lt__(self, other):
        """Orders columns by text: the fields of the named tuples are not comparable."""
        return str(self) < str(other)

    def __gt__(self, other):
        return str(self) > str(other)


class DenseColumn(FeatureColumn):
    """A column that returns a dense tensor [batch, *variable_shape]."""

    __slots__ = ()

    @property
    def variable_shape(self):
        """The TensorShape of the column for one example."""
        raise abstract(self)

    @property
    def _variable_shape(self):
        return self.variable_shape

    def get_dense_tensor(self, transformation_cache, state_manager):
        """Shapes: -> [batch, *variable_shape]."""
        raise abstract(self)


class CategoricalColumn(FeatureColumn):
    """A column that returns ids in [0, num_buckets)."""

    __slots__ = ()

    @property
    def num_buckets(self):
        """The number of ids."""
        raise abstract(self)

    @property
    def _num_buckets(self):
        return self.num_buckets

    def get_sparse_tensors(self, transformation_cache, state_manager):
        """The IdWeightPair of the batch. Shapes: SparseTensors [batch, any]."""
        raise abstract(self)


class SequenceDenseColumn(FeatureColumn):
    """A column that returns a dense tensor for each step of a sequence."""

    __slots__ = ()

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        """Shapes: -> [batch, steps, *variable_shape] and lengths [batch]."""
        raise abstract(self)


def check_key(key):
    """Raises ValueError unless `key`, the name of a feature, is a string."""
    if not isinstance(key, str):
        raise misuse(ValueError(f'key must be a string. Got: type {type(key)}. Given key: '
                                f'{key!r}.'))


def check_string_or_int(dtype, prefix):
    """Raises ValueError unless the dtype is string or integer."""
    if dtype is not dtypes.string and not dtype.is_integer:
        raise misuse(ValueError(f'{prefix} dtype must be string or integer. dtype: {dtype!r}.'))


def check_columns(feature_columns):
    """The columns as a list; a single column becomes a list.

    Raises ValueError for an empty list, an item that is not a column, and duplicate names.
    """
    if isinstance(feature_columns, FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, dict):
        raise misuse(ValueError('Expected feature_columns to be iterable, found dict.\n  Hint: '
                                'list(feature_columns.values()).'))
    columns = list(feature_columns)
    for column in columns:
        if not isinstance(column, FeatureColumn):
            hint = ''
            if isinstance(column, str):
                hint = (f'\n  Hint: for numbers tf.feature_column.numeric_column({column!r}); for '
                        'strings tf.feature_column.indicator_column(tf.feature_column.'
                        f'categorical_column_with_vocabulary_list({column!r}, [...])).')
            elif isinstance(column, int):
                hint = ('\n  Hint: numbers are hidden_units, which come before feature_columns: '
                        'DNNClassifier(hidden_units=[10, 10], feature_columns=columns).')
            raise misuse(ValueError('Items of feature_columns must be a FeatureColumn. Given (type '
                                    f'{type(column)}): {column!r}.{hint}'
                                    + why('feature-columns-list')))
    if not columns:
        raise misuse(ValueError('feature_columns must not be empty.'))
    by_name = {}
    for column in columns:
        if column.name in by_name:
            raise misuse(ValueError(
                f'Duplicate feature column name found for columns: {column} and '
                f'{by_name[column.name]}. Their Variables would have the same name.\n  Hint: '
                'remove one of them, or add the feature to the dict a second time, under another '
                'key.'))
        by_name[column.name] = column
    return columns
