"""Tasks of a cluster: their names, and which of them a device string means."""
from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ['Task', 'parts_of']

_PARTS = re.compile(r'/(job|replica|task):([^/]+)')


class Task(NamedTuple):
    """One process of a cluster."""

    job: str
    index: int                          # type: ignore[assignment]    # hides tuple.index

    def __str__(self) -> str:
        return f'/job:{self.job}/task:{self.index}'

    @property
    def device(self) -> str:
        """The name of its CPU, as TensorFlow writes it."""
        return f'/job:{self.job}/replica:0/task:{self.index}/device:CPU:0'


def parts_of(device: str) -> tuple[str | None, int | None]:
    """(job, index) that a device string names; None for what it leaves open."""
    found = dict(_PARTS.findall(device)) if device else {}
    index = found.get('task')
    return found.get('job'), int(index) if index is not None and index.isdigit() else None
