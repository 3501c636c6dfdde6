"""Graph scope of models: methods run in the graph of the model, from any thread."""
from __future__ import annotations

from functools import wraps

from keras_layer import backend as K

__all__ = ['in_model_graph']


def in_model_graph(method):
    """Decorator: runs a method with the model's graph as the default graph."""
    @wraps(method)
    def wrapped(self, *args, **kwargs):
        with self._graph.as_default(), K.model_nodes(self._graph):
            return method(self, *args, **kwargs)
    return wrapped
