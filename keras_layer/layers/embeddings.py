"""Embedding: a vector for each integer."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.layers.tf_layers import Configured
from tinyflow.graph.support.errors import misuse

__all__ = ['Embedding']


# Whether inputs must have the given `input_length`; keras2/enabling.py sets it.
checks_input_length = False


class Embedding(Configured):
    """Row `i` of a table of weights, for each integer i. Can only be the first layer.

    Shapes: inputs [batch, *a], integers in [0, input_dim) -> [batch, *a, output_dim]; embeddings
    [input_dim, output_dim]. With `mask_zero`, steps with 0 are masked. The gradient has rows only
    for the integers that occurred.
    """

    settings = ('input_dim', 'output_dim', 'embeddings_initializer', 'embeddings_regularizer',
                'activity_regularizer', 'embeddings_constraint', 'mask_zero', 'input_length')

    def __init__(self, input_dim, output_dim, embeddings_initializer='uniform',
                 embeddings_regularizer=None, activity_regularizer=None,
                 embeddings_constraint=None, mask_zero=False, input_length=None, **kwargs):
        if 'input_shape' not in kwargs and 'batch_input_shape' not in kwargs:
            if input_length is not None:
                length = input_length if isinstance(input_length, (list, tuple)) \
                    else (input_length,)
                kwargs['input_shape'] = tuple(length)
            else:
                kwargs['input_shape'] = (None,)
        kwargs['dtype'] = kwargs.pop('dtype', None) or K.floatx()
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._keep(input_dim=input_dim, output_dim=output_dim,
                   embeddings_initializer=embeddings_initializer,
                   embeddings_regularizer=embeddings_regularizer,
                   embeddings_constraint=embeddings_constraint, mask_zero=mask_zero,
                   input_length=input_length)
        self.supports_masking = mask_zero

    def build(self, input_shape):
        if checks_input_length:
            self.compute_output_shape(input_shape)
        self.embeddings = self.add_weight(
            shape=(self.input_dim, self.output_dim), initializer=self.embeddings_initializer,
            name='embeddings', regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint)
        self.built = True

    def compute_mask(self, inputs, mask=None):
        return tf.not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        if self.input_length is not None:
            lengths = self.input_length if isinstance(self.input_length, (list, tuple)) \
                else [self.input_length]
            if len(lengths) != len(sizes) - 1 or any(
                    a is not None and b is not None and a != b
                    for a, b in zip(lengths, sizes[1:])):
                raise misuse(ValueError(f'"input_length" is {self.input_length}, but received '
                                        f'input has shape {tuple(sizes)}'))
            sizes[1:] = [a if b is None else b for a, b in zip(lengths, sizes[1:])]
        return tf.TensorShape([*sizes, self.output_dim])

    def call(self, inputs):
        if K.dtype(inputs) not in ('int32', 'int64'):
            inputs = tf.cast(inputs, 'int32')
        return tf.nn.embedding_lookup(self.embeddings, inputs)
