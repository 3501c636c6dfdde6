"""What the harness knows of a format: whole files of it, and how the project reads them."""
from __future__ import annotations

from tests.faults.damage import damaged

FORMATS = {}


class Wrong(Exception):
    """What was read is not what was written although the format would show damage."""


class Format:
    """Whole files by name, and `read(path, session_state)`, which is called with a damaged one.

    `read(place, name, data)` writes what it needs below the folder `place` and reads it the way a
    program would. It raises `Wrong` for values that a checksum should have refused. Errors have to
    be of tinyflow, and contain `place` or one of the texts `named` (names of nodes, where data
    come from a tensor; an empty text accepts all). `begin()` returns what is made once per process.
    """

    def __init__(self, name, read, sources, damage, named, begin, marks):
        self.name, self._read, self._sources = name, read, sources
        self.damage, self.named, self._begin, self.marks = damage, named, begin, marks
        self._made = self._whole = None

    @property
    def whole(self):
        """{name: bytes} of undamaged files."""
        if self._whole is None:
            self._whole = self._sources()
        return self._whole

    def case(self, chance):
        """(name, bytes) of a file with random damage."""
        name = chance.choice(sorted(self.whole))
        return name, self.damage(self.whole[name], chance, self.marks)

    def read(self, place, name, data):
        if self._begin is None:
            return self._read(place, name, data)
        if self._made is None:
            self._made = self._begin()
        return self._read(place, name, data, self._made)


def file_format(name, sources, damage=damaged, named=(), begin=None, marks=()):
    """Registers the decorated function as the reader of a format."""
    def register(read):
        FORMATS[name] = Format(name, read, sources, damage, named, begin, marks)
        return read
    return register
