"""tf.saved_model.load and save."""
from __future__ import annotations

from keras_layer import Model
from keras_layer.saving.saved_model import export_saved_model
from tinyflow.api.saved_model import load_v2
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.support.errors import misuse
from tinyflow.train.saved_model import saving
from tinyflow.train.saved_model.loaded_at_once import load_at_once

__all__ = ['load', 'save']


def load(export_dir, tags=None, options=None):
    """The SavedModel in a directory: ``load(path).signatures['serving_default'](x=x)``."""
    if executing_eagerly():
        return load_at_once(export_dir, tags)
    return load_v2(export_dir, tags)


def save(obj, export_dir, signatures=None, options=None):
    """Writes a tf.Module, Keras model or Checkpoint, with its functions, as a SavedModel."""
    if isinstance(obj, Model):
        if signatures is not None:
            raise misuse(NotImplementedError(
                'tf.saved_model.save(keras_model, signatures=...): the model is saved with the '
                'signature serving_default.\n  Hint: a tf.Module with the model as an attribute '
                'and tf.functions that call it takes signatures.'))
        export_saved_model(obj, export_dir, overwrite=True)
    else:
        saving.save(obj, export_dir, signatures)
