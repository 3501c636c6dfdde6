"""Summaries of tensors, Variables and activations, depending on their shape."""
from __future__ import annotations

import re

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import get_collection
from tinyflow.graph.keys import GraphKeys
from tinyflow.ops.array import identity_and_cast
from tinyflow.ops.math import logic, reduction
from tinyflow.ops.summary import summaries


def summarize_tensor(tensor, tag=None):
    """A scalar summary of a scalar, a histogram of anything else; None for text and bools."""
    if tensor.dtype.base_dtype in (dtypes.string, dtypes.bool):
        return None
    tag = tag or f'{tensor.op.name}_summary'
    return (summaries.scalar if tensor.shape.ndims == 0 else summaries.histogram)(tag, tensor)


def summarize_activation(op):
    """A histogram of an activation; for relu and the like also the fraction at the limits."""
    inputs = op.op.inputs
    if op.op.type in ('Relu', 'Softplus', 'Relu6'):
        below = logic.less(inputs[0], identity_and_cast.cast(0.0, inputs[0].dtype))
        _share(below, f'{op.op.name}/zeros')
    if op.op.type == 'Relu6':
        above = logic.greater(inputs[0], identity_and_cast.cast(6.0, inputs[0].dtype))
        _share(above, f'{op.op.name}/sixes')
    return summaries.histogram(f'{op.op.name}/activation', op)


def _share(condition, tag):
    part = reduction.reduce_mean(identity_and_cast.cast(condition, dtypes.float32, name='ToFloat'))
    summaries.scalar(tag, part)


def summarize_tensors(tensors, summarizer=summarize_tensor):
    """A list with the summary of each tensor."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor):
    """Summaries of the items of a collection; `name_filter` keeps names that match it."""
    chosen = [item for item in get_collection(collection)
              if name_filter is None or re.match(name_filter, item.op.name)]
    return summarize_tensors(chosen, summarizer)


def summarize_activations(name_filter=None, summarizer=summarize_activation):
    """Summaries of the items of GraphKeys.ACTIVATIONS."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)


__all__ = ['summarize_activation', 'summarize_activations', 'summarize_collection',
           'summarize_tensor', 'summarize_tensors']
