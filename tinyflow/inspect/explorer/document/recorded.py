"""The programs of recorded runs, and the times of their operations."""
from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import OpError
from tinyflow.inspect.explorer.document import runs
from tinyflow.inspect.explorer.document.nodes import Nodes

_MOST = 3               # kinds of runs, the most frequent


def runs_of(recordings: Sequence, nodes: Nodes, graph: Graph) -> list[dict[str, Any]]:
    """An account of each kind of run that was recorded, without what only some of them fetch.

    A recording of another graph, whose nodes are not there, has none.
    """
    groups: dict[tuple[str, ...], list] = {}
    for step in [step for recording in recordings for step in recording.steps]:
        groups.setdefault(step.kind, []).append(step)
    frequent = sorted(groups.values(), key=len, reverse=True)[:_MOST]
    place = {name: n for n, name in enumerate(nodes.names)}
    found = []
    for steps in frequent:
        try:
            account = runs.account(nodes, graph, _request(steps, graph))
        except (OpError, KeyError, TypeError, ValueError):
            continue
        account['seconds'] = {str(place[name]): round(seconds, 9)
                              for name, seconds in _seconds(steps).items() if name in place}
        account['timed'] = 'as recorded, each operation by itself'
        found.append(account)
    return found


def _request(steps: Sequence, graph: Graph) -> runs.Request:
    """What all of the runs computed, with the most frequent shapes of their feeds."""
    fetches = min([step.fetches for step in steps], key=len)
    shapes = Counter(tuple(step.feeds.items()) for step in steps).most_common(1)[0][0]
    feeds = [graph.as_graph_element(name) for name, _ in shapes]
    if not all(isinstance(feed, Tensor) for feed in feeds):
        raise KeyError(shapes)
    return runs.Request(tuple([graph.as_graph_element(name) for name in fetches]),
                        tuple(feeds), tuple([shape for _, shape in shapes]))


def _seconds(steps: Sequence) -> dict[str, float]:
    """The median, over the runs, of the time that each node took in one; in loops the sum."""
    times: dict[str, list[float]] = {}
    for step in steps:
        once: dict[str, float] = {}
        for entry, seconds in zip(step.entries, step.seconds):
            once[entry.name] = once.get(entry.name, 0.0) + seconds
        for name, seconds in once.items():
            times.setdefault(name, []).append(seconds)
    return {name: median(seconds) for name, seconds in times.items()}


__all__ = ['runs_of']
