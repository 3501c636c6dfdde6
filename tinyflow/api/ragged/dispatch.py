"""Functions of tf that take ragged tensors, too, once a program uses some.

The functions themselves know nothing of ragged tensors: when tf.ragged or tf.RaggedTensor is used
first, `install` puts others in their place, which look whether an argument is ragged.
"""
from __future__ import annotations

import functools
import operator
import sys

from tinyflow.api.ragged import functions
from tinyflow.api.ragged.tensor import RaggedTensor
from tinyflow.graph.operation import Tensor

# Public names below tf, by what they do with ragged tensors. Activations are not among them: layers
# compare them with functions that they know; tf.ragged.map_flat_values takes them.
ONE_ARGUMENT = ['abs', 'cast', 'ceil', 'cos', 'exp', 'floor', 'log', 'log1p', 'logical_not',
                'negative', 'ones_like', 'round', 'rsqrt', 'sign', 'sin', 'sqrt', 'square',
                'zeros_like', 'clip_by_value']
TWO_ARGUMENTS = ['add', 'subtract', 'multiply', 'divide', 'truediv', 'floordiv', 'floormod',
                 'maximum', 'minimum', 'pow', 'equal', 'not_equal', 'less', 'less_equal', 'greater',
                 'greater_equal', 'logical_and', 'logical_or', 'squared_difference']
REDUCTIONS = ['sum', 'prod', 'max', 'min', 'mean', 'any', 'all']
# Namespaces that show some of these functions, too.
_SHARING = ['debugging', 'dtypes', 'linalg', 'manip', 'math', 'nn', 'sparse', 'strings']
_REPLACED: list = []                # (namespace, name, the function itself)
_OPERATORS = ['add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow']
_COMPARISONS = ['lt', 'le', 'gt', 'ge']


def _is_ragged(x):
    return isinstance(x, RaggedTensor) or (
        isinstance(x, (list, tuple)) and any(isinstance(v, RaggedTensor) for v in x))


def _replaced(function, of_ragged):
    """`function`, or `of_ragged` where one of the first arguments is ragged."""
    @functools.wraps(function)
    def either(*args, **kwargs):
        if any(_is_ragged(a) for a in args[:3]) or any(_is_ragged(a) for a in kwargs.values()):
            return of_ragged(*args, **kwargs)
        return function(*args, **kwargs)
    return either


def _of_one(function):
    return lambda *args, **kwargs: functions.map_flat_values(function, *args, **kwargs)


def _of_two(function):
    return lambda x, y, name=None: functions.elementwise(function, x, y, name)


def _reduction(kind):
    def reduce(input_tensor, axis=None, keepdims=None, name=None):
        return functions.reduce(kind, input_tensor, axis, keepdims, name)
    return reduce


def _size(input, name=None, out_type=None):
    return sys.modules['tinyflow'].size(input.flat_values, name)


def _rank(input, name=None):
    ragged = input.ragged_rank
    return ragged + sys.modules['tinyflow'].rank(input.flat_values, name)


def _where(condition, x=None, y=None, name=None):
    if x is None:
        raise NotImplementedError('tf.where(condition) of a ragged condition is not implemented')
    where = sys.modules['tinyflow'].where.__wrapped__
    return functions.map_flat_values(where, condition, x, y)


def _gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    return functions.gather(params, indices, name)


def install() -> None:
    """Puts the functions of this module in the place of those of the public namespaces."""
    if _REPLACED:
        return
    tf = sys.modules['tinyflow']
    made = {**dict.fromkeys(ONE_ARGUMENT, _of_one), **dict.fromkeys(TWO_ARGUMENTS, _of_two),
            **{f'reduce_{kind}': lambda function, kind=kind: _reduction(kind)
               for kind in REDUCTIONS},
            **{name: lambda function, other=other: other for name, other in (
                ('concat', functions.concat), ('stack', functions.stack),
                ('expand_dims', functions.expand_dims), ('gather', _gather), ('size', _size),
                ('rank', _rank), ('where', _where), ('boolean_mask', functions.boolean_mask))}}
    for name, make in made.items():
        function = getattr(tf, name)
        new = _replaced(function, make(function))
        for namespace in (tf, *(getattr(tf, shared) for shared in _SHARING)):
            if vars(namespace).get(name) is function:
                setattr(namespace, name, new)
                _REPLACED.append((namespace, name, function))


def remove() -> None:
    """Puts the functions themselves back, until the next ragged tensor is made."""
    for namespace, name, function in _REPLACED:
        setattr(namespace, name, function)
    _REPLACED.clear()


def _install_operators():
    for name in _OPERATORS:
        function = getattr(operator, name)
        setattr(RaggedTensor, f'__{name}__', lambda x, y, f=function: functions.elementwise(
            f, x, y))
        setattr(RaggedTensor, f'__r{name}__', lambda x, y, f=function: functions.elementwise(
            f, y, x))
    for name in _COMPARISONS:
        function = getattr(operator, name)
        setattr(RaggedTensor, f'__{name}__', lambda x, y, f=function: functions.elementwise(
            f, x, y))
    RaggedTensor.__neg__ = lambda x: functions.map_flat_values(operator.neg, x)
    RaggedTensor.__abs__ = lambda x: functions.map_flat_values(abs, x)
    RaggedTensor.__invert__ = lambda x: functions.map_flat_values(operator.invert, x)
    RaggedTensor.__getitem__ = functions.get_item
    RaggedTensor.__array_priority__ = Tensor.__array_priority__


_install_operators()
RaggedTensor._when_made = staticmethod(install)

__all__ = ['install', 'remove']
