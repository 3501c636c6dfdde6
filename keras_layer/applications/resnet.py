"""ResNet50, 101 and 152: He et al. (2015)."""
from __future__ import annotations

from keras_layer import layers as L
from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions
from keras_layer.engine.model import Model

__all__ = ['ResNet101', 'ResNet152', 'ResNet50', 'decode_predictions', 'preprocess_input']

FOLDER = 'https://github.com/keras-team/keras-applications/releases/download/resnet/'


def preprocess_input(x, **kwargs):
    """Pixels from 0 to 255 as BGR, minus ImageNet's channel means."""
    return imagenet_utils.preprocess_input(x, mode='caffe', **kwargs)


def ResNet50(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
             pooling=None, classes=1000, **kwargs):
    """The 50-layer residual network.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    return _resnet('resnet50', (3, 4, 6, 3), include_top, weights, input_tensor, input_shape,
                   pooling, classes)


def ResNet101(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
              pooling=None, classes=1000, **kwargs):
    """The 101-layer residual network; arguments as for ResNet50."""
    imagenet_utils.check(weights, include_top, classes, kwargs)
    return _resnet('resnet101', (3, 4, 23, 3), include_top, weights, input_tensor, input_shape,
                   pooling, classes)


def ResNet152(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
              pooling=None, classes=1000, **kwargs):
    """The 152-layer residual network; arguments as for ResNet50."""
    imagenet_utils.check(weights, include_top, classes, kwargs)
    return _resnet('resnet152', (3, 8, 36, 3), include_top, weights, input_tensor, input_shape,
                   pooling, classes)


def _resnet(name, depths, include_top, weights, input_tensor, input_shape, pooling, classes):
    """Residual network with that many blocks in each stage."""
    x, inputs = imagenet_utils.image_input(input_shape, input_tensor, 224, include_top, 32, weights)
    x = L.ZeroPadding2D(((3, 3), (3, 3)), name='conv1_pad')(x)
    x = L.Conv2D(64, 7, strides=2, name='conv1_conv')(x)
    x = activated(x, 'conv1')
    x = L.ZeroPadding2D(((1, 1), (1, 1)), name='pool1_pad')(x)
    x = L.MaxPooling2D(3, strides=2, name='pool1_pool')(x)
    for stage, depth in enumerate(depths, 2):
        for block in range(1, depth + 1):
            x = _block(x, 16 << stage, 2 if block == 1 and stage > 2 else 1, block == 1,
                       f'conv{stage}_block{block}')
    return classifier(inputs, x, name, include_top, weights, pooling, classes)


def norm(x, name):
    """Normalization as the weight files of these networks expect it."""
    return L.BatchNormalization(axis=3, epsilon=1.001e-5, name=name)(x)


def activated(x, prefix):
    """Normalization and relu."""
    return L.Activation('relu', name=prefix + '_relu')(norm(x, prefix + '_bn'))


def classifier(inputs, x, name, include_top, weights, pooling, classes):
    """The Model that ends in a classifier or a pooling of x, with its weights."""
    x = imagenet_utils.head(x, include_top, pooling, classes, dense='probs',
                            without=('avg_pool', 'max_pool'))
    top = '' if include_top else '_notop'
    return imagenet_utils.load_weights(
        Model(inputs, x, name=name), weights, FOLDER,
        f'{name}_weights_tf_dim_ordering_tf_kernels{top}.h5')


def _block(x, filters, stride, projected, name):
    """Residual block: three convolutions and a shortcut."""
    around = x
    if projected:
        around = norm(L.Conv2D(4 * filters, 1, strides=stride, name=name + '_0_conv')(x),
                      name + '_0_bn')
    x = activated(L.Conv2D(filters, 1, strides=stride, name=name + '_1_conv')(x), name + '_1')
    x = activated(L.Conv2D(filters, 3, padding='same', name=name + '_2_conv')(x), name + '_2')
    x = norm(L.Conv2D(4 * filters, 1, name=name + '_3_conv')(x), name + '_3_bn')
    x = L.Add(name=name + '_add')([around, x])
    return L.Activation('relu', name=name + '_out')(x)
