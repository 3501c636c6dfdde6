"""tf.InteractiveSession: a Session for notebooks."""
from __future__ import annotations

from contextlib import AbstractContextManager

from tinyflow.graph.graph import Graph
from tinyflow.graph.stacks import stacks
from tinyflow.session.config import ConfigProto
from tinyflow.session.session import BaseSession

__all__ = ['InteractiveSession']


class InteractiveSession(BaseSession):
    """A Session that is the default Session from its construction on, for notebooks."""

    def __init__(self, target: str = '', graph: Graph | None = None,
                 config: ConfigProto | None = None, nan_check: bool = False) -> None:
        super().__init__(target, graph, config, nan_check)
        stacks.sessions.append(self)
        self._default_graph: AbstractContextManager | None = None
        if graph is not None:
            self._default_graph = graph.as_default()
            self._default_graph.__enter__()

    def close(self) -> None:
        if self._closed:
            return
        super().close()
        if self in stacks.sessions:
            stacks.sessions.remove(self)
        if self._default_graph is not None:
            self._default_graph.__exit__(None, None, None)
