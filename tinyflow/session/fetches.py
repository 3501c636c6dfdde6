"""Fetches and feeds: any nest of lists, tuples, dicts, namedtuples becomes a flat list and back."""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import worded


class FetchPlan:
    """What a fetch argument asks for: `elements` (each once) and how to rebuild its structure."""

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
            return lambda got: _another(got[earlier])
        index = self._index[element] = len(self.elements)
        self.elements.append(element)
        return lambda got: got[index]


_NAMES = ("tensor.name tells a tensor's name; tf.identity(x, name='loss') gives it the name "
          "'loss:0'. It may also be in another graph than this Session's.")


def _another(value: Any) -> Any:
    """The value again, as an array of its own: a caller may change one and keep the other."""
    return value.copy() if isinstance(value, np.ndarray) else value


def as_element(graph: Graph, fetch: Any) -> Tensor | Operation:
    """The node that a fetch names, or a TypeError/ValueError that says what it was (PAINS A6)."""
    try:
        return graph.as_graph_element(fetch)
    except TypeError:
        raise worded(TypeError(_not_fetchable(fetch))) from None
    except ValueError as error:
        raise worded(ValueError(
            f'Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({error})')) from None
    except KeyError as error:
        problem = error.args[0]
        mend = '' if 'Nearest: ' in problem else '\n  Mend: ' + _NAMES
        raise worded(ValueError(
            f'Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({problem}){mend}'
        )) from None


def _not_fetchable(fetch: Any) -> str:
    shown = re.sub(r' at 0x[0-9a-f]+', '', repr(fetch))
    problem = (f'Fetch argument {shown} has invalid type {type(fetch)}, must be a string or '
               f'Tensor. (Can not convert a {type(fetch).__name__} into a Tensor or Operation.)')
    return f'{problem}\n  Mend: {_what_it_was(fetch)}'


def _what_it_was(fetch: Any) -> str:
    if fetch is None:
        return ('the value is None. tf.gradients gives None where no path leads, and '
                'tf.summary.merge_all() where the graph has no summaries; a function may have '
                'forgotten its return.')
    if hasattr(fetch, 'minimize') and hasattr(fetch, 'apply_gradients'):
        return ('this is an optimizer; fetch the operation that '
                '`train_op = optimizer.minimize(loss)` returns.')
    if hasattr(fetch, 'dtype') or isinstance(fetch, (int, float, complex)):
        return ('this is a number or array, not a node: was the name of a tensor overwritten by '
                'its own value, as in `loss = sess.run(loss)`? Use another name for the result.')
    if callable(fetch):
        return 'this is a function; call it to get the tensor that it builds.'
    return 'fetch Tensors, Operations, Variables, their names, or nests of those.'
