"""Decorators that warn of deprecated functions and arguments, once for each function."""
from __future__ import annotations

import functools
import inspect
import warnings


def _warn(text, seen, warn_once):
    if warn_once and seen:
        return
    seen.append(text)
    warnings.warn(text, DeprecationWarning, stacklevel=3)


def _when(date):
    return 'in a future version' if date is None else f'after {date}'


def deprecated(date, instructions, warn_once=True):
    """Decorates a function that will be removed on `date`; `instructions` name the replacement."""
    def decorate(function):
        seen: list = []

        @functools.wraps(function)
        def with_warning(*args, **kwargs):
            _warn(f'{function.__name__} is deprecated and will be removed {_when(date)}: '
                  f'{instructions}', seen, warn_once)
            return function(*args, **kwargs)
        return with_warning
    return decorate


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
    """Decorates a function with deprecated arguments; a pair (name, value) allows that value."""
    warn_once = kwargs.pop('warn_once', True)
    accepted = {item[0] if isinstance(item, tuple) else item:
                item[1:] if isinstance(item, tuple) else () for item in
                deprecated_arg_names_or_tuples}

    def is_old(name, value):
        return name in accepted and value not in accepted[name]
    return _of_arguments(date, instructions, is_old, warn_once)


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
    """Decorates a function with deprecated argument values."""
    def is_old(name, value):
        return name in deprecated_kwargs and deprecated_kwargs[name] == value
    return _of_arguments(date, instructions, is_old, warn_once)


def _of_arguments(date, instructions, is_old, warn_once):
    def decorate(function):
        signature, seen = inspect.signature(function), []

        @functools.wraps(function)
        def with_warning(*args, **kwargs):
            given = signature.bind(*args, **kwargs).arguments
            for name, value in given.items():
                if is_old(name, value):
                    _warn(f'{function.__name__}({name}={value!r}) is deprecated and will be removed'
                          f' {_when(date)}: {instructions}', seen, warn_once)
            return function(*args, **kwargs)
        return with_warning
    return decorate


__all__ = ['deprecated', 'deprecated_arg_values', 'deprecated_args']
