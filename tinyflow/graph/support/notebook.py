"""Notebooks and IPython: names of cells, and tracebacks that end at the user's cell.

IPython is used if it is already loaded, and never imported: other programs do not pay for it.
"""
from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

from tinyflow.graph.support.errors import add_call_hint, hides_own_frames, without_signal_handler
from tinyflow.graph.support.users_files import is_users_file

__all__ = ['before_each_cell', 'cell_name', 'install']


def cell_name(filename: str) -> str | None:
    """'cell In[2]' for IPython's internal file name of a cell, else None."""
    compiler = getattr(_shell(), 'compile', None)
    if filename not in getattr(compiler, '_filename_map', ()):
        return None
    label, name = compiler.format_code_name(filename)
    return f'{label.lower()} {name}'


def install() -> None:
    """Makes a running IPython show tracebacks without tinyflow's frames."""
    shell = _shell()
    if shell is None or getattr(shell.showtraceback, 'of_tinyflow', False):
        return
    shown = shell.showtraceback

    def showtraceback(exc_tuple: Any = None, *arguments: Any, **settings: Any) -> None:
        kind, error, trace = exc_tuple or sys.exc_info()
        add_call_hint(error, trace)
        trace = without_signal_handler(trace)
        if isinstance(error, BaseException):
            exc_tuple = kind, error.with_traceback(trace), trace
        if not isinstance(error, BaseException) \
                or not hides_own_frames(error, traceback.extract_tb(trace)):
            shown(exc_tuple, *arguments, **settings)
            return
        chain = error.__cause__, error.__context__, error.__suppress_context__
        error.__cause__, error.__suppress_context__ = None, True
        try:
            shown((kind, error, _without_own_frames(trace)), *arguments, **settings)
        finally:
            error.__cause__, error.__context__, error.__suppress_context__ = chain

    showtraceback.of_tinyflow = True            # type: ignore[attr-defined]
    shell.showtraceback = showtraceback


def before_each_cell(function: Callable[[], None]) -> None:
    """Calls `function` before each cell that a running IPython runs; once if given twice."""
    shell = _shell()
    if shell is None or getattr(shell, '_tinyflow_before_cell', None) is function:
        return
    shell._tinyflow_before_cell = function
    shell.events.register('pre_run_cell', lambda *info: function())


def _shell() -> Any:
    """The running IPython, or None."""
    ipython = sys.modules.get('IPython')
    get = getattr(ipython, 'get_ipython', None)
    return get() if get is not None else None


def _without_own_frames(trace: TracebackType | None) -> TracebackType | None:
    if trace is None:
        return None
    rest = _without_own_frames(trace.tb_next)
    if not is_users_file(trace.tb_frame.f_code.co_filename):
        return rest
    return TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
