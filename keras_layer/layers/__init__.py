"""keras.layers: the building blocks of models."""
from __future__ import annotations

from importlib import import_module

from keras_layer import metrics as _metrics   # noqa: F401 - add_metric needs Mean
from keras_layer.engine import op_layer as _op_layer   # noqa: F401 - for raw ops between layers
from keras_layer.engine.base_layer import InputSpec, Layer
from keras_layer.engine.input_layer import Input, InputLayer
from keras_layer.engine.registry import deserialize_layer, register_layers, register_lazily
from keras_layer.layers import (
    advanced_activations, attention, convolutional, core, embeddings, lambda_layer, local, merge,
    noise, normalization, pooling, recurrent, resizing, wrappers,
)
from keras_layer.layers.advanced_activations import *       # noqa: F403 - its __all__ is the list
from keras_layer.layers.attention import *                  # noqa: F403
from keras_layer.layers.convolutional import *              # noqa: F403
from keras_layer.layers.core import *                       # noqa: F403
from keras_layer.layers.embeddings import *                 # noqa: F403
from keras_layer.layers.lambda_layer import *               # noqa: F403
from keras_layer.layers.local import *                      # noqa: F403
from keras_layer.layers.merge import *                      # noqa: F403
from keras_layer.layers.noise import *                      # noqa: F403
from keras_layer.layers.normalization import *              # noqa: F403
from keras_layer.layers.pooling import *                    # noqa: F403
from keras_layer.layers.keras1 import AtrousConvolution1D, AtrousConvolution2D    # noqa: F401
from keras_layer.layers.recurrent import *              # noqa: F403
from keras_layer.layers.resizing import *                   # noqa: F403
from keras_layer.layers.wrappers import *                   # noqa: F403
from keras_layer.legacy import LAYERS, layer_accepts_legacy_names
from keras_layer.utils.generic import serialize_keras_object
from tinyflow.graph.support.missing import explain_missing

_ALIASES = {
    'AvgPool1D': 'AveragePooling1D', 'AvgPool2D': 'AveragePooling2D',
    'AvgPool3D': 'AveragePooling3D', 'Convolution1D': 'Conv1D', 'Convolution2D': 'Conv2D',
    'Convolution2DTranspose': 'Conv2DTranspose', 'Convolution3D': 'Conv3D',
    'Convolution3DTranspose': 'Conv3DTranspose', 'Deconvolution2D': 'Conv2DTranspose',
    'Deconvolution3D': 'Conv3DTranspose', 'GlobalAvgPool1D': 'GlobalAveragePooling1D',
    'GlobalAvgPool2D': 'GlobalAveragePooling2D', 'GlobalAvgPool3D': 'GlobalAveragePooling3D',
    'GlobalMaxPool1D': 'GlobalMaxPooling1D', 'GlobalMaxPool2D': 'GlobalMaxPooling2D',
    'GlobalMaxPool3D': 'GlobalMaxPooling3D', 'MaxPool1D': 'MaxPooling1D',
    'MaxPool2D': 'MaxPooling2D', 'MaxPool3D': 'MaxPooling3D',
    'SeparableConvolution1D': 'SeparableConv1D', 'SeparableConvolution2D': 'SeparableConv2D',
}
# Not in __all__: AtrousConvolution1D and 2D are in Keras 2.1, but not in TF 1.15's tf.keras.
for _name in LAYERS:
    layer_accepts_legacy_names(globals()[_name])
globals().update({name: globals()[own] for name, own in _ALIASES.items()})

_MODULES = (advanced_activations, attention, convolutional, core, embeddings, lambda_layer, local,
            merge, noise, normalization, pooling, recurrent, resizing, wrappers)
# DenseFeatures imports the feature columns, which few models use.
_LATER = {'DenseFeatures': 'keras_layer.layers.dense_features'}
__all__ = ['Input', 'InputLayer', 'InputSpec', 'Layer', 'deserialize', 'serialize', *_ALIASES,
           *_LATER, *[name for module in _MODULES for name in module.__all__]]


def serialize(layer):
    """The layer as {'class_name', 'config'}."""
    return serialize_keras_object(layer)


def deserialize(config, custom_objects=None):
    """The layer or model of a {'class_name', 'config'}."""
    return deserialize_layer(config, custom_objects)


register_layers({_name: globals()[_name] for _name in __all__ if _name not in _LATER})
# For start-up time: DenseFeatures needs the feature columns; models need training and files, which
# a program of layers alone does not.
register_lazily({**_LATER, 'Functional': 'keras_layer.engine.model',
                 'Model': 'keras_layer.engine.model', 'Network': 'keras_layer.engine.network',
                 'Sequential': 'keras_layer.engine.sequential'})

_missing = explain_missing('tf.keras.layers', __all__)


def __getattr__(name):
    if name in _LATER:
        found = globals()[name] = getattr(import_module(_LATER[name]), name)
        return found
    return _missing(name)


def __dir__():
    return __all__
