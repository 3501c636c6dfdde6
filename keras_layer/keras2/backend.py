"""keras.backend of Keras 2.1: that of tf.keras, with the names that it had besides.

The dtype of what K.variable makes is float32_ref, that of TensorFlow 1.0's references.
"""
from __future__ import annotations

import sys

import tinyflow as tf
from keras_layer import backend as _backend
from keras_layer.backend import floatx, int_shape as get_variable_shape, track_variable
from keras_layer.keras2.conv_utils import normalize_data_format
from keras_layer.keras2.fallback import or_private
from keras_layer.utils.generic import has_arg
from tinyflow.ops.array.identity_and_cast import identity
from tinyflow.ops.variables.variable import ResourceVariable

__all__ = ['get_variable_shape', 'has_arg', 'identity', 'normalize_data_format',
           'tensorflow_backend', 'tf', 'variable']
__all__ += [name for name in dir(_backend) if not name.startswith('_') and name not in __all__]

tensorflow_backend = sys.modules[__name__]
_BACKEND = 'tensorflow'
_missing = or_private('keras.backend', __all__)


def _get_available_gpus():
    """The names of the GPUs: none."""
    return []


class _LikeReference(ResourceVariable):
    """A Variable that optimizers of Keras can train, with the dtype of TensorFlow 1.0's.

    As an attribute of a layer it is none of the layer's weights: `self.trainable_weights = [...]`
    has to name it.
    """

    is_weight_by_assignment = True
    dtype = property(lambda self: tf.as_dtype(super().dtype.name + '_ref'))


def variable(value, dtype=None, name=None, constraint=None):
    """A Variable with this initial value, initialized by Keras."""
    if hasattr(value, 'tocoo'):
        return _backend.variable(value)
    made = tf.Variable(value, dtype=tf.as_dtype(dtype or floatx()), name=name,
                       constraint=constraint, use_resource=True)
    if type(made) is ResourceVariable:
        made.__class__ = _LikeReference
    track_variable(made)
    made._keras_shape, made._uses_learning_phase = get_variable_shape(made), False
    return made


def __getattr__(name):
    try:
        return getattr(_backend, name)
    except AttributeError:
        return _missing(name)


def __dir__():
    return __all__
