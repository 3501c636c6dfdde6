"""Summary ops: scalar, histogram, tensor, text and merge, as Summary messages for event files.

Each node gives the bytes of a Summary; tf.summary.FileWriter.add_summary writes them. Its tag is
its name with the scopes around it.
"""
from __future__ import annotations

import functools
import logging
import re
from contextlib import contextmanager

from tinyflow.formats.wire.histogram import fill as fill_histogram
from tinyflow.graph import dtypes
from tinyflow.graph.defaults import add_to_collections, get_collection, name_scope
from tinyflow.graph.dtypes import ANY, HANDLES, REAL
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure, describe, misuse
from tinyflow.ops.array.constants import constant
from tinyflow.ops.support.arguments import refusal
from tinyflow.ops.variables import replica_context

__all__ = ['histogram', 'merge', 'merge_all', 'scalar', 'tensor_summary', 'text']

_NOT_IN_A_TAG = re.compile(r'[^-/\w\.]')


# ---- names --------------------------------------------------------------------------------


def clean_tag(name):
    """A valid node name: invalid characters become '_', leading slashes are dropped.

    Logged by tf.logging.info if that changes the name.
    """
    if name is None:
        return None
    if not isinstance(name, str):
        raise misuse(TypeError(f'The name of a summary is a string, not {name!r}.\n  Hint: '
                               "tf.summary.scalar('loss', loss)."))
    clean = _NOT_IN_A_TAG.sub('_', name).lstrip('/')
    if clean != name:
        logging.getLogger('tensorflow').info(
            'The summary %r is called %r, as names of nodes are.', name, clean)
    return clean


@contextmanager
def summary_scope(name, family=None, default_name=None, values=None):
    """Opens the name scope of a summary; gives (tag, scope).

    `family`, the heading under which TensorBoard shows it, is a prefix of both.
    """
    name, family = clean_tag(name), clean_tag(family)
    with name_scope(name if family is None else f'{family}/{name}', default_name, values) as scope:
        tag = scope.rstrip('/')
        yield (tag if family is None else f'{family}/{tag}'), scope


def collect(summary, collections, default):
    """Puts a summary into collections (`default` if None) and returns it."""
    add_to_collections(default if collections is None else collections, summary)
    return summary


def of_the_first_replica(make):
    """Decorator: in all replicas but the first the summary is empty.

    So a summary in a replicated function is written once, under its own name, as in TF.
    """
    @functools.wraps(make)
    def wrapper(*args, **kwargs):
        replica = replica_context.active_replica_context()
        if replica is not None and replica.replica_number:
            return constant('')
        return make(*args, **kwargs)
    return wrapper


_SUMMARIES = [GraphKeys.SUMMARIES]


# ---- from arrays to messages --------------------------------------------------------------


def one_tag(tag):
    """The tag as text. Raises ValueError unless it is one string."""
    if tag.size != 1:
        raise OpFailure(f'tags must be scalar, not {list(tag.shape)}',
                        'a summary like this has one tag.')
    return tag.reshape(-1)[0].decode()


def serialized(message):
    """A message as the string array that a kernel returns."""
    return boxed(message.SerializeToString())


class ScalarSummary(Op):
    """A Summary message with one number for each tag."""

    signature = 'tags: string, values: T -> summary: string'
    types = {'T': REAL}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(tags, values):
        return ()

    def kernel(tags, values):
        from tinyflow.formats.protos import summary_pb2  # start-up time
        if tags.shape != values.shape:
            raise OpFailure(f'tags and values are not the same shape: {list(tags.shape)} != '
                            f'{list(values.shape)}',
                            'a scalar summary takes one number: tf.reduce_mean(x), or '
                            'tf.summary.histogram for all of them.')
        message = summary_pb2.Summary()
        for tag, value in zip(tags.reshape(-1), values.reshape(-1)):
            message.value.add(tag=tag.decode(), simple_value=float(value))
        return serialized(message)


@of_the_first_replica
def scalar(name, tensor, collections=None, family=None):
    """`tensor`, one number, as a Summary message; joins the collection SUMMARIES.

    Shapes: tensor [] -> [], string. InvalidArgumentError for another shape, when run. `family`
    groups summaries in TensorBoard.
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        result = ScalarSummary.apply(tag, tensor, name=scope)
        return collect(result, collections, _SUMMARIES)


class HistogramSummary(Op):
    """A Summary message with the histogram of all values."""

    signature = 'tag: string, values: T -> summary: string'
    types = {'T': REAL}
    attrs = {'T': dtypes.float32}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(tag, values):
        return ()

    def kernel(tag, values):
        from tinyflow.formats.protos import summary_pb2  # start-up time
        message = summary_pb2.Summary()
        fill_histogram(message.value.add(tag=one_tag(tag)).histo, values)
        return serialized(message)


@of_the_first_replica
def histogram(name, values, collections=None, family=None):
    """The distribution of `values` as a Summary message; joins the collection SUMMARIES.

    Shapes: values [...] -> [], string. InvalidArgumentError, when run, if one is not finite.
    """
    with summary_scope(name, family, 'HistogramSummary', [values]) as (tag, scope):
        result = HistogramSummary.apply(tag, values, name=scope)
        return collect(result, collections, _SUMMARIES)


class TensorSummaryV2(Op):
    """A Summary message with a whole tensor and the metadata for a TensorBoard plugin."""

    signature = 'tag: string, tensor: T, serialized_summary_metadata: string -> summary: string'
    types = {'T': ANY - HANDLES}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(tag, tensor, serialized_summary_metadata):
        return ()

    def kernel(tag, tensor, serialized_summary_metadata):
        from tinyflow.formats.protos import summary_pb2  # start-up time
        message = summary_pb2.Summary()
        value = message.value.add(tag=one_tag(tag))
        value.metadata.ParseFromString(serialized_summary_metadata.reshape(-1)[0])
        _fill_tensor(value.tensor, tensor)
        return serialized(message)


def _fill_tensor(proto, array):
    """As TensorFlow's kernel does: raw bytes even for one number, a list for strings."""
    dtype = dtypes.string if array.dtype == object else dtypes.as_dtype(array.dtype)
    proto.dtype = dtype.as_datatype_enum
    proto.tensor_shape.SetInParent()
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    if dtype is dtypes.string:
        proto.string_val.extend(array.reshape(-1).tolist())
    else:
        proto.tensor_content = array.astype(array.dtype.newbyteorder('<'), copy=False).tobytes()


@of_the_first_replica
def tensor_summary(name, tensor, summary_description=None, collections=None, summary_metadata=None,
                   family=None, display_name=None):
    """A whole tensor as a Summary message; joins the collection SUMMARIES.

    Shapes: tensor [...] -> [], string. `summary_metadata` says which plugin of TensorBoard shows
    it; `summary_description` and `display_name` are texts to show with it.
    """
    from tinyflow.formats.protos.summary_pb2 import SummaryMetadata  # start-up time
    metadata = SummaryMetadata()
    if summary_metadata is not None:
        metadata.ParseFromString(summary_metadata.SerializeToString())
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        result = TensorSummaryV2.apply(tag, tensor, metadata.SerializeToString(), name=scope)
        return collect(result, collections, _SUMMARIES)


def text(name, tensor, collections=None):
    """Strings as a Summary message that TensorBoard shows as text (Markdown).

    Shapes: tensor [...], string -> [], string; up to two dimensions are shown as a table. Raises
    ValueError for another dtype.
    """
    from tinyflow.formats.protos.summary_pb2 import SummaryMetadata  # start-up time
    dtype = getattr(tensor, 'dtype', dtypes.string)
    if dtype != dtypes.string:
        raise refusal(
            ValueError, f'Expected tensor {getattr(tensor, "name", tensor)} to have dtype string, '
            f'got {dtype} (TensorSummaryV2)', hint='tf.as_string(x) makes text of numbers.')
    metadata = SummaryMetadata()
    metadata.plugin_data.plugin_name = 'text'
    return tensor_summary(name, tensor, collections=collections, summary_metadata=metadata)


# ---- merging ------------------------------------------------------------------------------


class MergeSummary(Op):
    """One Summary message with the values of all."""

    signature = 'inputs: N*string -> summary: string'
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(inputs):
        return ()

    def kernel(inputs):
        from google.protobuf.message import DecodeError  # start-up time

        from tinyflow.formats.protos import summary_pb2  # start-up time
        parts = [part for array in inputs for part in array.reshape(-1)]
        try:
            messages = [summary_pb2.Summary.FromString(part) for part in parts]
        except DecodeError:
            raise OpFailure('Could not parse one of the summary inputs',
                            'tf.summary.merge takes the results of tf.summary.scalar and '
                            'similar functions.') from None
        seen = set()
        for value in [value for message in messages for value in message.value]:
            if value.tag in seen:
                raise OpFailure(f'Duplicate tag {value.tag} summaries in summary inputs',
                                'give each summary once, under its own name.')
            seen.add(value.tag)
        return boxed(b''.join(parts))       # the same as the bytes of one message with all values


@of_the_first_replica
def merge(inputs, collections=None, name=None):
    """One Summary message of several summaries: one fetch for all of them.

    Shapes: inputs, a list of [] strings -> [], string. InvalidArgumentError, when run, if two have
    the same tag.
    """
    name = clean_tag(name)
    with name_scope(name, 'Merge', inputs):
        result = MergeSummary.apply(_listed(inputs), name=name)
        return collect(result, collections, [])


def _listed(inputs):
    if not isinstance(inputs, (list, tuple)):
        raise refusal(TypeError, "Expected list for 'inputs' argument to 'MergeSummary' Op, not "
                      f'{inputs!r}.', hint='tf.summary.merge([a, b]), or tf.summary.merge_all().')
    for each in inputs:
        if each is None or getattr(each, 'dtype', dtypes.string) != dtypes.string:
            described = 'None' if each is None else describe(each)
            raise refusal(TypeError, f'{described} is not a summary for MergeSummary.',
                          hint="tf.summary.merge([tf.summary.scalar('loss', loss), ...]).")
    if not inputs:
        raise refusal(ValueError, "List argument 'inputs' to 'MergeSummary' Op with length 0 "
                      'shorter than minimum length 1.', hint='give the summaries to be merged.')
    return list(inputs)


def merge_all(key=GraphKeys.SUMMARIES, scope=None, name=None):
    """One Summary message of all summaries in the collection `key`; None if there are none.

    `scope` keeps those whose names match it. Shapes: -> [], string.
    """
    summaries = get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None
