"""ScopeStore: the open variable scope of a graph, and counts for unique scope names."""
from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tinyflow.graph.defaults import get_default_graph

if TYPE_CHECKING:
    from tinyflow.ops.variables.variable_scope import VariableScope


def one_per_graph(key: object, make: Callable[[], Any]) -> Any:
    """The object that the default graph keeps under `key` among its collections, as in TF1."""
    kept = get_default_graph().get_collection_ref(key)
    if not kept:
        kept.append(make())
    return kept[0]


class ScopeStore(threading.local):
    """The open variable scope of one graph in one thread, and a count for each name."""

    def __init__(self) -> None:
        self.current: VariableScope | None = None       # None until the first one is needed
        self.counts: dict[str, int] = {}

    def open(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def forget_inside(self, name: str) -> None:
        for key in self.counts:
            if key.startswith(name + '/'):
                self.counts[key] = 0

    def unique(self, prefix: str, scope_name: str) -> str:
        """`prefix`, with _1, _2 ... if it is already used in that scope."""
        name = f'{scope_name}/{prefix}' if scope_name else prefix
        if not self.counts.get(name):
            return prefix
        number = 1
        while self.counts.get(f'{name}_{number}'):
            number += 1
        return f'{prefix}_{number}'


def get_scope_store() -> ScopeStore:
    """The ScopeStore of the default graph."""
    return one_per_graph(('__varscope',), ScopeStore)


def use_resource_of_scope() -> bool | None:
    """use_resource of the open variable scope; None if it is not set."""
    scope = get_scope_store().current
    return None if scope is None else scope.use_resource
