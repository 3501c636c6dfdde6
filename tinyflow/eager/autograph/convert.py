"""Converts a Python function: its control flow works on tensors of a graph."""
from __future__ import annotations

import ast
import functools
import inspect
import textwrap
import types
import weakref

from tinyflow.eager.autograph import conditions, loops, operators
from tinyflow.eager.autograph.features import Feature, as_features
from tinyflow.eager.autograph.names import contains
from tinyflow.eager.autograph.statements import transformed
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.users_files import is_users_file

__all__ = ['convert', 'do_not_convert', 'to_code', 'to_graph']

# code -> {whether lists are converted: code, or None}
_converted: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()

_OUTER, _INNER, _OPERATORS = 'outer__', 'function__', 'ag__'


class _Operators(types.SimpleNamespace):
    """The name ag__ of converted functions."""


@functools.cache
def _operators(features):
    """What ag__ is in functions that are converted with these features."""
    functions = {**operators.OF_PYTHON, **(
        operators.ON_REQUEST if Feature.BUILTIN_FUNCTIONS in features else {})}

    def call(function, *args, **kwargs):
        """Calls a function after converting it; Python's own where tensors differ."""
        try:
            function = functions.get(function, function)
        except TypeError:               # not hashable
            pass
        return convert(function, features)(*args, **kwargs)
    return _Operators(call=call, convert=lambda function: convert(function, features), **{
        name: getattr(module, name) for module in (conditions, loops, operators)
        for name in module.__all__})


def convert(function, features=frozenset()):
    """The function with AutoGraph's control flow; itself if it cannot be converted."""
    if inspect.ismethod(function):
        return types.MethodType(convert(function.__func__, features), function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(convert(function.func, features), *function.args,
                                 **function.keywords)
    if not _is_convertible(function):
        own_call = type(function).__call__ if callable(function) else None
        return types.MethodType(convert(own_call, features), function) \
            if _is_convertible(own_call) and not isinstance(function, type) else function
    code = _code_of(function, Feature.LISTS in features)
    if code is None:
        return function
    made = types.FunctionType(
        code, function.__globals__, function.__name__,
        function.__defaults__, _closure(function, code, _operators(features)))
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made._is_converted = True
    return made


def _is_convertible(function):
    return isinstance(function, types.FunctionType) and not getattr(
        function, '_is_converted', False) and not getattr(function, '_do_not_convert', False) \
        and is_users_file(function.__code__.co_filename) and not (
            function.__name__ == '<lambda>'             # converted with the function around it
            and function.__qualname__.startswith(f'{_OUTER}.<locals>.{_INNER}'))


def _code_of(function, lists):
    """The converted code, made once for each function in the source."""
    made = _converted.setdefault(function.__code__, {})
    if lists in made:
        return made[lists]
    try:
        code = _compiled(_tree(function, lists), function)
    except (OSError, SyntaxError, _NotConvertible) as error:
        logging.warning('AutoGraph could not transform %s, which runs as it is: %s.',
                        function.__qualname__, error)
        code = None
    made[lists] = code
    return code


class _NotConvertible(Exception):
    """Something in a function that AutoGraph does not handle."""


def _tree(function, lists):
    """The syntax tree of the converted function, with the lines of its file."""
    if function.__name__ == '<lambda>':
        return transformed(_of_lambda(function), lists)
    lines, first = inspect.getsourcelines(function.__code__)    # not of what it may wrap
    tree = ast.parse(textwrap.dedent(''.join(lines)))
    node = tree.body[0]
    if not isinstance(node, ast.FunctionDef):
        raise _NotConvertible('it is no function of its own')
    if contains(node.body, ast.Yield, ast.YieldFrom):
        raise _NotConvertible('it is a generator')
    ast.increment_lineno(node, first - 1)
    return transformed(node, lists)


def _of_lambda(function):
    """A lambda as a function with a return. _NotConvertible if its line has others like it."""
    code = function.__code__
    tree = _tree_of_file(''.join(inspect.findsource(function)[0]))
    count = code.co_argcount + code.co_kwonlyargcount + sum(
        bool(code.co_flags & flag) for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS))
    names = code.co_varnames[:count]
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)
             and node.lineno == code.co_firstlineno and _parameters(node.args) == names]
    if len(found) > 1 and hasattr(code, 'co_positions'):        # Python 3.11
        found = [node for node in found if _covers(node.body, code)]
        found = found[-1:]              # a lambda inside of another one comes after it
    if len({ast.dump(node) for node in found}) != 1:
        raise _NotConvertible('its source is not found: give it a line of its own')
    node = found[0]
    return ast.copy_location(ast.FunctionDef(
        'lambda_', node.args, [ast.copy_location(ast.Return(node.body), node.body)], []), node)


@functools.lru_cache(maxsize=4)
def _tree_of_file(source):
    return ast.parse(source)


def _parameters(args):
    return tuple([a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg,
                                  args.kwarg) if a is not None])


def _covers(body, code):
    """Whether all of a lambda's code comes from this expression."""
    begin, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    places = [p for p in code.co_positions() if None not in p and p[2:] != (0, 0)]
    return all(begin <= (line, column) and (last, until) <= end
               for line, last, column, until in places)


def _compiled(tree, function):
    """The code object, compiled inside a function that has the free names."""
    free = (_OPERATORS, *function.__code__.co_freevars)
    tree.name = _INNER          # not its own name, which it may use for another function
    outer = ast.FunctionDef(_OUTER, ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in free], kwonlyargs=[], kw_defaults=[],
        defaults=[]), [tree, ast.Return(ast.Name(tree.name, ast.Load()))], [])
    module = ast.fix_missing_locations(ast.Module([outer], []))
    code = compile(module, function.__code__.co_filename, 'exec')
    outer_code = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    inner = next(c for c in outer_code.co_consts
                 if isinstance(c, types.CodeType) and c.co_name == _INNER)
    return inner.replace(co_name=function.__code__.co_name)


def _closure(function, code, ag):
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells[_OPERATORS] = types.CellType(ag)
    return tuple([cells[name] for name in code.co_freevars]) or None


# ---- tf.autograph ------------------------------------------------------------------------------


def do_not_convert(func=None, run_as=None, return_dtypes=None):
    """Decorator: AutoGraph leaves the function as it is."""
    if func is None:
        return do_not_convert
    func._do_not_convert = True
    return func


def to_graph(entity, recursive=True, experimental_optional_features=None):
    """The converted function. ValueError for what is no function of the program."""
    made = convert(entity, as_features(experimental_optional_features))
    if made is entity:
        raise misuse(ValueError(f'AutoGraph cannot convert {entity!r}.\n  Hint: a function that is '
                                'written in a file or notebook of yours.'))
    return made


def to_code(entity, recursive=True, arg_values=None, arg_types=None, indentation='  ',
            experimental_optional_features=None):
    """The source of the converted function."""
    function = getattr(entity, 'python_function', entity)
    function = getattr(function, '__func__', function)
    lists = Feature.LISTS in as_features(experimental_optional_features)
    return ast.unparse(_tree(function, lists)) + '\n'
