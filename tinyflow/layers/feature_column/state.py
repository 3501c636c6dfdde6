"""Where the Variables of columns are: in the open variable scope, or in a layer."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import worded
from tinyflow.ops.variables.variable_scope import get_variable

__all__ = ['LayerState', 'ScopeState', 'collections_of']


def collections_of(weight_collections):
    """The collections of a Variable that a function, not a layer, makes."""
    found = list(weight_collections or [])
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES):
        if key not in found:
            found.append(key)
    return found


class ScopeState:
    """Variables made in the scope that is open when a column first needs them."""

    def __init__(self, weight_collections=None, trainable=True):
        self._collections = collections_of(weight_collections)
        self._trainable = trainable
        self._made = {}

    def create_variable(self, feature_column, name, shape, dtype=None, trainable=True,
                        use_resource=True, initializer=None):
        """A new Variable of the column in the open scope, or with reuse the existing one.

        The scope says whether it is a resource variable, as in TensorFlow: `use_resource` does not.
        """
        self._made[feature_column, name] = get_variable(
            name, shape, dtype=dtype, initializer=initializer,
            trainable=self._trainable and trainable, collections=self._collections)

    def get_variable(self, feature_column, name):
        """The column's Variable, which is made if it is not there yet."""
        if (feature_column, name) not in self._made:
            feature_column.create_state(self)
        return self._made[feature_column, name]

    def create_here(self, name, shape, initializer, trainable):
        """A new Variable in the open scope, which belongs to several columns."""
        return get_variable(name, shape, dtype=dtypes.float32, initializer=initializer,
                            trainable=self._trainable and trainable,
                            collections=self._collections)


class LayerState:
    """Variables that a layer makes when it is built; `add_weight` is the layer's own."""

    def __init__(self, add_weight, trainable=True):
        self._add_weight, self._trainable = add_weight, trainable
        self._made = {}

    def create_variable(self, feature_column, name, shape, dtype=None, trainable=True,
                        use_resource=True, initializer=None):
        """A new Variable of the column in the open scope. ValueError if it has one of that name."""
        if (feature_column, name) in self._made:
            raise worded(ValueError(f'Variable already exists: {name} of {feature_column.name}.'))
        self._made[feature_column, name] = self._add_weight(
            name=name, shape=shape, dtype=dtype, initializer=initializer,
            trainable=self._trainable and trainable, use_resource=use_resource)
        return self._made[feature_column, name]

    def get_variable(self, feature_column, name):
        """The column's Variable. ValueError if there is none."""
        try:
            return self._made[feature_column, name]
        except KeyError:
            raise worded(ValueError(f'Variable does not exist: {name} of '
                                    f'{feature_column.name}.')) from None
