"""Noise layers, active in training: GaussianNoise, GaussianDropout, AlphaDropout."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer

__all__ = ['AlphaDropout', 'GaussianDropout', 'GaussianNoise']


class _Noise(Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)


class GaussianNoise(_Noise):
    """Adds normal noise of deviation `stddev` in training."""

    def __init__(self, stddev, **kwargs):
        super().__init__(**kwargs)
        self.stddev = stddev

    def call(self, inputs, training=None):
        def noised():
            return inputs + K.random_normal(shape=tf.shape(inputs), mean=0., stddev=self.stddev,
                                            dtype=inputs.dtype)
        return K.in_train_phase(noised, inputs, training=training)

    def get_config(self):
        return {**super().get_config(), 'stddev': self.stddev}


class GaussianDropout(_Noise):
    """Multiplies by normal noise around 1 in training, of variance rate / (1 - rate)."""

    def __init__(self, rate, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate

    def call(self, inputs, training=None):
        if not 0 < self.rate < 1:
            return inputs

        def noised():
            stddev = (self.rate / (1.0 - self.rate)) ** 0.5
            return inputs * K.random_normal(shape=tf.shape(inputs), mean=1.0, stddev=stddev,
                                            dtype=inputs.dtype)
        return K.in_train_phase(noised, inputs, training=training)

    def get_config(self):
        return {**super().get_config(), 'rate': self.rate}


class AlphaDropout(_Noise):
    """Dropout that keeps mean and variance after selu: Klambauer et al. (2017)."""

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs, training=None):
        if not 0. < self.rate < 1.:
            return inputs
        shape = self.noise_shape or tf.shape(inputs)

        def dropped():
            lowest = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946
            kept = tf.cast(tf.greater_equal(K.random_uniform(shape, seed=self.seed), self.rate),
                           inputs.dtype)
            a = ((1 - self.rate) * (1 + self.rate * lowest ** 2)) ** -0.5
            b = -a * lowest * self.rate
            return a * (inputs * kept + lowest * (1 - kept)) + b
        return K.in_train_phase(dropped, inputs, training=training)

    def get_config(self):
        return {**super().get_config(), 'rate': self.rate}
