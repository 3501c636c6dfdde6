"""QueueRunner: threads that fill a queue, started by tf.train.start_queue_runners."""
from __future__ import annotations

import logging
import threading
import weakref

from tinyflow.graph.defaults import add_to_collection, get_collection, get_default_graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.stacks import get_default_session
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.queues.state import node_of

__all__ = ['QueueRunner', 'add_queue_runner', 'start_queue_runners']


class QueueRunner:
    """A queue and the ops that fill it, each run in a loop in its own thread.

    When an enqueue op raises one of `queue_closed_exception_types` (by default OutOfRangeError:
    its input has ended), its thread ends, and the last of them closes the queue. With a
    Coordinator, any other error stops the whole group and is raised by `coord.join`.
    """

    def __init__(self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None,
                 queue_closed_exception_types=None, queue_runner_def=None, import_scope=None):
        if queue_runner_def is not None:
            if queue or enqueue_ops:
                raise misuse(ValueError('queue_runner_def and queue are mutually exclusive.'))
            self._read(queue_runner_def, import_scope)
        else:
            self._take(queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types)
        self._lock = threading.Lock()
        self._runs_per_session = weakref.WeakKeyDictionary()
        self._exceptions_raised = []
        self.failures = []              # errors, other than the end of the input, of its threads

    def _take(self, queue, enqueue_ops, close_op, cancel_op, closed_types):
        if not queue or not enqueue_ops:
            raise misuse(ValueError('Must provide queue and enqueue_ops.'))
        if closed_types is not None and (
                not isinstance(closed_types, tuple) or not closed_types
                or not all(issubclass(t, errors.OpError) for t in closed_types)):
            raise misuse(TypeError('queue_closed_exception_types, when provided, must be a tuple '
                                   f'of tf.error types, but saw: {closed_types}'))
        self._queue = queue
        self._enqueue_ops = enqueue_ops
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None \
            else cancel_op
        self._closed_types = closed_types or (errors.OutOfRangeError,)

    def _read(self, definition, scope):
        graph = get_default_graph()

        def node(name):
            return graph.as_graph_element(f'{scope}/{name}' if scope else name)
        self._queue = node(definition.queue_name)
        self._enqueue_ops = [node(name) for name in definition.enqueue_op_name]
        self._close_op = node(definition.close_op_name)
        self._cancel_op = node(definition.cancel_op_name)
        self._closed_types = tuple([_BY_CODE[code] for code
                                    in definition.queue_closed_exception_types]) or \
            (errors.OutOfRangeError,)

    @property
    def queue(self):
        return self._queue

    @property
    def enqueue_ops(self):
        return self._enqueue_ops

    @property
    def close_op(self):
        return self._close_op

    @property
    def cancel_op(self):
        return self._cancel_op

    @property
    def queue_closed_exception_types(self):
        return self._closed_types

    @property
    def exceptions_raised(self):
        """Errors of threads that were started without a Coordinator."""
        return self._exceptions_raised

    @property
    def name(self):
        """The name of the queue."""
        return self._queue.name

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        """One thread for each enqueue op, and with `coord` one that closes the queue on a stop.

        An empty list while earlier threads of this Session still run.
        """
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
            self.failures = []
        self._register_filler(sess)
        prefix = f'QueueRunnerThread-{self.name}-'
        threads = [_RunnerThread(target=self._run, args=(sess, op, coord), name=prefix + op.name)
                   for op in self._enqueue_ops]
        if coord:
            threads.append(_RunnerThread(target=self._close_on_stop,
                                         args=(sess, self._cancel_op, coord),
                                         name=prefix + 'close_on_stop'))
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
        if start:
            for thread in threads:
                thread.start()
        return threads

    def _register_filler(self, sess):
        """Notifies the queue that a thread fills it, for the message of a deadlock."""
        node = node_of(self._queue)
        # Otherwise a queue selected by from_list, or one of another task.
        if node.definition.state_of_node and not sess.sess_str:
            sess._store.state(node).mark_started()

    def _run(self, sess, enqueue_op, coord=None):
        """The body of a thread: enqueues until the input ends or a stop is requested."""
        counted = False
        try:
            enqueue = sess.make_callable(enqueue_op)
            while not (coord and coord.should_stop()):
                try:
                    enqueue()
                except self._closed_types:
                    counted = True
                    self._one_thread_less(sess)
                    return
        except Exception as error:              # noqa: BLE001 - goes to the Coordinator, or here
            self._failed(sess, coord, error)
        finally:
            if not counted:
                with self._lock:
                    self._runs_per_session[sess] -= 1

    def _one_thread_less(self, sess):
        with self._lock:
            self._runs_per_session[sess] -= 1
            is_last = self._runs_per_session[sess] == 0
        if is_last:
            _try_to_run(sess, self._close_op)

    def _failed(self, sess, coord, error):
        if sess._closed:                        # the program has ended; nothing to report
            if coord:
                coord.request_stop()
            return
        if coord and coord.should_stop() and isinstance(error, errors.CancelledError):
            return                              # closed by _close_on_stop, as intended
        self.failures.append(error)
        if coord:
            coord.request_stop(error)
            return
        logging.getLogger('tensorflow').error('Exception in QueueRunner: %s', error)
        with self._lock:
            self._exceptions_raised.append(error)

    def _close_on_stop(self, sess, cancel_op, coord):
        coord.wait_for_stop()
        _try_to_run(sess, cancel_op)

    def to_proto(self, export_scope=None):
        """A QueueRunnerDef message; None for a queue outside `export_scope`."""
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        from tinyflow.formats.protos import queue_runner_pb2  # start-up time

        def name(element):
            full = element.name
            inside = export_scope and full.startswith(export_scope.rstrip('/') + '/')
            return full[len(export_scope.rstrip('/')) + 1:] if inside else full
        return queue_runner_pb2.QueueRunnerDef(
            queue_name=name(self._queue), enqueue_op_name=[name(op) for op in self._enqueue_ops],
            close_op_name=name(self._close_op), cancel_op_name=name(self._cancel_op),
            queue_closed_exception_types=[t.code for t in self._closed_types])

    @staticmethod
    def from_proto(queue_runner_def, import_scope=None):
        """The QueueRunner of a QueueRunnerDef message, on the nodes of the default graph."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


class _RunnerThread(threading.Thread):
    is_queue_runner = True


_BY_CODE = {kind.code: kind for kind in vars(errors).values()
            if isinstance(kind, type) and issubclass(kind, errors.OpError)
            and kind is not errors.OpError}


def _try_to_run(sess, op):
    """Runs `op`; ignores errors of a closed queue or Session."""
    try:
        sess.run(op)
    except Exception:                           # noqa: BLE001 - as above
        pass


def add_queue_runner(qr, collection=GraphKeys.QUEUE_RUNNERS):
    """Adds a QueueRunner to a collection, from which start_queue_runners takes them."""
    add_to_collection(collection, qr)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True,
                        collection=GraphKeys.QUEUE_RUNNERS):
    """Starts the threads of all queue runners of the default graph, and returns them.

    To be called after the graph is built and variables are initialised, before the first dequeue.
    ValueError without a Session.
    """
    sess = sess or get_default_session()
    if sess is None:
        raise misuse(ValueError(
            'Cannot start queue runners: No default session is registered. Use `with '
            'sess.as_default()` or pass an explicit session to tf.start_queue_runners(sess=sess)'))
    if not hasattr(sess, 'make_callable'):
        if type(sess).__name__ in ('MonitoredSession', 'SingularMonitoredSession'):
            return []                           # it has started them already
        raise misuse(TypeError(f'sess must be a `tf.Session` object. Given class: {type(sess)}'))
    runners = get_collection(collection)
    if not runners:
        logging.getLogger('tensorflow').warning(
            '`tf.train.start_queue_runners()` was called when no queue runners were defined. You '
            'can safely remove the call to this deprecated function.')
    with sess.graph.as_default():
        return [thread for runner in get_collection(collection)
                for thread in runner.create_threads(sess, coord, daemon, start)]
