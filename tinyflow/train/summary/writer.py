"""FileWriter: writes summaries, graphs and run times to an event file for TensorBoard."""
from __future__ import annotations

import os
import threading
import time
import warnings
import weakref

import numpy as np

from tinyflow.formats.wire.events import EventFile
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import OpError, describe, misuse, report, why


def _close(events):
    """Closes the file of a writer that is gone: no code is there to catch an error."""
    try:
        events.close()
    except OpError as error:
        logging.warning('The last events are not written: %s', error.message)


class FileWriter:
    """Writes an event file in the directory `logdir`, which is created if necessary.

        with tf.summary.FileWriter('logs', sess.graph) as writer:
            writer.add_summary(sess.run(merged), step)

    `graph` is written first, if given. Events are flushed when there are
    `max_queue` of them or `flush_secs` have passed, at `flush` and `close`, and when the program
    ends. `filename_suffix` is appended to the file name. Raises TF's errors
    (tf.errors.NotFoundError ...) if the directory cannot be written.
    """

    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None,
                 filename_suffix=None, session=None):
        if session is not None:
            raise misuse(NotImplementedError(
                'FileWriter(session=...) shares a file with tf.contrib.summary; here each has its '
                'own.\n  Hint: tf.summary.FileWriter(logdir, session.graph).'))
        self.event_writer = EventFile(_directory(logdir), max_queue, flush_secs,
                                      filename_suffix or '')
        # Closes the file when this object is deleted, or the program ends.
        self._finalizer = weakref.finalize(self, _close, self.event_writer)
        self._seen_tags = set()
        self._run_tags = set()
        self._lock = threading.Lock()
        if graph is not None or graph_def is not None:
            self._add_both(graph, graph_def)

    # ---- adding --------------------------------------------------------------------------

    def add_summary(self, summary, global_step=None):
        """Writes a Summary: the message, or its bytes as sess.run gives them.

        Of the values of one tag only the first keeps its metadata, as TensorBoard expects.
        """
        from tinyflow.formats.protos.event_pb2 import Event  # start-up time
        event = Event()
        event.summary.ParseFromString(_summary_bytes(summary))
        with self._lock:
            for value in event.summary.value:
                if value.tag in self._seen_tags:
                    value.ClearField('metadata')
                elif value.HasField('metadata'):
                    self._seen_tags.add(value.tag)
        self._add(event, global_step)

    def add_session_log(self, session_log, global_step=None):
        """Writes a SessionLog message."""
        from tinyflow.formats.protos.event_pb2 import Event  # start-up time
        self._add(Event(session_log=session_log), global_step)

    def add_graph(self, graph, global_step=None, graph_def=None):
        """Writes a graph (or, deprecated, a GraphDef), for TensorBoard to show."""
        self._add_graph_def(self._as_graph_def(graph, graph_def), global_step)

    def add_meta_graph(self, meta_graph_def, global_step=None):
        """Writes a MetaGraphDef, as tf.train.export_meta_graph makes it."""
        from tinyflow.formats.protos.event_pb2 import Event  # start-up time
        if not _is_message(meta_graph_def, 'MetaGraphDef'):
            raise misuse(TypeError(
                f'meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}.\n'
                '  Hint: tf.train.export_meta_graph(graph=graph) makes one.'))
        self._add(Event(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        """Writes the record of a traced run, under a tag that is used once. ValueError otherwise.

        TensorBoard shows it with the graph, so the graph must be written, too.
        """
        from tinyflow.formats.protos.event_pb2 import Event  # start-up time
        if not hasattr(run_metadata, 'SerializeToString'):
            raise misuse(TypeError(f'run_metadata must be a tf.RunMetadata, not {run_metadata!r}.'))
        with self._lock:
            if tag in self._run_tags:
                raise misuse(ValueError(
                    'The provided tag was already used for this event type: '
                    f"{tag!r}.\n  Hint: name it by the step, 'step%d' % step."))
            self._run_tags.add(tag)
        event = Event()
        event.tagged_run_metadata.tag = tag
        event.tagged_run_metadata.run_metadata = run_metadata.SerializeToString()
        self._add(event, global_step)

    def add_event(self, event):
        """Writes an Event message unchanged."""
        self._warn_if_closed()
        self.event_writer.add(event)

    # ---- the file ------------------------------------------------------------------------

    def get_logdir(self):
        """The directory of the file."""
        return self.event_writer.logdir

    def flush(self):
        """Writes all pending events."""
        self._warn_if_closed()
        self.event_writer.flush()

    def close(self):
        """Writes all pending events, and closes the file."""
        self.event_writer.close()

    def reopen(self):
        """Lets a closed FileWriter write again, to a new file; TensorBoard joins them."""
        self.event_writer.reopen()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    # ---- inside --------------------------------------------------------------------------

    def _add(self, event, step):
        self._warn_if_closed(4)
        event.wall_time = time.time()
        if step is not None:
            event.step = _as_step(step)
        self.event_writer.add(event)

    def _warn_if_closed(self, frames=3):
        if self.event_writer.closed:
            warnings.warn('This FileWriter is closed: nothing is written until its reopen() is '
                          'called.', stacklevel=frames)

    def _add_both(self, graph, graph_def):
        """The graph as a GraphDef and inside a MetaGraphDef, as TensorFlow writes them."""
        from tinyflow.formats.graphdef.meta_graph import export_meta_graph  # start-up time
        message = self._as_graph_def(graph, graph_def)
        self._add_graph_def(message, None)
        owner = next((g for g in (graph, graph_def) if isinstance(g, Graph)), None)
        self.add_meta_graph(export_meta_graph(graph_def=message, graph=owner or Graph()))

    def _add_graph_def(self, message, step):
        from tinyflow.formats.protos.event_pb2 import Event  # start-up time
        self._add(Event(graph_def=message.SerializeToString()), step)

    def _as_graph_def(self, graph, graph_def):
        if graph is not None and graph_def is not None:
            raise misuse(ValueError('Please pass only graph, or graph_def (deprecated), but not '
                                    'both.'))
        given = graph if graph is not None else graph_def
        if isinstance(given, Graph):
            return given.as_graph_def(add_shapes=True)
        if _is_message(given, 'GraphDef'):
            from tinyflow.formats.protos.graph_pb2 import GraphDef  # start-up time
            return GraphDef.FromString(given.SerializeToString())
        hint = 'session.graph is its graph.' if hasattr(given, 'graph') else \
            'sess.graph, or tf.get_default_graph().'
        raise misuse(TypeError('The passed graph must be an instance of `Graph` or the deprecated '
                               f'`GraphDef`, not {given!r}.\n  Hint: {hint}'))


def _directory(logdir):
    try:
        return os.fsdecode(logdir)
    except TypeError:
        raise misuse(TypeError(f'logdir must be the path of a directory, not {logdir!r}.')) \
            from None


def _is_message(value, name):
    """True for a message of that name, of tinyflow or of a TensorFlow in the same process."""
    descriptor = getattr(value, 'DESCRIPTOR', None)
    return getattr(descriptor, 'name', None) == name and hasattr(value, 'SerializeToString')


def _summary_bytes(summary):
    if isinstance(summary, np.ndarray) and summary.shape == () or isinstance(summary, np.generic):
        summary = summary.item()
    if _is_message(summary, 'Summary'):
        return summary.SerializeToString()
    if isinstance(summary, bytes):
        from google.protobuf.message import DecodeError  # start-up time

        from tinyflow.formats.protos.summary_pb2 import Summary  # start-up time
        try:
            Summary.FromString(summary)
        except DecodeError as error:
            raise type(error)(report(f'These bytes are not a Summary: {summary[:40]!r}',
                                     hint=_HOW)) from None
        return summary
    given = describe(summary) if isinstance(summary, Tensor) else repr(summary)
    raise misuse(TypeError(report(f'add_summary takes a Summary or its bytes, not {given}',
                                  hint=_HOW + why('summary-value'))))


_HOW = ('writer.add_summary(sess.run(merged), step) with merged = tf.summary.merge_all(); for a '
        'Python number: tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=x)]).')


def _as_step(step):
    if isinstance(step, (Tensor, Operation)) or hasattr(step, 'initializer'):
        raise misuse(TypeError(
            f'global_step must be a number, not {step!r}.\n  Hint: sess.run(global_step), or '
            'tf.train.global_step(sess, global_step).'))
    return int(step.item() if isinstance(step, np.ndarray) else step)


class FileWriterCache:
    """One FileWriter for each directory, shared by all users of it."""

    _cache: dict[str, FileWriter] = {}
    _lock = threading.RLock()

    @staticmethod
    def clear():
        """Closes the writers and clears the cache."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache = {}

    @staticmethod
    def get(logdir):
        """The FileWriter of a directory; a new one writes the default graph."""
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._cache:
                FileWriterCache._cache[logdir] = FileWriter(logdir, graph=get_default_graph())
            return FileWriterCache._cache[logdir]
