"""Exporters of train_and_evaluate: which evaluated checkpoints are exported as SavedModel."""
from __future__ import annotations

import glob
import os
import shutil

from estimator_layer.call_model_fn import parameter_names
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import abstract, misuse

__all__ = ['BestExporter', 'Exporter', 'FinalExporter', 'LatestExporter']


class Exporter:
    """Called by train_and_evaluate after each evaluation; decides whether to export the model."""

    @property
    def name(self):
        """The directory's name below `<model_dir>/export`."""
        raise abstract(self)

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        """Writes a SavedModel below `export_path` and returns its directory, or None."""
        raise abstract(self)


class _SavedModelExporter(Exporter):
    def __init__(self, name, serving_input_receiver_fn, assets_extra, as_text,
                 exports_to_keep=None):
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise misuse(ValueError('`exports_to_keep`, if provided, must be a positive number. '
                                    f'Got {exports_to_keep}'))
        self._name = name
        self._receiver = serving_input_receiver_fn
        self._assets_extra, self._as_text = assets_extra, as_text
        self._exports_to_keep = exports_to_keep

    @property
    def name(self):
        return self._name

    def _export(self, estimator, export_path, checkpoint_path):
        directory = estimator.export_saved_model(
            export_path, self._receiver, assets_extra=self._assets_extra, as_text=self._as_text,
            checkpoint_path=checkpoint_path)
        if self._exports_to_keep is not None:
            _remove_old(export_path, self._exports_to_keep)
        return directory


class LatestExporter(_SavedModelExporter):
    """Exports after every evaluation; keeps the last `exports_to_keep` exports (None: all)."""

    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False,
                 exports_to_keep=5):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        return self._export(estimator, export_path, checkpoint_path)


class FinalExporter(_SavedModelExporter):
    """Exports once, when the training reaches its last step."""

    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        if not is_the_final_export:
            return None
        logging.info('Performing the final export in the end of training.')
        return self._export(estimator, export_path, checkpoint_path)


def _loss_smaller(best_eval_result, current_eval_result):
    """True if the current loss is smaller. Raises ValueError for results without a loss."""
    for what, result in (('best_eval_result', best_eval_result),
                         ('current_eval_result', current_eval_result)):
        if not result or 'loss' not in result:
            raise misuse(ValueError(f'{what} cannot be empty or no loss is found in it.'))
    return best_eval_result['loss'] > current_eval_result['loss']


class BestExporter(_SavedModelExporter):
    """Exports when an evaluation is better than all previous ones.

    `compare_fn(best_eval_result, current_eval_result)` is true if the current one is better, by
    default if its loss is smaller. The best result of earlier runs is read from the event files
    that match `event_file_pattern` below the model_dir (None: earlier runs are ignored).
    """

    def __init__(self, name='best_exporter', serving_input_receiver_fn=None,
                 event_file_pattern='eval/*.tfevents.*', compare_fn=_loss_smaller,
                 assets_extra=None, as_text=False, exports_to_keep=5):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        if compare_fn is None:
            raise misuse(ValueError('`compare_fn` must not be None.'))
        names = parameter_names(compare_fn)
        for required in ('best_eval_result', 'current_eval_result'):
            if required not in names:
                raise misuse(ValueError(
                    f'compare_fn ({compare_fn}) must include {required} argument.'))
        unknown = set(names) - {'best_eval_result', 'current_eval_result'}
        if unknown:
            raise misuse(ValueError(
                f'compare_fn ({compare_fn}) has following not expected args: {sorted(unknown)}'))
        self._is_better = compare_fn
        self._pattern = event_file_pattern
        self._model_dir = None
        self._best = None

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        if self._model_dir != estimator.model_dir and self._pattern:
            logging.info('Loading best metric from event files.')
            self._model_dir = estimator.model_dir
            self._best = self._best_in_event_files(
                os.path.join(glob.escape(self._model_dir), self._pattern),
                (eval_result or {}).get('global_step'))
        if self._best is not None and not self._is_better(best_eval_result=self._best,
                                                          current_eval_result=eval_result):
            return None
        logging.info('Performing best model export.')
        self._best = eval_result
        return self._export(estimator, export_path, checkpoint_path)

    def _best_in_event_files(self, pattern, step):
        """The best results in event files, except those of `step`, which are the current ones."""
        from tinyflow.formats.wire.events import summary_iterator  # start-up time
        best = None
        for path in sorted(glob.glob(pattern)):
            for event in summary_iterator(path):
                result = {value.tag: value.simple_value for value in event.summary.value
                          if value.HasField('simple_value')}
                if not result or event.step == step:
                    continue
                if best is None or self._is_better(best_eval_result=best,
                                                   current_eval_result=result):
                    best = result
        return best


def _remove_old(base, keep):
    """Removes all but the `keep` exports with the largest timestamps."""
    numbered = sorted((name for name in os.listdir(base) if len(name) == 10 and name.isdigit()),
                      key=int)
    for name in numbered[:-keep]:
        try:
            shutil.rmtree(os.path.join(base, name))
        except OSError as error:
            logging.warn('Can not delete %s recursively: %s', os.path.join(base, name), error)
