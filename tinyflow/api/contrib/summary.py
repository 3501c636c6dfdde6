"""tf.contrib.summary: summaries that ops write themselves, for the global step.

    writer = tf.contrib.summary.create_file_writer('logs')
    with writer.as_default(), tf.contrib.summary.always_record_summaries():
        tf.contrib.summary.scalar('loss', loss)

With graphs, `session.run(tf.contrib.summary.all_summary_ops())` writes them.
"""
from __future__ import annotations

import os
import time

import numpy as np

from tinyflow.formats.protos.event_pb2 import Event
from tinyflow.formats.protos.summary_pb2 import Summary
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import add_to_collection, get_collection, get_default_graph
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.stacks import session_for
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing
from tinyflow.ops.control_flow.grouping import no_op
from tinyflow.ops.control_flow.python_functions import py_func
from tinyflow.ops.math.division import floormod
from tinyflow.ops.math.logic import equal
from tinyflow.ops.summary.media_summaries import _RED, AudioSummaryV2, ImageSummary
from tinyflow.ops.summary.summaries import (
    HistogramSummary,
    ScalarSummary,
    TensorSummaryV2,
    summary_scope,
)
from tinyflow.train.summary import from_ops
from tinyflow.train.summary.from_ops import SummaryWriter
from tinyflow.train.training_util import get_global_step, get_or_create_global_step

__all__ = [
    'SummaryWriter', 'all_summary_ops', 'always_record_summaries', 'audio', 'create_file_writer',
    'create_summary_file_writer', 'eval_dir', 'flush', 'generic', 'graph', 'histogram', 'image',
    'import_event', 'initialize', 'never_record_summaries', 'record_summaries_every_n_global_steps',
    'scalar', 'should_record_summaries', 'summary_writer_initializer_op',
]

_OPS = '_SUMMARY_V2'                # the collection of the nodes that write


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None):
    """A SummaryWriter for a directory. With logdir None, one that writes nothing: None."""
    if logdir is None:
        return from_ops.NoWriter()
    return from_ops.create_file_writer(logdir, max_queue, flush_millis, filename_suffix)


create_summary_file_writer = create_file_writer


def always_record_summaries():
    """Inside the block summaries are written; outside they are not, unless another block says so.
    """
    return from_ops.recording(True)


def never_record_summaries():
    """Inside the block no summaries are written."""
    return from_ops.recording(False)


def record_summaries_every_n_global_steps(n, global_step=None):
    """Inside the block summaries are written where the global step is a multiple of n."""
    step = get_or_create_global_step() if global_step is None else global_step
    if executing_eagerly():
        return from_ops.recording(lambda: int(step) % n == 0)
    return from_ops.recording(equal(floormod(convert_to_tensor(step), n), 0))


def should_record_summaries():
    """Whether summaries are written now: a tensor."""
    return convert_to_tensor(from_ops.holds(False))


def all_summary_ops():
    """The nodes that write summaries in this graph; None with eager execution."""
    return None if executing_eagerly() else get_collection(_OPS)


def summary_writer_initializer_op():
    """The nodes that make the files: none, since writers make them at the first event."""
    if executing_eagerly():
        raise misuse(RuntimeError('tf.contrib.summary.summary_writer_initializer_op is only '
                                  'supported in graph mode.'))
    return []


def initialize(graph=None, session=None):
    """Makes the file of the default writer, and writes `graph` there if one is given.

    RuntimeError without a default writer.
    """
    if executing_eagerly():
        return
    if from_ops.default.writer is None:
        raise misuse(RuntimeError('No default tf.contrib.summary.SummaryWriter found'))
    session_for(session, get_default_graph(), 'tf.contrib.summary.initialize')
    if graph is not None:
        from_ops.default.writer.write_graph(graph.as_graph_def(add_shapes=True))


def flush(writer=None, name=None):
    """Writes what is pending in `writer`, or in the default one."""
    writer = writer or from_ops.default.writer
    return writer.flush() if writer is not None else None if executing_eagerly() else no_op(name)


def eval_dir(model_dir, name=None):
    """The directory for the summaries of an evaluation, below model_dir."""
    return os.path.join(model_dir, 'eval' if not name else 'eval_' + name)


# ---- summaries -------------------------------------------------------------------------------

def _record(message, step, name):
    """Writes the Summary that a tensor of bytes holds."""
    step = get_or_create_global_step() if step is None else step
    operation = from_ops.record(Summary.FromString, [message], step, name, False)
    if not executing_eagerly():
        add_to_collection(_OPS, operation)
    return operation


def scalar(name, tensor, family=None, step=None):
    """Writes a number. Shapes: tensor []."""
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return _record(ScalarSummary.apply(tag, convert_to_tensor(tensor), name=scope), step,
                       'write_scalar')


def histogram(name, tensor, family=None, step=None):
    """Writes the distribution of all values. Shapes: tensor [...]."""
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return _record(HistogramSummary.apply(tag, convert_to_tensor(tensor), name=scope), step,
                       'write_histogram')


def image(name, tensor, bad_color=None, max_images=3, family=None, step=None):
    """Writes the first `max_images` pictures. Shapes: tensor [batch, height, width, channels]."""
    color = _RED if bad_color is None else np.asarray(bad_color, np.uint8)
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return _record(ImageSummary.apply(tag, convert_to_tensor(tensor), max_images=max_images,
                                          bad_color=color, name=scope), step, 'write_image')


def audio(name, tensor, sample_rate, max_outputs, family=None, step=None):
    """Writes the first `max_outputs` sounds. Shapes: tensor [batch, time] or with channels."""
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return _record(AudioSummaryV2.apply(
            tag, convert_to_tensor(tensor), convert_to_tensor(sample_rate, np.float32),
            max_outputs=max_outputs, name=scope), step, 'write_audio')


def generic(name, tensor, metadata=None, family=None, step=None):
    """Writes any tensor, with the metadata of a TensorBoard plugin: a SummaryMetadata."""
    text = b'' if metadata is None else metadata.SerializeToString()
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return _record(TensorSummaryV2.apply(tag, convert_to_tensor(tensor), text, name=scope),
                       step, 'write_tensor')


def graph(param, step=None, name=None):
    """Writes a graph with eager execution: a Graph or GraphDef."""
    writer = from_ops.default.writer
    if not executing_eagerly():
        raise misuse(TypeError('graph() needs eager execution; with graphs call '
                               'tf.contrib.summary.initialize(graph).'))
    if writer is not None:
        number = step if step is not None else get_global_step()
        writer.write_graph(param.as_graph_def() if hasattr(param, 'as_graph_def') else param,
                           0 if number is None else int(number))


def import_event(tensor, name=None):
    """Writes a serialized Event as it is."""
    writer = from_ops.default.writer

    def write(text):
        event = Event.FromString(text)
        event.wall_time = event.wall_time or time.time()
        writer._file().add(event)
    if writer is None:
        return no_op(name)
    if executing_eagerly():
        write(convert_to_tensor(tensor).numpy())
        return None
    return py_func(write, [convert_to_tensor(tensor)], [], name=name)


def create_db_writer(*args, **settings):
    """NotImplementedError: tinyflow writes event files only."""
    raise misuse(NotImplementedError(
        'tf.contrib.summary.create_db_writer: tinyflow writes event files, not SQLite.\n  Hint: '
        'tf.contrib.summary.create_file_writer(logdir).'))


__getattr__ = explain_missing(__name__, __all__)


def __dir__():
    return list(__all__)
