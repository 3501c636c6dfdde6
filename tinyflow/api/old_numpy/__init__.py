"""NumPy as it was in TensorFlow 1's time, for a program's own files (docs/old_numpy.md).

A file of the program is rewritten while it is loaded (rewrite.py): its `import numpy` gives a
module with the names of the time (modules.py, names.py), and what no name can change, such as
`int(array)` or `a[0] = array`, becomes a call (meaning.py, promotion.py). Libraries are loaded as
ever, and have NumPy 2.
"""
from __future__ import annotations

import atexit
import os
import sys
import types
from contextlib import contextmanager

from tinyflow.api.old_numpy import given, meaning
from tinyflow.api.old_numpy.own_files import OwnFiles, run_path
from tinyflow.api.old_numpy.rewrite import MEANING, Rewriter


@contextmanager
def numpy_of_the_time(script: str):
    """Inside the block the files of the program `script` have the NumPy of their time.

    At its end one notice of what was given goes to stderr.
    """
    given.forget()
    finder = _install([os.path.dirname(os.path.abspath(script)), os.getcwd()])
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        _show_notice()


def install_for_caller(frame) -> None:
    """From now on the modules that the caller's program imports have the NumPy of their time.

    In a notebook that holds for the cells that follow; a file that is running stays as it is.
    """
    if not any(isinstance(finder, OwnFiles) for finder in sys.meta_path):
        file = frame.f_globals.get('__file__')
        _install([os.path.dirname(os.path.abspath(file)) if file else os.getcwd()])
        atexit.register(_show_notice)
    shell = frame.f_globals.get('get_ipython')
    if shell is not None:
        frame.f_globals[MEANING] = meaning
        transformers = shell().ast_transformers
        if not any(isinstance(transformer, Rewriter) for transformer in transformers):
            transformers.append(Rewriter())


def without_own_frames(trace):
    """A traceback without the frames of this folder: it ends where the program's own line is."""
    entries = []
    while trace is not None:
        entries.append(trace)
        trace = trace.tb_next
    for entry in reversed(entries):
        if not given.is_own_frame(entry.tb_frame):
            trace = types.TracebackType(trace, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return trace


def _install(folders):
    finder = OwnFiles(folders)
    sys.meta_path.insert(0, finder)
    return finder


def _show_notice() -> None:
    text = given.notice()
    if text is not None:
        sys.stdout.flush()
        print(text, file=sys.stderr)
        given.forget()


__all__ = ['install_for_caller', 'numpy_of_the_time', 'run_path', 'without_own_frames']
