"""NASNetMobile and NASNetLarge: Zoph et al. (2017)."""
from __future__ import annotations

from keras_layer import backend as K, layers as L
from keras_layer.applications import imagenet_utils
from keras_layer.applications.imagenet_utils import decode_predictions
from keras_layer.engine.model import Model

__all__ = ['NASNetLarge', 'NASNetMobile', 'decode_predictions', 'preprocess_input']

_FOLDER = 'https://github.com/titu1994/Keras-NASNet/releases/download/v1.2/'


def preprocess_input(x, **kwargs):
    """Pixels from 0 to 255 as numbers from -1 to 1."""
    return imagenet_utils.preprocess_input(x, mode='tf', **kwargs)


def NASNetLarge(input_shape=None, include_top=True, weights='imagenet', input_tensor=None,
                pooling=None, classes=1000, **kwargs):
    """NASNet-A of 18 normal cells and 4032 last channels, for images of 331x331.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    x, inputs = _images(input_shape, input_tensor, 331, weights)
    x = _cells(x, stem=96, filters=168, cells=6, skips=True)
    return _classifier(inputs, x, include_top, weights, pooling, classes, 'large')


def NASNetMobile(input_shape=None, include_top=True, weights='imagenet', input_tensor=None,
                 pooling=None, classes=1000, **kwargs):
    """NASNet-A of 12 normal cells and 1056 last channels, for images of 224x224.

    `weights` is None, 'imagenet' or a file; without the top, `pooling` is None, 'avg' or 'max'.
    """
    imagenet_utils.check(weights, include_top, classes, kwargs)
    x, inputs = _images(input_shape, input_tensor, 224, weights)
    x = _cells(x, stem=32, filters=44, cells=4, skips=False)
    return _classifier(inputs, x, include_top, weights, pooling, classes, 'mobile')


def _images(input_shape, input_tensor, default, weights):
    """(first tensor, Inputs); the image size is known even without the top, as in TensorFlow."""
    return imagenet_utils.image_input(input_shape, input_tensor, default, True, 32, weights)


def _classifier(inputs, x, include_top, weights, pooling, classes, kind):
    x = L.Activation('relu')(x)
    x = imagenet_utils.head(x, include_top, pooling, classes, average=None)
    model = Model(inputs, x, name='NASNet')
    # The files have other names on their server than in Keras' cache.
    cached = f'nasnet_{kind}.h5' if include_top else f'nasnet_{kind}_no_top.h5'
    served = f'NASNet-{kind}.h5' if include_top else f'NASNet-{kind}-no-top.h5'
    return imagenet_utils.load_weights(model, weights, _FOLDER, cached, served)


def _cells(x, stem, filters, cells, skips):
    """Two reducing cells, then thrice `cells` normal ones with a reducing cell between.

    A cell reads the outputs of the two before it. `skips`: the first cell after a reducing one
    reads the reducing cell and the one two before that.
    """
    x = L.Conv2D(stem, 3, strides=2, padding='valid', use_bias=False, name='stem_conv1',
                 kernel_initializer='he_normal')(x)
    x = _norm(x, 'stem_bn1')
    x, before = _reduction_cell(x, None, filters // 4, 'stem_1')
    x, before = _reduction_cell(x, before, filters // 2, 'stem_2')
    for stage in range(3):
        if stage:
            x, entered = _reduction_cell(x, before, filters << stage, f'reduce_{stage * cells}')
            before = before if skips else entered
        first = stage * cells + (stage > 0)
        for number in range(first, first + cells):
            x, before = _normal_cell(x, before, filters << stage, str(number))
    return x


def _norm(x, name):
    return L.BatchNormalization(axis=-1, momentum=0.9997, epsilon=1e-3, name=name)(x)


def _relu(x):
    return L.Activation('relu')(x)


def _pixelwise(x, filters, name):
    """Convolution of single pixels."""
    return L.Conv2D(filters, 1, strides=1, padding='same', name=name, use_bias=False,
                    kernel_initializer='he_normal')(x)


def _separable(x, filters, kernel, stride, name):
    """Twice relu, separable convolution and normalization; the first may have a stride."""
    with K.name_scope(f'separable_conv_block_{name}'):
        x = _relu(x)
        padding = 'same'
        if stride == 2:
            x = L.ZeroPadding2D(imagenet_utils.padding_of_halves(x, kernel),
                                name=f'separable_conv_1_pad_{name}')(x)
            padding = 'valid'
        for number, (strides, mode) in enumerate(((stride, padding), (1, 'same')), 1):
            x = x if number == 1 else _relu(x)
            x = L.SeparableConv2D(filters, kernel, strides=strides, padding=mode, use_bias=False,
                                  kernel_initializer='he_normal',
                                  name=f'separable_conv_{number}_{name}')(x)
            x = _norm(x, f'separable_conv_{number}_bn_{name}')
        return x


def _adjusted(before, x, filters, name):
    """The output of the cell before, with the rows and columns of x and `filters` channels."""
    with K.name_scope('adjust_block'):
        if before is None:
            return x
        shape, wanted = before.shape.as_list(), x.shape.as_list()
        if shape[2] != wanted[2]:
            with K.name_scope(f'adjust_reduction_block_{name}'):
                return _halved(before, filters, name)
        if shape[3] == filters:
            return before
        with K.name_scope(f'adjust_projection_block_{name}'):
            x = _pixelwise(_relu(before), filters, f'adjust_conv_projection_{name}')
            return _norm(x, f'adjust_bn_{name}')


def _halved(x, filters, name):
    """Every second pixel, and every second pixel one further down and right, side by side."""
    x = L.Activation('relu', name=f'adjust_relu_1_{name}')(x)
    halves = []
    for number in (1, 2):
        pixels = x
        if number == 2:
            pixels = L.Cropping2D(((1, 0), (1, 0)))(L.ZeroPadding2D(((0, 1), (0, 1)))(x))
        pixels = L.AveragePooling2D(1, strides=2, padding='valid',
                                    name=f'adjust_avg_pool_{number}_{name}')(pixels)
        halves.append(_pixelwise(pixels, filters // 2, f'adjust_conv_{number}_{name}'))
    return _norm(L.concatenate(halves, axis=-1), f'adjust_bn_{name}')


def _entered(x, before, filters, kind, name):
    """(x, the output of the cell before), both with `filters` channels."""
    before = _adjusted(before, x, filters, name)
    x = _pixelwise(_relu(x), filters, f'{kind}_conv_1_{name}')
    return _norm(x, f'{kind}_bn_1_{name}'), before


def _mean(x, name):
    return L.AveragePooling2D(3, strides=1, padding='same', name=name)(x)


def _normal_cell(x, before, filters, name):
    """(output, x): five sums of two, next to the output of the cell before."""
    entering = x

    def separable(x, kernel, side):
        return _separable(x, filters, kernel, 1, f'normal_{side}_{name}')

    def add(tensors, number):
        return L.add(tensors, name=f'normal_add_{number}_{name}')

    with K.name_scope(f'normal_A_block_{name}'):
        x, before = _entered(x, before, filters, 'normal', name)
        with K.name_scope('block_1'):
            first = add([separable(x, 5, 'left1'), separable(before, 3, 'right1')], 1)
        with K.name_scope('block_2'):
            second = add([separable(before, 5, 'left2'), separable(before, 3, 'right2')], 2)
        with K.name_scope('block_3'):
            third = add([_mean(x, f'normal_left3_{name}'), before], 3)
        with K.name_scope('block_4'):
            fourth = add([_mean(before, f'normal_left4_{name}'),
                          _mean(before, f'normal_right4_{name}')], 4)
        with K.name_scope('block_5'):
            fifth = add([separable(x, 3, 'left5'), x], 5)
        return L.concatenate([before, first, second, third, fourth, fifth], axis=-1,
                             name=f'normal_concat_{name}'), entering


def _reduction_cell(x, before, filters, name):
    """(output, x): four sums of two, of half as many rows and columns."""
    entering = x

    def separable(x, kernel, side, stride=2):
        return _separable(x, filters, kernel, stride, f'reduction_{side}_{name}')

    def pool(kind, side):
        return kind(3, strides=2, padding='valid', name=f'reduction_{side}_{name}')(padded)

    with K.name_scope(f'reduction_A_block_{name}'):
        x, before = _entered(x, before, filters, 'reduction', name)
        padded = L.ZeroPadding2D(imagenet_utils.padding_of_halves(x, 3),
                                 name=f'reduction_pad_1_{name}')(x)
        with K.name_scope('block_1'):
            first = L.add([separable(x, 5, 'left1'), separable(before, 7, 'right1')],
                          name=f'reduction_add_1_{name}')
        with K.name_scope('block_2'):
            second = L.add([pool(L.MaxPooling2D, 'left2'), separable(before, 7, 'right2')],
                           name=f'reduction_add_2_{name}')
        with K.name_scope('block_3'):
            third = L.add([pool(L.AveragePooling2D, 'left3'), separable(before, 5, 'right3')],
                          name=f'reduction_add3_{name}')
        with K.name_scope('block_4'):
            fourth = L.add([second, _mean(first, f'reduction_left4_{name}')])
        with K.name_scope('block_5'):
            fifth = L.add([separable(first, 3, 'left4', 1), pool(L.MaxPooling2D, 'right5')],
                          name=f'reduction_add4_{name}')
        return L.concatenate([second, third, fourth, fifth], axis=-1,
                             name=f'reduction_concat_{name}'), entering
