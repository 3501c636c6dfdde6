"""A hint for Python's TypeError about an unknown keyword argument: the nearest name, and all names.

This module is loaded when such an error is shown; calls themselves cost nothing more. Python's
message has the qualified name of the function, not the function itself: that is found by the names
in the source of the failed line. Nothing of the program is called to find it.
"""
from __future__ import annotations

import ast
import functools
import inspect
import linecache
import re
import sys
from collections.abc import Iterator
from types import FunctionType, MethodType, ModuleType, TracebackType
from typing import Any

from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.graph.support.users_files import is_library, is_users_file

__all__ = ['add_hint']

_MESSAGE = re.compile(r"(?P<function>\S+)\(\) got an unexpected keyword argument '(?P<name>\w+)'"
                      r"(?P<suggestion>\. Did you mean '\w+'\?)?")       # Python 3.13 suggests
_PACKAGES = {'tinyflow', 'keras_layer', 'estimator_layer'}


def add_hint(error: BaseException, trace: TracebackType | None) -> bool:
    """Appends the hint to the message; True if the error was raised inside tinyflow.

    Only where a function of tinyflow was called, and the user's program wrote the keyword.
    """
    found = _MESSAGE.fullmatch(str(error))
    caller, users = _callers(trace)
    if not found or caller is None or users is None:
        return False
    name = found['name']
    if users is not caller and not _writes_keyword(users, name):
        return False
    function, label = _called(caller, found['function'])
    names = _parameters(function) if function else []
    if not names or name in names:
        return False
    nearest = '' if found['suggestion'] else nearest_keyword(name, names)
    hint = nearest or '\n  Hint:'
    error.args = (f'{error}{hint} {label} takes: {", ".join(names)}.',)
    return users is not caller


def _callers(trace):
    """The last step of the traceback, and the last one in the user's program (None: a library)."""
    users = None
    while trace is not None:
        last, filename = trace, trace.tb_frame.f_code.co_filename
        if is_users_file(filename):
            users = None if is_library(filename) else trace
        trace = trace.tb_next
        if trace is None:
            return last, users
    return None, None


def _calls(trace) -> Iterator[ast.Call]:
    """The calls in the source around the line of a step of the traceback."""
    frame, line = trace.tb_frame, trace.tb_lineno
    source = ''.join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):           # the file has changed since it was run
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or line):
            yield node


def _writes_keyword(trace, name):
    """True if the line has a call with the keyword `name`, or with `**`."""
    return any(keyword.arg in (name, None) for call in _calls(trace) for keyword in call.keywords)


def _called(caller, qualified_name):
    """The function of tinyflow that the line calls, and its name for the user; or (None, '')."""
    for call in _calls(caller):
        value = _value(call.func, caller.tb_frame)
        function = _function(value, qualified_name)
        if function is not None:
            return _if_ours(function, value)
    return _if_ours(*_loaded(qualified_name))


def _value(node, frame):
    """What a dotted name stands for in a frame, without running any code; None if not known."""
    if isinstance(node, ast.Attribute):
        value = _value(node.value, frame)
        return None if value is None else inspect.getattr_static(value, node.attr, None)
    if not isinstance(node, ast.Name):
        return None
    return frame.f_locals.get(node.id, frame.f_globals.get(node.id))


def _function(value, qualified_name):
    """The function of that name that a call of `value` leads to, or None."""
    while isinstance(value, functools.partial):
        value = value.func
    last = qualified_name.rpartition('.')[2]        # such as __init__, or __call__ of the class
    for found in (value, *(inspect.getattr_static(owner, last, None)
                           for owner in (value, type(value)))):
        if isinstance(found, (classmethod, staticmethod, MethodType)):
            found = found.__func__
        if isinstance(found, FunctionType) and found.__qualname__ == qualified_name:
            return inspect.unwrap(found)
    return None


def _loaded(qualified_name):
    """The only function of that name in all loaded modules, and where it is; or (None, None)."""
    first, _, rest = qualified_name.partition('.')
    found = {}
    for module in list(sys.modules.values()):
        value = vars(module).get(first) if isinstance(module, ModuleType) else None
        owner = value
        for part in rest.split('.') if rest else ():
            value = None if value is None else inspect.getattr_static(value, part, None)
        function = _function(value, qualified_name)
        if function is not None:
            found[id(function)] = function, owner
    return found.popitem()[1] if len(found) == 1 else (None, None)


def _if_ours(function: FunctionType | None, value: Any) -> tuple[FunctionType | None, str]:
    """The function and its name for the user, if the function or its class is of tinyflow.

    The __new__ of a namedtuple is in a module of its own; its class is not.
    """
    is_class = isinstance(value, type)
    modules = [getattr(item, '__module__', None) or '' for item in (function, value)
               if item is function or is_class]
    if function is None or _PACKAGES.isdisjoint(name.partition('.')[0] for name in modules):
        return None, ''
    owner, _, method = function.__qualname__.rpartition('.')
    if method in ('__init__', '__new__', '__call__'):
        return function, value.__name__ if is_class else owner
    return function, function.__qualname__


def _parameters(function):
    """The public names that may be passed as keywords."""
    parameters = list(inspect.signature(function).parameters.values())
    return [p.name for i, p in enumerate(parameters)
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
            and not p.name.startswith('_') and not (i == 0 and p.name in ('self', 'cls'))]
