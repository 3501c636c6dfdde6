"""Padding, cropping and upsampling of sequences, images and volumes."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.input_spec import InputSpec
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import arguments

__all__ = ['Cropping1D', 'Cropping2D', 'Cropping3D', 'UpSampling1D', 'UpSampling2D',
           'UpSampling3D', 'ZeroPadding1D', 'ZeroPadding2D', 'ZeroPadding3D']


class _Spatial(Layer):
    """`rank` spatial axes, channels last or first."""

    rank = 0

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = arguments.data_format(data_format or K.image_data_format())
        self.input_spec = InputSpec(ndim=self.rank + 2)

    @property
    def _first_axis(self):
        return 2 if self.data_format == 'channels_first' else 1

    def _with(self, input_shape, change):
        sizes = tf.TensorShape(input_shape).as_list()
        for i in range(self.rank):
            size = sizes[self._first_axis + i]
            sizes[self._first_axis + i] = None if size is None else change(i, size)
        return tf.TensorShape(sizes)

    def get_config(self):
        config = super().get_config()
        if self.rank > 1:
            config['data_format'] = self.data_format
        return config


def _pairs(value, rank, name):
    """((before, after), ...) for each axis, from an int, an int for each axis, or the pairs."""
    if isinstance(value, int):
        return ((value, value),) * rank
    value = tuple(value) if hasattr(value, '__len__') else (value,)
    if rank == 1 and len(value) == 2 and all(isinstance(v, int) for v in value):
        return (value,)
    if len(value) != rank:
        raise misuse(ValueError(f'`{name}` should have {rank} elements. Found: {value}'))
    return tuple((v, v) if isinstance(v, int) else tuple(v) for v in value)


class _ZeroPadding(_Spatial):
    def __init__(self, padding=1, data_format=None, **kwargs):
        super().__init__(data_format, **kwargs)
        pairs = _pairs(padding, self.rank, 'padding')
        self._pairs = pairs
        self.padding = pairs[0] if self.rank == 1 else pairs

    def compute_output_shape(self, input_shape):
        return self._with(input_shape, lambda i, size: size + sum(self._pairs[i]))

    def call(self, inputs):
        if self.rank == 1:
            return K.temporal_padding(inputs, padding=self._pairs[0])
        pad = K.spatial_2d_padding if self.rank == 2 else K.spatial_3d_padding
        return pad(inputs, padding=self._pairs, data_format=self.data_format)

    def get_config(self):
        return {**super().get_config(), 'padding': self.padding}


class ZeroPadding1D(_ZeroPadding):
    """Zeros before and after the steps of [batch, steps, features]."""

    rank = 1

    def __init__(self, padding=1, **kwargs):
        super().__init__(padding, 'channels_last', **kwargs)


class ZeroPadding2D(_ZeroPadding):
    """Zeros around the rows and columns of images: an int, (rows, columns), or pairs of those."""

    rank = 2

    def __init__(self, padding=(1, 1), data_format=None, **kwargs):
        super().__init__(padding, data_format, **kwargs)


class ZeroPadding3D(_ZeroPadding):
    """Zeros around the three axes of volumes."""

    rank = 3

    def __init__(self, padding=(1, 1, 1), data_format=None, **kwargs):
        super().__init__(padding, data_format, **kwargs)


class _Cropping(_Spatial):
    def __init__(self, cropping=0, data_format=None, **kwargs):
        super().__init__(data_format, **kwargs)
        pairs = _pairs(cropping, self.rank, 'cropping')
        self._pairs = pairs
        self.cropping = pairs[0] if self.rank == 1 else pairs

    def compute_output_shape(self, input_shape):
        return self._with(input_shape, lambda i, size: size - sum(self._pairs[i]))

    def call(self, inputs):
        inner = [slice(before, -after or None) for before, after in self._pairs]
        around = [slice(None)] * self._first_axis
        return inputs[tuple(around + inner)]

    def get_config(self):
        return {**super().get_config(), 'cropping': self.cropping}


class Cropping1D(_Cropping):
    """Crops steps from both ends of [batch, steps, features]."""

    rank = 1

    def __init__(self, cropping=(1, 1), **kwargs):
        super().__init__(cropping, 'channels_last', **kwargs)


class Cropping2D(_Cropping):
    """Crops rows and columns from the edges of images."""

    rank = 2

    def __init__(self, cropping=((0, 0), (0, 0)), data_format=None, **kwargs):
        super().__init__(cropping, data_format, **kwargs)


class Cropping3D(_Cropping):
    """Crops planes, rows and columns from the edges of volumes."""

    rank = 3

    def __init__(self, cropping=((1, 1), (1, 1), (1, 1)), data_format=None, **kwargs):
        super().__init__(cropping, data_format, **kwargs)


class UpSampling1D(_Spatial):
    """Repeats each step of [batch, steps, features] `size` times."""

    rank = 1

    def __init__(self, size=2, **kwargs):
        super().__init__('channels_last', **kwargs)
        self.size = int(size)

    def compute_output_shape(self, input_shape):
        return self._with(input_shape, lambda i, steps: steps * self.size)

    def call(self, inputs):
        return K.repeat_elements(inputs, self.size, axis=1)

    def get_config(self):
        return {**super().get_config(), 'size': self.size}


class UpSampling2D(_Spatial):
    """Upsamples images by integer factors, 'nearest' or 'bilinear'."""

    rank = 2

    def __init__(self, size=(2, 2), data_format=None, interpolation='nearest', **kwargs):
        super().__init__(data_format, **kwargs)
        self.size = arguments.sizes(size, 2, 'size')
        if interpolation not in ('nearest', 'bilinear'):
            raise misuse(ValueError('`interpolation` argument should be one of `"nearest"` or '
                                    '`"bilinear"`.'))
        self.interpolation = interpolation

    def compute_output_shape(self, input_shape):
        return self._with(input_shape, lambda i, size: size * self.size[i])

    def call(self, inputs):
        return K.resize_images(inputs, *self.size, self.data_format,
                               interpolation=self.interpolation)

    def get_config(self):
        return {**super().get_config(), 'size': self.size, 'interpolation': self.interpolation}


class UpSampling3D(_Spatial):
    """Upsamples volumes, repeating elements along the three axes."""

    rank = 3

    def __init__(self, size=(2, 2, 2), data_format=None, **kwargs):
        super().__init__(data_format, **kwargs)
        self.size = arguments.sizes(size, 3, 'size')

    def compute_output_shape(self, input_shape):
        return self._with(input_shape, lambda i, size: size * self.size[i])

    def call(self, inputs):
        return K.resize_volumes(inputs, *self.size, self.data_format)

    def get_config(self):
        return {**super().get_config(), 'size': self.size}
