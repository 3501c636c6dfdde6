"""Calls of layers while ops run at once, and inside a tf.function."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.call_context import current_call

__all__ = ['call_at_once', 'traced_call']


def call_at_once(layer, inputs, args, kwargs):
    """The layer on values; inputs that are nodes make nodes, in the graph of models."""
    from tinyflow.eager.symbolic import is_symbolic, symbolic_graph  # start-up time
    if any(map(is_symbolic, tf.nest.flatten([inputs, args, kwargs]))):
        graph = symbolic_graph()
        with graph.as_default(), K.model_nodes(graph):
            return layer._call_in_graph(inputs, args, kwargs)
    if current_call() is None:
        layer._forget_losses_of_values()
    return layer._call_in_graph(inputs, args, kwargs)


def traced_call(layer):
    """`layer.call`; inside a tf.function as AutoGraph converts it."""
    graph = tf.get_default_graph()
    while graph.outer_graph is not None:
        if getattr(graph, 'autograph', False):
            from tinyflow.eager.autograph.convert import convert  # start-up time
            return convert(layer.call)
        graph = graph.outer_graph
    return layer.call
