"""CheckpointSaverHook: saves a checkpoint at the start, periodically, and at the end."""
from __future__ import annotations

import os

from tinyflow.formats.wire import files
from tinyflow.graph.defaults import get_collection
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.train.checkpoints import exact_resume
from tinyflow.train.checkpoints.living_values import forget_living_values
from tinyflow.train.hooks.steps import step_for
from tinyflow.train.hooks.timers import SecondOrStepTimer
from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from tinyflow.train.summary.writer import FileWriterCache

__all__ = ['CheckpointSaverHook', 'CheckpointSaverListener']


class CheckpointSaverListener:
    """Callbacks around each checkpoint; a subclass defines the methods that it needs."""

    def begin(self):
        """Called once, while the graph may still be changed."""

    def before_save(self, session, global_step_value):
        """Called before a checkpoint is written."""

    def after_save(self, session, global_step_value):
        """Called when it is written; True requests that the training stops."""

    def end(self, session, global_step_value):
        """Called once at the end of the training, after the last checkpoint."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint every `save_steps` steps or `save_secs` seconds, and at the start and the
    end.

    `saver` is a Saver; or `scaffold` has it; else it is the one of the SAVERS collection. The
    graph goes to graph.pbtxt and to the event file of `checkpoint_dir`. ValueError if both, or
    neither or both of save_steps and save_secs are given. The training can be resumed exactly from
    each checkpoint: positions of random numbers and input are saved with it (docs/resume.md).
    """

    _workers = None         # what all workers do together before a save: worker_sessions.py

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None,
                 checkpoint_basename='model.ckpt', scaffold=None, listeners=None):
        logging.info('Create CheckpointSaverHook.')
        if saver is not None and scaffold is not None:
            raise misuse(ValueError('You cannot provide both saver and scaffold.'))
        self._saver = saver
        self._checkpoint_dir = os.fspath(checkpoint_dir)
        self._save_path = os.path.join(self._checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = listeners or []
        self._steps_per_run = 1
        self._lost_logged = False

    def _set_steps_per_run(self, steps_per_run):
        self._steps_per_run = steps_per_run

    def begin(self):
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step_tensor = step_for('CheckpointSaverHook')
        self._request = SessionRunArgs(self._global_step_tensor)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        step = session.run(self._global_step_tensor)
        self._write_graph(session.graph)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def _write_graph(self, graph):
        from tinyflow.formats.graphdef.graph_io import write_graph  # start-up time
        from tinyflow.formats.graphdef.meta_graph import export_meta_graph  # start-up time
        definition = graph.as_graph_def(add_shapes=True)
        write_graph(definition, self._checkpoint_dir, 'graph.pbtxt')
        saver = self._get_saver()
        self._summary_writer.add_graph(definition)
        self._summary_writer.add_meta_graph(export_meta_graph(
            graph_def=definition, graph=graph, saver_def=getattr(saver, 'saver_def', None)))

    def before_run(self, run_context):
        return self._request

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(int(run_values.results) + self._steps_per_run):
            return
        step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session):
        step = session.run(self._global_step_tensor)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        # After a normal end, the next training reads its input from the start.
        files.remove(exact_resume.resume_file(self._prefix(step)))
        forget_living_values(self._checkpoint_dir)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step):
        """Writes a checkpoint; True if a listener requests a stop."""
        from tinyflow.formats.protos.event_pb2 import SessionLog  # start-up time
        logging.info('Saving checkpoints for %d into %s.', step, self._save_path)
        self._save_positions(session, step)     # first: it may change nothing that a listener reads
        for listener in self._listeners:
            listener.before_save(session, step)
        saver = self._get_saver()
        source = self._workers.with_sums(session, saver) if self._workers else session
        saver.save(source, self._save_path, global_step=step)
        self._summary_writer.add_session_log(
            SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path), step)
        stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                logging.info('A CheckpointSaverListener requested that training be stopped. '
                             'listener: %s', listener)
                stop = True
        return stop

    def _save_positions(self, session, step):
        # A wrapper of a Session, such as a debugger's; a saver of the user's own, whose files and
        # their names are not known.
        if not hasattr(session, 'positions') or not hasattr(self._get_saver(), '_numbered'):
            return
        state = self._workers.positions(session, step) if self._workers else None
        lost = exact_resume.save_positions(session, self._prefix(step), step, state)
        if lost and not self._lost_logged:
            self._lost_logged = True
            logging.info('A training continued from these checkpoints will not repeat every bit: '
                         '%s', exact_resume.reported(lost))

    def _prefix(self, step):
        """The prefix of the checkpoint of that step, as the Saver names it."""
        numbered = getattr(self._get_saver(), '_numbered', '{}-{:d}'.format)
        return numbered(self._save_path, int(step))

    def _get_saver(self):
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_collection(GraphKeys.SAVERS)
        if not savers:
            raise misuse(RuntimeError(
                f'No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection '
                'or provide a saver or scaffold.'))
        if len(savers) > 1:
            raise misuse(RuntimeError(
                f'More than one item in collection {GraphKeys.SAVERS}. Please indicate which one '
                'to use by passing it to the constructor.'))
        self._saver = savers[0]
        return self._saver
