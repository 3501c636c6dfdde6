"""Location: where a value lives while a program runs."""
from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tinyflow.compiler.ir import Value


@dataclass
class Location:
    """Where a value lives.

    kind: 'constant', 'feed', 'variable' (a Variable's storage), 'buffer' (`offset` in the arena),
    'part' (of the buffer of a concatenation, computed in place; see Part), 'view' (made
    once when the program is bound), or 'local' (allocated in every run).
    """

    kind: str
    name: str
    offset: int = 0
    overwrites: Value | None = None


class Part(NamedTuple):
    """The position of a value in the concatenation `whole`."""

    whole: Value
    axis: int
    start: int
    stop: int

    @property
    def slices(self) -> tuple[slice, ...]:
        """The index that takes the part out of the whole."""
        return (slice(None),) * self.axis + (slice(self.start, self.stop),)


__all__ = ['Location', 'Part']
