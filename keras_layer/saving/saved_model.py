"""Keras models as SavedModels: serving signature, weights, and the model configuration.

A SavedModel with the model's JSON in assets/saved_model.json, as tf.keras.experimental's
export_saved_model writes it in TF 1.15, and with the objects that load_model looks for there
(saved_objects.py).
"""
from __future__ import annotations

import json
import os
import shutil

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.saving import configs, hdf5, keras_metadata
from keras_layer.utils.hdf5 import naming
from tinyflow.formats.wire import files
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train.saved_model.loader import read_saved_model

_JSON = 'saved_model.json'
_WEIGHTS = 'variables'
_STEPS = 'optimizer_steps'
_TF_STEPS = 'optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE'     # in what TensorFlow saves
_MODELS = ('Model', 'Functional', 'Sequential')


def export_saved_model(model, saved_model_path, custom_objects=None, as_text=False,
                       input_signature=None, serving_only=False, overwrite=False,
                       include_optimizer=True):
    """Writes the model as a SavedModel with the signature serving_default.

    `custom_objects` and `input_signature`, which TensorFlow needs to trace the model again, are
    ignored: the existing graph is written. AssertionError if the directory is not empty,
    unless `overwrite`.
    """
    path = os.fspath(saved_model_path)
    if os.path.isdir(path) and os.listdir(path):
        if not overwrite:
            raise misuse(AssertionError(f'Export directory already exists, and isn\'t empty: '
                                        f'{path}. Please choose another one.'))
    temporary = files.temporary_name(path)
    try:
        _write(model, temporary, as_text, serving_only, include_optimizer)
        folder = os.path.dirname(os.path.abspath(path))
        os.makedirs(folder, exist_ok=True)
        with files.alone_in(folder):            # all workers may export to one path
            if os.path.isdir(path):
                shutil.rmtree(path)
            os.replace(temporary, path)
        files.remove_abandoned(os.path.dirname(path))
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write(model, path, as_text, serving_only, include_optimizer):
    with model._graph.as_default():
        session = K.get_session(graph=model._graph)
        builder = tf.saved_model.builder.SavedModelBuilder(path)
        objects = None
        if _is_layers(model) and not serving_only:
            from keras_layer.saving.saved_objects import SavedObjects  # start-up time
            objects = SavedObjects(model)
            objects = objects if objects.fits else None
        names = objects.names() if objects else _different([w.op.name for w in model.weights])
        saved = objects.saveables() if objects else dict(zip(names, model.weights))
        inputs = dict(zip(model.input_names, model.inputs))
        outputs = dict(zip(model.output_names, model.outputs))
        signature = tf.saved_model.predict_signature_def(inputs, outputs)
        builder.add_meta_graph_and_variables(
            session, [tf.saved_model.tag_constants.SERVING],
            signature_def_map={'serving_default': signature},
            saver=tf.train.Saver(saved) if saved else None)
        if objects:
            objects.fill(builder._saved_model.meta_graphs[-1])
        builder.save(as_text)
    if serving_only or not _is_layers(model):
        return
    assets = os.path.join(path, 'assets')
    os.makedirs(assets, exist_ok=True)
    described = configs.described(model)
    described['weight_names'] = names
    if include_optimizer and hasattr(model.optimizer, 'get_config'):
        described['training_config'] = hdf5.training_config(model)
        described[_STEPS] = int(K.get_value(model.optimizer.iterations))
    if objects:
        with open(os.path.join(path, keras_metadata.FILE), 'wb') as file:
            file.write(objects.metadata(described.get('training_config')))
    with open(os.path.join(assets, _JSON), 'w', encoding='utf8') as file:
        json.dump(described, file, default=configs.as_json)


def _different(names):
    """The names, with a number behind those that were there before: eager Variables share names."""
    found = []
    for name in names:
        number = sum(other.rpartition('#')[0] == name or other == name for other in found)
        found.append(f'{name}#{number}' if number else name)
    return found


def _is_layers(model):
    """True for a model that is a graph of layers, so that its configuration tells all of it."""
    return model._is_graph_network or hasattr(model, '_stack')


def load_from_saved_model(saved_model_path, custom_objects=None, compile=True):
    """The Keras model of a SavedModel directory that has its configuration.

    It is in assets, as export_saved_model writes it, or in the object graph, as model.save of
    TensorFlow writes it. The optimizer starts without state, as in TensorFlow 1.15, with a warning
    if it had any; with compile=False there is none. OSError without a whole saved_model.pb.
    """
    path = os.fspath(saved_model_path)
    saved = read_saved_model(path)
    if not saved.meta_graphs:
        raise misuse(OSError(f'{path!r} is damaged: its saved_model.pb has no graph.\n'
                             '  Hint: write or copy the folder again.'))
    described = _described(path, saved)
    if described is None:
        raise misuse(ValueError(
            f'{path!r} is a SavedModel without a Keras configuration (assets/{_JSON}).\n  Hint: '
            'tf.saved_model.load(path) gives its signatures as functions.'))
    with naming(path, 'its Keras configuration'):
        model = configs.model_from_config(described, custom_objects)
    reader = tf.train.load_checkpoint(os.path.join(path, _WEIGHTS, 'variables'))
    with naming(path, 'its list of weights'):
        names = described.get('weight_names')
        if names is None:
            _load_by_path(model, os.path.join(path, _WEIGHTS, 'variables'))
        else:
            K.batch_set_value([(w, reader.get_tensor(n)) for w, n in zip(model.weights, names)])
    if compile and described.get('training_config'):
        with naming(path, 'its training_config'):
            hdf5.compile_from_config(model, described['training_config'], custom_objects)
        if described.get(_STEPS) or reader.has_tensor(_TF_STEPS) and reader.get_tensor(_TF_STEPS):
            logging.warning(
                '%s: the optimizer starts without its slots and iterations, as in TensorFlow 1.15, '
                "so that training does not go on as it was. model.save('model.h5') keeps them.",
                path)
    return model


def _described(path, saved):
    """Architecture and, if there are any, the arguments of compile; None if missing."""
    file = os.path.join(path, 'assets', _JSON)
    if os.path.exists(file):
        with naming(file, 'its Keras configuration'), open(file, encoding='utf8') as opened:
            return json.load(opened)
    file = os.path.join(path, keras_metadata.FILE)
    if os.path.exists(file):
        return _model_in([(o.path, o.metadata) for o in keras_metadata.read(file)])
    for graph in saved.meta_graphs:
        root = graph.object_graph_def.nodes[0] if graph.object_graph_def.nodes else None
        if root is not None and root.user_object.identifier.startswith('_tf_keras_'):
            text = root.user_object.metadata
            with naming(path, 'its Keras configuration'):
                described = text and _model_in([('root', json.loads(text))])
            if described:
                return described
    return None


def _model_in(objects):
    """The metadata of the root among (path, metadata), if it is a model with a configuration."""
    for where, described in objects:
        if where == 'root' and described.get('class_name') in _MODELS and described.get('config'):
            return described
    return None


def _load_by_path(model, prefix):
    """TensorFlow writes the weights as an object-based checkpoint."""
    model._restore_checkpoint(prefix)
