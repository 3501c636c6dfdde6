"""Checks of dtypes and types, all made while the graph is built."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.source_location import user_site
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.control_flow import grouping

__all__ = ['assert_integer', 'assert_proper_iterable', 'assert_same_float_dtype', 'assert_type',
           'is_numeric_tensor', 'is_tensor']


def assert_integer(x, message=None, name=None):
    """TypeError unless x is of an integer dtype. Shapes: x [*a] -> no tensor."""
    with name_scope(name, 'assert_integer', [x]):
        x = convert_to_tensor(x, name='x')
        if not x.dtype.is_integer:
            raise misuse(TypeError(report(
                f'{message or ""}  Expected "x" to be integer type.  Found: {x.name} of dtype '
                f'{x.dtype.name}'.strip(), inputs=[('x', x)], site=user_site(),
                hint='tf.cast(x, tf.int32) truncates to integers.')))
        return grouping.no_op('statically_determined_was_integer')


def assert_type(tensor, tf_type, message=None, name=None):
    """TypeError unless the tensor is of the dtype `tf_type`. Shapes: tensor [*a] -> no tensor."""
    with name_scope(name, 'assert_type', [tensor]):
        tensor = convert_to_tensor(tensor, name='tensor')
        if tensor.dtype != tf_type:
            raise misuse(TypeError(report(
                f'{message or ""}  {tensor.name} must be of type {tf_type!r}'.strip(),
                inputs=[('tensor', tensor)], site=user_site())))
        return grouping.no_op('statically_determined_correct_type')


def is_tensor(x):
    """True for a Tensor, SparseTensor or Variable. Shapes: x of any shape -> a Python bool."""
    return isinstance(x, (Tensor, SparseTensor)) \
        or hasattr(type(x), 'initializer') and hasattr(type(x), '_as_graph_element')


def is_numeric_tensor(tensor):
    """True for a Tensor of numbers: not of bool, string, resource or variant.

    Shapes: tensor of any shape -> a Python bool.
    """
    return isinstance(tensor, Tensor) and tensor.dtype.base_dtype in dtypes.NUMBERS


def assert_proper_iterable(values):
    """TypeError unless `values` is list-like: not a Tensor, array or string.

    Shapes: values of any shape -> None.
    """
    if isinstance(values, (Tensor, SparseTensor, np.ndarray, str, bytes)):
        raise misuse(TypeError('Expected argument "values" to be a "proper" iterable.  Found: '
                               f'{type(values)}\n  Hint: [...] around it.'))
    if not hasattr(values, '__iter__'):
        raise misuse(TypeError('Expected argument "values" to be iterable.  Found: '
                               f'{type(values)}\n  Hint: [...] around it.'))


def assert_same_float_dtype(tensors=None, dtype=None):
    """The one floating-point dtype of all `tensors` (float32 of none).

    Shapes: tensors of any shape -> a dtype. ValueError if two differ, or differ from `dtype`, or if
    it is not a float.
    """
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        if dtype is None:
            first, dtype = tensor, tensor.dtype.base_dtype
        elif tensor.dtype.base_dtype is not dtypes.as_dtype(dtype).base_dtype:
            expected = f' as {first.name}' if first is not None else ''
            inputs = [('tensor', t) for t in (first, tensor) if isinstance(t, Tensor)]
            raise misuse(ValueError(report(
                f'{getattr(tensor, "name", tensor)}, type={tensor.dtype.name}, must be of the same '
                f'type ({dtypes.as_dtype(dtype).name}){expected}.',
                inputs=inputs, site=user_site())))
    dtype = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise misuse(ValueError(f'Expected floating point type, got {dtype!r}.'))
    return dtype
