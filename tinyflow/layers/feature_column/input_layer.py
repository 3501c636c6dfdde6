"""input_layer: the columns of a batch side by side, as the first layer of a network takes them."""
from __future__ import annotations

from tinyflow.graph.defaults import get_collection, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import worded
from tinyflow.graph.support.v1_v2_switches import resource_variables_enabled
from tinyflow.layers.feature_column.base import DenseColumn, check_columns
from tinyflow.layers.feature_column.state import LayerState, ScopeState
from tinyflow.layers.feature_column.transformation import FeatureTransformationCache
from tinyflow.layers.feature_column.wrapping import refuse_categorical
from tinyflow.ops.array import joining, shape_ops as measures, shaping
from tinyflow.ops.variables.variable_scope import get_variable, get_variable_scope, variable_scope

__all__ = ['DenseFeatures', 'InputLayer', 'input_layer']


def input_layer(features, feature_columns, weight_collections=None, trainable=True,
                cols_to_vars=None, cols_to_output_tensors=None):
    """All columns side by side, in the order of their names.

        features = {'age': [22.0, 38.0], 'sex': ['male', 'female']}
        sex = tf.feature_column.categorical_column_with_vocabulary_list('sex', ['female', 'male'])
        x = tf.feature_column.input_layer(features, [
            tf.feature_column.numeric_column('age'), tf.feature_column.indicator_column(sex)])

    Shapes: features, a dict of [batch, ...] -> [batch, sum of the columns' sizes]. The Variables of
    embeddings are added to `weight_collections`; the dicts `cols_to_vars` and
    `cols_to_output_tensors` receive what belongs to each column. ValueError for a categorical
    column, which an indicator_column or embedding_column around it makes dense, for a feature that
    is not there, and for unequal batches.
    """
    columns = dense_columns(feature_columns)
    with variable_scope(None, default_name='input_layer', values=tensors_of(features)):
        return _in_scope(features, columns, weight_collections, trainable, cols_to_vars,
                         cols_to_output_tensors)


class InputLayer:
    """input_layer as an object, whose second call shares the Variables of the first."""

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
        """The columns of these features. Shapes: as input_layer."""
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
    def _own(self):
        prefix = self._scope.name + '/' if self._scope else None
        return [v for v in get_collection(GraphKeys.GLOBAL_VARIABLES)
                if prefix and v.name.startswith(prefix)]

    @property
    def variables(self):
        """The Variables of the columns."""
        return self._own

    @property
    def trainable_variables(self):
        """Those that training changes."""
        trained = {id(v) for v in get_collection(GraphKeys.TRAINABLE_VARIABLES)}
        return [v for v in self._own if id(v) in trained]

    weights = variables


def _in_scope(features, columns, weight_collections, trainable, cols_to_vars,
              cols_to_output_tensors):
    cache = FeatureTransformationCache(checked_features(features))
    tensors, ordered = [], sorted(columns, key=lambda c: c.name)
    for column in ordered:
        with variable_scope(None, default_name=column._var_scope_name):
            state = ScopeState(weight_collections, trainable)
            tensor = flat(column, column.get_dense_tensor(cache, state))
            tensors.append(tensor)
            if cols_to_vars is not None:
                # The whole scope's, to have the parts of partitioned Variables, too.
                cols_to_vars[column] = get_collection(GraphKeys.GLOBAL_VARIABLES,
                                                      scope=get_variable_scope().name)
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = tensor
    check_equal_batches(tensors, ordered)
    return joining.concat(tensors, 1)


def dense_columns(feature_columns):
    """The columns as a list. ValueError for what is no dense column."""
    columns = check_columns(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            refuse_categorical(column)
    return columns


def flat(column, tensor):
    """What a column gives as rows. Shapes: [batch, ...] -> [batch, size]."""
    batch = measures.shape(tensor)[0]
    return shaping.reshape(tensor, (batch, column.variable_shape.num_elements()))


def check_equal_batches(tensors, columns):
    """ValueError where the known sizes of the batches differ."""
    known = [(column, t.raw_shape[0]) for column, t in zip(columns, tensors)
             if t.raw_shape and t.raw_shape[0] is not None]
    for column, size in known[1:]:
        if size != known[0][1]:
            raise worded(ValueError(
                'Batch size (first dimension) of each feature must be same. Batch size of columns '
                f'({known[0][0].name}, {column.name}): ({known[0][1]}, {size})'))


def checked_features(features):
    """Features as a dict; a DataFrame becomes a dict of its columns."""
    if hasattr(features, 'to_dict') and hasattr(features, 'columns'):
        return {str(key): features[key].to_numpy() for key in features.columns}
    if isinstance(features, dict) or hasattr(features, 'keys') and hasattr(features, 'copy'):
        return features
    raise worded(ValueError(
        f'features must be a dict from keys to tensors, not {features!r}.\n  Mend: an input '
        "function returns ({'key': tensor, ...}, labels)."))


def tensors_of(features):
    """What stands in the dict, among which the graph is found."""
    return list(features.values()) if isinstance(features, dict) else []


class DenseFeatures:
    """What tf.keras.layers.DenseFeatures does, for graphs without Keras: canned estimators.

    The Variables, resource variables, are made at the first call, before any other node, in the
    open variable scope: `name/column/embedding_weights`. With columns of shared_embedding_columns
    it is an InputLayer instead, as in TensorFlow.
    """

    def __init__(self, feature_columns, trainable=True, name='dense_features'):
        self._columns = sorted(dense_columns(feature_columns), key=lambda c: c.name)
        self._trainable, self._name = trainable, name
        self._state = None
        self._instead = None
        if not all(c._is_v2_column for c in self._columns):
            # Canned estimators open their scope for resource variables, as Keras layers have;
            # TensorFlow's InputLayer knows nothing of that.
            self._instead = InputLayer(self._columns, trainable=trainable, name=name,
                                       create_scope_now=False,
                                       use_resource=resource_variables_enabled())
        self._made = []

    @property
    def name(self):
        return self._name

    @property
    def variables(self):
        """The Variables of the columns."""
        return self._made if self._instead is None else self._instead.variables

    @property
    def trainable_variables(self):
        """The Variables that training changes."""
        return [v for v in self.variables if v.trainable]

    def __call__(self, features, cols_to_output_tensors=None):
        """The columns side by side. Shapes: as input_layer."""
        if self._instead is not None:
            return self._instead(features, cols_to_output_tensors)
        with name_scope(self._name):
            if self._state is None:
                self._state = LayerState(self._add_weight, self._trainable)
                create_states(self._columns, self._state, self._name)
            return dense_tensors(self._columns, checked_features(features), self._state,
                                 cols_to_output_tensors)

    def _add_weight(self, **settings):
        variable = get_variable(**settings)
        self._made.append(variable)
        return variable


def create_states(columns, state_manager, name):
    """Makes the Variables of all columns: `name/column/...` in the open variable scope."""
    for column in columns:
        with variable_scope(name, auxiliary_name_scope=False):
            with variable_scope(column.name, auxiliary_name_scope=False):
                column.create_state(state_manager)


def dense_tensors(columns, features, state_manager, cols_to_output_tensors=None):
    """The dense tensors of columns whose Variables are there, side by side.

    Shapes: features, a dict of [batch, ...] -> [batch, sum of the columns' sizes].
    """
    if not isinstance(features, dict):
        raise worded(ValueError(f'We expected a dictionary here. Instead we got: {features!r}'))
    cache = FeatureTransformationCache(features)
    tensors = []
    for column in columns:
        with name_scope(column.name):
            tensors.append(flat(column, column.get_dense_tensor(cache, state_manager)))
        if cols_to_output_tensors is not None:
            cols_to_output_tensors[column] = tensors[-1]
    check_equal_batches(tensors, columns)
    return joining.concat(tensors, -1)
