"""Source location of a node: the line of the user's program that created it.

A Site is (code object, instruction offset), which takes well under a microsecond to capture; line
number and source text are looked up on first use. Frames of tinyflow and the layers on top of it
are skipped, so the location is a line that the user wrote.
"""
from __future__ import annotations

import linecache
import os
import sys
import warnings
from types import CodeType
from typing import NamedTuple

from tinyflow.graph.support.errors import TinyflowWarning
from tinyflow.graph.support.notebook import cell_name

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_OURS = tuple(os.path.join(_ROOT, package) + os.sep
              for package in ('tinyflow', 'keras_layer', 'estimator_layer'))
_internal: dict[str, bool] = {}       # file name -> True for tinyflow's and plumbing files


class Site(NamedTuple):
    """A location in the user's program; `line` and `source` are computed on access."""

    code: CodeType
    offset: int

    @property
    def file(self) -> str:
        return self.code.co_filename

    @property
    def line(self) -> int:
        for start, end, line in self.code.co_lines():
            if start <= self.offset < end and line is not None:
                return line
        return self.code.co_firstlineno

    @property
    def source(self) -> str:
        """The text of the line, stripped; '' if the file cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def file_and_line(self) -> str:
        """'program.py:3', or 'cell In[2], line 3' in a notebook."""
        cell = cell_name(self.file)
        return f'{cell}, line {self.line}' if cell else f'{os.path.basename(self.file)}:{self.line}'

    def __str__(self) -> str:
        source = self.source
        return self.file_and_line + (f': {source}' if source else '')


def is_internal(filename: str) -> bool:
    internal = _internal[filename] = filename.startswith(_OURS) or filename.endswith(
        (f'{os.sep}contextlib.py', f'{os.sep}functools.py', '<frozen runpy>'))
    return internal


def here(depth: int = 1) -> tuple[CodeType, int] | None:
    """The innermost frame of the user's code, at least `depth` frames up, as Site's arguments.

    A plain tuple, because one is created for every node; `Site(*here())` wraps it.
    """
    frame = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        filename = code.co_filename
        if not (_internal[filename] if filename in _internal else is_internal(filename)):
            return code, frame.f_lasti
        frame = frame.f_back
    return None


def user_site() -> Site | None:
    """The user's line, for an error that is raised before the node exists."""
    location = here(2)
    return location and Site(*location)


def warn_at(site: Site | None, text: str) -> None:
    """Issues a TinyflowWarning for the line at `site`, or for the caller's caller if None."""
    if site is None:
        warnings.warn(text, TinyflowWarning, stacklevel=3)
    else:
        warnings.warn_explicit(text, TinyflowWarning, site.file, site.line)
