"""ResNet50: He et al. (2015)."""
from __future__ import annotations

from keras_layer import layers as L
from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions, preprocess_input
from keras_layer.engine.model import Model

__all__ = ['ResNet50', 'decode_predictions', 'preprocess_input']

_FOLDER = ('https://github.com/keras-team/keras-applications/releases/download/resnet/')


def ResNet50(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
             pooling=None, classes=1000, **kwargs):
    """The 50-layer residual network.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    x, inputs = imagenet_utils.image_input(input_shape, input_tensor, 224, include_top)
    x = L.ZeroPadding2D(((3, 3), (3, 3)), name='conv1_pad')(x)
    x = L.Conv2D(64, 7, strides=2, name='conv1_conv')(x)
    x = _norm(x, 'conv1_bn')
    x = L.Activation('relu', name='conv1_relu')(x)
    x = L.ZeroPadding2D(((1, 1), (1, 1)), name='pool1_pad')(x)
    x = L.MaxPooling2D(3, strides=2, name='pool1_pool')(x)
    for stack, (filters, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3)), 2):
        for block in range(1, blocks + 1):
            x = _block(x, filters, 2 if block == 1 and stack > 2 else 1, block == 1,
                       f'conv{stack}_block{block}')
    if include_top:
        x = L.GlobalAveragePooling2D(name='avg_pool')(x)
        x = L.Dense(classes, activation='softmax', name='probs')(x)
    elif pooling == 'avg':
        x = L.GlobalAveragePooling2D(name='avg_pool')(x)
    elif pooling == 'max':
        x = L.GlobalMaxPooling2D(name='max_pool')(x)
    top = '' if include_top else '_notop'
    return imagenet_utils.load_weights(
        Model(inputs, x, name='resnet50'), weights, _FOLDER,
        f'resnet50_weights_tf_dim_ordering_tf_kernels{top}.h5')


def _norm(x, name):
    return L.BatchNormalization(axis=3, epsilon=1.001e-5, name=name)(x)


def _block(x, filters, stride, projected, name):
    """Residual block: three convolutions and a shortcut."""
    around = x
    if projected:
        around = _norm(L.Conv2D(4 * filters, 1, strides=stride, name=name + '_0_conv')(x),
                       name + '_0_bn')
    x = _norm(L.Conv2D(filters, 1, strides=stride, name=name + '_1_conv')(x), name + '_1_bn')
    x = L.Activation('relu', name=name + '_1_relu')(x)
    x = _norm(L.Conv2D(filters, 3, padding='same', name=name + '_2_conv')(x), name + '_2_bn')
    x = L.Activation('relu', name=name + '_2_relu')(x)
    x = _norm(L.Conv2D(4 * filters, 1, name=name + '_3_conv')(x), name + '_3_bn')
    x = L.Add(name=name + '_add')([around, x])
    return L.Activation('relu', name=name + '_out')(x)
