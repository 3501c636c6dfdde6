"""keras.legacy of Keras 2.1: its layers, and decorators for arguments of Keras 1."""
from __future__ import annotations

from keras_layer.keras2 import interfaces, layers
from tinyflow.graph.support.missing import explain_missing

__all__ = ['interfaces', 'layers']

__getattr__ = explain_missing('keras.legacy', __all__)
