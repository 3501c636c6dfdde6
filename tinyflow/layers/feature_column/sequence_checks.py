"""What columns of sequences, and columns that may be of sequences, have in common."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import worded
from tinyflow.layers.feature_column.base import CategoricalColumn, DenseColumn, FeatureColumn
from tinyflow.ops.array import (
    constants,
    identity_and_cast as identities,
    joining,
    shape_ops as measures,
)
from tinyflow.ops.math import arithmetic, segments

__all__ = ['OfCategoricalColumn', 'SequenceColumn', 'check_categorical', 'check_is_sequence',
           'check_no_sequence', 'sequence_lengths']


class SequenceColumn(CategoricalColumn):
    """A categorical column that has ids for each step."""

    __slots__ = ()


class OfCategoricalColumn(FeatureColumn):
    """A column made of another, its `categorical_column`, of which it needs the same features."""

    __slots__ = ()

    @property
    def parse_example_spec(self):
        return self.categorical_column.parse_example_spec

    @property
    def parents(self):
        return [self.categorical_column]


def check_categorical(column, maker):
    """ValueError unless the column is categorical; `maker` is the function that wants it."""
    if isinstance(column, CategoricalColumn):
        return
    mend = ''
    if isinstance(column, DenseColumn):
        mend = (f'\n  Mend: {column.name} gives numbers already and goes into the list of columns '
                'as it is; tf.feature_column.bucketized_column(column, boundaries=[...]) makes '
                'ids of numbers.')
    elif not isinstance(column, FeatureColumn):
        mend = ('\n  Mend: tf.feature_column.categorical_column_with_vocabulary_list(key, [...]) '
                'makes one.')
    raise worded(ValueError(f'{maker} takes a categorical column, not {column!r}.{mend}'))


def check_no_sequence(column, maker):
    """ValueError for a column of sequences where one value of each example is wanted."""
    if not isinstance(column.categorical_column, SequenceColumn):
        return
    raise worded(ValueError(
        f'In {maker}: {column.name}. categorical_column must not be of type '
        f'{type(column.categorical_column).__name__}, which has a value for each step.\n  Mend: '
        'categorical_column_with_... without "sequence_", or tf.contrib.feature_column.'
        'sequence_input_layer(features, columns), or tf.keras.experimental.SequenceFeatures.'))


def check_is_sequence(column, maker):
    """ValueError for a column without steps where sequences are wanted."""
    if isinstance(column.categorical_column, SequenceColumn):
        return
    raise worded(ValueError(
        f'In {maker}: {column.name}. categorical_column must be of type SequenceCategoricalColumn '
        'to use sequence_input_layer or SequenceFeatures, not '
        f'{type(column.categorical_column).__name__}.\n  Mend: tf.feature_column.'
        'sequence_categorical_column_with_...'))


def sequence_lengths(sparse, num_elements=1):
    """The number of steps of each example, of which each takes `num_elements` entries.

    Shapes: a SparseTensor [batch, entries, ...] -> [batch] int64.
    """
    with name_scope(None, 'sequence_length') as scope:
        rows = sparse.indices[:, 0]
        places = sparse.indices[:, 1]
        places = places + constants.ones_like(places)
        last = segments.segment_max(places, segment_ids=rows)
        lengths = identities.cast(arithmetic.ceil(last / num_elements), dtypes.int64)
        # Examples at the end that have no entries are not among the segments.
        lacking = measures.shape(sparse)[:1] - measures.shape(lengths)[:1]
        return joining.concat([lengths, constants.zeros(lacking, dtype=dtypes.int64)], axis=0,
                              name=scope)
