"""keras.backend of Keras 2.1: that of tf.keras, with the names that it had besides."""
from __future__ import annotations

import sys

import tinyflow as tf
from keras_layer import backend as _backend
from keras_layer.backend import int_shape as get_variable_shape
from keras_layer.utils.generic import has_arg
from tinyflow.graph.support.missing import explain_missing
from tinyflow.ops.array.identity_and_cast import identity

__all__ = ['get_variable_shape', 'has_arg', 'identity', 'tensorflow_backend', 'tf']
__all__ += [name for name in dir(_backend) if not name.startswith('_')]

tensorflow_backend = sys.modules[__name__]
_missing = explain_missing('keras.backend', __all__)


def _get_available_gpus():
    """The names of the GPUs: none."""
    return []


def __getattr__(name):
    try:
        return getattr(_backend, name)
    except AttributeError:
        return _missing(name)


def __dir__():
    return __all__
