"""save_model and load_model, for HDF5 files and SavedModels."""
from __future__ import annotations

import os
from typing import Any

from keras_layer.saving import hdf5
from keras_layer.saving.saved_model import export_saved_model, load_from_saved_model
from keras_layer.utils.generic import loading
from tinyflow.graph.support.errors import misuse

_HDF5 = ('.h5', '.keras', '.hdf5')


def is_hdf5(path):
    """True for an open HDF5 file or a name that means one."""
    return hasattr(path, 'attrs') or os.fspath(path).endswith(_HDF5)


def save_model(model, filepath, overwrite=True, include_optimizer=True, save_format=None,
               signatures=None):
    """Saves architecture, weights and the state of training.

    `save_format` is 'h5' (Keras' HDF5, the default) or 'tf' (a SavedModel directory, which takes
    no `signatures` but its own: NotImplementedError).
    """
    if save_format not in (None, 'h5', 'hdf5', 'tf', 'tensorflow'):
        raise misuse(ValueError(f'Unknown save_format {save_format!r}; use "h5" or "tf".'))
    if save_format in ('tf', 'tensorflow'):
        if is_hdf5(filepath):
            raise misuse(ValueError(f'save_format="tf" writes a directory, and {filepath!r} names '
                                    'an HDF5 file.'))
        if signatures is not None:
            raise misuse(NotImplementedError(
                'save(signatures=...): the SavedModel has only the signature serving_default.\n'
                '  Hint: tf.saved_model.simple_save(session, path, inputs, outputs).'))
        export_saved_model(model, os.fspath(filepath), overwrite=overwrite,
                           include_optimizer=include_optimizer)
        return
    if not model._is_graph_network and not hasattr(model, '_stack'):
        raise misuse(NotImplementedError(
            'Saving the model to HDF5 format requires the model to be a Functional model or a '
            'Sequential model. It does not work for subclassed models, because such models are '
            "defined via the body of a Python method, which isn't safely serializable.\n  Hint: "
            'model.save_weights(path); create the model by its class, then load_weights(path).'))
    hdf5.save_model_to_hdf5(model, filepath, overwrite, include_optimizer)


def load_model(filepath, custom_objects=None, compile=True) -> Any:
    """The model that `save_model` wrote, here, by Keras 2 or by tf.keras.

    `custom_objects` maps the names of custom layers, losses and functions to the objects.
    Nothing in the file is executed: a Lambda layer of Python code raises an error unless
    `custom_objects` names it. OSError if there is no file, DataLossError if it is damaged.
    """
    with loading():
        if hasattr(filepath, 'attrs') or not os.path.isdir(os.fspath(filepath)):
            return hdf5.load_model_from_hdf5(filepath, custom_objects, compile)
        return load_from_saved_model(os.fspath(filepath), custom_objects, compile)
