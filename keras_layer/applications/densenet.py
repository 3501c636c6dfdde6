"""DenseNet121, 169 and 201: Huang et al. (2016)."""
from __future__ import annotations

from keras_layer import layers as L
from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions
from keras_layer.engine.model import Model

__all__ = ['DenseNet121', 'DenseNet169', 'DenseNet201', 'decode_predictions', 'preprocess_input']

_FOLDER = 'https://github.com/keras-team/keras-applications/releases/download/densenet/'
_GROWTH = 32                # channels that each block adds


def preprocess_input(x, data_format=None, **kwargs):
    """Pixels from 0 to 255 as numbers from 0 to 1, minus ImageNet's means, by its deviations."""
    return imagenet_utils.preprocess_input(x, data_format, mode='torch', **kwargs)


def DenseNet121(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
                pooling=None, classes=1000, **kwargs):
    """The densely connected network of 121 layers.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    return _densenet('densenet121', (6, 12, 24, 16), include_top, weights, input_tensor,
                     input_shape, pooling, classes)


def DenseNet169(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
                pooling=None, classes=1000, **kwargs):
    """The densely connected network of 169 layers; arguments as for DenseNet121."""
    imagenet_utils.check(weights, include_top, classes, kwargs)
    return _densenet('densenet169', (6, 12, 32, 32), include_top, weights, input_tensor,
                     input_shape, pooling, classes)


def DenseNet201(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
                pooling=None, classes=1000, **kwargs):
    """The densely connected network of 201 layers; arguments as for DenseNet121."""
    imagenet_utils.check(weights, include_top, classes, kwargs)
    return _densenet('densenet201', (6, 12, 48, 32), include_top, weights, input_tensor,
                     input_shape, pooling, classes)


def _densenet(name, depths, include_top, weights, input_tensor, input_shape, pooling, classes):
    """DenseNet with that many blocks in each stage."""
    x, inputs = imagenet_utils.image_input(input_shape, input_tensor, 224, include_top, 32, weights)
    x = L.ZeroPadding2D(((3, 3), (3, 3)))(x)
    x = L.Conv2D(64, 7, strides=2, use_bias=False, name='conv1/conv')(x)
    x = _activated(x, 'conv1/')
    x = L.ZeroPadding2D(((1, 1), (1, 1)))(x)
    x = L.MaxPooling2D(3, strides=2, name='pool1')(x)
    for stage, depth in enumerate(depths, 2):
        if stage > 2:
            x = _transition(x, f'pool{stage - 1}')
        for block in range(1, depth + 1):
            x = _block(x, f'conv{stage}_block{block}')
    x = _activated(x, '')
    x = imagenet_utils.head(x, include_top, pooling, classes, dense='fc1000',
                            without=('avg_pool', 'max_pool'))
    top = '' if include_top else '_notop'
    return imagenet_utils.load_weights(
        Model(inputs, x, name=name), weights, _FOLDER,
        f'{name}_weights_tf_dim_ordering_tf_kernels{top}.h5')


def _activated(x, prefix):
    """Normalization and relu."""
    x = L.BatchNormalization(axis=3, epsilon=1.001e-5, name=prefix + 'bn')(x)
    return L.Activation('relu', name=prefix + 'relu')(x)


def _block(x, name):
    """x with the channels that two convolutions of it give."""
    new = _activated(x, name + '_0_')
    new = L.Conv2D(4 * _GROWTH, 1, use_bias=False, name=name + '_1_conv')(new)
    new = _activated(new, name + '_1_')
    new = L.Conv2D(_GROWTH, 3, padding='same', use_bias=False, name=name + '_2_conv')(new)
    return L.Concatenate(axis=3, name=name + '_concat')([x, new])


def _transition(x, name):
    """Half of the channels, rows and columns."""
    x = _activated(x, name + '_')
    x = L.Conv2D(x.shape.as_list()[-1] // 2, 1, use_bias=False, name=name + '_conv')(x)
    return L.AveragePooling2D(2, strides=2, name=name + '_pool')(x)
