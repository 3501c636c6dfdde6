"""ResNet50V2, 101V2 and 152V2, which normalize before they convolve: He et al. (2016)."""
from __future__ import annotations

from keras_layer import layers as L
from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions
from keras_layer.applications.resnet import activated, classifier

__all__ = ['ResNet101V2', 'ResNet152V2', 'ResNet50V2', 'decode_predictions', 'preprocess_input']


def preprocess_input(x, **kwargs):
    """Pixels from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, mode='tf', **kwargs)


def ResNet50V2(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
               pooling=None, classes=1000, **kwargs):
    """The 50-layer residual network, second version.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    return _resnet('resnet50v2', (3, 4, 6, 3), include_top, weights, input_tensor, input_shape,
                   pooling, classes)


def ResNet101V2(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
                pooling=None, classes=1000, **kwargs):
    """The 101-layer residual network, second version; arguments as for ResNet50V2."""
    imagenet_utils.check(weights, include_top, classes, kwargs)
    return _resnet('resnet101v2', (3, 4, 23, 3), include_top, weights, input_tensor, input_shape,
                   pooling, classes)


def ResNet152V2(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
                pooling=None, classes=1000, **kwargs):
    """The 152-layer residual network, second version; arguments as for ResNet50V2."""
    imagenet_utils.check(weights, include_top, classes, kwargs)
    return _resnet('resnet152v2', (3, 8, 36, 3), include_top, weights, input_tensor, input_shape,
                   pooling, classes)


def _resnet(name, depths, include_top, weights, input_tensor, input_shape, pooling, classes):
    """Residual network with that many blocks in each stage, of which the last has the stride."""
    x, inputs = imagenet_utils.image_input(input_shape, input_tensor, 224, include_top, 32, weights)
    x = L.ZeroPadding2D(((3, 3), (3, 3)), name='conv1_pad')(x)
    x = L.Conv2D(64, 7, strides=2, name='conv1_conv')(x)
    x = L.ZeroPadding2D(((1, 1), (1, 1)), name='pool1_pad')(x)
    x = L.MaxPooling2D(3, strides=2, name='pool1_pool')(x)
    for stage, depth in enumerate(depths, 2):
        for block in range(1, depth + 1):
            x = _block(x, 16 << stage, 2 if block == depth and stage < 5 else 1, block == 1,
                       f'conv{stage}_block{block}')
    x = activated(x, 'post')
    return classifier(inputs, x, name, include_top, weights, pooling, classes)


def _block(x, filters, stride, projected, name):
    """Residual block: normalization first, three convolutions, and a shortcut."""
    before = activated(x, name + '_preact')
    if projected:
        around = L.Conv2D(4 * filters, 1, strides=stride, name=name + '_0_conv')(before)
    else:
        around = L.MaxPooling2D(1, strides=stride)(x) if stride > 1 else x
    x = L.Conv2D(filters, 1, use_bias=False, name=name + '_1_conv')(before)
    x = L.ZeroPadding2D(((1, 1), (1, 1)), name=name + '_2_pad')(activated(x, name + '_1'))
    x = L.Conv2D(filters, 3, strides=stride, use_bias=False, name=name + '_2_conv')(x)
    x = L.Conv2D(4 * filters, 1, name=name + '_3_conv')(activated(x, name + '_2'))
    return L.Add(name=name + '_out')([around, x])
