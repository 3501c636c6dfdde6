"""What a Session runs on: this process, or the cluster that its target names."""
from __future__ import annotations

import importlib
from typing import Any, NamedTuple

from tinyflow.graph.support.errors import misuse

# The modules that know clusters and debugging; the top level names them.
CLUSTERS: list[str] = []
DEBUGGERS: list[str] = []


class ShownInNotebooks:
    """Base class of Sessions; the top level adds the method that draws them (viz.notebook)."""


class _DeviceAttributes(NamedTuple):
    """An entry of list_devices; memory limit and incarnation are TensorFlow's values for a CPU."""

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int

    def __repr__(self) -> str:
        return f'_DeviceAttributes({", ".join(map(str, self))})'


def cluster_module(target: Any) -> Any:
    """The module that opens and resets targets. Raises NotImplementedError if there is none."""
    if not CLUSTERS:
        raise misuse(NotImplementedError(f'Session(target={target!r}): no cluster is known.'))
    return importlib.import_module(CLUSTERS[0])


def start_debugger(session: Any, debug: Any) -> None:
    """Debugs a Session: `debug` is what was passed to tf.Session."""
    importlib.import_module(DEBUGGERS[0]).start(session, debug)


def list_devices(programs: Any = None) -> list[_DeviceAttributes]:
    """The devices: one CPU, or that of each task of a cluster."""
    tasks = getattr(programs, 'devices', None)
    found = [('/job:localhost/replica:0/task:0/device:CPU:0', 1)] if tasks is None else tasks()
    return [_DeviceAttributes(name, 'CPU', 2**28, incarnation) for name, incarnation in found]


__all__ = ['CLUSTERS', 'DEBUGGERS', 'ShownInNotebooks', 'cluster_module', 'list_devices',
           'start_debugger']
