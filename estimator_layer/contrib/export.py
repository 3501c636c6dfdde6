"""tf.contrib.estimator's exports, which Estimator has as methods since."""
from __future__ import annotations

from estimator_layer.model_fn import ModeKeys

__all__ = ['export_all_saved_models', 'export_saved_model_for_mode']


def export_saved_model_for_mode(estimator, export_dir_base, input_receiver_fn, assets_extra=None,
                                as_text=False, checkpoint_path=None, mode=ModeKeys.PREDICT):
    """Writes a SavedModel of one mode and returns its directory, see Estimator.export_saved_model.
    """
    return estimator.export_saved_model(
        export_dir_base, input_receiver_fn, assets_extra=assets_extra, as_text=as_text,
        checkpoint_path=checkpoint_path, experimental_mode=mode)


def export_all_saved_models(estimator, export_dir_base, input_receiver_fn_map, assets_extra=None,
                            as_text=False, checkpoint_path=None):
    """Writes one SavedModel for {mode: input receiver function} and returns its directory."""
    return estimator.experimental_export_all_saved_models(
        export_dir_base, input_receiver_fn_map, assets_extra=assets_extra, as_text=as_text,
        checkpoint_path=checkpoint_path)
