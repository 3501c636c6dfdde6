"""Session.list_devices: the one CPU."""
from __future__ import annotations

from typing import NamedTuple


class _DeviceAttributes(NamedTuple):
    """An entry of list_devices; memory limit and incarnation are TensorFlow's values for a CPU."""

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int

    def __repr__(self) -> str:
        return f'_DeviceAttributes({", ".join(map(str, self))})'


def list_devices() -> list[_DeviceAttributes]:
    """The devices: one CPU."""
    return [_DeviceAttributes('/job:localhost/replica:0/task:0/device:CPU:0', 'CPU', 2**28, 1)]


__all__ = ['list_devices']
