"""arg_scope: other defaults for the arguments of layer functions inside a `with` block."""
from __future__ import annotations

import functools
import inspect
import threading
from contextlib import contextmanager

from tinyflow.graph.support.errors import misuse


class _Scopes(threading.local):
    """The open scopes, innermost last: key of a function -> arguments."""

    def __init__(self):
        self.open: list[dict] = [{}]


_scopes = _Scopes()
_argument_names: dict[str, tuple] = {}          # of each decorated function, by its key


def arg_scope_func_key(op):
    """The key of a function in a scope."""
    return getattr(op, '_key_op', str(op))


def current_arg_scope():
    """The arguments that the open scopes set, by function."""
    return _scopes.open[-1]


def has_arg_scope(func):
    """True if scopes can set the arguments of that function."""
    return arg_scope_func_key(func) in _argument_names


def arg_scoped_arguments(func):
    """The names of the arguments that scopes can set. ValueError for other functions."""
    if not has_arg_scope(func):
        raise misuse(ValueError(f'{func} is not decorated with @add_arg_scope'))
    return _argument_names[arg_scope_func_key(func)]


@contextmanager
def arg_scope(list_ops_or_scope, **kwargs):
    """Inside, these are the default arguments of the functions in the list.

    ``with arg_scope([conv2d, fully_connected], activation_fn=tf.nn.elu):`` Instead of a list, it
    accepts the scope of another `with arg_scope(...) as scope`, to reopen it. ValueError for a
    function that is not decorated.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise misuse(ValueError('When attempting to re-use a scope by suppling a dictionary, '
                                    'kwargs must be empty.'))
        scope = dict(list_ops_or_scope)
    elif not isinstance(list_ops_or_scope, (list, tuple)):
        raise misuse(TypeError('list_ops_or_scope must either be a list/tuple or reused scope '
                               '(i.e. dict)'))
    else:
        scope = dict(current_arg_scope())
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                raise misuse(ValueError(f'{op} is not decorated with @add_arg_scope'))
            key = arg_scope_func_key(op)
            scope[key] = {**scope.get(key, {}), **kwargs}
    _scopes.open.append(scope)
    try:
        yield scope
    finally:
        _scopes.open.pop()


def add_arg_scope(func):
    """Decorates a function so that arg_scope can set its arguments."""
    key = arg_scope_func_key(func)
    _argument_names[key] = tuple(
        p.name for p in inspect.signature(func).parameters.values() if p.default is not p.empty)

    @functools.wraps(func)
    def with_scope(*args, **kwargs):
        scope = _scopes.open[-1]
        return func(*args, **({**scope[key], **kwargs} if key in scope else kwargs))

    with_scope._key_op = key
    return with_scope


__all__ = ['add_arg_scope', 'arg_scope', 'arg_scope_func_key', 'arg_scoped_arguments',
           'current_arg_scope', 'has_arg_scope']
