"""Follower: watches all Sessions of a program with the training doctor, for a page that is open."""
from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from tinyflow.graph import defaults
from tinyflow.graph.graph import Graph
from tinyflow.inspect.doctor.training import WatchedSession
from tinyflow.inspect.explorer.explore import explore
from tinyflow.session.session import BaseSession

__all__ = ['Follower']

_TRIES = 5              # to read figures that the training changes meanwhile


class Follower:
    """``with Follower() as follower:`` watches the Sessions that are made in the block.

    `page()` and `state()` may be called by other threads while they run.
    """

    def __init__(self, title: str = 'training', every: int = 20) -> None:
        self._title, self._every = title, every
        self._watched: list[WatchedSession] = []
        self._graphs: list[Graph] = []
        self._state: dict[str, Any] = {}
        self._began, self._ended = time.monotonic(), False

    def __enter__(self) -> Follower:
        self._graphs.append(defaults.get_default_graph())
        self._init, follower = BaseSession.__init__, self

        def watching(session, *args, **kwargs):
            follower._init(session, *args, **kwargs)
            follower._watch(session)
        BaseSession.__init__ = watching         # type: ignore[method-assign]
        return self

    def __exit__(self, *error: Any) -> None:
        BaseSession.__init__ = self._init       # type: ignore[method-assign]
        for watched in self._watched:
            watched.__exit__(*error)
        self._ended = True

    def _watch(self, session: BaseSession) -> None:
        watched = WatchedSession(session, self._every, shared=True)
        watched.__enter__()
        self._watched.append(watched)
        if session.graph not in self._graphs:
            self._graphs.append(session.graph)

    @property
    def _graph(self) -> Graph:
        """The largest graph so far."""
        return max(self._graphs, key=lambda graph: len(graph.get_operations()))

    def page(self) -> str:
        """The page of the graph as it is now; one without nodes is loaded again by itself."""
        made = explore(self._graph, title=self._title)
        made.document['live'] = {'nodes': len(self._graph.get_operations())}
        made.document['training'] = self.state()['training']
        return made.html()

    def state(self) -> dict[str, Any]:
        """{'ended', 'seconds', 'nodes' of the graph, 'training': what the doctor has found}."""
        for _ in range(_TRIES):
            with suppress(RuntimeError, IndexError, KeyError, ValueError):  # it changed meanwhile
                self._state = {'findings': [], 'curves': {}, 'histograms': {}}
                for number, watched in enumerate(list(self._watched)):
                    _add(self._state, watched.report().as_document(), number)
                break
        return {'ended': self._ended, 'seconds': round(time.monotonic() - self._began, 1),
                'nodes': len(self._graph.get_operations()), 'training': self._state}


def _add(found: dict[str, Any], report: dict[str, Any], number: int) -> None:
    """Adds the report of one Session; those of others than the first say which they are of."""
    ending = f' (Session {number + 1})' if number else ''
    found['findings'] += report['findings']
    for kind in ('curves', 'histograms'):
        found[kind].update({name + ending: value for name, value in report[kind].items()})
