"""What feature columns are: descriptions of how features of a batch become numbers.

A column is an immutable named tuple. It says which raw features it needs (`parse_example_spec`),
makes nodes from them (`transform_feature`), and gives either a dense tensor (DenseColumn) or ids
with weights (CategoricalColumn).
"""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import abstract, worded

__all__ = ['CategoricalColumn', 'DenseColumn', 'FeatureColumn', 'IdWeightPair',
           'SequenceDenseColumn', 'TensorSequenceLengthPair', 'check_columns', 'check_key']

IdWeightPair = namedtuple('IdWeightPair', ['id_tensor', 'weight_tensor'])
IdWeightPair.__doc__ = 'A SparseTensor of ids, and one of weights like it (or None).'
TensorSequenceLengthPair = namedtuple('TensorSequenceLengthPair',
                                      ['dense_tensor', 'sequence_length'])
TensorSequenceLengthPair.__doc__ = 'A tensor [batch, steps, ...] and the lengths [batch].'


class FeatureColumn:
    """Base class of all columns."""

    __slots__ = ()
    _is_v2_column = True

    @property
    def name(self):
        """The name of the column: of its scope, its Variables, and what columns are sorted by."""
        raise abstract(self)

    @property
    def parse_example_spec(self):
        """Which features tf.parse_example is to read for this column, as a dict."""
        raise abstract(self)

    @property
    def parents(self):
        """The columns, or keys of raw features, that this one is made from."""
        raise abstract(self)

    def transform_feature(self, transformation_cache, state_manager):
        """The nodes that make the column's own tensor; called once for a batch."""
        raise abstract(self)

    def create_state(self, state_manager):
        """Makes the column's Variables, if it has any."""

    def get_config(self):
        """The arguments that describe the column, as plain values."""
        raise abstract(self)

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        """The column that `get_config` described."""
        from tinyflow.layers.feature_column.serialization import restored
        return cls(**restored(cls, config, custom_objects, columns_by_name))

    # What these were called before TensorFlow 1.13.

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
        """Columns are sorted by name, also among namedtuples, whose fields have no order."""
        return str(self) < str(other)

    def __gt__(self, other):
        return str(self) > str(other)


class DenseColumn(FeatureColumn):
    """A column that gives numbers, a tensor [batch, *variable_shape]."""

    __slots__ = ()

    @property
    def variable_shape(self):
        """The TensorShape of what the column gives for one example."""
        raise abstract(self)

    @property
    def _variable_shape(self):
        return self.variable_shape

    def get_dense_tensor(self, transformation_cache, state_manager):
        """Shapes: -> [batch, *variable_shape]."""
        raise abstract(self)


class CategoricalColumn(FeatureColumn):
    """A column that gives ids, from 0 on and less than `num_buckets`."""

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
    """A column that gives numbers for each step of a sequence."""

    __slots__ = ()

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        """Shapes: -> [batch, steps, *variable_shape] and lengths [batch]."""
        raise abstract(self)


def check_key(key):
    """ValueError unless `key`, the name of a feature, is a string."""
    if not isinstance(key, str):
        raise worded(ValueError(f'key must be a string. Got: type {type(key)}. Given key: '
                                f'{key!r}.'))


def check_string_or_int(dtype, prefix):
    """ValueError unless the dtype is string or an integer's."""
    if dtype is not dtypes.string and not dtype.is_integer:
        raise worded(ValueError(f'{prefix} dtype must be string or integer. dtype: {dtype!r}.'))


def check_columns(feature_columns):
    """The columns as a list; one column stands for a list of one.

    ValueError for none, for what is no column, and for two columns of one name.
    """
    if isinstance(feature_columns, FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, dict):
        raise worded(ValueError('Expected feature_columns to be iterable, found dict.\n  Mend: '
                                'list(feature_columns.values()).'))
    columns = list(feature_columns)
    for column in columns:
        if not isinstance(column, FeatureColumn):
            mend = ''
            if isinstance(column, str):
                mend = (f'\n  Mend: for numbers tf.feature_column.numeric_column({column!r}); for '
                        'words tf.feature_column.indicator_column(tf.feature_column.'
                        f'categorical_column_with_vocabulary_list({column!r}, [...])).')
            elif isinstance(column, int):
                mend = ('\n  Mend: numbers are hidden_units, which come before feature_columns: '
                        'DNNClassifier(hidden_units=[10, 10], feature_columns=columns).')
            raise worded(ValueError('Items of feature_columns must be a FeatureColumn. Given (type '
                                    f'{type(column)}): {column!r}.{mend}'))
    if not columns:
        raise worded(ValueError('feature_columns must not be empty.'))
    by_name = {}
    for column in columns:
        if column.name in by_name:
            raise worded(ValueError(
                f'Duplicate feature column name found for columns: {column} and '
                f'{by_name[column.name]}. Their Variables would have the same name.\n  Mend: leave '
                'one of them out, or put the feature into the dict a second time, under another '
                'key.'))
        by_name[column.name] = column
    return columns
