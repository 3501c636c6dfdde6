"""HDF5 in Keras' own layout: a group of each layer's weights, configurations as JSON attributes.

    /                                     attributes model_config, training_config, backend ...
    model_weights/<layer>/<weight name>   attributes layer_names, weight_names give the order
    optimizer_weights/<weight name>

A file of weights only has the groups of model_weights at the top level.
"""
from __future__ import annotations

import io
import json
import os
import warnings
from typing import NamedTuple

import numpy as np

from keras_layer import backend as K, losses, metrics, optimizers
from keras_layer.optimizers import TFOptimizer
from keras_layer.saving.configs import KERAS_VERSION, as_json, model_from_config
from keras_layer.saving.legacy_weights import converted, optimizer_state
from keras_layer.utils.generic import CustomObjectScope
from keras_layer.utils.hdf5 import SavedGroup, load_h5py, lost, naming, open_hdf5
from tinyflow.formats.wire import files
from tinyflow.graph.support.errors import misuse

_ATTRIBUTE_LIMIT = 64512            # maximum bytes of one HDF5 attribute


# ---- writing -----------------------------------------------------------------------------


def save_model_to_hdf5(model, filepath, overwrite=True, include_optimizer=True):
    """Writes architecture, weights and (if compiled) the training state."""
    def write(file):
        config = {'class_name': type(model).__name__, 'config': model.get_config()}
        file.attrs['keras_version'] = KERAS_VERSION
        file.attrs['backend'] = 'tensorflow'
        file.attrs['model_config'] = _json(config)
        write_weights(file.create_group('model_weights'), model.layers)
        if include_optimizer and model.optimizer is not None:
            _write_training(file, model)
    _write_atomically(filepath, overwrite, write)


def save_weights_to_hdf5(model, filepath, overwrite=True):
    """Writes only the weights."""
    _write_atomically(filepath, overwrite, lambda file: write_weights(file, model.layers))


def _write_atomically(filepath, overwrite, write):
    """Writes a temporary file and renames it: if the process is killed, the old file remains.

    The file is made in memory: where the disk is full, the HDF5 library would crash the process.
    """
    if hasattr(filepath, 'attrs'):                  # an open h5py.File or Group
        write(filepath)
        return
    path = os.fspath(filepath)
    if not overwrite and os.path.exists(path):
        raise misuse(FileExistsError(f'{path!r} exists already, and overwrite=False.'))
    made = io.BytesIO()
    with load_h5py().File(made, 'w') as file:
        write(file)
    temporary = files.temporary_name(path)
    try:
        with open(temporary, 'wb', buffering=0) as file:
            files.write_all(file, made.getbuffer())
            files.flush(file)
        os.replace(temporary, path)
        files.remove_abandoned(os.path.dirname(path))
    except OSError as error:
        raise misuse(OSError(error.errno, error.strerror, path)) from None
    finally:
        files.remove(temporary)


def _json(value):
    return json.dumps(value, default=as_json).encode('utf8')


def _write_training(file, model):
    if isinstance(model.optimizer, TFOptimizer):
        warnings.warn('tf.train optimizers have no configuration, so the file holds the model and '
                      'its weights without the optimizer; compile it again after loading.',
                      stacklevel=5)
        return
    file.attrs['training_config'] = _json(training_config(model))
    weights = model.optimizer.weights
    if weights:
        group = file.create_group('optimizer_weights')
        _set_names(group, 'weight_names', [w.name for w in weights])
        for weight, value in zip(weights, K.batch_get_value(weights)):
            _put(group, weight.name, value)


def training_config(model):
    """The arguments of compile, as plain values."""
    return {'loss': model.loss, 'metrics': model._compile_metrics,
            'weighted_metrics': model._compile_weighted_metrics,
            'sample_weight_mode': model.sample_weight_mode, 'loss_weights': model.loss_weights,
            'optimizer_config': {'class_name': type(model.optimizer).__name__,
                                 'config': model.optimizer.get_config()}}


def write_weights(group, layers):
    """The weights of the layers, in groups by layer name."""
    _set_names(group, 'layer_names', [layer.name for layer in layers])
    group.attrs['backend'] = b'tensorflow'
    group.attrs['keras_version'] = KERAS_VERSION.encode('ascii')
    for layer in layers:
        own = group.require_group(layer.name)           # 'a/b' has made that of 'a'
        weights = layer.weights
        _set_names(own, 'weight_names', [w.name for w in weights])
        for weight, value in zip(weights, K.batch_get_value(weights)):
            _put(own, weight.name, value)


def _put(group, name, value):
    value = np.asarray(value)
    group.create_dataset(name, data=value)


def _set_names(group, name, texts):
    """Stores a list of texts as an attribute, in several pieces if it exceeds HDF5's limit."""
    data = [t.encode('utf8') for t in texts]
    size = max((len(d) for d in data), default=0)
    if any(len(d) > _ATTRIBUTE_LIMIT for d in data):
        raise misuse(RuntimeError(f'A name of {size} bytes does not fit into an HDF5 attribute.'))
    pieces = 1
    while size * -(-len(data) // pieces) > _ATTRIBUTE_LIMIT:
        pieces += 1
    if pieces == 1:
        group.attrs[name] = np.array(data, dtype=f'S{max(size, 1)}') if data else \
            np.array([], dtype='S1')
        return
    for i, part in enumerate(np.array_split(np.array(data), pieces)):
        group.attrs[f'{name}{i}'] = part


# ---- reading -----------------------------------------------------------------------------


def load_model_from_hdf5(filepath, custom_objects=None, compile=True):
    """The model of an HDF5 file, with its weights and, if it has one, its optimizer's state."""
    if hasattr(filepath, 'attrs'):
        return _read_model(SavedGroup(filepath), custom_objects, compile)
    with open_hdf5(filepath, 'model') as file:
        return _read_model(SavedGroup(file, os.fspath(filepath)), custom_objects, compile)


def _parsed(text, what, path):
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise lost(path, f'is damaged: {what} is no JSON ({error}).') from None


def _read_model(file, custom_objects, compile):
    text = file.text('model_config')
    if text is None:
        hint = ' It contains only weights: build the model and call load_weights on it.' \
            if file.has('layer_names') or file.has('layer_names0') else ''
        raise misuse(ValueError(f'No model found in config file {file.path!r}.{hint}'))
    with naming(file.path, 'its model_config'):
        model = model_from_config(_parsed(text, 'model_config', file.path), custom_objects)
    load_weights(file.inside('model_weights'), model.layers)
    training = file.text('training_config')
    if not compile:
        return model
    if training is None:
        warnings.warn('No training configuration found in the save file: the model was *not* '
                      'compiled. Compile it manually.', stacklevel=4)
        return model
    with naming(file.path, 'its training_config'):
        compile_from_config(model, _parsed(training, 'training_config', file.path),
                            custom_objects)
    if 'optimizer_weights' in file:
        _read_optimizer(file.inside('optimizer_weights'), model)
    return model


def compile_from_config(model, config, custom_objects):
    """Compiles the model with a saved training configuration."""
    with CustomObjectScope(custom_objects or {}):
        optimizer = optimizers.deserialize(config['optimizer_config'])
        model.compile(optimizer, loss=_each(config['loss'], losses.deserialize),
                      metrics=_each(config.get('metrics'), metrics.deserialize),
                      loss_weights=config.get('loss_weights'),
                      sample_weight_mode=config.get('sample_weight_mode'),
                      weighted_metrics=_each(config.get('weighted_metrics'), metrics.deserialize))


def _each(value, deserialize):
    """Deserializes a nest of configurations; names are unchanged."""
    if isinstance(value, dict) and 'class_name' in value:
        return deserialize(value)
    if isinstance(value, dict):
        return {k: _each(v, deserialize) for k, v in value.items()}
    if isinstance(value, list):
        return [_each(v, deserialize) for v in value]
    return value


def _read_optimizer(group, model):
    values, names = group.arrays(), group.texts('weight_names')
    with naming(group.path, 'its training_config'):
        model._functions.get('train')           # creates the optimizer's Variables
    try:
        model.optimizer.set_weights(optimizer_state(model.optimizer, values, names))
    except (ValueError, TypeError, IndexError) as error:
        warnings.warn(f'The optimizer starts from scratch: its saved state does not fit ({error}).',
                      stacklevel=5)


def _weights_of(group):
    """The group of the layers, and which Keras wrote it with which backend."""
    if not group.has('layer_names') and 'model_weights' in group:
        group = group.inside('model_weights')
    return group, group.text('keras_version', '1'), group.text('backend') or None


def load_weights(group, layers, fit=None):
    """Sets the weights of the layers from the file, in order. ValueError if they do not match.

    `fit` is a Fit for weights of other shapes.
    """
    group, version, backend = _weights_of(group)
    layers = [layer for layer in layers if layer.weights]
    names = [n for n in group.texts('layer_names') if group.inside(n).texts('weight_names')]
    if len(names) != len(layers):
        raise misuse(ValueError(
            f'You are trying to load a weight file containing {len(names)} layers into a model '
            f'with {len(layers)} layers.\n  file:  {names}, of {group.path!r}\n  model: '
            f'{[layer.name for layer in layers]}\n  Hint: by_name=True loads those with equal '
            'names.'))
    pairs = []
    for name, layer in zip(names, layers):
        pairs += _read_layer(group, name, layer, version, backend, fit)
    K.batch_set_value(pairs)


def load_weights_by_name(group, layers, fit=None):
    """Sets the weights of the layers whose names are in the file."""
    group, version, backend = _weights_of(group)
    pairs, names = [], group.texts('layer_names')
    for layer in layers:
        if layer.name in names:
            pairs += _read_layer(group, layer.name, layer, version, backend, fit)
    if names and not any(layer.name in names for layer in layers if layer.weights) and \
            any(layer.weights for layer in layers):
        warnings.warn(f'load_weights(by_name=True): no layer of the model has a name that is in '
                      f'{group.path!r}; the file has {names}.', stacklevel=4)
    K.batch_set_value(pairs)


class Fit(NamedTuple):
    """What to do with weights of other shapes: reshape them, or leave out their layer."""

    reshape: bool = False
    skip: bool = False


def _read_layer(group, name, layer, version, backend, fit):
    """(weight, value) of each weight of the layer."""
    values, fit = group.inside(name).arrays(), fit or Fit()
    with naming(group.path, f'the weights of {name!r}'):
        values = converted(layer, values, version, backend)
        if fit.reshape:
            values = [_reshaped(value, weight) for value, weight in zip(values, layer.weights)]
        try:
            return _paired(layer, values, name)
        except ValueError as error:
            if not fit.skip:
                raise
            warnings.warn(f'Skipping loading of weights for layer {layer.name} due to mismatch in '
                          f'its weights: {error}', stacklevel=7)
            return []


def _reshaped(value, weight):
    shape = weight.shape.as_list()
    return value.reshape(shape) if value.size == np.prod(shape) else value


def _paired(layer, values, name):
    weights = layer.weights
    if len(values) != len(weights):
        raise misuse(ValueError(
            f'Layer "{layer.name}" expects {len(weights)} weights, but the saved weights have '
            f'{len(values)} elements, for "{name}".'))
    for weight, value in zip(weights, values):
        if tuple(weight.shape.as_list()) != value.shape:
            raise misuse(ValueError(
                f'Layer "{layer.name}": the weight "{weight.name}" has shape '
                f'{tuple(weight.shape.as_list())}, but the saved weight has shape '
                f'{value.shape}.'))
    return list(zip(weights, values))
