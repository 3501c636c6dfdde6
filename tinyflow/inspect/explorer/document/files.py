"""The user's program: the lines that made nodes, with the code around them."""
from __future__ import annotations

import linecache
import os

from tinyflow.graph.source_location import Site
from tinyflow.graph.support.notebook import cell_name

_WHOLE = 2000               # lines: a longer file is shown in excerpts
_AROUND = 20
_LONGEST = 300              # characters of a line


class Files:
    """Collects the lines of nodes; `entry` is what a node says, `entries` the document's files."""

    def __init__(self) -> None:
        self._lines: dict[str, set[int]] = {}
        self._found: dict[tuple, tuple[str, int, str] | None] = {}
        self._asked: list[tuple[dict, tuple[str, int, str]]] = []

    def add(self, node: dict, site: tuple | None) -> None:
        """Notes the line of a node; `fill` writes it into the node as "s"."""
        if site is None:
            return
        if site not in self._found:
            self._found[site] = self._where(Site(*site))
        where = self._found[site]
        if where is not None:
            self._asked.append((node, where))

    def _where(self, site):
        self._lines.setdefault(site.file, set()).add(site.line)
        return site.file, site.line, site.code.co_name

    def fill(self) -> list[dict]:
        """Writes "s" into the nodes; the files, or what is near the lines in long ones."""
        entries: list[dict] = []
        entry_of: dict[tuple[str, int], int] = {}
        for file, lines in self._lines.items():
            text = [line.rstrip('\n')[:_LONGEST] for line in linecache.getlines(file)]
            path = cell_name(file) or os.path.relpath(file) if os.path.exists(file) else \
                cell_name(file) or file
            if path.startswith('..'):
                path = os.path.basename(path)
            for first, last in _excerpts(sorted(lines), len(text)):
                for line in lines:
                    if first <= line <= last:
                        entry_of[file, line] = len(entries)
                entries.append({'path': path, 'first': first, 'lines': text[first - 1:last]})
        for node, (file, line, function) in self._asked:
            node['s'] = [entry_of[file, line], line, function]
        return entries


def _excerpts(lines: list[int], length: int) -> list[tuple[int, int]]:
    """First and last lines of the parts of a file that are shown."""
    if length <= _WHOLE:
        return [(1, max(length, lines[-1]))]
    found: list[list[int]] = []
    for line in lines:
        first, last = max(1, line - _AROUND), min(length, line + _AROUND)
        if found and first <= found[-1][1] + 1:
            found[-1][1] = max(last, found[-1][1])
        else:
            found.append([first, max(last, line)])
    return [(first, last) for first, last in found]


__all__ = ['Files']
