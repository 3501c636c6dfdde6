"""tensorflow.python.util.tf_decorator: wrappers of functions that remember what they wrap."""
from __future__ import annotations

import functools

__all__ = ['TFDecorator', 'make_decorator', 'rewrap', 'unwrap']


class TFDecorator:
    """A decorator on a function: its name, what it wraps, its documentation."""

    def __init__(self, decorator_name, target, decorator_doc='', decorator_argspec=None):
        self.decorator_name, self.decorated_target = decorator_name, target
        self.decorator_doc, self.decorator_argspec = decorator_doc, decorator_argspec


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc='',
                   decorator_argspec=None):
    """`decorator_func` with the name, documentation and signature of `target`, which it calls."""
    functools.update_wrapper(decorator_func, target)
    decorator_func._tf_decorator = TFDecorator(decorator_name or decorator_func.__name__, target,
                                               decorator_doc, decorator_argspec)
    return decorator_func


def unwrap(maybe_tf_decorator):
    """([the decorators, the outermost first], the function below them)."""
    decorators, target = [], maybe_tf_decorator
    while hasattr(target, '_tf_decorator'):
        decorators.append(target._tf_decorator)
        target = target._tf_decorator.decorated_target
    return decorators, target


def rewrap(decorator_func, previous_target, new_target):
    """Lets the innermost decorator on `previous_target` call `new_target`."""
    wrapper = decorator_func
    while hasattr(wrapper, '_tf_decorator') and \
            wrapper._tf_decorator.decorated_target is not previous_target:
        wrapper = wrapper._tf_decorator.decorated_target
    if hasattr(wrapper, '_tf_decorator'):
        wrapper._tf_decorator.decorated_target = wrapper.__wrapped__ = new_target
