"""DenseFeatures and SequenceFeatures: feature columns as the first layer of a model."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.input_layer import create_states, dense_columns, dense_tensors
from tinyflow.layers.feature_column.sequence_layer import all_equal, sequence_columns, step_rows
from tinyflow.layers.feature_column.serialization import (
    deserialize_feature_columns,
    serialize_feature_columns,
)
from tinyflow.layers.feature_column.state import LayerState
from tinyflow.layers.feature_column.transformation import FeatureTransformationCache
from tinyflow.ops.variables.variable_store import get_store

__all__ = ['DenseFeatures']


class _OfColumns(Layer):
    """Base of both: Variables in the current variable scope, the configuration."""

    _is_feature_layer = True

    def __init__(self, feature_columns, trainable=True, name=None, **kwargs):
        super().__init__(trainable=trainable, name=name, **kwargs)
        self._feature_columns = sorted(self._checked(feature_columns), key=lambda c: c.name)
        self._state_manager = LayerState(self._scope_weight, self.trainable)

    @property
    def _feature_keys(self):
        """The keys of the features that the columns read."""
        return set().union(*(c.parse_example_spec for c in self._feature_columns))

    def _scope_weight(self, **settings):
        """A Variable of get_variable, named and shared by variable scopes."""
        variable = tf.get_variable(**settings)
        K.track_variable(variable)
        self._track_variable(variable)
        return variable

    def build(self, _):
        create_states(self._feature_columns, self._state_manager, self._free_name())
        super().build(None)

    def _free_name(self):
        """The layer's name, with a number if needed: a copy of a model has its own Variables.

        TF 1.15 raises an error here, since variable scopes share by name.
        """
        scope = tf.get_variable_scope()
        prefix = f'{scope.name}/{self.name}' if scope.name else self.name
        taken = {name.rpartition('/')[0].rpartition('/')[0] for name in get_store().variables}
        number, name = 0, self.name
        while not scope.reuse and prefix + name[len(self.name):] in taken:
            number += 1
            name = f'{self.name}_{number}'
        return name

    def get_config(self):
        config = {'feature_columns': serialize_feature_columns(self._feature_columns)}
        return {**super().get_config(), **config}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """A layer of this configuration; functions of columns are found in `custom_objects`."""
        columns = deserialize_feature_columns(config['feature_columns'], custom_objects)
        return cls(**{**config, 'feature_columns': columns})


def _dictionary(features):
    if isinstance(features, dict):
        return features
    histories = [getattr(t, '_keras_history', None) for t in tf.nest.flatten(features)]
    if isinstance(features, (list, tuple)) and histories and None not in histories:
        # A model created from its config calls layers with lists; Inputs have the keys as names.
        return {h.layer.name: t for h, t in zip(histories, features)}
    raise misuse(ValueError(
        f'We expected a dictionary here. Instead we got: {features!r}\n  Hint: '
        "layer({'key': tensor, ...}); for a Model, inputs={'key': Input(..., name='key'), ...}."))


class DenseFeatures(_OfColumns):
    """The concatenated dense tensors of feature columns, in the order of their names.

    Shapes: a dict of features [batch, ...] -> [batch, sum of the columns' sizes]. ValueError for a
    categorical column, which must be wrapped by indicator_column or embedding_column.
    """

    _checked = staticmethod(dense_columns)

    def call(self, features, cols_to_output_tensors=None):
        return dense_tensors(self._feature_columns, _dictionary(features), self._state_manager,
                             cols_to_output_tensors)

    def compute_output_shape(self, input_shape):
        size = sum(c.variable_shape.num_elements() for c in self._feature_columns)
        batch = next(iter(tf.nest.flatten(input_shape)), None) if input_shape else None
        return tf.TensorShape([batch if isinstance(batch, int) else None, size])


class SequenceFeatures(_OfColumns):
    """The concatenated dense tensors of sequence columns for each step; and the lengths.

    Shapes: a dict of SparseTensors [batch, steps, ...] -> [batch, steps, sum of the columns' sizes]
    and lengths [batch]. ValueError for a column that is not of sequences.
    """

    _checked = staticmethod(sequence_columns)

    def call(self, features):
        cache = FeatureTransformationCache(_dictionary(features))
        tensors, lengths = [], []
        for column in self._feature_columns:
            with K.name_scope(column.name):
                dense, length = column.get_sequence_dense_tensor(cache, self._state_manager)
                tensors.append(step_rows(column, dense))
                lengths.append(length)
        length = all_equal(lengths)
        return tf.concat(tensors, -1), length
