"""tensorflow.python.util.function_utils: the arguments of functions."""
from __future__ import annotations

import functools
import inspect

__all__ = ['fn_args', 'has_kwargs']


def fn_args(fn):
    """The names of a function's arguments, a tuple: without self, nor what a partial has given."""
    if isinstance(fn, functools.partial):
        given = set(fn.keywords)
        return tuple([name for name in fn_args(fn.func)[len(fn.args):] if name not in given])
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return tuple([name for name, parameter in inspect.signature(fn).parameters.items()
                  if parameter.kind not in kinds])


def has_kwargs(fn):
    """True if a function takes any keyword argument, by **kwargs."""
    return any(parameter.kind is inspect.Parameter.VAR_KEYWORD
               for parameter in inspect.signature(fn).parameters.values())
