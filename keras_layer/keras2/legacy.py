"""keras.legacy of Keras 2.1: its layers."""
from __future__ import annotations

from keras_layer.keras2 import layers
from tinyflow.graph.support.missing import explain_missing

__all__ = ['layers']

__getattr__ = explain_missing('keras.legacy', __all__)
