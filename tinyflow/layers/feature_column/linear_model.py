"""linear_model: weights for each number and each id, summed over the columns, plus a bias."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import add_to_collection, get_collection, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import CategoricalColumn, DenseColumn, check_columns
from tinyflow.layers.feature_column.input_layer import (
    as_feature_dict,
    check_equal_batches,
    feature_tensors,
)
from tinyflow.layers.feature_column.state import LayerState, ScopeState, variable_collections
from tinyflow.layers.feature_column.transformation import FeatureTransformationCache, flatten_ids
from tinyflow.ops.array import shape_ops as measures, shaping
from tinyflow.ops.linalg import matmul as linalg
from tinyflow.ops.math import arithmetic
from tinyflow.ops.nn import bias
from tinyflow.ops.nn.embedding_sparse import safe_embedding_lookup_sparse
from tinyflow.ops.variables.initializers import zeros_initializer
from tinyflow.ops.variables.partitioned_variable import parts_of
from tinyflow.ops.variables.variable_scope import get_variable, get_variable_scope, variable_scope

__all__ = ['LinearModel', 'linear_model']


def linear_model(features, feature_columns, units=1, sparse_combiner='sum',
                 weight_collections=None, trainable=True, cols_to_vars=None):
    """The weighted sum of all columns plus a bias.

    Shapes: features, a dict of [batch, ...] -> [batch, units]. Weights are initialized to zero.
    `sparse_combiner` ('sum', 'mean' or 'sqrtn') combines the weights of the ids of an example. The
    dict `cols_to_vars` is filled with the Variables of each column and of 'bias'. Raises ValueError
    for a missing feature, and for different batch sizes.
    """
    columns = linear_columns(feature_columns)
    with variable_scope(None, default_name='linear_model',
                        values=feature_tensors(features)) as scope:
        model = scope.name.rpartition('/')[2]
    ordered = []
    for column in sorted(columns, key=lambda c: c.name):
        # The names of a second model's weights are made unique here, outside of its scope.
        with variable_scope(None, default_name=column._var_scope_name) as scope:
            ordered.append((column, scope.name.rpartition('/')[2]))
    with name_scope(model), variable_scope(model):
        return _predictions(as_feature_dict(features), ordered, units, sparse_combiner,
                            weight_collections, trainable, cols_to_vars)


def _predictions(features, ordered, units, combiner, weight_collections, trainable, cols_to_vars):
    cache = FeatureTransformationCache(features)
    sums, variables = [], {}

    def zeros(name, shape):
        variable = get_variable(name, shape=shape, dtype=dtypes.float32, trainable=trainable,
                                initializer=zeros_initializer(), use_resource=True)
        for key in variable_collections(weight_collections):
            for part in parts_of(variable) if key != GraphKeys.GLOBAL_VARIABLES else ():
                add_to_collection(key, part)
        return variable

    for column, name in ordered:
        with variable_scope(name):
            weights = zeros('weights', (_rows(column), units))
            state = ScopeState(weight_collections, trainable)
            sums.append(weighted_sum(column, cache, state, weights, combiner))
            variables[column] = get_collection(GraphKeys.GLOBAL_VARIABLES,
                                               scope=get_variable_scope().name)
    check_equal_batches(sums, [column for column, _ in ordered])
    summed = arithmetic.add_n(sums, name='weighted_sum_no_bias')
    bias_weights = zeros('bias_weights', [units])
    predictions = bias.bias_add(summed, bias_weights, name='weighted_sum')
    if cols_to_vars is not None:
        cols_to_vars.update(variables)
        cols_to_vars['bias'] = parts_of(bias_weights)
    return predictions


def linear_columns(feature_columns):
    """The columns as a list. Raises ValueError unless each is dense or categorical."""
    columns = check_columns(feature_columns)
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise misuse(ValueError('Items of feature_columns must be either a DenseColumn or '
                                    f'CategoricalColumn. Given: {column!r}'))
    return columns


def _rows(column):
    """The number of weights of a column per unit."""
    if isinstance(column, CategoricalColumn):
        return column.num_buckets
    return column.variable_shape.num_elements()


def weighted_sum(column, cache, state_manager, weights, combiner):
    """The product of a column and its weights. Shapes: weights [rows, units] -> [batch, units]."""
    if isinstance(column, CategoricalColumn):
        ids, id_weights = column.get_sparse_tensors(cache, state_manager)
        ids = flatten_ids(ids)
        if id_weights is not None:
            id_weights = flatten_ids(id_weights)
        return safe_embedding_lookup_sparse(weights, ids, sparse_weights=id_weights,
                                            combiner=combiner, name='weighted_sum')
    tensor = column.get_dense_tensor(cache, state_manager)
    batch = measures.shape(tensor)[0]
    tensor = shaping.reshape(tensor, (batch, column.variable_shape.num_elements()))
    return linalg.matmul(tensor, weights, name='weighted_sum')


class LinearModel:
    """linear_model as an object, as canned estimators use it.

    All Variables are created at the first call, before any other node: `name/column/weights` and
    `name/bias_weights` in the current variable scope.
    """

    def __init__(self, feature_columns, units=1, sparse_combiner='sum', trainable=True,
                 name='linear_model'):
        self._columns = sorted(linear_columns(feature_columns), key=lambda c: c.name)
        self._units, self._combiner = units, sparse_combiner
        self._trainable, self._name = trainable, name
        self._state = None
        self.bias = None
        self.variables = []

    @property
    def name(self):
        return self._name

    @property
    def trainable_variables(self):
        """The Variables to train."""
        return [v for v in self.variables if v.trainable]

    def __call__(self, features):
        """The predictions. Shapes: a dict of [batch, ...] -> [batch, units]."""
        with name_scope(self._name), name_scope(self._name):
            if self._state is None:
                self._build()
            with name_scope(self._name):
                return self._sum(as_feature_dict(features))

    def _build(self):
        self._state = LayerState(self._add_weight, self._trainable)
        with variable_scope(self._name, auxiliary_name_scope=False):
            for column in self._columns:
                with variable_scope(column.name, auxiliary_name_scope=False):
                    column.create_state(self._state)
                    self._state.create_variable(
                        column, name='weights', shape=(_rows(column), self._units),
                        dtype=dtypes.float32, initializer=zeros_initializer())
            self.bias = self._add_weight(
                name='bias_weights', shape=[self._units], dtype=dtypes.float32,
                initializer=zeros_initializer(), trainable=self._trainable, use_resource=True)

    def _add_weight(self, **settings):
        variable = get_variable(**settings)
        self.variables.append(variable)
        return variable

    def _sum(self, features):
        cache = FeatureTransformationCache(features)
        sums = []
        for column in self._columns:
            with name_scope(column.name):
                weights = self._state.get_variable(column, 'weights')
                sums.append(weighted_sum(column, cache, self._state, weights, self._combiner))
        check_equal_batches(sums, self._columns)
        summed = arithmetic.add_n(sums, name='weighted_sum_no_bias')
        return bias.bias_add(summed, self.bias, name='weighted_sum')
