"""Summaries as nodes: a value with its tag as a Summary message for event files."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.defaults import add_to_collections, name_scope
from tinyflow.graph.dtypes import REAL
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op

__all__ = ['scalar']


class ScalarSummary(Op):
    """A Summary message with one number for each tag."""

    signature = 'tags: string, values: T -> summary: string'
    types = {'T': REAL}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(tags, values):
        return ()

    def kernel(tags, values):
        from tinyflow.formats.protos import summary_pb2
        if tags.shape != values.shape:
            raise ValueError(f'tags and values are not the same shape: {list(tags.shape)} != '
                             f'{list(values.shape)}|a scalar summary takes one number: '
                             'tf.reduce_mean(x), or tf.summary.histogram for all of them.')
        message = summary_pb2.Summary()
        for tag, value in zip(tags.reshape(-1), values.reshape(-1)):
            message.value.add(tag=tag.decode(), simple_value=float(value))
        summary = np.empty((), object)
        summary[()] = message.SerializeToString()
        return summary


def scalar(name, tensor, collections=None):
    """`tensor`, one number, as a Summary message; joins the collection SUMMARIES.

    Shapes: tensor [] -> [], string. The tag is the name with the scopes around it.
    """
    with name_scope(name, values=[tensor]) as scope:
        result = ScalarSummary.apply(scope.rstrip('/'), tensor, name=scope)
    add_to_collections([GraphKeys.SUMMARIES] if collections is None else collections, result)
    return result
