"""Shared helpers of the ImageNet networks: inputs, weights, class names."""
from __future__ import annotations

import json
import os
import warnings

import numpy as np

from keras_layer import backend as K, layers as L
from keras_layer.engine.input_layer import Input
from keras_layer.utils.data_utils import get_file
from keras_layer.utils.layer_utils import get_source_inputs
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword

__all__ = ['decode_predictions', 'preprocess_input']

_MEANS = (103.939, 116.779, 123.68)         # of ImageNet's blue, green and red


def preprocess_input(x, data_format=None, mode='caffe'):
    """Scales pixels from 0..255 to the range that a network expects.

    'caffe': BGR, minus the channel means. 'tf': from -1 to 1. 'torch': from 0 to 1, minus
    the means and divided by the deviations. As in TensorFlow 1.15, an array of floats is
    overwritten. ValueError for another mode or data_format.
    """
    data_format = data_format or K.image_data_format()
    if data_format not in ('channels_first', 'channels_last'):
        raise misuse(ValueError(f'Unknown data_format {data_format}; it is "channels_last" or '
                                '"channels_first".'))
    if mode not in ('caffe', 'tf', 'torch'):
        raise misuse(ValueError(f'Unknown mode {mode!r}; there are "caffe", "tf" and "torch".'))
    if not K.is_tensor(x):
        x = np.asarray(x)
        x = x if np.issubdtype(x.dtype, np.floating) else x.astype(K.floatx())
    dtype = getattr(x.dtype, 'as_numpy_dtype', x.dtype)
    first = data_format == 'channels_first'
    if mode == 'tf':
        x /= 127.5
        x -= 1.
        return x
    if mode == 'torch':
        means, deviations = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
        x /= 255.
    else:
        x = (x[::-1] if len(x.shape) == 3 else x[:, ::-1]) if first else x[..., ::-1]
        means, deviations = _MEANS, (1., 1., 1.)
    means, deviations = (np.reshape(values, (3, 1, 1) if first else (3,)).astype(dtype)
                         for values in (means, deviations))
    x -= means
    x /= deviations
    return x


def decode_predictions(preds, top=5, path=None):
    """The `top` best classes of each row [*, 1000], as (WordNet id, name, score).

    The names are read from `path`, or from Keras' cache, or downloaded.
    """
    if np.ndim(preds) != 2 or np.shape(preds)[1] != 1000:
        raise misuse(ValueError('`decode_predictions` expects a batch of predictions (i.e. a 2D '
                                f'array of shape (samples, 1000)). Found array with shape: '
                                f'{np.shape(preds)}'))
    if path is None:
        path = get_file('imagenet_class_index.json',
                        'https://storage.googleapis.com/download.tensorflow.org/data/'
                        'imagenet_class_index.json', cache_subdir='models')
    with open(path, encoding='utf-8') as file:
        names = json.load(file)
    return [[(*names[str(i)], row[i]) for i in row.argsort()[-top:][::-1]]
            for row in np.asarray(preds)]


# The arguments that every network takes.
_ARGUMENTS = ('include_top', 'weights', 'input_tensor', 'input_shape', 'pooling', 'classes')


def check(weights, include_top, classes, others):
    """ValueError for contradictory arguments; TypeError for unknown `others`.

    keras_applications takes the modules of Keras as arguments; here they are always tinyflow's.
    """
    for name in sorted(set(others) - {'backend', 'layers', 'models', 'utils'}):
        raise misuse(TypeError(f'Invalid keyword argument: {name}'
                               + nearest_keyword(name, _ARGUMENTS)))
    if K.image_data_format() == 'channels_first':
        raise misuse(NotImplementedError(
            'keras.applications: the networks need channels_last.\n  Hint: '
            "K.set_image_data_format('channels_last')."))
    if not (weights in (None, 'imagenet') or os.path.exists(weights)):
        raise misuse(ValueError(f'weights={weights!r}: use None (random initialization), '
                                '"imagenet", or the path of a weights file that exists.'))
    if weights == 'imagenet' and include_top and classes != 1000:
        raise misuse(ValueError('If using `weights` as "imagenet" with `include_top` as true, '
                                '`classes` should be 1000.'))


def image_input(input_shape, input_tensor, default, include_top, smallest=32, weights=None):
    """(first tensor, Inputs of the model)."""
    if input_tensor is not None:
        if not K.is_keras_tensor(input_tensor):
            input_tensor = Input(tensor=input_tensor, shape=input_shape)
        return input_tensor, get_source_inputs(input_tensor)
    x = Input(shape=_image_shape(input_shape, default, include_top, smallest, weights))
    return x, x


def _image_shape(input_shape, default, include_top, smallest, weights):
    """The shape of one image, (rows, columns, channels)."""
    if input_shape is None:
        return (default, default, 3) if include_top else (None, None, 3)
    input_shape = tuple(input_shape)
    if len(input_shape) != 3:
        raise misuse(ValueError('`input_shape` must be a tuple of three integers.'))
    if weights == 'imagenet' and include_top and input_shape != (default, default, 3):
        raise misuse(ValueError(
            'When setting `include_top=True` and loading `imagenet` weights, `input_shape` should '
            f'be {(default, default, 3)}, not {input_shape}.'))
    if weights == 'imagenet' and input_shape[-1] != 3:
        raise misuse(ValueError('The input must have 3 channels; got '
                                f'`input_shape={input_shape}`'))
    if input_shape[-1] not in (1, 3):
        warnings.warn('This model usually expects 1 or 3 input channels, but input_shape is '
                      f'{input_shape}.', stacklevel=4)
    if any(s is not None and s < smallest for s in input_shape[:2]):
        raise misuse(ValueError(f'Input size must be at least {smallest}x{smallest}; got '
                                f'`input_shape={input_shape}`'))
    if include_top and None in input_shape:
        raise misuse(ValueError('If `include_top` is True, you should specify a static '
                                f'`input_shape`. Got {input_shape}'))
    return input_shape


def _obtain_input_shape(input_shape, default_size, min_size, data_format=None,
                        require_flatten=True, weights=None):
    """The shape of one image, as programs that build networks of their own ask for it."""
    del data_format                         # the channels are last
    return _image_shape(input_shape, default_size, require_flatten, min_size, weights)


def head(x, include_top, pooling, classes, average='avg_pool', dense='predictions',
         without=(None, None)):
    """The classifier, or the pooling that replaces it; `without` names the latter's two kinds."""
    if include_top:
        x = L.GlobalAveragePooling2D(name=average)(x)
        return L.Dense(classes, activation='softmax', name=dense)(x)
    if pooling == 'avg':
        return L.GlobalAveragePooling2D(name=without[0])(x)
    if pooling == 'max':
        return L.GlobalMaxPooling2D(name=without[1])(x)
    return x


def padding_of_halves(x, kernel):
    """Zero padding for which a stride of 2 takes the same pixels as TF's 'same' padding."""
    sizes = [s if s is not None else 0 for s in x.shape.as_list()[1:3]]
    half = kernel // 2
    return tuple((half - (1 - s % 2), half) for s in sizes)


def load_weights(model, weights, folder, file, served=None):
    """Reads TF's weights into the model: a path, or 'imagenet' from the cache or a download.

    `served` is the file's name in `folder` where that differs from its name in the cache.
    """
    if weights == 'imagenet':
        weights = get_file(file, folder + (served or file), cache_subdir='models')
    if weights is not None:
        model.load_weights(weights)
    return model
