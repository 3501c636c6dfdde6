"""VGG16: Simonyan and Zisserman (2014)."""
from __future__ import annotations

from keras_layer import layers as L
from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions, preprocess_input
from keras_layer.engine.model import Model

__all__ = ['VGG16', 'decode_predictions', 'preprocess_input']

FOLDER = ('https://github.com/fchollet/deep-learning-models/releases/download/v0.1/')


def VGG16(include_top=True, weights='imagenet', input_tensor=None, input_shape=None, pooling=None,
          classes=1000, **kwargs):
    """The network of 13 convolutions and 3 dense layers.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    return vgg('vgg16', (2, 2, 3, 3, 3), include_top, weights, input_tensor, input_shape, pooling,
               classes)


def vgg(name, depths, include_top, weights, input_tensor, input_shape, pooling, classes):
    """VGG with that many convolutions in each block."""
    x, inputs = imagenet_utils.image_input(input_shape, input_tensor, 224, include_top, 32, weights)
    for block, depth in enumerate(depths, 1):
        filters = min(64 << block - 1, 512)
        for i in range(1, depth + 1):
            x = L.Conv2D(filters, 3, activation='relu', padding='same',
                         name=f'block{block}_conv{i}')(x)
        x = L.MaxPooling2D(2, strides=2, name=f'block{block}_pool')(x)
    if include_top:
        x = L.Flatten(name='flatten')(x)
        x = L.Dense(4096, activation='relu', name='fc1')(x)
        x = L.Dense(4096, activation='relu', name='fc2')(x)
        x = L.Dense(classes, activation='softmax', name='predictions')(x)
    elif pooling == 'avg':
        x = L.GlobalAveragePooling2D()(x)
    elif pooling == 'max':
        x = L.GlobalMaxPooling2D()(x)
    top = '' if include_top else '_notop'
    return imagenet_utils.load_weights(
        Model(inputs, x, name=name), weights, FOLDER,
        f'{name}_weights_tf_dim_ordering_tf_kernels{top}.h5')
