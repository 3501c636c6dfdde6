"""NanTensorHook: stops a training whose loss is no number any more."""
from __future__ import annotations

import numpy as np

from tinyflow import logging
from tinyflow.train.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['NanLossDuringTrainingError', 'NanTensorHook']


class NanLossDuringTrainingError(RuntimeError):
    """The loss was NaN; the message says where that came from, as far as it can be told."""

    def __str__(self):
        return '\n'.join(['NaN loss during training.', *map(str, self.args)])


class NanTensorHook(SessionRunHook):
    """Looks at `loss_tensor` after each run: NaN raises, or asks to stop.

    Raises NanLossDuringTrainingError, unless `fail_on_nan_loss` is False.
    """

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss
        self._request = SessionRunArgs(loss_tensor)

    def before_run(self, run_context):
        return self._request

    def after_run(self, run_context, run_values):
        if np.isnan(run_values.results):
            message = 'Model diverged with loss = NaN.'
            if self._fail_on_nan_loss:
                logging.error(message)
                raise NanLossDuringTrainingError
            logging.warning(message)
            run_context.request_stop()
