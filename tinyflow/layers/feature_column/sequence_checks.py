"""Shared helpers of sequence columns: base classes, type checks, sequence lengths."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import CategoricalColumn, DenseColumn, FeatureColumn
from tinyflow.ops.array import (
    constants,
    identity_and_cast as identities,
    joining,
    shape_ops as measures,
)
from tinyflow.ops.math import arithmetic, segments

__all__ = ['WrapsCategoricalColumn', 'SequenceColumn', 'check_categorical', 'check_is_sequence',
           'check_no_sequence', 'sequence_lengths']


class SequenceColumn(CategoricalColumn):
    """A categorical column with ids for each step."""

    __slots__ = ()


class WrapsCategoricalColumn(FeatureColumn):
    """A column that wraps a `categorical_column` and reads the same features."""

    __slots__ = ()

    @property
    def parse_example_spec(self):
        return self.categorical_column.parse_example_spec

    @property
    def parents(self):
        return [self.categorical_column]


def check_categorical(column, maker):
    """Raises ValueError unless the column is categorical; `maker` is the calling function."""
    if isinstance(column, CategoricalColumn):
        return
    hint = ''
    if isinstance(column, DenseColumn):
        hint = (f'\n  Hint: {column.name} is already dense: put it into the list of columns as it '
                'is; tf.feature_column.bucketized_column(column, boundaries=[...]) converts '
                'numbers to ids.')
    elif not isinstance(column, FeatureColumn):
        hint = ('\n  Hint: tf.feature_column.categorical_column_with_vocabulary_list(key, [...]) '
                'creates one.')
    raise misuse(ValueError(f'{maker} takes a categorical column, not {column!r}.{hint}'))


def check_no_sequence(column, maker):
    """Raises ValueError for a sequence column in a layer that is not for sequences."""
    if not isinstance(column.categorical_column, SequenceColumn):
        return
    raise misuse(ValueError(
        f'In {maker}: {column.name}. categorical_column must not be of type '
        f'{type(column.categorical_column).__name__}, which has values for each step.\n  Hint: use '
        'categorical_column_with_... without "sequence_", or tf.contrib.feature_column.'
        'sequence_input_layer(features, columns), or tf.keras.experimental.SequenceFeatures.'))


def check_is_sequence(column, maker):
    """Raises ValueError for a column that is not a sequence column in a sequence layer."""
    if isinstance(column.categorical_column, SequenceColumn):
        return
    raise misuse(ValueError(
        f'In {maker}: {column.name}. categorical_column must be of type SequenceCategoricalColumn '
        'to use sequence_input_layer or SequenceFeatures, not '
        f'{type(column.categorical_column).__name__}.\n  Hint: use tf.feature_column.'
        'sequence_categorical_column_with_...'))


def sequence_lengths(sparse, num_elements=1):
    """The number of steps of each example; a step has `num_elements` entries.

    Shapes: a SparseTensor [batch, entries, ...] -> [batch] int64.
    """
    with name_scope(None, 'sequence_length') as scope:
        rows = sparse.indices[:, 0]
        positions = sparse.indices[:, 1]
        positions = positions + constants.ones_like(positions)
        last = segments.segment_max(positions, segment_ids=rows)
        lengths = identities.cast(arithmetic.ceil(last / num_elements), dtypes.int64)
        # Examples without entries at the end of the batch have no segment.
        missing = measures.shape(sparse)[:1] - measures.shape(lengths)[:1]
        return joining.concat([lengths, constants.zeros(missing, dtype=dtypes.int64)], axis=0,
                              name=scope)
