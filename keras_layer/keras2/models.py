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
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.missing import explain_missing

__all__ = ['Input', 'InputLayer', 'Model', 'Sequential', 'clone_model', 'load_model',
           'model_from_config', 'model_from_json', 'model_from_yaml', 'save_model']


class _FromTensor:
    """An attribute that Keras 2.1 sets on tensors, computed from the tensor; it can be replaced."""

    def __init__(self, compute):
        self.compute = compute

    def __get__(self, tensor, owner):
        return self if tensor is None else self.compute(tensor)


def _uses_learning_phase(tensor):
    """True if a value on the way to the tensor differs between training and use."""
    seen, left = set(), [tensor.op]
    while left:
        op = left.pop()
        if op.name.endswith('keras_learning_phase'):
            return True
        if op not in seen:
            seen.add(op)
            left += [t.op for t in op.inputs]
    return False


Tensor._keras_shape = _FromTensor(lambda t: t.raw_shape)
Tensor._uses_learning_phase = _FromTensor(_uses_learning_phase)


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
