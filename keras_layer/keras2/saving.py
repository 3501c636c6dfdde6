"""keras.engine.saving of Keras 2.2; Keras 2.1 has these functions in engine.topology and models."""
from __future__ import annotations

from keras_layer.keras2.models import (
    load_model,
    model_from_config,
    model_from_json,
    model_from_yaml,
    save_model,
)
from keras_layer.saving.legacy_weights import converted
from tinyflow.graph.support.missing import explain_missing

__all__ = ['load_model', 'model_from_config', 'model_from_json', 'model_from_yaml',
           'preprocess_weights_for_loading', 'save_model']


def preprocess_weights_for_loading(layer, weights, original_keras_version=None,
                                   original_backend=None):
    """Weights of a layer as Keras 1, or Keras on another backend, stored them, as it has them now.
    """
    return converted(layer, weights, original_keras_version or '2', original_backend)


__getattr__ = explain_missing('keras.engine.saving', __all__)
