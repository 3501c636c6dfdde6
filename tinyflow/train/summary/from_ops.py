"""Summaries that the program's ops write themselves, while they run.

tf.contrib.summary and TensorFlow 2's tf.summary are two sets of functions on what is here: the
writer that is the default, the condition under which it records, and `record`, which writes at
once, or adds a node that writes whenever a graph or tf.function runs.
"""
from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tinyflow.formats.wire.events import EventFile
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array.constants import constant
from tinyflow.ops.control_flow.grouping import no_op
from tinyflow.ops.control_flow.python_functions import py_func

__all__ = ['NoWriter', 'SummaryWriter', 'create_file_writer', 'default', 'record', 'recording']


class _Default:
    """What summaries are written to, when, and for which step, unless they say so themselves."""

    writer: SummaryWriter | None = None
    condition: Any = None               # a bool, a tensor, or a function that gives one
    step: Any = None


default = _Default()


class SummaryWriter:
    """Writes an event file in the directory `logdir`, which is made at the first event."""

    def __init__(self, logdir, max_queue=10, flush_millis=120_000, filename_suffix='.v2'):
        self._settings = os.fspath(logdir), max_queue, flush_millis / 1000, filename_suffix
        self._events = None
        self._closed = False

    def _file(self):
        if self._closed:
            raise misuse(RuntimeError(f'SummaryWriter is already closed: {self._settings[0]}'))
        if self._events is None:
            os.makedirs(self._settings[0], exist_ok=True)
            self._events = EventFile(*self._settings)
        return self._events

    def write(self, summary, step):
        """Writes a Summary message."""
        from tinyflow.formats.protos.event_pb2 import Event  # start-up time
        event = Event(wall_time=time.time(), step=int(step))
        event.summary.CopyFrom(summary)
        self._file().add(event)

    def write_graph(self, graph_def, step=0):
        """Writes a GraphDef."""
        from tinyflow.formats.protos.event_pb2 import Event  # start-up time
        self._file().add(Event(wall_time=time.time(), step=int(step),
                               graph_def=graph_def.SerializeToString()))

    @contextlib.contextmanager
    def as_default(self, step=None):
        """Inside the block summaries are written here; `step` is theirs, unless they name one."""
        before = default.writer, default.step
        default.writer = self
        if step is not None:
            default.step = step
        try:
            yield self
        finally:
            default.writer, default.step = before
            self.flush()

    def set_as_default(self, step=None):
        """From now on summaries are written here."""
        default.writer = self
        if step is not None:
            default.step = step

    def init(self):
        """Makes the file."""
        return _now_or_node(self._file)

    def flush(self):
        """Writes what is pending."""
        return _now_or_node(lambda: self._events and self._events.flush())

    def close(self):
        """Writes what is pending, and closes the file."""
        return _now_or_node(self._close)

    def _close(self):
        if self._events is not None:
            self._events.close()
        self._closed = True


class NoWriter(SummaryWriter):
    """A writer that writes nothing."""

    def __init__(self):
        super().__init__('.')

    def write(self, summary, step):
        """Nothing."""


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None):
    """A SummaryWriter with TensorFlow's defaults for what is None."""
    return SummaryWriter(logdir, max_queue or 10, flush_millis or 120_000,
                         '.v2' if filename_suffix is None else filename_suffix)


def _now_or_node(function):
    """Calls the function; while a graph is being built, a node that does."""
    if get_default_graph().runs_at_once:
        function()
        return None
    return py_func(lambda: function() and None, [], [], name='write')


@contextlib.contextmanager
def recording(condition):
    """Inside the block summaries are written if `condition` holds, or gives True when called."""
    before, default.condition = default.condition, condition
    try:
        yield
    finally:
        default.condition = before


def holds(otherwise=True):
    """Whether summaries are written now: a bool, or a tensor that tells; `otherwise`, if not said.
    """
    if default.writer is None:
        return False
    if default.condition is None:
        return otherwise
    return default.condition() if callable(default.condition) else default.condition


def record(make: Callable[..., Any], inputs, step, name, otherwise=True) -> Any:
    """Writes `make(*arrays)`, a Summary message, for `step`, if the condition holds.

    At once the result is whether it was written, a tensor; else the Operation that does it.
    """
    writer, condition = default.writer, holds(otherwise)
    if condition is False:
        return constant(False) if executing_eagerly() else no_op()

    def write(wanted, number, *arrays):
        if wanted:
            writer.write(make(*arrays), number)
    tensors = [convert_to_tensor(condition), convert_to_tensor(step, np.int64),
               *[convert_to_tensor(x) for x in inputs]]
    if executing_eagerly():
        write(*[t.numpy() for t in tensors])
        return tensors[0]
    return py_func(write, tensors, [], name=name)
