"""Hooks that write to TensorBoard: the summaries of the graph, and steps per second."""
from __future__ import annotations

from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train.hooks.steps import step_for
from tinyflow.train.hooks.timers import SecondOrStepTimer
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from tinyflow.train.summary.writer import FileWriterCache
from tinyflow.train.training_util import get_global_step

__all__ = ['StepCounterHook', 'SummarySaverHook']


class StepCounterHook(SessionRunHook):
    """Logs and writes the steps per second, every `every_n_steps` steps or `every_n_secs` seconds.

    Written to `summary_writer`, or to the event file of `output_dir`, if one is given.
    """

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise misuse(ValueError(
                'exactly one of every_n_steps and every_n_secs should be provided.'))
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._last_global_step = None
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run):
        self._steps_per_run = steps_per_run

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step_tensor = step_for('StepCounterHook')
        self._request = SessionRunArgs(self._global_step_tensor)
        self._summary_tag = get_global_step().op.name + '/sec'

    def before_run(self, run_context):
        return self._request

    def after_run(self, run_context, run_values):
        stale = int(run_values.results)
        if self._timer.should_trigger_for_step(stale + self._steps_per_run):
            step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds is not None:
                    self._log_and_record(steps, seconds, step)
        if stale == self._last_global_step:
            logging.log_first_n(
                logging.WARN, 'It seems that global step (tf.train.get_global_step) has not been '
                'increased. Current value (could be stable): %s vs previous value: %s. You could '
                'increase the global step by passing tf.train.get_global_step() to '
                'Optimizer.apply_gradients or Optimizer.minimize.', 5, stale,
                self._last_global_step)
        self._last_global_step = stale

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        # The clock may not advance between two quick steps.
        speed = elapsed_steps / elapsed_time if elapsed_time > 0 else float('inf')
        if self._summary_writer is not None:
            from tinyflow.formats.protos.summary_pb2 import Summary  # start-up time
            self._summary_writer.add_summary(Summary(value=[
                Summary.Value(tag=self._summary_tag, simple_value=speed)]), global_step)
        logging.info('%s: %g', self._summary_tag, speed)


class SummarySaverHook(SessionRunHook):
    """Writes summaries at the first step and every `save_steps` steps or `save_secs` seconds.

    `summary_op` is the result of tf.summary.merge_all, or a list; or `scaffold` has it. Written to
    `summary_writer`, or to the event file of `output_dir`.
    """

    def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None,
                 scaffold=None, summary_op=None):
        if (scaffold is None) == (summary_op is None):
            raise misuse(ValueError(
                'Exactly one of scaffold or summary_op must be provided.\n  Hint: '
                'summary_op=tf.summary.merge_all().'))
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step = None
        self._global_step_tensor = step_for('SummarySaverHook')
        self._plain_request = SessionRunArgs({'global_step': self._global_step_tensor})

    def before_run(self, run_context):
        self._request_summary = (self._next_step is None
                                 or self._timer.should_trigger_for_step(self._next_step))
        summary_op = self._get_summary_op() if self._request_summary else None
        if summary_op is None:
            return self._plain_request
        return SessionRunArgs({'global_step': self._global_step_tensor, 'summary': summary_op})

    def after_run(self, run_context, run_values):
        if not self._summary_writer:
            return
        step = int(run_values.results['global_step']) + 1
        if self._next_step is None or self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            from tinyflow.formats.protos.event_pb2 import SessionLog  # start-up time
            self._summary_writer.add_session_log(SessionLog(status=SessionLog.START), step)
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get('summary', ()):
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session=None):
        if self._summary_writer:
            self._summary_writer.flush()

    def _get_summary_op(self):
        """A list of summaries to fetch, None if there are none."""
        found = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        return found if found is None or isinstance(found, list) else [found]
