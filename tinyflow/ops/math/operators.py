"""Python operators of Tensor: `x + 1` makes the same nodes as in TF1, with the same names.

`OPERATORS` maps each special method to a function of tensors, so that other tensor-like classes
(Variables) can define the same operators.
"""
from __future__ import annotations

from tinyflow.graph import dtype_hints, dtypes
from tinyflow.graph.convert import as_array, convert_to_tensor, why_none
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.source_location import Site, here
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.math import arithmetic, logic
from tinyflow.ops.sparse import arithmetic as sparse_arithmetic


def _add(x, y, name):
    # Only the older Add concatenates strings.
    op = arithmetic.Add if x.dtype.base_dtype is dtypes.string else arithmetic.AddV2
    return op.apply(x, y, name=name)


# Special method without underscores -> function(x, y, name=...) of two tensors.
_BINARY = {
    'add': _add,
    'sub': arithmetic.subtract,
    'mul': arithmetic.multiply,
    'div': arithmetic.div,
    'truediv': arithmetic.truediv,
    'floordiv': arithmetic.floordiv,
    'mod': arithmetic.floormod,
    'pow': arithmetic.pow,
    'matmul': matmul,
    'and': logic.logical_and,
    'or': logic.logical_or,
    'xor': logic.logical_xor,
}


# The operators that are one node each. Applying that op directly opens the same name scope as
# below in a third of the time, and these are the most frequent nodes of many programs.
_ONE_NODE = {'add': arithmetic.AddV2, 'sub': arithmetic.Sub, 'mul': arithmetic.Mul}


# The second operands that need no conversion here; tinyflow.eager adds its tensors.
TENSORS_AND_NUMBERS: set[type] = {Tensor, float, int}


def _operator(key, function):
    """`x <op> y` for a tensor x, where y may be a number or an array."""
    reflected = f'__r{key}__'
    op = _ONE_NODE.get(key)

    def method(x, y):
        if op is not None and type(y) in TENSORS_AND_NUMBERS \
                and x.dtype.base_dtype is not dtypes.string:
            return op.apply(x, y, name=key)
        if y is None:
            raise _none_error(key, 'y', ('x', x))
        with name_scope(None, key, [x, y]) as scope:
            if key == 'mul' and isinstance(y, SparseTensor):
                return sparse_arithmetic.times_dense(y, x, scope)
            if type(y) is not Tensor:
                try:
                    y = convert_to_tensor(y, name='y', preferred_dtype=x.dtype.base_dtype)
                except TypeError:
                    if hasattr(type(y), reflected):
                        return NotImplemented
                    raise
            return function(x, y, name=scope)
    return method


def _reflected_operator(key, function):
    """`x <op> y` for a tensor y, where x is not a tensor."""
    def method(y, x):
        if x is None:
            raise _none_error(key, 'x', ('y', y))
        with name_scope(None, key, [x, y]) as scope:
            try:
                x = convert_to_tensor(x, y.dtype.base_dtype, 'x')
            except TypeError as error:
                raise _dtype_error(key, x, y, error) from None
            return function(x, y, name=scope)
    return method


def _none_error(key, label, other):
    return misuse(ValueError(report(
        f"None values not supported: '{label}' of '{key}' is None.", inputs=[other],
        site=Site(*here(2)), hint=why_none('it'))))


def _dtype_error(key, x, y, error):
    """The error for `x <op> y` where the Python value x does not fit the tensor y."""
    try:
        dtype = as_array(x)[1]
    except (TypeError, ValueError):
        return error
    if dtype is y.dtype.base_dtype:
        return error
    reason, _, _ = str(error).partition('\n')
    return misuse(TypeError(report(
        f"Input 'x' of '{key}' has type {dtype.name} that does not match type "
        f"{y.dtype.base_dtype.name} of argument 'y': {reason}", inputs=[('y', y)],
        site=Site(*here(2)), hint=dtype_hints.for_value(dtype, ('y', y)))))


def _named(method, name):
    method.__name__ = name
    method.__qualname__ = f'Tensor.{name}'
    return method


OPERATORS = {
    '__neg__': lambda x: arithmetic.negative(x),
    '__abs__': lambda x: arithmetic.abs(x),
    '__invert__': lambda x: logic.logical_not(x),
    '__lt__': lambda x, y: logic.less(x, y),
    '__le__': lambda x, y: logic.less_equal(x, y),
    '__gt__': lambda x, y: logic.greater(x, y),
    '__ge__': lambda x, y: logic.greater_equal(x, y),
}
for _key, _function in _BINARY.items():
    OPERATORS[f'__{_key}__'] = _operator(_key, _function)
    OPERATORS[f'__r{_key}__'] = _reflected_operator(_key, _function)

for _key, _method in OPERATORS.items():
    setattr(Tensor, _key, _named(_method, _key))

__all__ = ['OPERATORS', 'TENSORS_AND_NUMBERS']
