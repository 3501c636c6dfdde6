"""InceptionResNetV2: Szegedy et al. (2016)."""
from __future__ import annotations

from keras_layer import layers as L
from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions
from keras_layer.engine.model import Model

__all__ = ['InceptionResNetV2', 'decode_predictions', 'preprocess_input']

_FOLDER = 'https://github.com/fchollet/deep-learning-models/releases/download/v0.7/'
# The branches of the three kinds of residual block, each a chain of (filters, kernel).
_BRANCHES = {
    'block35': (((32, 1),), ((32, 1), (32, 3)), ((32, 1), (48, 3), (64, 3))),
    'block17': (((192, 1),), ((128, 1), (160, (1, 7)), (192, (7, 1)))),
    'block8': (((192, 1),), ((192, 1), (224, (1, 3)), (256, (3, 1)))),
}
# Between them the image is halved: the branches whose last convolution has a stride of 2.
_HALVING = {
    'mixed_6a': (((384, 3),), ((256, 1), (256, 3), (384, 3))),
    'mixed_7a': (((256, 1), (384, 3)), ((256, 1), (288, 3)), ((256, 1), (288, 3), (320, 3))),
}


def preprocess_input(x, **kwargs):
    """Pixels from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, mode='tf', **kwargs)


def InceptionResNetV2(include_top=True, weights='imagenet', input_tensor=None, input_shape=None,
                      pooling=None, classes=1000, **kwargs):
    """The network of 40 Inception blocks with shortcuts, for images of 299x299.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    x, inputs = imagenet_utils.image_input(input_shape, input_tensor, 299, include_top, 75, weights)
    x = _conv(x, 32, 3, strides=2, padding='valid')
    x = _conv(x, 32, 3, padding='valid')
    x = L.MaxPooling2D(3, strides=2)(_conv(x, 64, 3))
    x = _conv(x, 80, 1, padding='valid')
    x = L.MaxPooling2D(3, strides=2)(_conv(x, 192, 3, padding='valid'))
    branches = [_chain(x, (96, 1)), _chain(x, (48, 1), (64, 5)),
                _chain(x, (64, 1), (96, 3), (96, 3))]
    pool = _conv(L.AveragePooling2D(3, strides=1, padding='same')(x), 64, 1)
    x = L.Concatenate(axis=3, name='mixed_5b')([*branches, pool])
    for i in range(1, 11):
        x = _residual(x, 'block35', i, 0.17)
    x = _halved(x, 'mixed_6a')
    for i in range(1, 21):
        x = _residual(x, 'block17', i, 0.1)
    x = _halved(x, 'mixed_7a')
    for i in range(1, 10):
        x = _residual(x, 'block8', i, 0.2)
    x = _residual(x, 'block8', 10, 1., activated=False)
    x = _conv(x, 1536, 1, name='conv_7b')
    x = imagenet_utils.head(x, include_top, pooling, classes)
    top = '' if include_top else '_notop'
    return imagenet_utils.load_weights(
        Model(inputs, x, name='inception_resnet_v2'), weights, _FOLDER,
        f'inception_resnet_v2_weights_tf_dim_ordering_tf_kernels{top}.h5')


def _conv(x, filters, kernel, strides=1, padding='same', name=None):
    """Convolution, normalization without a scale, relu."""
    x = L.Conv2D(filters, kernel, strides=strides, padding=padding, use_bias=False, name=name)(x)
    x = L.BatchNormalization(axis=3, scale=False, name=name and name + '_bn')(x)
    return L.Activation('relu', name=name and name + '_ac')(x)


def _chain(x, *convolutions, **last):
    """Several convolutions, (filters, kernel) each; `last` is for the last one."""
    for filters, kernel in convolutions[:-1]:
        x = _conv(x, filters, kernel)
    return _conv(x, *convolutions[-1], **last)


def _halved(x, name):
    """Block that halves the rows and columns of the image."""
    branches = [_chain(x, *b, strides=2, padding='valid') for b in _HALVING[name]]
    pool = L.MaxPooling2D(3, strides=2, padding='valid')(x)
    return L.Concatenate(axis=3, name=name)([*branches, pool])


def _residual(x, kind, number, scale, activated=True):
    """x + scale * (what the branches give), then relu."""
    name = f'{kind}_{number}'
    mixed = L.Concatenate(axis=3, name=name + '_mixed')([_chain(x, *b) for b in _BRANCHES[kind]])
    shape = x.shape.as_list()
    up = L.Conv2D(shape[-1], 1, padding='same', name=name + '_conv')(mixed)
    # A lambda, so that the configuration says what TensorFlow's does.
    x = L.Lambda(lambda tensors, scale: tensors[0] + tensors[1] * scale,
                 output_shape=tuple(shape[1:]), arguments={'scale': scale}, name=name)([x, up])
    return L.Activation('relu', name=name + '_ac')(x) if activated else x
