"""Unknown keyword arguments of a constructor are answered with the nearest name."""
from __future__ import annotations

import functools
import inspect

from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword

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
    return (f'{class_name}.__init__() got an unexpected keyword argument {unknown!r}'
            + nearest_keyword(unknown, names))
