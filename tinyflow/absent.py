"""Names that TensorFlow 1 has and tinyflow has not: an error that says so, and what is nearest.

A namespace module ends with `__getattr__ = absent(__name__, globals())`; Python asks it for the
attributes that the module lacks.
"""
from __future__ import annotations

from difflib import get_close_matches

from tinyflow.errors import worded


class AbsentError(AttributeError):
    """A TensorFlow name that is not in tinyflow; being an AttributeError, hasattr says False."""


def absent(module_name, known_names):
    """A module's `__getattr__`, which tells what is missing and names what is nearest.

    `known_names` are the names that the module has, as a collection or its `globals()`; they are
    only looked at when a name is missing.
    """
    public = module_name.replace('tinyflow', 'tf', 1)

    def __getattr__(name):
        # Python and its tools ask every module for such names, and expect the plain answer.
        if name.startswith('__'):
            raise AttributeError(f'module {module_name!r} has no attribute {name!r}')
        names = [n for n in known_names if not n.startswith('_')]
        nearest = _nearest(name, names)
        hint = f'; nearest: {", ".join(f"{public}.{n}" for n in nearest)}' if nearest else ''
        raise worded(AbsentError(f'{public}.{name} is not in tinyflow yet{hint}.'))

    return __getattr__


def _nearest(name, names):
    """Up to three names that look alike, or of which one contains the other."""
    by_lower = {n.lower(): n for n in names}
    lower = name.lower()
    found = get_close_matches(lower, by_lower, n=3)
    found += [n for n in by_lower if n not in found and len(n) > 2 and (n in lower or lower in n)]
    return [by_lower[n] for n in found[:3]]
