"""A model belongs to the graph that it was built in; its methods run there from any thread."""
from __future__ import annotations

from functools import wraps

from keras_layer import backend as K

__all__ = ['in_model_graph']


def in_model_graph(method):
    """Runs a method in the model's own graph, whichever thread calls it (PAINS B2)."""
    @wraps(method)
    def wrapped(self, *args, **kwargs):
        with self._graph.as_default(), K.model_nodes(self._graph):
            return method(self, *args, **kwargs)
    return wrapped
