"""keras.models of Keras 2.1: Model and Sequential that train with its defaults."""
from __future__ import annotations

from keras_layer.engine import model as _model, sequential as _sequential
from keras_layer.engine.input_layer import Input, InputLayer
from keras_layer.engine.training.functions import trainable_state
from keras_layer.keras2 import optimizers
from keras_layer.keras2.losses_of_keras2 import CompiledAsKeras2
from keras_layer.models import (
    clone_model,
    load_model,
    model_from_config,
    model_from_json,
    model_from_yaml,
    save_model,
)
from tinyflow.graph.support.missing import explain_missing

__all__ = ['Input', 'InputLayer', 'Model', 'Sequential', 'clone_model', 'load_model',
           'model_from_config', 'model_from_json', 'model_from_yaml', 'save_model']


class Model(_model.Model):
    """A model as in tf.keras, with the optimizers and losses of Keras 2.1."""

    def compile(self, optimizer='rmsprop', *args, **kwargs):
        """Configures training, as in tf.keras; names of optimizers are those of Keras 2.1."""
        if isinstance(optimizer, str) and optimizer.lower() in optimizers.BY_NAME:
            optimizer = optimizers.get(optimizer)
        super().compile(optimizer, *args, **kwargs)

    def _compile_now(self):
        self._compiled = CompiledAsKeras2(self, *self._compile_arguments)
        self._compiled.trainable = trainable_state(self)


class Sequential(_sequential.Sequential, Model):
    """A Sequential as in tf.keras, with the optimizers and losses of Keras 2.1."""

    model = property(lambda self: self, doc='The model itself: Keras 2.1 kept a Model inside.')


__getattr__ = explain_missing('keras.models', __all__)
