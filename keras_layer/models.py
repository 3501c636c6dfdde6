"""keras.models: the model classes, and models from files and configurations."""
from __future__ import annotations

from keras_layer.engine.cloning import clone_model
from keras_layer.engine.input_layer import Input, InputLayer
from keras_layer.engine.model import Model
from keras_layer.engine.sequential import Sequential
from keras_layer.saving import (
    load_model,
    model_from_config,
    model_from_json,
    model_from_yaml,
    save_model,
)
from tinyflow.graph.support.missing import explain_missing

__all__ = ['Input', 'InputLayer', 'Model', 'Sequential', 'clone_model', 'load_model',
           'model_from_config', 'model_from_json', 'model_from_yaml', 'save_model']

__getattr__ = explain_missing('tf.keras.models', __all__)
