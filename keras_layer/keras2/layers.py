"""keras.layers of Keras 2.1: those of tf.keras, and the older ones that it still had."""
from __future__ import annotations

from keras_layer import layers as _layers
from keras_layer.keras2.legacy_layers import Highway, MaxoutDense, Merge, Recurrent
from tinyflow.graph.support.missing import explain_missing

Deconv2D, Deconv3D = _layers.Conv2DTranspose, _layers.Conv3DTranspose
__all__ = ['Deconv2D', 'Deconv3D', 'Highway', 'MaxoutDense', 'Merge', 'Recurrent']
__all__ += _layers.__all__

_missing = explain_missing('keras.layers', __all__)


def __getattr__(name):
    try:
        return getattr(_layers, name)
    except AttributeError:
        return _missing(name)


def __dir__():
    return __all__
