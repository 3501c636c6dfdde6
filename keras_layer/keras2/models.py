"""keras.models of Keras 2.1: Model and Sequential that train with its defaults."""
from __future__ import annotations

import functools
import os
import tempfile
import warnings

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine import cloning as _cloning, model as _model, sequential as _sequential
from keras_layer.engine.input_layer import Input, InputLayer
from keras_layer.engine.training.functions import trainable_state
from keras_layer.keras2 import legacy_layers, normalization, optimizers
from keras_layer.keras2.losses_of_keras2 import CompiledAsKeras2
from keras_layer.keras2.numbers import Number
from keras_layer.keras2.stateful_metrics import LayerMetric
from keras_layer.keras2.tensors import uses_learning_phase
from keras_layer.saving import configs, save
from keras_layer.saving.save import save_model
from keras_layer.utils.generic import CustomObjectScope, get_custom_objects
from tinyflow.graph.support.errors import misuse
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

    def train_on_batch(self, *args, **kwargs):
        """One training step; the loss, or the loss and metrics, of this batch alone.

        Metrics that are layers with a state go on; `fit` and `evaluate` begin again.
        """
        self._forget_batches()
        return super().train_on_batch(*args, **kwargs, reset_metrics=False)

    def test_on_batch(self, *args, **kwargs):
        """The loss, or the loss and metrics, of this batch alone; see train_on_batch."""
        self._forget_batches()
        return super().test_on_batch(*args, **kwargs, reset_metrics=False)

    def _forget_batches(self):
        for metric in self._all_metrics() if self._compiled else ():
            if not isinstance(metric, LayerMetric):
                metric.reset_states()

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """A model of this configuration, without the weights; so are the models inside."""
        with _classes():
            return super().from_config(config, custom_objects)

    @property
    def layers(self):
        """The layers, inputs first: the list itself, from which programs take the last layers off.
        """
        return _same_list(self, super().layers)

    @property
    def updates(self):
        """The operations of the layers inside, for the inputs of this model.

        Those of a layer that other models call, too, are left out for these calls.
        """
        return self._relevant(super().updates)

    @property
    def losses(self):
        """The losses of the layers for the inputs of this model, and those without inputs."""
        return self._relevant(super().losses)

    def _makes_layers_of(self, value):
        return False                    # an added loss is a tensor of the model, and is not saved

    def _relevant(self, targets):
        if not self._is_graph_network or not targets or tf.executing_eagerly():
            return targets
        relevant, of_any = K.computed_from(self.inputs), K.computed_from(self._own_inputs())
        operations = [None if isinstance(target, Number) else K.operation_of(target)
                      for target in targets]
        return [target for target, operation in zip(targets, operations)
                if operation in relevant or operation not in of_any]

    def _standardized(self, x, y=None, sample_weight=None, *args, **kwargs):
        names = [e.name for e in self._compiled.trained] if self._compiled else []
        if isinstance(sample_weight, dict) and self._compiled:
            sample_weight = {name: sample_weight[name] for name in names if name in sample_weight}
        elif isinstance(sample_weight, tuple) and len(names) > 1:
            raise misuse(TypeError('The model has several outputs, so `sample_weight` is a list or '
                                   f'a dict by output name, not a tuple. The outputs: {names}'))
        return super()._standardized(x, y, sample_weight, *args, **kwargs)

    def _resolve_batch_size(self, batch_size, feeds):
        if self.stateful and batch_size is None and feeds:
            predicts, samples = len(feeds) == len(self._fed_inputs), feeds[0].shape[0]
            batch_size = min(samples, 32) if predicts else 32
        return super()._resolve_batch_size(batch_size, feeds)

    def _before_training(self, callbacks, validation):
        """Gives the callbacks the validation arrays: inputs, targets, weights, and 0 for the phase.

        Batches of a generator are none.
        """
        data = None
        if validation is not None and hasattr(validation.source, 'feeds'):
            data = self._with_weights(list(validation.source.feeds))
            missing = [e for e in self._compiled.endpoints if e.trained and e.sample_weight is None]
            data += [np.ones(data[0].shape[0], K.floatx()) for _ in missing]
            data += [0.] if self.uses_learning_phase else []
        for callback in callbacks:
            callback.validation_data = data
            if getattr(callback, 'histogram_freq', 0) and data is None:
                raise misuse(ValueError('If printing histograms, validation_data must be provided, '
                                        'and cannot be a generator.'))

    def summary(self, *args, **kwargs):
        """Prints the layers; warns if `trainable` was changed since `compile`."""
        self._check_trainable()
        return super().summary(*args, **kwargs)

    def fit(self, *args, **kwargs):
        """As in tf.keras; warns if `trainable` was changed since `compile`."""
        self._check_trainable()
        return super().fit(*args, **kwargs)

    def _check_trainable(self):
        now, then = trainable_state(self), self._compiled.trainable if self._compiled else {}
        if any(now.get(layer) is not trained for layer, trained in then.items() if layer.weights):
            warnings.warn('Discrepancy between trainable weights and collected trainable weights, '
                          'did you set `model.trainable` without calling `model.compile` after ?',
                          stacklevel=3)

    def __reduce__(self):
        """For pickle, as of Keras 2.2: the model as `save` writes it."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'model.h5')
            save_model(self, path)
            with open(path, 'rb') as file:
                return _from_pickle, (file.read(),)

    # ---- attributes of the Container of Keras 2.1 ---------------------------------------------

    uses_learning_phase = property(lambda self: any(map(uses_learning_phase, self.outputs)))
    input_layers = property(lambda self: self._input_layers)
    output_layers = property(lambda self: self._output_layers)
    layers_by_depth = _layers_by_depth = property(lambda self: self._topology.layers_by_depth)
    nodes_by_depth = _nodes_by_depth = property(lambda self: self._topology.nodes_by_depth)
    container_nodes = _network_nodes = property(lambda self: self._topology.nodes)
    input_layers_node_indices = property(lambda self: [
        h.node_index for h in self._input_coordinates])
    input_layers_tensor_indices = property(lambda self: [
        h.tensor_index for h in self._input_coordinates])
    output_layers_node_indices = property(lambda self: [
        h.node_index for h in self._output_coordinates])
    output_layers_tensor_indices = property(lambda self: [
        h.tensor_index for h in self._output_coordinates])

    def _compile_now(self):
        self._compiled = CompiledAsKeras2(self, *self._compile_arguments)
        self._compiled.trainable = trainable_state(self)


class Sequential(_sequential.Sequential, Model):
    """A Sequential as in tf.keras, with the optimizers and losses of Keras 2.1."""

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """A model of this configuration, without the weights; so are the models inside."""
        with _classes():
            return super().from_config(config, custom_objects)

    @property
    def layers(self):
        """The layers: the list itself, from which programs take the last layers off."""
        return _same_list(self, super().layers)

    def add(self, layer):
        """Appends a layer; those that were taken off `layers` are none of the model's any more."""
        left = self.layers
        self._stack = [own for own in self._stack if isinstance(own, InputLayer) or own in left]
        super().add(layer)

    def _put(self, layer):
        if self._stack or not isinstance(layer, Model) or len(layer.inputs or ()) < 2:
            super()._put(layer)
            return
        # Merge([left, right]): the model has all of its inputs.
        self._feature_inputs = [
            Input(batch_shape=t.raw_shape, dtype=t.dtype.name, name=f'{layer.name}_input_{i}')
            for i, t in enumerate(layer.inputs, 1)]
        self.outputs = tf.nest.flatten(layer(self._feature_inputs))
        self._stack.append(layer)
        self._rewire()

    model = property(lambda self: self, doc='The model itself: Keras 2.1 kept a Model inside.')


def _same_list(model, layers):
    """A list of these layers: the one of the last time, while the model has the same layers."""
    if layers != model.__dict__.get('_listed_for'):
        model.__dict__.update(_listed_for=layers, _listed=list(layers))
    return model._listed


def _classes():
    """Inside of it files and configurations name the classes of Keras 2.1; own ones come first."""
    known = {name: getattr(legacy_layers, name) for name in legacy_layers.__all__}
    known['BatchNormalization'] = normalization.BatchNormalization
    return CustomObjectScope({**known, **optimizers.BY_NAME, 'Model': Model,
                              'Sequential': Sequential}, dict(get_custom_objects()))


def _with_classes(function):
    @functools.wraps(function)
    def within(*args, **kwargs):
        with _classes():
            return function(*args, **kwargs)
    return within


load_model = _with_classes(save.load_model)
model_from_config = _with_classes(configs.model_from_config)
model_from_json = _with_classes(configs.model_from_json)
model_from_yaml = _with_classes(configs.model_from_yaml)


def _from_pickle(data):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter('ignore')         # about a model that is not compiled
        path = os.path.join(folder, 'model.h5')
        with open(path, 'wb') as file:
            file.write(data)
        return load_model(path)


@functools.wraps(_cloning.clone_model)
def clone_model(model, input_tensors=None, clone_function=None):
    with _classes():
        return _cloning.clone_as(Model, Sequential, model, input_tensors, clone_function)


__getattr__ = explain_missing('keras.models', __all__)
