"""sequence_input_layer: concatenates sequence columns for each step, and returns the lengths."""
from __future__ import annotations

from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import SequenceDenseColumn, check_columns
from tinyflow.layers.feature_column.input_layer import as_feature_dict, feature_tensors
from tinyflow.layers.feature_column.sequence_checks import SequenceColumn
from tinyflow.layers.feature_column.state import ScopeState
from tinyflow.layers.feature_column.transformation import FeatureTransformationCache
from tinyflow.ops.array import (
    identity_and_cast as identities,
    joining,
    shape_ops as measures,
    shaping,
)
from tinyflow.ops.checks import value_checks
from tinyflow.ops.variables.variable_scope import variable_scope

__all__ = ['sequence_input_layer']


def sequence_input_layer(features, feature_columns, weight_collections=None, trainable=True):
    """The concatenated sequence columns, in the order of their names, and the lengths.

    Shapes: features, a dict of SparseTensors [batch, steps, ...] -> [batch, steps, sum of sizes]
    and lengths [batch] int64. Raises ValueError for a column that is not a sequence column;
    different lengths of columns fail at runtime.
    """
    columns = sequence_columns(feature_columns)
    collections = [*(weight_collections or ()), GraphKeys.GLOBAL_VARIABLES]
    with variable_scope(None, default_name='sequence_input_layer',
                        values=feature_tensors(features)):
        cache = FeatureTransformationCache(as_feature_dict(features))
        tensors, lengths = [], []
        for column in sorted(columns, key=lambda c: c.name):
            with variable_scope(None, default_name=column._var_scope_name):
                state = _FixedCollectionsState(collections, trainable)
                dense, length = column.get_sequence_dense_tensor(cache, state)
                tensors.append(step_rows(column, dense))
                lengths.append(length)
        length = all_equal(lengths)
        return joining.concat(tensors, -1), length


class _FixedCollectionsState(ScopeState):
    """Adds Variables to these collections only: sequence layers do not use MODEL_VARIABLES."""

    def __init__(self, collections, trainable):
        super().__init__(None, trainable)
        self._collections = list(collections)


def sequence_columns(feature_columns):
    """The columns as a list. Raises ValueError unless all are dense sequence columns."""
    columns = check_columns(feature_columns)
    for column in columns:
        if not isinstance(column, SequenceDenseColumn):
            hint = ''
            if isinstance(column, SequenceColumn):
                hint = ('\n  Hint: tf.feature_column.embedding_column(column, dimension=...) or '
                        'tf.feature_column.indicator_column(column).')
            raise misuse(ValueError(
                'All feature_columns must be of type SequenceDenseColumn. You can wrap a '
                'sequence_categorical_column with an embedding_column or indicator_column. Given '
                f'(type {type(column)}): {column}{hint}'))
    return columns


def step_rows(column, tensor):
    """Shapes: [batch, steps, ...] -> [batch, steps, size]."""
    shape = measures.shape(tensor)
    return shaping.reshape(tensor, [shape[0], shape[1], column.variable_shape.num_elements()])


def all_equal(lengths):
    """The first lengths, with a runtime check that the others are equal. Shapes: [batch]."""
    if len(lengths) == 1:
        return lengths[0]
    with name_scope(None, 'assert_all_equal', values=lengths):
        checks = [value_checks.assert_equal(lengths[0], other) for other in lengths[1:]]
        with control_dependencies(checks):
            return identities.identity(lengths[0])
