"""Hooks that stop training, or delay its start."""
from __future__ import annotations

import time

from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train.hooks.steps import step_for
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['GlobalStepWaiterHook', 'StopAtStepHook']


class StopAtStepHook(SessionRunHook):
    """Requests a stop after `num_steps` steps from now, or when the global step is `last_step`.

    ValueError unless exactly one of the two is given.
    """

    def __init__(self, num_steps=None, last_step=None):
        if num_steps is None and last_step is None:
            raise misuse(ValueError('One of num_steps or last_step must be specified.'))
        if num_steps is not None and last_step is not None:
            raise misuse(ValueError('Only one of num_steps or last_step can be specified.'))
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self):
        self._global_step_tensor = step_for('StopAtStepHook')
        self._request = SessionRunArgs(self._global_step_tensor)

    def after_create_session(self, session, coord):
        if self._last_step is None:
            self._last_step = int(session.run(self._global_step_tensor)) + self._num_steps

    def before_run(self, run_context):
        return self._request

    def after_run(self, run_context, run_values):
        # The run may have read the step before or after the training step of the same run.
        if int(run_values.results) + 1 >= self._last_step:
            if run_context.session.run(self._global_step_tensor) >= self._last_step:
                run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Delays the first run until another thread has increased the global step to a number."""

    def __init__(self, wait_until_step):
        self._wait_until_step = wait_until_step

    def begin(self):
        self._worker_is_started = False
        self._global_step_tensor = step_for('_GlobalStepWaiterHook')

    def before_run(self, run_context):
        if self._worker_is_started:
            return None
        if self._wait_until_step > 0:
            self._wait(run_context.session)
        self._worker_is_started = True
        return None

    def _wait(self, session):
        logging.info('Waiting for global step %d before starting training.', self._wait_until_step)
        logged = 0
        while True:
            step = session.run(self._global_step_tensor)
            if step >= self._wait_until_step:
                return
            if step - logged > 1000:
                logging.info('Waiting for global step %d before starting training. Current step '
                             'is %d.', self._wait_until_step, step)
                logged = step
            time.sleep(0.5)
