"""What was given to the program: each old meaning once, with the line that first used it."""
from __future__ import annotations

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_first_use: dict[str, str] = {}
# Behaviours have a name of their own; a name such as np.float is its own description.
TEXTS = {
    'arange': 'np.arange of an array of one element',
    'compare': 'False from == for arrays of different shapes or kinds',
    'copy': 'copy=False, which means: no copy if none is needed',
    'digits': 'float64 for float32 numbers next to others, and float32 next to arrays',
    'empty': 'an empty array is false',
    'format': "'%d' and '%f' of an array of one element",
    'generator': 'stacks and sums of a generator',
    'item': 'a[i] = an array of one element',
    'math': 'functions of math of an array of one element',
    'number': 'int() and float() of an array of one element',
    'promotion': 'integers of a type that holds both numbers',
    'ragged': 'np.array of lists of different lengths',
    'wrapped': 'integers that wrap around, such as uint8(300)',
}


def note(what: str) -> None:
    """Remembers that `what` was given, and where first."""
    if what not in _first_use:
        _first_use[what] = _users_line()


def _users_line() -> str:
    frame = sys._getframe(2)
    while frame.f_back is not None and is_own_frame(frame):
        frame = frame.f_back
    return f'{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}'


def is_own_frame(frame) -> bool:
    """True for frames of this folder and of imports, which tracebacks leave out."""
    return frame.f_code.co_filename.startswith((_FOLDER, '<frozen importlib'))


def notice() -> str | None:
    """One notice of all that was given, for the end of a program; None if nothing was.

    Types of real numbers alone are not worth one: nearly every program has them, in `sum += loss`,
    and they change last digits only.
    """
    if not set(_first_use) - {'digits'}:
        return None
    lines = [f'  {TEXTS.get(what, what)} ({line})' for what, line in _first_use.items()]
    return ('tinyflow: this program is written for the NumPy of its time, and was given what that '
            'meant (first use in brackets):\n' + '\n'.join(lines) +
            '\n  Hint: docs/old_numpy.md lists it all; `run --numpy-of-today` gives none of it.')


def forget() -> None:
    """Begins again, for the next program of this process."""
    _first_use.clear()
