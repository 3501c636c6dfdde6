"""Batch and layer normalization."""
from __future__ import annotations

import warnings

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.layers.tf_layers import Configured, computes_as
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import normalization as tf_normalization, renormalization

__all__ = ['BatchNormalization', 'LayerNormalization']


@computes_as(tf_normalization.BatchNormalization)
class BatchNormalization(Configured):
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, for each channel.

    In training, mean and variance are those of the batch, and `fit` updates the moving averages
    that inference uses. As in TF 1.15, a layer with trainable=False stops updating them, but
    still normalizes by the batch in training. With `renorm` the batch statistics are corrected
    towards the moving ones: Ioffe (2017).

    Shapes: inputs [*a] -> [*a]; gamma, beta, moving_mean, moving_variance [size of axis]. Ioffe
    and Szegedy (2015).
    """

    settings = ('axis', 'momentum', 'epsilon', 'center', 'scale', 'beta_initializer',
                'gamma_initializer', 'moving_mean_initializer', 'moving_variance_initializer',
                'beta_regularizer', 'gamma_regularizer', 'beta_constraint', 'gamma_constraint')

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True,
                 beta_initializer='zeros', gamma_initializer='ones',
                 moving_mean_initializer='zeros', moving_variance_initializer='ones',
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                 gamma_constraint=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99,
                 fused=None, trainable=True, virtual_batch_size=None, adjustment=None, name=None,
                 **kwargs):
        super().__init__(name=name, trainable=trainable, **kwargs)
        if virtual_batch_size is not None:
            raise misuse(NotImplementedError(
                'BatchNormalization: virtual_batch_size is not supported.\n  Hint: omit it; '
                'the statistics are then those of the whole batch.'))
        if isinstance(axis, (list, tuple)):
            axis = list(axis)
        elif not isinstance(axis, int):
            raise misuse(TypeError(f'axis must be int or list, type given: {type(axis)}'))
        self.axis = [axis] if isinstance(axis, int) else axis
        self._keep(momentum=momentum, epsilon=epsilon, center=center, scale=scale,
                   beta_initializer=beta_initializer, gamma_initializer=gamma_initializer,
                   moving_mean_initializer=moving_mean_initializer,
                   moving_variance_initializer=moving_variance_initializer,
                   beta_regularizer=beta_regularizer, gamma_regularizer=gamma_regularizer,
                   beta_constraint=beta_constraint, gamma_constraint=gamma_constraint)
        self.renorm, self.adjustment = renorm, adjustment
        self.renorm_clipping = renormalization.check_clipping(renorm_clipping) if renorm else {}
        self.renorm_momentum = renorm_momentum
        self.fused = True if fused is None else fused
        self.supports_masking = True

    def call(self, inputs, training=None):
        training = K.learning_phase() if training is None else training
        return tf_normalization.BatchNormalization.call(self, inputs, training)

    def add_statistic(self, name, shape, initializer):
        """A non-trainable Variable, changed by updates."""
        return self.add_weight(name, shape, dtype=self._param_dtype, initializer=initializer,
                               trainable=False,
                               synchronization=tf.VariableSynchronization.ON_READ,
                               aggregation=tf.VariableAggregation.MEAN)

    def get_config(self):
        config = super().get_config()
        if self.renorm:                 # only then: Keras can read the other configurations
            config.update(renorm=True, renorm_clipping=self.renorm_clipping,
                          renorm_momentum=self.renorm_momentum)
        if self.adjustment is not None:
            warnings.warn('The `adjustment` function of this BatchNormalization is not saved with '
                          'it.', stacklevel=2)
        return config


class LayerNormalization(Configured):
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, over the axes of each example.

    Shapes: inputs [*a] -> [*a]; gamma, beta [sizes of axis]. Ba et al. (2016).
    """

    settings = ('axis', 'epsilon', 'center', 'scale', 'beta_initializer', 'gamma_initializer',
                'beta_regularizer', 'gamma_regularizer', 'beta_constraint', 'gamma_constraint')

    def __init__(self, axis=-1, epsilon=1e-3, center=True, scale=True, beta_initializer='zeros',
                 gamma_initializer='ones', beta_regularizer=None, gamma_regularizer=None,
                 beta_constraint=None, gamma_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(name=name, trainable=trainable, **kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise misuse(ValueError(f"Expected an int or a list/tuple of ints for the argument "
                                    f"'axis', but received instead: {axis}"))
        self.axis = axis if isinstance(axis, int) else list(axis)
        self._keep(epsilon=epsilon, center=center, scale=scale, beta_initializer=beta_initializer,
                   gamma_initializer=gamma_initializer, beta_regularizer=beta_regularizer,
                   gamma_regularizer=gamma_regularizer, beta_constraint=beta_constraint,
                   gamma_constraint=gamma_constraint)
        self.gamma = self.beta = None
        self.supports_masking = True

    def build(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        axes = [self.axis] if isinstance(self.axis, int) else self.axis
        self.axis = [a + len(sizes) if a < 0 else a for a in axes]
        if any(not 0 <= a < len(sizes) for a in self.axis):
            raise misuse(ValueError(f'Invalid axis: {self.axis}'))
        shape = [sizes[a] for a in self.axis]
        if self.scale:
            self.gamma = self.add_weight(
                name='gamma', shape=shape, initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer, constraint=self.gamma_constraint)
        if self.center:
            self.beta = self.add_weight(
                name='beta', shape=shape, initializer=self.beta_initializer,
                regularizer=self.beta_regularizer, constraint=self.beta_constraint)
        self.built = True

    def call(self, inputs):
        sizes = inputs.shape.as_list()
        mean, variance = tf.nn.moments(inputs, self.axis, keep_dims=True)
        shape = [1] * len(sizes)
        for axis in self.axis:
            shape[axis] = sizes[axis]

        def broadcast(weight):
            if weight is not None and len(weight.shape) != len(sizes) and \
                    self.axis != [len(sizes) - 1]:
                return tf.reshape(weight, shape)
            return weight
        outputs = tf.nn.batch_normalization(inputs, mean, variance, offset=broadcast(self.beta),
                                            scale=broadcast(self.gamma),
                                            variance_epsilon=self.epsilon)
        outputs.set_shape(sizes)
        return outputs

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)
