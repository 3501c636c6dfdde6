"""The threads of a Supervisor: summaries, steps per second, checkpoints; each on a timer."""
from __future__ import annotations

import time

from tinyflow.graph.support import logging
from tinyflow.train.queues.coordinator import LooperThread
from tinyflow.train.training_util import global_step

__all__ = ['SVStepCounterThread', 'SVSummaryThread', 'SVTimerCheckpointThread']


class SVSummaryThread(LooperThread):
    """Writes the summaries every `save_summaries_secs` seconds."""

    def __init__(self, sv, sess):
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self):
        fetches = [self._sv.summary_op]
        if self._sv.global_step is not None:
            fetches.append(self._sv.global_step)
        summary, *steps = self._sess.run(fetches)
        step = steps[0] if steps else None
        if self._sv.summary_writer:
            logging.info('Recording summary at step %s.', step)
            self._sv.summary_writer.add_summary(summary, step)


class SVStepCounterThread(LooperThread):
    """Measures and writes the steps per second every `save_summaries_secs` seconds."""

    def __init__(self, sv, sess, step_counter=None):
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess
        self._last_time = 0.0
        self._last_step = 0
        self._step_counter = sv.global_step if step_counter is None else step_counter
        self._summary_tag = f'{self._step_counter.op.name}/sec'

    def start_loop(self):
        self._last_time = time.time()
        self._last_step = global_step(self._sess, self._step_counter)

    def run_loop(self):
        from tinyflow.formats.protos.summary_pb2 import Summary  # start-up time
        step, now = global_step(self._sess, self._step_counter), time.time()
        steps, seconds = step - self._last_step, now - self._last_time
        self._last_step, self._last_time = step, now
        speed = steps / seconds if seconds > 0 else float('inf')
        if self._sv.summary_writer:
            self._sv.summary_writer.add_summary(Summary(value=[
                Summary.Value(tag=self._summary_tag, simple_value=speed)]), step)
        logging.log_first_n(logging.INFO, '%s: %g', 10, self._summary_tag, speed)


class SVTimerCheckpointThread(LooperThread):
    """Saves a checkpoint every `save_model_secs` seconds."""

    def __init__(self, sv, sess):
        super().__init__(sv.coord, sv.save_model_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self):
        from tinyflow.formats.protos.event_pb2 import SessionLog  # start-up time
        sv = self._sv
        logging.info('Saving checkpoint to path %s', sv.save_path)
        sv.saver.save(self._sess, sv.save_path, global_step=sv.global_step)
        if sv.summary_writer and sv.global_step is not None:
            sv.summary_writer.add_session_log(
                SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=sv.save_path),
                global_step(self._sess, sv.global_step))
