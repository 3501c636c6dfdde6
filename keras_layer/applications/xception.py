"""Xception: Chollet (2016)."""
from __future__ import annotations

from keras_layer import layers as L
from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions
from keras_layer.engine.model import Model

__all__ = ['Xception', 'decode_predictions', 'preprocess_input']

_FOLDER = 'https://github.com/fchollet/deep-learning-models/releases/download/v0.4/'


def preprocess_input(x, **kwargs):
    """Pixels from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, mode='tf', **kwargs)


def Xception(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
             pooling=None, classes=1000, **kwargs):
    """The network of separable convolutions with shortcuts, for images of 299x299.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    x, inputs = imagenet_utils.image_input(input_shape, input_tensor, 299, include_top, 71, weights)
    x = L.Conv2D(32, 3, strides=2, use_bias=False, name='block1_conv1')(x)
    x = _relu(_norm(x, 'block1_conv1_bn'), 'block1_conv1_act')
    x = L.Conv2D(64, 3, use_bias=False, name='block1_conv2')(x)
    x = _relu(_norm(x, 'block1_conv2_bn'), 'block1_conv2_act')
    x = _halved(x, 2, 128, 128)
    x = _halved(x, 3, 256, 256)
    x = _halved(x, 4, 728, 728)
    for block in range(5, 13):
        inner = x
        for i in (1, 2, 3):
            inner = _separable(_relu(inner, f'block{block}_sepconv{i}_act'), 728, block, i)
        x = L.add([inner, x])
    x = _halved(x, 13, 728, 1024)
    for i, filters in ((1, 1536), (2, 2048)):
        x = _relu(_separable(x, filters, 14, i), f'block14_sepconv{i}_act')
    x = imagenet_utils.head(x, include_top, pooling, classes)
    top = '' if include_top else '_notop'
    return imagenet_utils.load_weights(
        Model(inputs, x, name='xception'), weights, _FOLDER,
        f'xception_weights_tf_dim_ordering_tf_kernels{top}.h5')


def _norm(x, name=None):
    return L.BatchNormalization(axis=-1, name=name)(x)


def _relu(x, name):
    return L.Activation('relu', name=name)(x)


def _separable(x, filters, block, i):
    """Separable convolution of 3x3 and normalization."""
    name = f'block{block}_sepconv{i}'
    x = L.SeparableConv2D(filters, 3, padding='same', use_bias=False, name=name)(x)
    return _norm(x, name + '_bn')


def _halved(x, block, first, second):
    """Two separable convolutions and a pool of stride 2, next to a convolution of stride 2."""
    around = _norm(L.Conv2D(second, 1, strides=2, padding='same', use_bias=False)(x))
    if block > 2:                   # what comes in is a sum; the first block's is activated already
        x = _relu(x, f'block{block}_sepconv1_act')
    x = _relu(_separable(x, first, block, 1), f'block{block}_sepconv2_act')
    x = _separable(x, second, block, 2)
    x = L.MaxPooling2D(3, strides=2, padding='same', name=f'block{block}_pool')(x)
    return L.add([x, around])
