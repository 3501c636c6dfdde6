"""Functions that compute the gradients of a Python function."""
from __future__ import annotations

import functools
import inspect

from tinyflow.gradients.tape import GradientTape
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.support.errors import misuse

__all__ = ['gradients_function', 'implicit_gradients', 'implicit_value_and_gradients',
           'value_and_gradients_function']


def implicit_value_and_gradients(f):
    """A function with f's arguments: (f's value, [(gradient, Variable), ...]).

    The Variables are the trainable ones that f reads. Raises ValueError if it reads none or returns
    None.
    """
    @functools.wraps(f)
    def value_and_gradients(*args, **kwargs):
        with GradientTape() as tape:
            value = f(*args, **kwargs)
        if value is None:
            raise misuse(ValueError(
                'Cannot differentiate a function that returns None; did you forget to return a '
                f'value from {getattr(f, "__name__", f)}?'))
        variables = tape.watched_variables()
        if not variables:
            raise misuse(ValueError('No trainable variables were accessed while the function was '
                                    'being computed.'))
        variables = sorted(variables, key=lambda v: v.handle.op.id)
        return value, list(zip(tape.gradient(value, variables), variables))
    return value_and_gradients


def implicit_gradients(f):
    """A function with f's arguments: [(gradient, Variable), ...]."""
    both = implicit_value_and_gradients(f)

    @functools.wraps(f)
    def gradients(*args, **kwargs):
        return both(*args, **kwargs)[1]
    return gradients


def value_and_gradients_function(f, params=None):
    """A function with f's arguments: (f's value, its gradients by these arguments).

    `params` are positions or names; by default all arguments that are given. The function takes
    `dy`, the gradient of f's value (ones if None).
    """
    positions = _positions(f, params)

    @functools.wraps(f)
    def value_and_gradients(*args, dy=None, **kwargs):
        args = [convert_to_tensor(a) if i in positions or params is None else a
                for i, a in enumerate(args)]
        chosen = [args[i] for i in positions] if params is not None else args
        with GradientTape() as tape:
            tape.watch(chosen)
            value = f(*args, **kwargs)
        if value is None:
            raise misuse(ValueError(
                'Cannot differentiate a function that returns None; did you forget to return a '
                f'value from {getattr(f, "__name__", f)}?'))
        return value, tape.gradient(value, chosen, dy)
    return value_and_gradients


def gradients_function(f, params=None):
    """A function with f's arguments: the gradients by these arguments."""
    both = value_and_gradients_function(f, params)

    @functools.wraps(f)
    def gradients(*args, **kwargs):
        return both(*args, **kwargs)[1]
    return gradients


def _positions(f, params):
    names = list(inspect.signature(f).parameters)
    if params is None:
        return range(len(names))
    positions = []
    for param in params:
        if isinstance(param, str):
            if param not in names:
                raise misuse(ValueError(f'{param!r} is not in list: the arguments are {names}'))
            param = names.index(param)
        positions.append(param)
    return positions
