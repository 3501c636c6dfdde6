"""How a session talks to a task: directly if it is in this process; client.py is for others."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from tinyflow.cluster.shipping import Shipped
from tinyflow.cluster.task_service import Route, TaskService
from tinyflow.cluster.tasks import Task

__all__ = ['LocalPeer', 'Peer']


class Peer(Protocol):
    """A task, as one session sees it. `start` and `finish` are the halves of a run of a stage."""

    task: Task
    in_process: bool

    def register(self, key: str, shipped: Shipped, route: Route) -> None: ...

    def start(self, key: str, step: int, arrays: Sequence[np.ndarray], milliseconds: int) -> Any:
        ...

    def finish(self, started: Any) -> list: ...

    def cancel(self, step: int, started: Any) -> None: ...

    def values(self, names: Sequence[tuple[str, str]]) -> list[np.ndarray | None]: ...

    def set_values(self, pairs: Iterable[tuple[Any, np.ndarray]]) -> None: ...

    def positions(self) -> tuple[dict[str, Any], dict[str, str]]: ...

    def set_positions(self, positions: dict[str, Any]) -> None: ...

    def close(self) -> None: ...


class LocalPeer:
    """A task of this process: its stages run in the thread that asks."""

    in_process = True

    def __init__(self, service: TaskService, session: str) -> None:
        self.service, self.session, self.task = service, session, service.task
        service.open(session)

    def register(self, key: str, shipped: Shipped, route: Route) -> None:
        self.service.register(self.session, key, shipped, route)

    def start(self, key: str, step: int, arrays: Sequence[np.ndarray], milliseconds: int) -> Any:
        return key, step, arrays, milliseconds

    def finish(self, started: Any) -> list:
        return self.service.run(self.session, *started)

    def cancel(self, step: int, started: Any) -> None:
        self.service.cancel(self.session, step)

    def values(self, names: Sequence[tuple[str, str]]) -> list[np.ndarray | None]:
        return self.service.values(names)

    def set_values(self, pairs: Iterable[tuple[Any, np.ndarray]]) -> None:
        self.service.set_values(pairs)

    def positions(self) -> tuple[dict[str, Any], dict[str, str]]:
        return self.service.positions(self.session)

    def set_positions(self, positions: dict[str, Any]) -> None:
        self.service.set_positions(self.session, positions)

    def close(self) -> None:
        self.service.close(self.session)
