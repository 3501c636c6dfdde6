"""MobileNetV2: Sandler et al. (2018)."""
from __future__ import annotations

import warnings

from keras_layer import backend as K, layers as L
from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions
from keras_layer.engine.model import Model
from tinyflow.graph.support.errors import misuse

__all__ = ['MobileNetV2', 'decode_predictions', 'preprocess_input']

_FOLDER = ('https://github.com/JonathanCMitchell/mobilenet_v2_keras/releases/download/v1.1/')
# Image sizes and values of alpha for which weight files exist.
_SIZES, _WIDTHS = (96, 128, 160, 192, 224), (0.35, 0.5, 0.75, 1.0, 1.3, 1.4)
# (filters, stride, expansion) of the inverted residual blocks
_BLOCKS = ((16, 1, 1), (24, 2, 6), (24, 1, 6), (32, 2, 6), (32, 1, 6), (32, 1, 6), (64, 2, 6),
           (64, 1, 6), (64, 1, 6), (64, 1, 6), (96, 1, 6), (96, 1, 6), (96, 1, 6), (160, 2, 6),
           (160, 1, 6), (160, 1, 6), (320, 1, 6))


def preprocess_input(x, **kwargs):
    """Pixels from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, mode='tf', **kwargs)


def MobileNetV2(input_shape=None, alpha=1.0, include_top=True, weights='imagenet',
                input_tensor=None, pooling=None, classes=1000, **kwargs):
    """MobileNetV2; `alpha` scales the width of its layers.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    The ImageNet weights are for images of the same size, or else for 224x224, with a warning;
    ValueError for an alpha without weights.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    rows = _rows_of_file(input_shape, input_tensor, include_top, weights, alpha)
    x, inputs = imagenet_utils.image_input(input_shape, input_tensor, 224, include_top, 32, weights)
    x = L.ZeroPadding2D(imagenet_utils.padding_of_halves(x, 3), name='Conv1_pad')(x)
    x = L.Conv2D(_divisible(32 * alpha), 3, strides=2, padding='valid', use_bias=False,
                 name='Conv1')(x)
    x = _norm(x, 'bn_Conv1')
    x = L.ReLU(6., name='Conv1_relu')(x)
    for i, (filters, stride, expansion) in enumerate(_BLOCKS):
        x = _inverted_residual(x, expansion, stride, alpha, filters, i)
    last = _divisible(1280 * alpha) if alpha > 1.0 else 1280
    x = L.Conv2D(last, 1, use_bias=False, name='Conv_1')(x)
    x = _norm(x, 'Conv_1_bn')
    x = L.ReLU(6., name='out_relu')(x)
    if include_top:
        x = L.GlobalAveragePooling2D()(x)
        x = L.Dense(classes, activation='softmax', use_bias=True, name='Logits')(x)
    elif pooling == 'avg':
        x = L.GlobalAveragePooling2D()(x)
    elif pooling == 'max':
        x = L.GlobalMaxPooling2D()(x)
    top = '' if include_top else '_no_top'
    file = f'mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{alpha}_{rows}{top}.h5'
    return imagenet_utils.load_weights(Model(inputs, x, name=f'mobilenetv2_{alpha:0.2f}_{rows}'),
                                       weights, _FOLDER, file)


def _rows_of_file(input_shape, input_tensor, include_top, weights, alpha):
    """The number of rows in the names of the model and of its file; None for any number."""
    rows = columns = 224 if include_top else None
    if input_shape is not None:
        rows, columns = input_shape[:2]
    elif include_top and input_tensor is not None and K.is_keras_tensor(input_tensor):
        sizes = K.int_shape(input_tensor)[1:3]
        rows = columns = sizes[0] if sizes[0] == sizes[1] and sizes[0] in _SIZES else 224
    if weights != 'imagenet':
        return rows
    if alpha not in _WIDTHS:
        raise misuse(ValueError('If imagenet weights are being loaded, alpha can be one of '
                                f'{_WIDTHS} only, not {alpha}.'))
    if rows != columns or rows not in _SIZES:
        warnings.warn('`input_shape` is undefined or non-square, or `rows` is not in '
                      f'{list(_SIZES)}. Weights for input shape (224, 224) will be loaded as the '
                      'default.', stacklevel=3)
        return 224
    return rows


def _norm(x, name):
    return L.BatchNormalization(axis=3, epsilon=1e-3, momentum=0.999, name=name)(x)


def _divisible(value, divisor=8):
    """The nearest multiple of the divisor that is not more than a tenth smaller."""
    rounded = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * value else rounded


def _inverted_residual(x, expansion, stride, alpha, filters, number):
    """Inverted residual block: expand, depthwise convolution, project; shortcut if shapes match."""
    inputs, channels = x, x.shape.as_list()[-1]
    out = _divisible(int(filters * alpha))
    prefix = f'block_{number}_' if number else 'expanded_conv_'
    if number:
        x = L.Conv2D(expansion * channels, 1, padding='same', use_bias=False,
                     name=prefix + 'expand')(x)
        x = _norm(x, prefix + 'expand_BN')
        x = L.ReLU(6., name=prefix + 'expand_relu')(x)
    if stride == 2:
        x = L.ZeroPadding2D(imagenet_utils.padding_of_halves(x, 3), name=prefix + 'pad')(x)
    x = L.DepthwiseConv2D(3, strides=stride, use_bias=False,
                          padding='same' if stride == 1 else 'valid', name=prefix + 'depthwise')(x)
    x = _norm(x, prefix + 'depthwise_BN')
    x = L.ReLU(6., name=prefix + 'depthwise_relu')(x)
    x = L.Conv2D(out, 1, padding='same', use_bias=False, name=prefix + 'project')(x)
    x = _norm(x, prefix + 'project_BN')
    if channels == out and stride == 1:
        return L.Add(name=prefix + 'add')([inputs, x])
    return x
