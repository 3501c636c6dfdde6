"""make_stop_at_checkpoint_step_hook: workers wait for the checkpoint of the last step."""
from __future__ import annotations

import time

from estimator_layer.checkpoint_step import step_of_latest_checkpoint
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train import training_util
from tinyflow.train.hooks.stopping import StopAtStepHook
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['make_stop_at_checkpoint_step_hook']


def make_stop_at_checkpoint_step_hook(estimator, last_step, wait_after_file_check_secs=30):
    """A hook that stops a worker once the model_dir has a checkpoint of `last_step`."""
    if estimator.config.is_chief:
        return StopAtStepHook(last_step=last_step)
    return _StopAtCheckpoint(estimator.model_dir, last_step, wait_after_file_check_secs)


class _StopAtCheckpoint(SessionRunHook):
    def __init__(self, model_dir, last_step, wait_after_file_check_secs=30):
        for name, value in (('last_step', last_step), ('model_dir', model_dir)):
            if value is None:
                raise misuse(ValueError(f'{name} must be specified.'))
        self._model_dir, self._last_step = model_dir, last_step
        self._wait_after_file_check_secs = wait_after_file_check_secs

    def begin(self):
        self._global_step = training_util.global_step_read()
        if self._global_step is None:
            raise misuse(RuntimeError(
                'Global step should be created to use StopAtCheckpointStepHook.'))

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        if run_values.results + 1 < self._last_step:
            return
        if step_of_latest_checkpoint(self._model_dir) >= self._last_step:
            run_context.request_stop()
        else:
            logging.info('Training is finished. Waiting for the checkpoint of step %s.',
                         self._last_step)
            time.sleep(self._wait_after_file_check_secs)
