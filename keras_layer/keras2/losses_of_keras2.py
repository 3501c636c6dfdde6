"""Losses as Keras 2.1 averages them, where there are masks or sample weights."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.training.compiling import Compiled


class CompiledAsKeras2(Compiled):
    """Losses that are means over what is not masked, and over samples whose weight is not 0.

    tf.keras divides by the number of all of them.
    """

    @staticmethod
    def _loss_of(endpoint):
        loss = endpoint.loss
        if getattr(loss, 'reduction', None) not in ('auto', 'sum_over_batch_size'):
            return Compiled._loss_of(endpoint)
        with K.name_scope(endpoint.loss_name):
            values = loss.call(endpoint.target, endpoint.output)
            if endpoint.mask is not None:
                mask = tf.cast(endpoint.mask, values.dtype)
                values = values * mask / tf.reduce_mean(mask)
            weight = endpoint.sample_weight
            if weight is not None:
                inner = list(range(weight.shape.ndims, values.shape.ndims))
                if inner:
                    values = tf.reduce_mean(values, inner)
                given = tf.cast(tf.not_equal(weight, 0.), values.dtype)
                values = values * tf.cast(weight, values.dtype) / tf.reduce_mean(given)
            return tf.reduce_mean(values)
