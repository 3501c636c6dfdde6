"""Unknown keyword arguments of a constructor are answered with the nearest name."""
from __future__ import annotations

import functools
import inspect
from difflib import get_close_matches

from tinyflow.graph.support.errors import misuse

__all__ = ['suggest_keywords']


def suggest_keywords(init):
    """Wraps an `__init__`: the TypeError for an unknown keyword names the nearest parameter."""
    parameters = inspect.signature(init).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return init
    names = [parameter.name for parameter in parameters][1:]       # without `self`

    @functools.wraps(init)
    def checked_init(self, *args, **kwargs):
        unknown = [name for name in kwargs if name not in names]
        if unknown:
            raise misuse(TypeError(_message(type(self).__name__, unknown[0], names)))
        init(self, *args, **kwargs)
    return checked_init


def _message(class_name, unknown, names):
    text = f'{class_name}.__init__() got an unexpected keyword argument {unknown!r}'
    nearest = get_close_matches(unknown, names, n=1, cutoff=0.6)
    return f'{text}\n  Hint: did you mean {nearest[0]!r}?' if nearest else text
