"""tensorflow.python.util.function_utils: the arguments of functions."""
from __future__ import annotations

import functools
import inspect

__all__ = ['fn_args', 'get_func_code', 'get_func_name', 'has_kwargs']


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


def get_func_name(func):
    """The name of a function, a method or what a partial calls; of other callables their text."""
    if isinstance(func, functools.partial):
        return get_func_name(func.func)
    return getattr(func, '__name__', None) or str(func)


def get_func_code(func):
    """The code of a function; None for others that can be called."""
    return getattr(func, '__code__', None)
