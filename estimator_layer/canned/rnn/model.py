"""RNNModel: a recurrent layer over sequence columns as a Keras model."""
from __future__ import annotations

import keras_layer as keras
import tinyflow as tf
from estimator_layer.canned.rnn.context import concatenate_context_input
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.serialization import (
    deserialize_feature_columns,
    serialize_feature_columns,
)

__all__ = ['RNNModel']


class RNNModel(keras.Model):
    """Sequence columns, context columns repeated for each step, a recurrent layer, a dense layer.

    Shapes: a dict of features -> [batch, units] from the last step of each sequence, or
    [batch, steps, units] with `return_sequences`, which the recurrent layer must have, too.
    """

    def __init__(self, rnn_layer, units, sequence_feature_columns, context_feature_columns=None,
                 activation=None, return_sequences=False, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(units, int):
            raise misuse(ValueError(f'units must be an int.  Given type: {type(units)}'))
        self._return_sequences = return_sequences
        self._sequence_feature_columns = sequence_feature_columns
        self._context_feature_columns = context_feature_columns
        self._sequence_features_layer = keras.experimental.SequenceFeatures(
            sequence_feature_columns)
        self._dense_features_layer = keras.layers.DenseFeatures(
            context_feature_columns) if context_feature_columns else None
        self._rnn_layer = rnn_layer
        self._logits_layer = keras.layers.Dense(units=units, activation=activation, name='logits')

    def call(self, inputs, training=None):
        if not isinstance(inputs, dict):
            raise misuse(ValueError('inputs should be a dictionary of `Tensor`s. Given type: '
                                    f'{type(inputs)}'))
        with tf.name_scope('sequence_input_layer'):
            steps, lengths = self._sequence_features_layer(inputs)
            tf.summary.histogram('sequence_length', lengths)
            if self._dense_features_layer:
                steps = concatenate_context_input(self._dense_features_layer(inputs), steps)
        mask = tf.sequence_mask(lengths)
        logits = self._logits_layer(self._rnn_layer(steps, mask=mask, training=training))
        if self._return_sequences:
            logits._keras_mask = mask       # losses and metrics leave the padding out
        return logits

    def get_config(self):
        context = self._context_feature_columns
        return {
            'name': self.name,
            'rnn_layer': {'class_name': type(self._rnn_layer).__name__,
                          'config': self._rnn_layer.get_config()},
            'units': self._logits_layer.units,
            'return_sequences': self._return_sequences,
            'activation': keras.activations.serialize(self._logits_layer.activation),
            'sequence_feature_columns': serialize_feature_columns(self._sequence_feature_columns),
            'context_feature_columns': serialize_feature_columns(context) if context else None}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """A model of this configuration."""
        config = dict(config)
        context = config.pop('context_feature_columns', None)
        return cls(
            rnn_layer=keras.layers.deserialize(config.pop('rnn_layer'), custom_objects),
            sequence_feature_columns=deserialize_feature_columns(
                config.pop('sequence_feature_columns'), custom_objects),
            context_feature_columns=context and deserialize_feature_columns(context,
                                                                            custom_objects),
            activation=keras.activations.deserialize(config.pop('activation', None),
                                                     custom_objects),
            **config)
