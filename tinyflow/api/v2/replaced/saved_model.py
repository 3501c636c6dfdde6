"""tf.saved_model.load and save."""
from __future__ import annotations

from tinyflow.api.saved_model import load_v2
from tinyflow.graph.eager_mode import executing_eagerly
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
    saving.save(obj, export_dir, signatures)
