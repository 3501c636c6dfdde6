"""tf.train.Supervisor, the deprecated predecessor of MonitoredTrainingSession."""
from __future__ import annotations

import os
from contextlib import contextmanager

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import add_to_collection, get_collection, get_default_graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.summary.summaries import merge_all
from tinyflow.ops.tables.lookup_tables import tables_initializer
from tinyflow.ops.variables.variable_lists import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from tinyflow.train.checkpoints.folder_lock import FolderLock, remove_leftovers
from tinyflow.train.checkpoints.living_values import forget_living_values
from tinyflow.train.checkpoints.saver import Saver
from tinyflow.train.queues.coordinator import Coordinator, LooperThread
from tinyflow.train.sessions.session_manager import SessionManager
from tinyflow.train.sessions.supervisor_services import (
    SVStepCounterThread,
    SVSummaryThread,
    SVTimerCheckpointThread,
)
from tinyflow.train.summary.writer import FileWriter
from tinyflow.train.training_util import global_step as read_global_step

__all__ = ['Supervisor']

_USE_DEFAULT = 0


class Supervisor:
    """Initialises or restores a model, saves it and writes its summaries in threads (deprecated).

        sv = tf.train.Supervisor(logdir='run')
        with sv.managed_session() as sess:
            while not sv.should_stop():
                sess.run(train_op)

    Arguments that are not given are taken from the graph's collections, or made; None means none.
    With a `logdir` there are a checkpoint every `save_model_secs` and summaries every
    `save_summaries_secs` seconds. With a damaged or missing state file of the logdir it goes on
    from the newest whole checkpoint, see SessionManager. The graph is finalized. ValueError if
    `is_chief` is False and a Variable has no device.
    """

    USE_DEFAULT = _USE_DEFAULT

    def __init__(self, graph=None, ready_op=_USE_DEFAULT, ready_for_local_init_op=_USE_DEFAULT,
                 is_chief=True, init_op=_USE_DEFAULT, init_feed_dict=None,
                 local_init_op=_USE_DEFAULT, logdir=None, summary_op=_USE_DEFAULT,
                 saver=_USE_DEFAULT, global_step=_USE_DEFAULT, save_summaries_secs=120,
                 save_model_secs=600, recovery_wait_secs=30, stop_grace_secs=120,
                 checkpoint_basename='model.ckpt', session_manager=None,
                 summary_writer=_USE_DEFAULT, init_fn=None, local_init_run_options=None):
        self._graph = get_default_graph() if graph is None else graph
        with self._graph.as_default():
            self._ready_op = _piece(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            self._ready_for_local_init_op = _piece(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None)
            self._init_op = _piece(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._local_init_op = _piece(local_init_op, GraphKeys.LOCAL_INIT_OP, _local_init_op)
            self._saver = _piece(saver, GraphKeys.SAVERS, _new_saver)
            self._summary_op = _piece(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = _piece(global_step, GraphKeys.GLOBAL_STEP, _step_by_name)
        self._init_feed_dict = init_feed_dict
        self._init_fn = init_fn
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._stop_grace_secs = stop_grace_secs
        self._logdir = logdir if is_chief else None
        self._save_summaries_secs = save_summaries_secs if is_chief else None
        self._save_model_secs = save_model_secs if is_chief else None
        self._save_path = os.path.join(self._logdir, checkpoint_basename) if self._logdir else None
        self._summary_writer = self._writer(summary_writer) if is_chief else None
        self._graph_added_to_summary = self._is_stopped = False
        self._lock = None
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op, ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op, graph=self._graph,
            recovery_wait_secs=recovery_wait_secs, local_init_run_options=local_init_run_options)
        self._verify_setup()
        self._graph.finalize()

    def _writer(self, given):
        if given is not _USE_DEFAULT:
            return given
        return FileWriter(self._logdir) if self._logdir else None

    def _verify_setup(self):
        for op in () if self._is_chief else self._graph.get_operations():
            if op.type in ('Variable', 'VariableV2') and not op.device:
                raise misuse(ValueError('When using replicas, all Variables must have their '
                                        f'device set: {op}'))

    # ---- parts ---------------------------------------------------------------------------

    @property
    def is_chief(self):
        return self._is_chief

    @property
    def session_manager(self):
        return self._session_manager

    @property
    def coord(self):
        """The Coordinator of all threads."""
        return self._coord

    @property
    def init_op(self):
        return self._init_op

    @property
    def init_feed_dict(self):
        return self._init_feed_dict

    @property
    def ready_op(self):
        return self._ready_op

    @property
    def ready_for_local_init_op(self):
        return self._ready_for_local_init_op

    @property
    def summary_writer(self):
        return self._summary_writer

    @property
    def summary_op(self):
        return self._summary_op

    @property
    def save_summaries_secs(self):
        return self._save_summaries_secs

    @property
    def global_step(self):
        return self._global_step

    @property
    def saver(self):
        return self._saver

    @property
    def save_model_secs(self):
        return self._save_model_secs

    @property
    def save_path(self):
        """The path of checkpoints, before the number of the step."""
        return self._save_path

    # ---- the session ---------------------------------------------------------------------

    @contextmanager
    def managed_session(self, master='', config=None, start_standard_services=True,
                        close_summary_writer=True):
        """``with sv.managed_session() as sess:`` opens a ready Session, and closes everything
        afterwards.

        An error of the block or of a thread is raised when the block is left, except
        OutOfRangeError, which means the end of the input.
        """
        session = None
        try:
            session = self.prepare_or_wait_for_session(
                master=master, config=config, start_standard_services=start_standard_services)
            yield session
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()

    def prepare_or_wait_for_session(self, master='', config=None, wait_for_checkpoint=False,
                                    max_wait_secs=7200, start_standard_services=True):
        """A ready Session, whose services have been started; the caller closes it."""
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            self._lock_folder()
            session = self._session_manager.prepare_session(
                master, init_op=self._init_op, saver=self._saver, checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint, max_wait_secs=max_wait_secs,
                config=config, init_feed_dict=self._init_feed_dict, init_fn=self._init_fn)
            self._write_graph()
            if start_standard_services:
                logging.info('Starting standard services.')
                self.start_standard_services(session)
        else:
            session = self._session_manager.wait_for_session(master, config=config,
                                                             max_wait_secs=max_wait_secs)
        if start_standard_services:
            logging.info('Starting queue runners.')
            self.start_queue_runners(session)
        return session

    def _lock_folder(self):
        """Until `stop`, no other training saves there."""
        if self._logdir and self._saver and self._save_model_secs and self._lock is None:
            self._lock = FolderLock(self._logdir)
            if self._lock.is_first:
                remove_leftovers(self._save_path)

    def _write_graph(self):
        from tinyflow.formats.graphdef.graph_io import write_graph  # start-up time
        from tinyflow.formats.graphdef.meta_graph import export_meta_graph  # start-up time
        definition = self._graph.as_graph_def(add_shapes=True)
        if self._logdir:
            write_graph(definition, self._logdir, 'graph.pbtxt')
        if self._summary_writer and not self._graph_added_to_summary:
            self._summary_writer.add_graph(definition)
            self._summary_writer.add_meta_graph(export_meta_graph(
                graph_def=definition, graph=self._graph,
                saver_def=self._saver.saver_def if self._saver else None))
            self._graph_added_to_summary = True

    # ---- services ------------------------------------------------------------------------

    def start_standard_services(self, sess):
        """Starts the threads that save and summarise, and returns them. RuntimeError for workers.

        None without a logdir.
        """
        if not self._is_chief:
            raise misuse(RuntimeError('Only chief supervisor can start standard services. Because '
                                      'only chief supervisors can write events.'))
        if not self._logdir:
            logging.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        self._is_stopped = False
        if self._global_step is not None and self._summary_writer:
            self._log_session('START', read_global_step(sess, self._global_step))
        threads = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(SVSummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(SVStepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(SVTimerCheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def _log_session(self, status, step=None):
        from tinyflow.formats.protos.event_pb2 import SessionLog  # start-up time
        self._summary_writer.add_session_log(SessionLog(status=getattr(SessionLog, status)), step)

    def start_queue_runners(self, sess, queue_runners=None):
        """Starts the threads of queue runners, by default those of the graph; returns them."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [thread for runner in queue_runners for thread in
                runner.create_threads(sess, coord=self._coord, daemon=True, start=True)]

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        """A thread that calls `target` every `timer_interval_secs` seconds until the end."""
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def summary_computed(self, sess, summary, global_step=None):
        """Writes a Summary, or its bytes. RuntimeError without a logdir or summary_writer."""
        if not self._summary_writer:
            raise misuse(RuntimeError('Writing a summary requires a summary writer.\n  Hint: '
                                      'tf.train.Supervisor(logdir=...).'))
        if global_step is None and self._global_step is not None:
            global_step = read_global_step(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

    # ---- the end -------------------------------------------------------------------------

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
        """Stops all threads, and raises their first error. Does not close the Session."""
        self._coord.request_stop()
        try:
            self._coord.join(threads, stop_grace_period_secs=self._stop_grace_secs,
                             ignore_live_threads=ignore_live_threads)
            if self._logdir:
                forget_living_values(self._logdir)
        finally:
            if close_summary_writer and self._summary_writer and not self._is_stopped:
                self._log_session('STOP')
                self._summary_writer.close()
                self._is_stopped = True
                self._graph_added_to_summary = False
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    def request_stop(self, ex=None):
        """Requests that all threads stop; see Coordinator.request_stop."""
        self._coord.request_stop(ex=ex)

    def should_stop(self):
        """True once a stop was requested."""
        return self._coord.should_stop()

    def stop_on_exception(self):
        """``with sv.stop_on_exception():`` stops all threads if the block raises an exception."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self):
        """Waits until a stop is requested."""
        self._coord.wait_for_stop()

    # Their names before TensorFlow 0.7.
    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


def _piece(given, collection, make):
    """`given`; else the first member of a collection; else the result of `make`, added to it."""
    if given is not _USE_DEFAULT:
        return given
    found = get_collection(collection)
    if len(found) > 1:
        logging.info('Found %d %s operations. Returning the first one.', len(found), collection)
    if found:
        return found[0]
    made = make()
    if made is not None:
        add_to_collection(collection, made)
    return made


def _local_init_op():
    return grouping.group(local_variables_initializer(), tables_initializer())


def _new_saver():
    return Saver() if global_variables() else None


def _step_by_name():
    """The tensor 'global_step:0', if it exists and is an integer."""
    try:
        step = get_default_graph().get_tensor_by_name('global_step:0')
    except KeyError:
        return None
    if step.dtype.base_dtype in (dtypes.int32, dtypes.int64):
        return step
    logging.warning("Found 'global_step' is not an int type: %s", step.dtype)
    return None
