"""ProfilerHook: writes a timeline of one run, periodically."""
from __future__ import annotations

import os

from tinyflow.graph.support import logging
from tinyflow.session.config import RunOptions
from tinyflow.session.timeline import Timeline
from tinyflow.train.hooks.steps import step_for
from tinyflow.train.hooks.timers import SecondOrStepTimer
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from tinyflow.train.summary.writer import FileWriterCache

__all__ = ['ProfilerHook']


class ProfilerHook(SessionRunHook):
    """Writes timeline-<step>.json, for chrome://tracing, every `save_steps` steps or `save_secs`.

    Only the runs that are written are traced. Also adds the trace to the event file of
    `output_dir`.
    """

    def __init__(self, save_steps=None, save_secs=None, output_dir='', show_dataflow=True,
                 show_memory=False):
        self._output_file = os.path.join(output_dir, 'timeline-{}.json')
        self._file_writer = FileWriterCache.get(output_dir)
        self._show_dataflow = show_dataflow
        self._show_memory = show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        self._next_step = None
        self._global_step_tensor = step_for('ProfilerHook')

    def before_run(self, run_context):
        self._request_summary = (self._next_step is not None
                                 and self._timer.should_trigger_for_step(self._next_step))
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._request_summary else None
        return SessionRunArgs({'global_step': self._global_step_tensor}, options=options)

    def after_run(self, run_context, run_values):
        stale = run_values.results['global_step']
        if self._next_step is None:         # the first trace comes after the first interval
            self._timer.update_last_triggered_step(stale)
        step = stale + 1
        if self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
            self._timer.update_last_triggered_step(step)
            self._save(step, self._output_file.format(step), run_values.run_metadata.step_stats)
            self._file_writer.add_run_metadata(run_values.run_metadata, f'step_{step}')
        self._next_step = step + 1

    def _save(self, step, save_path, step_stats):
        logging.info("Saving timeline for %d into '%s'.", step, save_path)
        with open(save_path, 'w', encoding='utf-8') as file:
            file.write(Timeline(step_stats).generate_chrome_trace_format(
                show_dataflow=self._show_dataflow, show_memory=self._show_memory))
