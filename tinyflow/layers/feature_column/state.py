"""State managers: create the Variables of columns, in the variable scope or in a layer."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables.variable_scope import get_variable

__all__ = ['LayerState', 'ScopeState', 'variable_collections']


def variable_collections(weight_collections):
    """The collections of a Variable created by a function such as input_layer."""
    collections = list(weight_collections or [])
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES):
        if key not in collections:
            collections.append(key)
    return collections


class ScopeState:
    """Creates Variables in the current scope when a column first needs them."""

    def __init__(self, weight_collections=None, trainable=True):
        self._collections = variable_collections(weight_collections)
        self._trainable = trainable
        self._variables = {}

    def create_variable(self, feature_column, name, shape, dtype=None, trainable=True,
                        use_resource=True, initializer=None):
        """A new Variable of the column in the current scope, or with reuse the existing one.

        As in TensorFlow the scope determines whether it is a resource variable, not `use_resource`.
        """
        self._variables[feature_column, name] = get_variable(
            name, shape, dtype=dtype, initializer=initializer,
            trainable=self._trainable and trainable, collections=self._collections)

    def get_variable(self, feature_column, name):
        """The Variable of the column, created on first use."""
        if (feature_column, name) not in self._variables:
            feature_column.create_state(self)
        return self._variables[feature_column, name]

    def create_shared_variable(self, name, shape, initializer, trainable):
        """A new Variable in the current scope, shared by several columns."""
        return get_variable(name, shape, dtype=dtypes.float32, initializer=initializer,
                            trainable=self._trainable and trainable,
                            collections=self._collections)


class LayerState:
    """Creates Variables by `add_weight` of a layer, when the layer is built."""

    def __init__(self, add_weight, trainable=True):
        self._add_weight, self._trainable = add_weight, trainable
        self._variables = {}

    def create_variable(self, feature_column, name, shape, dtype=None, trainable=True,
                        use_resource=True, initializer=None):
        """A new Variable of the column in the current scope. Raises ValueError if it exists."""
        if (feature_column, name) in self._variables:
            raise misuse(ValueError(f'Variable already exists: {name} of {feature_column.name}.'))
        self._variables[feature_column, name] = self._add_weight(
            name=name, shape=shape, dtype=dtype, initializer=initializer,
            trainable=self._trainable and trainable, use_resource=use_resource)
        return self._variables[feature_column, name]

    def get_variable(self, feature_column, name):
        """The Variable of the column. Raises ValueError if it does not exist."""
        try:
            return self._variables[feature_column, name]
        except KeyError:
            raise misuse(ValueError(f'Variable does not exist: {name} of '
                                    f'{feature_column.name}.')) from None
