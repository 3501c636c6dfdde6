"""Pooling layers: max and average, local and global."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.input_spec import InputSpec
from keras_layer.layers.tf_layers import Configured, computes_as
from tinyflow.layers import arguments, pooling as tf_pooling

__all__ = ['AveragePooling1D', 'AveragePooling2D', 'AveragePooling3D', 'GlobalAveragePooling1D',
           'GlobalAveragePooling2D', 'GlobalAveragePooling3D', 'GlobalMaxPooling1D',
           'GlobalMaxPooling2D', 'GlobalMaxPooling3D', 'MaxPooling1D', 'MaxPooling2D',
           'MaxPooling3D']


class _Pooling(Configured):
    settings = ('strides', 'pool_size', 'padding', 'data_format')

    def _set_up(self, pool_size, strides, padding, data_format):
        strides = pool_size if strides is None else strides
        self.pool_size = arguments.sizes(pool_size, self.rank, 'pool_size')
        self.strides = arguments.sizes(strides, self.rank, 'strides')
        self.padding = arguments.padding(padding)
        self.data_format = arguments.data_format(data_format or K.image_data_format())
        self.input_spec = InputSpec(ndim=self.rank + 2)


def _windows(kind, rank, doc):
    """Creates MaxPooling1D and the other pooling classes."""
    class Pooling(_Pooling):
        def __init__(self, pool_size=2, strides=None, padding='valid',
                     data_format='channels_last' if rank == 1 else None, **kwargs):
            super().__init__(**kwargs)
            self._set_up(pool_size, strides, padding, data_format)
    name = f'{kind}Pooling{rank}D'
    Pooling.rank = rank
    Pooling.__name__ = Pooling.__qualname__ = name
    Pooling.__init__.__qualname__ = f'{name}.__init__'
    Pooling.__doc__ = doc
    made = computes_as(getattr(tf_pooling, name))(Pooling)
    made.function = getattr(tf_pooling, name).function
    return made


MaxPooling1D = _windows('Max', 1, 'The largest element of each window of steps.')
MaxPooling2D = _windows('Max', 2, 'The largest element of each window of an image.')
MaxPooling3D = _windows('Max', 3, 'The largest element of each window of a volume.')
AveragePooling1D = _windows('Average', 1, 'The mean of each window of steps.')
AveragePooling2D = _windows('Average', 2, 'The mean of each window of an image.')
AveragePooling3D = _windows('Average', 3, 'The mean of each window of a volume.')


class _Global(Layer):
    rank = 0

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = arguments.data_format(
            data_format or ('channels_last' if self.rank == 1 else K.image_data_format()))
        self.input_spec = InputSpec(ndim=self.rank + 2)

    @property
    def _axes(self):
        first = 2 if self.data_format == 'channels_first' else 1
        axes = list(range(first, first + self.rank))
        return axes[0] if self.rank == 1 else axes

    def compute_output_shape(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        return tf.TensorShape([sizes[0], sizes[1 if self.data_format == 'channels_first' else -1]])

    def get_config(self):
        return {**super().get_config(), 'data_format': self.data_format}


class GlobalAveragePooling1D(_Global):
    """The mean over the steps: [batch, steps, features] -> [batch, features]; honours a mask."""

    rank = 1

    def __init__(self, data_format='channels_last', **kwargs):
        super().__init__(data_format, **kwargs)
        self.supports_masking = True

    def call(self, inputs, mask=None):
        if mask is not None:
            mask = tf.expand_dims(tf.cast(mask, K.floatx()),
                                  2 if self.data_format == 'channels_last' else 1)
            inputs *= mask
            return K.sum(inputs, axis=self._axes) / tf.reduce_sum(mask, axis=self._axes)
        return K.mean(inputs, axis=self._axes)

    def compute_mask(self, inputs, mask=None):
        return None


class GlobalMaxPooling1D(_Global):
    """The largest over the steps: [batch, steps, features] -> [batch, features]."""

    rank = 1

    def call(self, inputs):
        return K.max(inputs, axis=self._axes)


class GlobalAveragePooling2D(_Global):
    """The mean of each channel: [batch, rows, columns, channels] -> [batch, channels]."""

    rank = 2

    def call(self, inputs):
        return K.mean(inputs, axis=self._axes)


class GlobalMaxPooling2D(_Global):
    """The largest of each channel: [batch, rows, columns, channels] -> [batch, channels]."""

    rank = 2

    def call(self, inputs):
        return K.max(inputs, axis=self._axes)


class GlobalAveragePooling3D(GlobalAveragePooling2D):
    """The mean of each channel of volumes."""

    rank = 3


class GlobalMaxPooling3D(GlobalMaxPooling2D):
    """The largest of each channel of volumes."""

    rank = 3
