"""tf.summary of TensorFlow 2: values that are written to the default writer for a step."""
from __future__ import annotations

import numpy as np

from tinyflow.formats.protos.summary_pb2 import Summary
from tinyflow.formats.wire import png, wav
from tinyflow.formats.wire.tensors import make_tensor_proto
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.support.errors import misuse
from tinyflow.train.summary import from_ops
from tinyflow.train.summary.from_ops import SummaryWriter

__all__ = ['SummaryWriter', 'audio', 'create_file_writer', 'create_noop_writer', 'flush', 'graph',
           'histogram', 'image', 'record_if', 'scalar', 'should_record_summaries', 'text', 'write']

_WAV = bytes([0x10, 11])            # the encoding in the metadata of audio


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None,
                       experimental_trackable=False):
    """A SummaryWriter for a directory: ``with writer.as_default(): tf.summary.scalar(...)``."""
    return from_ops.create_file_writer(logdir, max_queue, flush_millis, filename_suffix)


def create_noop_writer():
    """A SummaryWriter that writes nothing."""
    return from_ops.NoWriter()


def flush(writer=None, name=None):
    """Writes what is pending in `writer`, or in the default one."""
    writer = writer or from_ops.default.writer
    return None if writer is None else writer.flush()


def record_if(condition):
    """``with tf.summary.record_if(step % 100 == 0):`` writes summaries under this condition only.
    """
    return from_ops.recording(condition)


def should_record_summaries():
    """Whether there is a default writer, and the condition of record_if holds: a tensor."""
    return convert_to_tensor(from_ops.holds())


def graph(graph_data):
    """Writes a Graph, or a GraphDef. True if there is a default writer."""
    writer = from_ops.default.writer
    if writer is None:
        return False
    writer.write_graph(graph_data.as_graph_def() if hasattr(graph_data, 'as_graph_def')
                       else graph_data)
    return True


def write(tag, tensor, step=None, metadata=None, name=None):
    """Writes any tensor under a tag, with the metadata of a TensorBoard plugin."""
    def make(array):
        summary = Summary()
        value = summary.value.add(tag=tag, tensor=make_tensor_proto(array))
        if metadata is not None:
            value.metadata.CopyFrom(metadata)
        return summary
    return from_ops.record(make, [tensor], _step(step), name)


def _step(step):
    step = from_ops.default.step if step is None else step
    if step is None:
        raise misuse(ValueError(
            'No step set. Please specify one either through the `step` argument or through '
            'tf.summary.experimental.set_step()'))
    return step


def _record(name, data, step, plugin, as_proto, description, content=b''):
    """`as_proto(array)` under the tag of `name` in the open name scopes."""
    scope = get_default_graph().get_name_scope()
    tag = f'{scope}/{name}' if scope else name
    if from_ops.default.writer is None:
        return convert_to_tensor(False)
    step = _step(step)

    def make(array):
        summary = Summary()
        value = summary.value.add(tag=tag, tensor=as_proto(array))
        value.metadata.plugin_data.plugin_name = plugin
        value.metadata.plugin_data.content = content
        value.metadata.summary_description = description or ''
        return summary
    return from_ops.record(make, [data], step, name.replace(' ', '_').replace('/', '_'))


def scalar(name, data, step=None, description=None):
    """Writes a number. Shapes: data []. ValueError without a step."""
    return _record(name, data, step, 'scalars',
                   lambda x: make_tensor_proto(np.asarray(x, np.float32)), description)


def text(name, data, step=None, description=None):
    """Writes strings. Shapes: data [...], string."""
    return _record(name, data, step, 'text', make_tensor_proto, description)


def histogram(name, data, step=None, buckets=None, description=None):
    """Writes the distribution of all values, in `buckets` (30) intervals of one width."""
    count = 30 if buckets is None else buckets
    return _record(name, data, step, 'histograms',
                   lambda x: make_tensor_proto(_buckets(np.asarray(x, np.float64), count)),
                   description)


def _buckets(values, count):
    """[left edge, right edge, how many] of each interval. Shapes: values [...] -> [count, 3]."""
    values = values.ravel()
    if not count or not values.size:
        return np.zeros((count, 3))
    low, high = values.min(), values.max()
    if low == high:
        numbers = np.zeros(count)
        numbers[-1] = values.size
        return np.stack([np.full(count, low), np.full(count, high), numbers], 1)
    places = np.minimum(((values - low) / ((high - low) / count)).astype(int), count - 1)
    edges = np.linspace(low, high, count + 1)
    return np.stack([edges[:-1], edges[1:], np.bincount(places, minlength=count)], 1)


def image(name, data, step=None, max_outputs=3, description=None):
    """Writes the first `max_outputs` pictures. Shapes: data [batch, height, width, channels].

    Floats are between 0 and 1, and are clipped there.
    """
    def encoded(images):
        images = images[:max_outputs]
        if images.dtype.kind == 'f':
            images = np.clip(images * 255.5, 0, 255).astype(np.uint8)
        height, width = images.shape[1:3]
        return make_tensor_proto([str(width), str(height), *[png.encode(x) for x in images]])
    return _record(name, data, step, 'images', encoded, description)


def audio(name, data, sample_rate, step=None, max_outputs=3, encoding=None, description=None):
    """Writes the first `max_outputs` sounds. Shapes: data [batch, time, channels], in [-1, 1]."""
    if encoding not in (None, 'wav'):
        raise misuse(ValueError(f'Unknown encoding: {encoding!r}'))

    def encoded(clips):
        return make_tensor_proto([[wav.encode(x, sample_rate), b''] for x in clips[:max_outputs]])
    return _record(name, data, step, 'audio', encoded, description, _WAV)
