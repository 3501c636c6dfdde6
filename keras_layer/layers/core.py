"""Core layers: Dense, Activation, Dropout, Flatten, Reshape, Permute, Masking ..."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import activations, backend as K, regularizers
from keras_layer.backend.layer_seeds import layer_seed
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.input_spec import InputSpec
from keras_layer.layers.tf_layers import Configured, computes_as
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import arguments, core as tf_core

__all__ = ['Activation', 'ActivityRegularization', 'Dense', 'Dropout', 'Flatten', 'Masking',
           'Permute', 'RepeatVector', 'Reshape', 'SpatialDropout1D', 'SpatialDropout2D',
           'SpatialDropout3D']


def input_dim_as_shape(kwargs):
    """Translates the legacy argument `input_dim=n` to input_shape=(n,)."""
    if 'input_dim' in kwargs:
        dim = kwargs.pop('input_dim')
        kwargs.setdefault('input_shape', (dim,))
    return kwargs


@computes_as(tf_core.Dense)
class Dense(Configured):
    """activation(inputs kernel + bias): every output depends on every input.

    Shapes: inputs [*a, n], n known -> [*a, units]; kernel [n, units], bias [units]. ValueError if n
    is not known.
    """

    settings = ('units', 'activation', 'use_bias', 'kernel_initializer', 'bias_initializer',
                'kernel_regularizer', 'bias_regularizer', 'activity_regularizer',
                'kernel_constraint', 'bias_constraint')

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer='glorot_uniform',
                 bias_initializer='zeros', kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None, **kwargs):
        super().__init__(activity_regularizer=activity_regularizer, **input_dim_as_shape(kwargs))
        self._keep(units=int(units), activation=activation, use_bias=use_bias,
                   kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
                   kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer,
                   kernel_constraint=kernel_constraint, bias_constraint=bias_constraint)
        self.supports_masking = True
        self.input_spec = InputSpec(min_ndim=2)


class Activation(Layer):
    """Applies an activation function, given by name or as a function."""

    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.activation = activations.get(activation)

    def call(self, inputs):
        return self.activation(inputs)

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)

    def get_config(self):
        return {**super().get_config(), 'activation': activations.serialize(self.activation)}


# Whether the rate of Dropout is brought into 0 to 1, and not refused; keras2/enabling.py sets it.
clips_rate = False


class Dropout(Layer):
    """In training, sets each input to 0 with probability `rate` and scales the rest up.

    Shapes: inputs [*a] -> [*a]. Srivastava et al. (2014).
    """

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        if clips_rate:
            rate = min(1., max(0., rate))
        if not 0 <= rate <= 1 and not callable(rate):
            raise misuse(ValueError(f'Dropout(rate={rate}): a probability is between 0 and 1.'))
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed
        self.supports_masking = True

    _get_noise_shape = tf_core.Dropout._get_noise_shape

    def call(self, inputs, training=None):
        training = K.learning_phase() if training is None else training

        def dropped():
            return tf.nn.dropout(inputs, noise_shape=self._get_noise_shape(inputs),
                                 seed=layer_seed(self.seed), rate=self.rate)
        return K.smart_cond(training, dropped, lambda: tf.identity(inputs))

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)

    def get_config(self):
        return {**super().get_config(), 'rate': self.rate, 'noise_shape': self.noise_shape,
                'seed': self.seed}


class SpatialDropout1D(Dropout):
    """Drops whole features of [batch, steps, features]."""

    def __init__(self, rate, **kwargs):
        super().__init__(rate, **kwargs)
        self.input_spec = InputSpec(ndim=3)

    def _get_noise_shape(self, inputs):
        shape = tf.shape(inputs)
        return (shape[0], 1, shape[2])


class _SpatialDropout(Dropout):
    rank = 0

    def __init__(self, rate, data_format=None, **kwargs):
        super().__init__(rate, **kwargs)
        data_format = data_format or K.image_data_format()
        if data_format not in ('channels_last', 'channels_first'):
            raise misuse(ValueError('data_format must be in {"channels_last", "channels_first"}'))
        self.data_format = data_format
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _get_noise_shape(self, inputs):
        shape = tf.shape(inputs)
        if self.data_format == 'channels_first':
            return (shape[0], shape[1], *(1,) * self.rank)
        return (shape[0], *(1,) * self.rank, shape[self.rank + 1])


class SpatialDropout2D(_SpatialDropout):
    """Drops whole channels of images."""

    rank = 2


class SpatialDropout3D(_SpatialDropout):
    """Drops whole channels of volumes."""

    rank = 3


class Flatten(Layer):
    """All axes but the batch as one: [batch, *a] -> [batch, product(a)]."""

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = arguments.data_format(data_format or K.image_data_format())
        self.input_spec = InputSpec(min_ndim=1)

    call = tf_core.Flatten.call
    compute_output_shape = tf_core.Flatten.compute_output_shape

    def get_config(self):
        return {**super().get_config(), 'data_format': self.data_format}


class Reshape(Layer):
    """Other axes for the same elements: [batch, *a] -> [batch, *target_shape].

    One size of `target_shape` may be -1 (inferred). ValueError if the sizes do not match.
    """

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def compute_output_shape(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        if None in sizes[1:]:
            return tf.TensorShape([sizes[0], *(s if s != -1 else None
                                               for s in self.target_shape)])
        return tf.TensorShape([sizes[0], *self._fixed(sizes[1:])])

    def _fixed(self, sizes):
        target, total = list(self.target_shape), 1
        for size in sizes:
            total *= size
        known = 1
        for size in target:
            known *= size if size >= 0 else 1
        if target.count(-1) > 1 or (known != total if -1 not in target
                                    else not known or total % known):
            raise misuse(ValueError(f'total size of new array must be unchanged: {self.name} makes '
                                    f'{tuple(sizes)} = {total} elements into '
                                    f'{self.target_shape}.'))
        return [total // known if size == -1 else size for size in target]

    def call(self, inputs):
        outputs = tf.reshape(inputs, (tf.shape(inputs)[0], *self.target_shape))
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs

    def get_config(self):
        return {**super().get_config(), 'target_shape': self.target_shape}


class Permute(Layer):
    """The axes after the batch in the order `dims`, which counts from 1."""

    def __init__(self, dims, **kwargs):
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise misuse(ValueError(f'Invalid permutation `dims` for Permute Layer: {dims}. The '
                                    'set of indices in `dims` must be consecutive and start from '
                                    '1.'))
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def compute_output_shape(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        return tf.TensorShape([sizes[0], *(sizes[d] for d in self.dims)])

    def call(self, inputs):
        return tf.transpose(inputs, perm=(0, *self.dims))

    def get_config(self):
        return {**super().get_config(), 'dims': self.dims}


class RepeatVector(Layer):
    """[batch, features] -> [batch, n, features]."""

    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def compute_output_shape(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        return tf.TensorShape([sizes[0], self.n, sizes[1]])

    def call(self, inputs):
        return K.repeat(inputs, self.n)

    def get_config(self):
        return {**super().get_config(), 'n': self.n}


class Masking(Layer):
    """Masks the steps of [batch, steps, features] whose features all are `mask_value`."""

    def __init__(self, mask_value=0., **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.mask_value = mask_value

    def compute_mask(self, inputs, mask=None):
        return K.any(tf.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs):
        kept = K.any(tf.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = inputs * tf.cast(kept, inputs.dtype)
        outputs._keras_mask = tf.squeeze(kept, axis=-1)
        return outputs

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)

    def get_config(self):
        return {**super().get_config(), 'mask_value': self.mask_value}


class ActivityRegularization(Layer):
    """Adds l1 sum |x| + l2 sum x^2 of its inputs to the loss."""

    def __init__(self, l1=0., l2=0., **kwargs):
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.supports_masking = True
        self.l1, self.l2 = l1, l2

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)

    def get_config(self):
        return {**super().get_config(), 'l1': self.l1, 'l2': self.l2}
