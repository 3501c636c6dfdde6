"""input_layer and DenseFeatures: concatenate the dense tensors of columns."""
from __future__ import annotations

from tinyflow.graph.defaults import get_collection, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.v1_v2_switches import resource_variables_enabled
from tinyflow.layers.feature_column.base import DenseColumn, check_columns
from tinyflow.layers.feature_column.state import LayerState, ScopeState
from tinyflow.layers.feature_column.transformation import FeatureTransformationCache
from tinyflow.layers.feature_column.wrapping import raise_not_dense
from tinyflow.ops.array import joining, shape_ops as measures, shaping
from tinyflow.ops.variables.variable_scope import get_variable, get_variable_scope, variable_scope

__all__ = ['DenseFeatures', 'InputLayer', 'input_layer']


def input_layer(features, feature_columns, weight_collections=None, trainable=True,
                cols_to_vars=None, cols_to_output_tensors=None):
    """The concatenated tensors of all columns, in the order of their names.

        features = {'age': [22.0, 38.0], 'sex': ['male', 'female']}
        sex = tf.feature_column.categorical_column_with_vocabulary_list('sex', ['female', 'male'])
        x = tf.feature_column.input_layer(features, [
            tf.feature_column.numeric_column('age'), tf.feature_column.indicator_column(sex)])

    Shapes: features, a dict of [batch, ...] -> [batch, sum of the columns' sizes]. The Variables of
    embeddings are added to `weight_collections`; the dicts `cols_to_vars` and
    `cols_to_output_tensors` are filled with the Variables and the tensor of each column. Raises
    ValueError for a categorical column that is not wrapped in an indicator_column or
    embedding_column, for a missing feature, and for different batch sizes.
    """
    columns = dense_columns(feature_columns)
    with variable_scope(None, default_name='input_layer', values=feature_tensors(features)):
        return _in_scope(features, columns, weight_collections, trainable, cols_to_vars,
                         cols_to_output_tensors)


class InputLayer:
    """input_layer as an object; later calls share the Variables of the first."""

    def __init__(self, feature_columns, weight_collections=None, trainable=True,
                 cols_to_vars=None, name='feature_column_input_layer', create_scope_now=True,
                 use_resource=None):
        self._columns = dense_columns(feature_columns)
        self._weight_collections, self._trainable = weight_collections, trainable
        self._cols_to_vars, self._name = cols_to_vars, name
        self._scope, self._called = None, False
        self._use_resource = use_resource
        if create_scope_now:
            with variable_scope(None, default_name=name) as self._scope:
                pass

    @property
    def name(self):
        return self._name

    def __call__(self, features, cols_to_output_tensors=None):
        """The concatenated columns. Shapes: as input_layer."""
        if self._scope is None:
            context = variable_scope(None, default_name=self._name,
                                     use_resource=self._use_resource)
        else:
            context = variable_scope(self._scope, reuse=self._called or None,
                                     use_resource=self._use_resource)
        with context as self._scope:
            self._called = True
            return _in_scope(features, self._columns, self._weight_collections, self._trainable,
                             self._cols_to_vars, cols_to_output_tensors)

    @property
    def _variables_in_scope(self):
        prefix = self._scope.name + '/' if self._scope else None
        return [v for v in get_collection(GraphKeys.GLOBAL_VARIABLES)
                if prefix and v.name.startswith(prefix)]

    @property
    def variables(self):
        """The Variables of the columns."""
        return self._variables_in_scope

    @property
    def trainable_variables(self):
        """The Variables to train."""
        trained = {id(v) for v in get_collection(GraphKeys.TRAINABLE_VARIABLES)}
        return [v for v in self._variables_in_scope if id(v) in trained]

    weights = variables


def _in_scope(features, columns, weight_collections, trainable, cols_to_vars,
              cols_to_output_tensors):
    cache = FeatureTransformationCache(as_feature_dict(features))
    tensors, ordered = [], sorted(columns, key=lambda c: c.name)
    for column in ordered:
        with variable_scope(None, default_name=column._var_scope_name):
            state = ScopeState(weight_collections, trainable)
            tensor = flat(column, column.get_dense_tensor(cache, state))
            tensors.append(tensor)
            if cols_to_vars is not None:
                # By scope, to include the parts of partitioned Variables.
                cols_to_vars[column] = get_collection(GraphKeys.GLOBAL_VARIABLES,
                                                      scope=get_variable_scope().name)
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = tensor
    check_equal_batches(tensors, ordered)
    return joining.concat(tensors, 1)


def dense_columns(feature_columns):
    """The columns as a list. Raises ValueError unless all are dense."""
    columns = check_columns(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise_not_dense(column)
    return columns


def flat(column, tensor):
    """The tensor of a column as rows. Shapes: [batch, ...] -> [batch, size]."""
    batch = measures.shape(tensor)[0]
    return shaping.reshape(tensor, (batch, column.variable_shape.num_elements()))


def check_equal_batches(tensors, columns):
    """Raises ValueError if static batch sizes differ."""
    known = [(column, t.raw_shape[0]) for column, t in zip(columns, tensors)
             if t.raw_shape and t.raw_shape[0] is not None]
    for column, size in known[1:]:
        if size != known[0][1]:
            raise misuse(ValueError(
                'Batch size (first dimension) of each feature must be same. Batch size of columns '
                f'({known[0][0].name}, {column.name}): ({known[0][1]}, {size})'))


def as_feature_dict(features):
    """Features as a dict; a DataFrame becomes a dict of its columns."""
    if hasattr(features, 'to_dict') and hasattr(features, 'columns'):
        return {str(key): features[key].to_numpy() for key in features.columns}
    if isinstance(features, dict) or hasattr(features, 'keys') and hasattr(features, 'copy'):
        return features
    raise misuse(ValueError(
        f'features must be a dict from keys to tensors, not {features!r}.\n  Hint: an input '
        "function returns ({'key': tensor, ...}, labels)."))


def feature_tensors(features):
    """The values of the dict, from which name scopes determine the graph."""
    return list(features.values()) if isinstance(features, dict) else []


class DenseFeatures:
    """The equivalent of tf.keras.layers.DenseFeatures without Keras, for canned estimators.

    The Variables are resource variables, created at the first call, before any other node, in the
    current variable scope: `name/column/embedding_weights`. For columns of
    shared_embedding_columns an InputLayer is used instead, as in TensorFlow.
    """

    def __init__(self, feature_columns, trainable=True, name='dense_features'):
        self._columns = sorted(dense_columns(feature_columns), key=lambda c: c.name)
        self._trainable, self._name = trainable, name
        self._state = None
        self._input_layer = None
        if not all(c._is_v2_column for c in self._columns):
            # Canned estimators set use_resource for their scope, like Keras layers; TensorFlow's
            # InputLayer ignores that.
            self._input_layer = InputLayer(self._columns, trainable=trainable, name=name,
                                           create_scope_now=False,
                                           use_resource=resource_variables_enabled())
        self._variables = []

    @property
    def name(self):
        return self._name

    @property
    def variables(self):
        """The Variables of the columns."""
        return self._variables if self._input_layer is None else self._input_layer.variables

    @property
    def trainable_variables(self):
        """The Variables to train."""
        return [v for v in self.variables if v.trainable]

    def __call__(self, features, cols_to_output_tensors=None):
        """The concatenated columns. Shapes: as input_layer."""
        if self._input_layer is not None:
            return self._input_layer(features, cols_to_output_tensors)
        with name_scope(self._name):
            if self._state is None:
                self._state = LayerState(self._add_weight, self._trainable)
                create_states(self._columns, self._state, self._name)
            return dense_tensors(self._columns, as_feature_dict(features), self._state,
                                 cols_to_output_tensors)

    def _add_weight(self, **settings):
        variable = get_variable(**settings)
        self._variables.append(variable)
        return variable


def create_states(columns, state_manager, name):
    """Creates the Variables of all columns: `name/column/...` in the current variable scope."""
    for column in columns:
        with variable_scope(name, auxiliary_name_scope=False):
            with variable_scope(column.name, auxiliary_name_scope=False):
                column.create_state(state_manager)


def dense_tensors(columns, features, state_manager, cols_to_output_tensors=None):
    """The concatenated dense tensors of columns whose Variables exist.

    Shapes: features, a dict of [batch, ...] -> [batch, sum of the columns' sizes].
    """
    if not isinstance(features, dict):
        raise misuse(ValueError(f'We expected a dictionary here. Instead we got: {features!r}'))
    cache = FeatureTransformationCache(features)
    tensors = []
    for column in columns:
        with name_scope(column.name):
            tensors.append(flat(column, column.get_dense_tensor(cache, state_manager)))
        if cols_to_output_tensors is not None:
            cols_to_output_tensors[column] = tensors[-1]
    check_equal_batches(tensors, columns)
    return joining.concat(tensors, -1)
