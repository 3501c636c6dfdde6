"""FetchPlan: flattens a nest of fetches to a list and rebuilds the structure from the values."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.session import fetch_errors


class FetchPlan:
    """The nodes of a fetch argument, `elements` (each once), and how to rebuild its structure."""

    def __init__(self, graph: Graph, fetches: Any) -> None:
        self.elements: list[Tensor | Operation] = []
        self._index: dict[Any, int] = {}
        self.rebuild: Callable[[list], Any] = self._structure(graph, fetches)

    def _structure(self, graph: Graph, fetch: Any) -> Callable[[list], Any]:
        """A function from the list of fetched values to the structure of `fetch`."""
        if isinstance(fetch, (list, tuple)):
            parts = [self._structure(graph, f) for f in fetch]
            if hasattr(fetch, '_fields'):
                kind: Any = type(fetch)
                return lambda got: kind(*[part(got) for part in parts])
            if type(fetch) is tuple:
                return lambda got: tuple([part(got) for part in parts])
            return lambda got: [part(got) for part in parts]
        if isinstance(fetch, Mapping):
            mapping: Any = type(fetch)
            keys = list(fetch)
            parts = [self._structure(graph, fetch[k]) for k in keys]
            return lambda got: mapping((k, part(got)) for k, part in zip(keys, parts))
        composite = getattr(fetch, '_fetch_parts', None)        # IndexedSlices, SparseTensor
        if composite is not None:
            tensors, make = composite()
            parts = [self._structure(graph, t) for t in tensors]
            return lambda got: make(*[part(got) for part in parts])
        return self._single(graph, fetch)

    def _single(self, graph: Graph, fetch: Any) -> Callable[[list], Any]:
        element = as_element(graph, fetch)
        if element in self._index:
            earlier = self._index[element]
            return lambda got: _copy_of(got[earlier])
        index = self._index[element] = len(self.elements)
        self.elements.append(element)
        return lambda got: got[index]


def _copy_of(value: Any) -> Any:
    """A copy of a value that is fetched twice: the caller may modify one of them."""
    return value.copy() if isinstance(value, np.ndarray) else value


def as_element(graph: Graph, fetch: Any) -> Tensor | Operation:
    """The node that a fetch names. Raises TypeError or ValueError if it names none."""
    try:
        element = graph.as_graph_element(fetch)
        if type(fetch) is str:                      # the name may be inside a branch or a loop
            graph.as_graph_element(element)
        return element
    except TypeError:
        raise fetch_errors.not_fetchable(fetch) from None
    except ValueError as error:
        raise fetch_errors.not_a_tensor(fetch, error) from None
    except KeyError as error:
        raise fetch_errors.no_such_name(fetch, error) from None
