"""NanTensorHook: stops the training when the loss is NaN."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.support import logging
from tinyflow.session.session import BaseSession
from tinyflow.train.sessions.nan_replay import NanReplay
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['NanLossDuringTrainingError', 'NanTensorHook']


class NanLossDuringTrainingError(RuntimeError):
    """The loss was NaN; the message names the operation that produced it, if it could be found."""

    raised_by_tinyflow = True

    def __str__(self):
        return '\n'.join(['NaN loss during training.', *map(str, self.args)])


class NanTensorHook(SessionRunHook):
    """Checks `loss_tensor` after each run: NaN raises an error, or requests a stop.

    Raises NanLossDuringTrainingError, unless `fail_on_nan_loss` is False. The error names the
    origin of the NaN: to find it, the last steps are repeated, see train/nan_replay.py.
    """

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss
        self._request = SessionRunArgs(loss_tensor)
        self._session = self._replay = None

    def before_run(self, run_context):
        if run_context._session is not self._session:           # the first run, or a new Session
            session = self._session = run_context._session
            self._replay = NanReplay(session) if self._fail_on_nan_loss and \
                isinstance(session, BaseSession) else None
        return self._request

    def after_run(self, run_context, run_values):
        if not np.isnan(run_values.results):
            if self._replay is not None:
                self._replay.after(run_context._ran)
            return
        message = 'Model diverged with loss = NaN.'
        if self._fail_on_nan_loss:
            logging.error(message)
            raise NanLossDuringTrainingError(*self._reports(run_context))
        logging.warning(message)
        run_context.request_stop()

    def _reports(self, run_context):
        if self._replay is None or run_context._ran is None:
            return []
        return [self._replay.report(run_context._ran, self._loss_tensor)]
