"""InceptionV3: Szegedy et al. (2015)."""
from __future__ import annotations

from keras_layer import layers as L
from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions
from keras_layer.engine.model import Model

__all__ = ['InceptionV3', 'decode_predictions', 'preprocess_input']

_FOLDER = 'https://github.com/fchollet/deep-learning-models/releases/download/v0.5/'
_HALVED = {'strides': 2, 'padding': 'valid'}


def preprocess_input(x, **kwargs):
    """Pixels from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, mode='tf', **kwargs)


def InceptionV3(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
                pooling=None, classes=1000, **kwargs):
    """The network of 11 Inception blocks, for images of 299x299.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    x, inputs = imagenet_utils.image_input(input_shape, input_tensor, 299, include_top, 75, weights)
    x = _conv(x, 32, 3, **_HALVED)
    x = _conv(x, 32, 3, padding='valid')
    x = L.MaxPooling2D(3, strides=2)(_conv(x, 64, 3))
    x = _conv(x, 80, 1, padding='valid')
    x = L.MaxPooling2D(3, strides=2)(_conv(x, 192, 3, padding='valid'))
    for i, pooled in enumerate((32, 64, 64)):
        x = L.concatenate([_conv(x, 64, 1), _chain(x, (48, 1), (64, 5)),
                           _chain(x, (64, 1), (96, 3), (96, 3)), _pool(x, pooled)],
                          axis=3, name=f'mixed{i}')
    x = L.concatenate([_conv(x, 384, 3, **_HALVED),
                       _conv(_chain(x, (64, 1), (96, 3)), 96, 3, **_HALVED),
                       L.MaxPooling2D(3, strides=2)(x)], axis=3, name='mixed3')
    for i, n in enumerate((128, 160, 160, 192), 4):
        x = _long_kernels(x, n, f'mixed{i}')
    x = L.concatenate([_conv(_conv(x, 192, 1), 320, 3, **_HALVED),
                       _conv(_chain(x, (192, 1), (192, (1, 7)), (192, (7, 1))), 192, 3, **_HALVED),
                       L.MaxPooling2D(3, strides=2)(x)], axis=3, name='mixed8')
    for i in range(2):
        x = _split_kernels(x, i)
    x = imagenet_utils.head(x, include_top, pooling, classes)
    top = '' if include_top else '_notop'
    return imagenet_utils.load_weights(
        Model(inputs, x, name='inception_v3'), weights, _FOLDER,
        f'inception_v3_weights_tf_dim_ordering_tf_kernels{top}.h5')


def _conv(x, filters, kernel, strides=1, padding='same'):
    """Convolution, normalization without a scale, relu."""
    x = L.Conv2D(filters, kernel, strides=strides, padding=padding, use_bias=False)(x)
    return L.Activation('relu')(L.BatchNormalization(axis=3, scale=False)(x))


def _chain(x, *convolutions):
    """Several convolutions, (filters, kernel) each."""
    for filters, kernel in convolutions:
        x = _conv(x, filters, kernel)
    return x


def _pool(x, filters):
    """Means of 3x3 pixels, then a convolution of single ones."""
    return _conv(L.AveragePooling2D(3, strides=1, padding='same')(x), filters, 1)


def _long_kernels(x, n, name):
    """Block with kernels of 1x7 and 7x1, of n filters inside."""
    wide, tall = (n, (1, 7)), (n, (7, 1))
    return L.concatenate([_conv(x, 192, 1), _chain(x, (n, 1), wide, (192, (7, 1))),
                          _chain(x, (n, 1), tall, wide, tall, (192, (1, 7))), _pool(x, 192)],
                         axis=3, name=name)


def _split_kernels(x, i):
    """One of the two last blocks, where branches end in kernels of 1x3 and 3x1 side by side."""
    single = _conv(x, 320, 1)
    short = _conv(x, 384, 1)
    short = L.concatenate([_conv(short, 384, (1, 3)), _conv(short, 384, (3, 1))], axis=3,
                          name=f'mixed9_{i}')
    double = _chain(x, (448, 1), (384, 3))
    double = L.concatenate([_conv(double, 384, (1, 3)), _conv(double, 384, (3, 1))], axis=3)
    return L.concatenate([single, short, double, _pool(x, 192)], axis=3, name=f'mixed{9 + i}')
