"""MobileNet: Howard et al. (2017)."""
from __future__ import annotations

import warnings

from keras_layer import backend as K, layers as L
from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions
from keras_layer.engine.model import Model
from keras_layer.layers import DepthwiseConv2D  # noqa: F401 - Keras 2.1 has it here
from tinyflow.graph.support.errors import misuse

__all__ = ['MobileNet', 'decode_predictions', 'preprocess_input']

_FOLDER = 'https://github.com/fchollet/deep-learning-models/releases/download/v0.6/'
# Image sizes and values of alpha for which weight files exist; the latter as the files spell them.
_SIZES, _WIDTHS = (128, 160, 192, 224), {0.25: '2_5', 0.5: '5_0', 0.75: '7_5', 1.0: '1_0'}
# (filters, stride) of the blocks
_BLOCKS = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (512, 1),
           (512, 1), (512, 1), (1024, 2), (1024, 1))


def preprocess_input(x, **kwargs):
    """Pixels from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, mode='tf', **kwargs)


def MobileNet(input_shape=None, alpha=1.0, depth_multiplier=1, dropout=1e-3, include_top=True,
              weights='imagenet', input_tensor=None, pooling=None, classes=1000, **kwargs):
    """MobileNet; `alpha` scales the width of its layers.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    The ImageNet weights are for images of the same size, or else for 224x224, with a warning;
    ValueError for an alpha or a depth_multiplier without weights.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    rows, columns = input_shape[:2] if input_shape is not None else (None, None)
    size = rows if rows == columns and rows in _SIZES else 224
    x, inputs = imagenet_utils.image_input(input_shape, input_tensor, size, include_top, 32,
                                           weights)
    if input_shape is None and include_top:
        rows = columns = size
    if weights == 'imagenet':
        rows = _size_of_file(rows, columns, alpha, depth_multiplier)
    x = L.ZeroPadding2D(((0, 1), (0, 1)), name='conv1_pad')(x)
    x = L.Conv2D(int(32 * alpha), 3, strides=2, use_bias=False, name='conv1')(x)
    x = _activated(x, 'conv1')
    for number, (filters, stride) in enumerate(_BLOCKS, 1):
        x = _block(x, int(filters * alpha), depth_multiplier, stride, number)
    if include_top:
        x = L.GlobalAveragePooling2D()(x)
        x = L.Reshape((1, 1, int(1024 * alpha)), name='reshape_1')(x)
        x = L.Dropout(dropout, name='dropout')(x)
        x = L.Conv2D(classes, 1, padding='same', name='conv_preds')(x)
        x = L.Reshape((classes,), name='reshape_2')(x)
        x = L.Activation('softmax', name='act_softmax')(x)
    else:
        x = imagenet_utils.head(x, False, pooling, classes)
    top = '' if include_top else '_no_top'
    return imagenet_utils.load_weights(
        Model(inputs, x, name=f'mobilenet_{alpha:0.2f}_{rows}'), weights, _FOLDER,
        f'mobilenet_{_WIDTHS.get(alpha)}_{rows}_tf{top}.h5')


def relu6(x):
    """max(0, min(x, 6)); programs and saved models of Keras 2.1 ask for it."""
    return K.relu(x, max_value=6)


def _size_of_file(rows, columns, alpha, depth_multiplier):
    """The image size in the name of the weight file."""
    if depth_multiplier != 1:
        raise misuse(ValueError('If imagenet weights are being loaded, depth multiplier must be 1, '
                                f'not {depth_multiplier}.'))
    if alpha not in _WIDTHS:
        raise misuse(ValueError('If imagenet weights are being loaded, alpha can be one of '
                                f'{tuple(_WIDTHS)} only, not {alpha}.'))
    if rows == columns and rows in _SIZES:
        return rows
    warnings.warn('`input_shape` is undefined or non-square, or `rows` is not in '
                  f'{list(_SIZES)}. Weights for input shape (224, 224) will be loaded as the '
                  'default.', stacklevel=3)
    return 224


def _activated(x, name):
    """Normalization and relu that ends at 6."""
    return L.ReLU(6., name=name + '_relu')(L.BatchNormalization(axis=-1, name=name + '_bn')(x))


def _block(x, filters, depth_multiplier, stride, number):
    """A convolution of each channel, then one across channels."""
    if stride == 2:
        x = L.ZeroPadding2D(((0, 1), (0, 1)), name=f'conv_pad_{number}')(x)
    x = L.DepthwiseConv2D(3, strides=stride, padding='same' if stride == 1 else 'valid',
                          depth_multiplier=depth_multiplier, use_bias=False,
                          name=f'conv_dw_{number}')(x)
    x = _activated(x, f'conv_dw_{number}')
    x = L.Conv2D(filters, 1, padding='same', use_bias=False, name=f'conv_pw_{number}')(x)
    return _activated(x, f'conv_pw_{number}')
