"""BatchNormalization as in Keras 2.1: other moving averages, that count from the first batch."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.layers import normalization as _normalization

__all__ = ['BatchNormalization']


class BatchNormalization(_normalization.BatchNormalization):
    """The layer of tf.keras, whose moving averages forget the values that they started with.

    The variance that they take is the unbiased one. Shapes: inputs [*a] -> [*a].
    """

    def call(self, inputs, training=None):
        """The normalized inputs."""
        rank = inputs.shape.ndims
        if training in (0, False):
            return self._by_averages(inputs, rank)
        axes = [i for i in range(rank) if i not in self.axis]
        normalized, mean, variance = K.normalize_batch_in_training(
            inputs, self.gamma, self.beta, axes, epsilon=self.epsilon)
        size = K.cast(K.prod([K.shape(inputs)[i] for i in axes]), K.dtype(inputs))
        variance *= size / (size - (1.0 + self.epsilon))
        self.add_update([K.moving_average_update(self.moving_mean, mean, self.momentum),
                         K.moving_average_update(self.moving_variance, variance, self.momentum)],
                        inputs)
        return K.in_train_phase(normalized, lambda: self._by_averages(inputs, rank),
                                training=training)

    def _by_averages(self, inputs, rank):
        shape = [1] * rank
        for axis in self.axis:
            shape[axis] = inputs.shape.as_list()[axis]
        mean, variance, beta, gamma = (
            None if v is None else tf.reshape(v, shape)
            for v in (self.moving_mean, self.moving_variance, self.beta, self.gamma))
        return tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, self.epsilon)
