"""keras.layers of Keras 2.1: those of tf.keras, and the older ones that it still had."""
from __future__ import annotations

import sys

from keras_layer import layers as _layers
from keras_layer.keras2.fallback import or_private
from keras_layer.keras2.legacy_layers import Highway, MaxoutDense, Recurrent
from keras_layer.keras2.merge import Merge, merge
from keras_layer.keras2.normalization import BatchNormalization

Deconv2D, Deconv3D = _layers.Conv2DTranspose, _layers.Conv3DTranspose
# Its modules are one here.
advanced_activations = convolutional = convolutional_recurrent = core = cudnn_recurrent = \
    embeddings = local = noise = normalization = pooling = recurrent = wrappers = \
    sys.modules[__name__]
__all__ = ['BatchNormalization', 'Deconv2D', 'Deconv3D', 'Highway', 'MaxoutDense', 'Merge',
           'Recurrent', 'merge']
__all__ += [name for name in _layers.__all__ if name not in __all__]

_missing = or_private('keras.layers', __all__)


def __getattr__(name):
    try:
        return getattr(_layers, name)
    except AttributeError:
        return _missing(name)


def __dir__():
    return __all__
