"""Event files: what TensorBoard reads. A TFRecord file of Event messages, the first of which says
"brain.Event:2".

An EventFile needs no thread: an event is serialized immediately and written together with its
neighbours, which takes microseconds; from then on it survives a crash of the process.
"""
from __future__ import annotations

import os
import socket
import threading
import time
import weakref

from tinyflow.formats.wire.files import explained, write_all
from tinyflow.formats.wire.records import RecordReader, frame
from tinyflow.graph.support import errors

_VERSION = 'brain.Event:2'
_FULL = 1 << 20                 # bytes; images need not wait for `max_queue` of them

_open: weakref.WeakSet = weakref.WeakSet()


class EventFile:
    """Appends events to a new file in `logdir`; both are created if necessary.

    The first event is written at once; the others wait until there are `max_queue` of them, or one
    comes `flush_secs` seconds after the last were written. Safe to use from several threads. After
    a fork the child starts another file.
    """

    def __init__(self, logdir, max_queue=10, flush_secs=120, filename_suffix='', prefix='events'):
        self.logdir = logdir
        self._prefix = prefix
        # Absolute, because the program may change its working directory before the file is
        # opened, which happens at the first write, at the latest when Python ends.
        self._folder = os.path.abspath(logdir)
        self.path = None
        self.closed = False
        self._max_queue = max_queue if max_queue > 0 else float('inf')
        self._flush_secs = flush_secs
        self._suffix = filename_suffix
        self.reset()
        _make(logdir)
        _open.add(self)

    def reset(self):
        """Drops the file and pending events; in a child after a fork they belong to the parent."""
        self._lock = threading.Lock()
        self._file = None
        self._waiting, self._size = [], 0
        self._next_flush = 0.0

    def add(self, event):
        """Queues an Event message for writing; does nothing if closed."""
        data = frame(event.SerializeToString())
        with self._lock:
            if self.closed:
                return
            self._waiting.append(data)
            self._size += len(data)
            if len(self._waiting) >= self._max_queue or self._size >= _FULL \
                    or time.monotonic() >= self._next_flush:
                self._write()

    def flush(self):
        """Writes all pending events."""
        with self._lock:
            self._write()

    def close(self):
        """Writes pending events and closes the file; a second call does nothing."""
        with self._lock:
            try:
                self._write()
            finally:
                self.closed = True
                file, self._file = self._file, None
                if file is not None:
                    file.close()

    def reopen(self):
        """Lets a closed writer write again, to a new file."""
        with self._lock:
            self.closed = False
            self._next_flush = 0.0

    def begin(self):
        """The path of the file, which is made now if nothing was written yet."""
        with self._lock:
            if self._file is None and not self.closed:
                self._begin()
            return self.path

    def _write(self):
        if not self._waiting:
            return
        if self._file is None or not os.path.exists(self.path):     # the directory was removed
            self._begin()
        end = self._file.tell()
        try:
            with explained(self.path):
                write_all(self._file, b''.join(self._waiting))
        except BaseException:        # a full disk, or Ctrl-C: a partial record hides later ones
            self._file.seek(end)
            self._file.truncate()
            raise
        self._waiting, self._size = [], 0
        self._next_flush = time.monotonic() + self._flush_secs

    def _begin(self):
        if self._file is not None:
            self._file.close()
        _make(self._folder)
        now = time.time()
        host = socket.gethostname()
        name = os.path.join(self._folder, f'{self._prefix}.out.tfevents.{int(now):010d}.{host}')
        self.path, self._file = _new_file(name, self._suffix)
        with explained(self.path):
            write_all(self._file, frame(_first(now).SerializeToString()))


def _make(logdir):
    with explained(logdir):
        try:
            os.makedirs(logdir or '.', exist_ok=True)       # '' is the working directory, as in TF
        except (FileExistsError, NotADirectoryError):
            raise errors.FailedPreconditionError(None, None, errors.report(
                f'{logdir}: there is a file of that name',
                hint='logdir is a directory, in which event files are made.')) from None


def _new_file(name, suffix):
    """(path, file) with a number in the name if another writer started in the same second."""
    number = 0
    while True:
        path = f'{name}.{number}{suffix}' if number else f'{name}{suffix}'
        with explained(path):
            try:
                return path, open(path, 'xb', buffering=0)
            except FileExistsError:
                number += 1


def _first(now):
    from tinyflow.formats.protos.event_pb2 import Event  # start-up time
    return Event(wall_time=now, file_version=_VERSION)


def _after_fork():
    for file in list(_open):
        file.reset()


if hasattr(os, 'register_at_fork'):             # not on Windows
    os.register_at_fork(after_in_child=_after_fork)


def summary_iterator(path):
    """The Event messages of an event file, one after the other.

    NotFoundError without a file; DataLossError names the offset of a damaged record, such as the
    last of a process that died while writing it: the records before it are valid.
    """
    from google.protobuf.message import DecodeError  # start-up time

    from tinyflow.formats.protos.event_pb2 import Event  # start-up time
    with RecordReader(os.fspath(path)) as reader:
        for record in reader:
            try:
                event = Event.FromString(record)
            except DecodeError as error:
                raise errors.misuse(ValueError(
                    f'{path}: a record is not an Event ({error}): this is another kind of TFRecord '
                    'file.\n  Hint: tf.python_io.tf_record_iterator reads any.')) from None
            yield event
