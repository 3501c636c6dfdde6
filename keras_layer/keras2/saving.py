"""keras.engine.saving of Keras 2.2; Keras 2.1 has these functions in engine.topology and models."""
from __future__ import annotations

from keras_layer.keras2.fallback import or_private
from keras_layer.keras2.models import (
    load_model,
    model_from_config,
    model_from_json,
    model_from_yaml,
    save_model,
)
from keras_layer.saving.hdf5 import Fit, load_weights, load_weights_by_name, write_weights
from keras_layer.saving.legacy_weights import converted
from keras_layer.utils.hdf5 import SavedGroup

__all__ = ['load_model', 'load_weights_from_hdf5_group', 'load_weights_from_hdf5_group_by_name',
           'model_from_config', 'model_from_json', 'model_from_yaml',
           'preprocess_weights_for_loading', 'save_model', 'save_weights_to_hdf5_group']


def save_weights_to_hdf5_group(f, layers):
    """Writes the weights of the layers into an open HDF5 file, or a group of it."""
    write_weights(f, layers)


def load_weights_from_hdf5_group(f, layers):
    """Sets the weights of the layers, in order, from an open HDF5 file, or a group of it."""
    load_weights(SavedGroup(f), layers)


def load_weights_from_hdf5_group_by_name(f, layers, skip_mismatch=False, reshape=False):
    """Sets the weights of the layers whose names are in an open HDF5 file, or a group of it."""
    load_weights_by_name(SavedGroup(f), layers, Fit(reshape, skip_mismatch))


def preprocess_weights_for_loading(layer, weights, original_keras_version=None,
                                   original_backend=None):
    """Weights of a layer as Keras 1, or Keras on another backend, stored them, as it has them now.
    """
    return converted(layer, weights, original_keras_version or '2', original_backend)


__getattr__ = or_private('keras.engine.saving', __all__)
