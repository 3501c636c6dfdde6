"""Activation layers with parameters."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.input_spec import InputSpec
from keras_layer.layers.tf_layers import Configured
from tinyflow.graph.support.errors import misuse

__all__ = ['ELU', 'LeakyReLU', 'PReLU', 'ReLU', 'Softmax', 'ThresholdedReLU']


class _Elementwise(Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)


class LeakyReLU(_Elementwise):
    """x where positive, alpha x elsewhere: Maas et al. (2013)."""

    def __init__(self, alpha=0.3, **kwargs):
        super().__init__(**kwargs)
        self.alpha = float(K.cast_to_floatx(alpha))

    def call(self, inputs):
        return K.relu(inputs, alpha=self.alpha)

    def get_config(self):
        return {**super().get_config(), 'alpha': self.alpha}


class PReLU(Configured):
    """x where positive, alpha x elsewhere; alpha is learned: He et al. (2015)."""

    settings = ('alpha_initializer', 'alpha_regularizer', 'alpha_constraint', 'shared_axes')

    def __init__(self, alpha_initializer='zeros', alpha_regularizer=None, alpha_constraint=None,
                 shared_axes=None, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self._keep(alpha_initializer=alpha_initializer, alpha_regularizer=alpha_regularizer,
                   alpha_constraint=alpha_constraint)
        self.shared_axes = None if shared_axes is None else \
            list(shared_axes) if isinstance(shared_axes, (list, tuple)) else [shared_axes]

    def build(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        shape = sizes[1:]
        for axis in self.shared_axes or ():
            shape[axis - 1] = 1
        self.alpha = self.add_weight(
            shape=shape, name='alpha', initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer, constraint=self.alpha_constraint)
        self.input_spec = InputSpec(ndim=len(sizes), axes={
            i: sizes[i] for i in range(1, len(sizes)) if i not in (self.shared_axes or ())})
        self.built = True

    def call(self, inputs):
        return K.relu(inputs) + -self.alpha * K.relu(-inputs)

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)


class ELU(_Elementwise):
    """x where positive, alpha (exp(x) - 1) elsewhere: Clevert et al. (2015)."""

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = float(K.cast_to_floatx(alpha))

    def call(self, inputs):
        return K.elu(inputs, self.alpha)

    def get_config(self):
        return {**super().get_config(), 'alpha': self.alpha}


class ThresholdedReLU(_Elementwise):
    """x where it is above `theta`, 0 elsewhere: Konda et al. (2014)."""

    def __init__(self, theta=1.0, **kwargs):
        super().__init__(**kwargs)
        self.theta = float(K.cast_to_floatx(theta))

    def call(self, inputs):
        return inputs * tf.cast(tf.greater(inputs, self.theta), K.floatx())

    def get_config(self):
        return {**super().get_config(), 'theta': self.theta}


class Softmax(_Elementwise):
    """exp(x) divided by its sum over `axis`."""

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs):
        return K.softmax(inputs, axis=self.axis)

    def get_config(self):
        return {**super().get_config(), 'axis': self.axis}


class ReLU(_Elementwise):
    """x at least `threshold`, at most `max_value`; negative_slope (x - threshold) below."""

    def __init__(self, max_value=None, negative_slope=0, threshold=0, **kwargs):
        super().__init__(**kwargs)
        if max_value is not None and max_value < 0.:
            raise misuse(ValueError('max_value of Relu layer cannot be negative value: '
                                    f'{max_value}'))
        if negative_slope < 0.:
            raise misuse(ValueError('negative_slope of Relu layer cannot be negative value: '
                                    f'{negative_slope}'))
        self.max_value = None if max_value is None else float(K.cast_to_floatx(max_value))
        self.negative_slope = float(K.cast_to_floatx(negative_slope))
        self.threshold = float(K.cast_to_floatx(threshold))

    def call(self, inputs):
        return K.relu(inputs, alpha=self.negative_slope, max_value=self.max_value,
                      threshold=self.threshold)

    def get_config(self):
        return {**super().get_config(),
                'max_value': self.max_value,
                'negative_slope': self.negative_slope, 'threshold': self.threshold}
