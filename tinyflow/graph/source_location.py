"""Where in the user's program a node was built, captured in well under a microsecond.

A site is (code object, instruction offset): no text is read and no line number is computed until
somebody asks for it. Frames of tinyflow and of the layers on top of it are passed over, so the
site is the line that the user wrote.
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
_internal: dict[str, bool] = {}       # file name -> is it one of ours (or Python's own plumbing)?


class Site(NamedTuple):
    """One place in a program; `line` and `source` are looked up when asked for."""

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
        """The text of the line, stripped; '' where the file cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def file_and_line(self) -> str:
        """'program.py:3', or 'cell In[2], line 3' in a notebook."""
        cell = cell_name(self.file)
        return f'{cell}, line {self.line}' if cell else f'{os.path.basename(self.file)}:{self.line}'

    def __str__(self) -> str:
        source = self.source
        return self.file_and_line + (f': {source}' if source else '')


def _is_internal(filename: str) -> bool:
    answer = _internal[filename] = (filename.startswith(_OURS)
                                    or filename.endswith(f'{os.sep}contextlib.py')
                                    or filename.endswith(f'{os.sep}functools.py'))
    return answer


def here(depth: int = 1) -> tuple[CodeType, int] | None:
    """The innermost frame that is the user's, `depth` frames up or higher, as Site's arguments.

    A bare tuple, because one is made for every node; `Site(*here())` dresses it.
    """
    frame = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        filename = code.co_filename
        if not (_internal[filename] if filename in _internal else _is_internal(filename)):
            return code, frame.f_lasti
        frame = frame.f_back
    return None


def user_site() -> Site | None:
    """The user's line, for an error that is raised before there is a node."""
    place = here(2)
    return place and Site(*place)


def warn_at(site: Site | None, text: str) -> None:
    """A TinyflowWarning about a line of the user's; without one, about the caller's caller."""
    if site is None:
        warnings.warn(text, TinyflowWarning, stacklevel=3)
    else:
        warnings.warn_explicit(text, TinyflowWarning, site.file, site.line)
