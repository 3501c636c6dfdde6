"""What takes the place of a Session where functions fetch values, while ops run at once."""
from __future__ import annotations

from tinyflow.eager.graph import EAGER_GRAPH
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.operation import Operation
from tinyflow.graph.support import nest

__all__ = ['VALUES']


class _Values:
    """`run` gives the values that tensors and Variables have."""

    graph = EAGER_GRAPH

    def run(self, fetches):
        return nest.map_structure(_value, fetches)


def _value(fetch):
    if fetch is None or isinstance(fetch, Operation):
        return None
    return convert_to_tensor(fetch).numpy()


VALUES = _Values()
