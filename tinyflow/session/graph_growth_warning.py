"""Warning about a graph that grows in a loop, so that every run must be compiled again."""
from __future__ import annotations

import warnings

from tinyflow.graph.graph import Graph
from tinyflow.graph.node_gc import collectable_nodes
from tinyflow.graph.source_location import Site
from tinyflow.graph.support.errors import TinyflowWarning, why

_RUNS = 10              # consecutive runs, each preceded by new nodes from one line


class GrowthWatch:
    """Observes the nodes added between runs; warns once if one line keeps adding them."""

    def __init__(self, graph: Graph) -> None:
        self.seen = -1                  # version of the graph at the last run
        self._graph = graph
        self._streak: dict = {}         # site -> number of runs in a row
        self._warned = False

    def check(self) -> None:
        """Called by a Session before a run if the graph has grown since the last run."""
        graph, first = self._graph, self.seen
        self.seen = graph._last_id
        if first < 0 or self._warned:
            return
        sites = set()
        collectable = set(collectable_nodes(graph))
        for operation in reversed(graph._operations):
            if operation.id <= first:
                break
            if operation not in collectable:    # Keras may build models in a loop: they are freed
                sites.add(operation._site)
        self._streak = {s: self._streak.get(s, 0) + 1 for s in sites if s is not None}
        worst = max(self._streak.items(), key=lambda item: item[1], default=None)
        if worst is not None and worst[1] >= _RUNS:
            self._warned = True
            warnings.warn(
                f'[graph-growth] the graph grows inside a loop: {Site(*worst[0])} has added nodes '
                f'before each of the last {_RUNS} runs ({graph._last_id} nodes now), and every run '
                'is compiled again.\n  Hint: build nodes once, before the loop, and feed what '
                'changes; graph.finalize() makes an accidental node an error.'
                + why('graph-growth'),
                TinyflowWarning, stacklevel=3)
