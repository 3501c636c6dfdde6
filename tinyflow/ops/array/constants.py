"""constant, zeros, ones, fill, range, linspace."""
from __future__ import annotations

import functools
import math
import operator

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.const import Const
from tinyflow.graph.convert import as_array, convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import FLOATS, INDEX
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op, nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array.identity_and_cast import (
    bitcast,
    cast,
    check_numerics,
    ensure_shape,
    guarantee_const,
    identity,
    identity_n,
    prevent_gradient,
    saturate_cast,
    stop_gradient,
    to_bfloat16,
    to_complex64,
    to_complex128,
    to_double,
    to_float,
    to_int32,
    to_int64,
)
from tinyflow.ops.array.shape_ops import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    rank,
    shape,
    shape_internal,
    shape_n,
    size,
)
from tinyflow.ops.control_flow import tensor_lists

__all__ = [
    'bitcast', 'broadcast_dynamic_shape', 'broadcast_static_shape', 'broadcast_to', 'cast',
    'check_numerics', 'constant', 'ensure_shape', 'fill', 'guarantee_const', 'identity',
    'identity_n', 'lin_space', 'linspace', 'ones', 'ones_like', 'prevent_gradient', 'range',
    'rank', 'saturate_cast', 'shape', 'shape_n', 'size', 'stop_gradient', 'to_bfloat16',
    'to_complex64', 'to_complex128', 'to_double', 'to_float', 'to_int32', 'to_int64', 'zeros',
    'zeros_like',
]


class Fill(Op):
    """A tensor with one value everywhere."""

    signature = 'dims: index_type, value: T -> output: T'
    types = {'index_type': INDEX}
    attrs = {'index_type': dtypes.int32}
    static = {'dims': 1}
    partial_rank = True

    def shape(dims, value):
        if value:
            raise ValueError(f'the value must be a scalar, not {shapes.text(value)}')
        if dims is not None and any(d is not None and d < 0 for d in dims):
            raise ValueError(f'dimensions must be >= 0, got {list(dims)}')
        return dims

    def kernel(dims, value, out=None):
        if out is None:
            return np.full(dims, value, value.dtype)
        out[...] = value
        return out

    def gradient(op, dy):
        return None, nodes.Sum(dy, shape_range(dy), keep_dims=False)


def shape_range(x):
    """All axes of x, in the form that a reduction op takes."""
    if x.raw_shape is not None:
        return np.arange(len(x.raw_shape), dtype=np.int32)
    return range(rank(x))


class _Like(Op, abstract=True):
    """A tensor of the input's shape and dtype; the input's values are not read."""

    signature = 'x: T -> y: T'
    overwrites = (0,)
    gradient = NOT_DIFFERENTIABLE

    def shape(x):
        return x


class ZerosLike(_Like):
    """Zeros of the input's shape and dtype."""

    def kernel(x, out=None):
        if x.dtype == np.object_ and tensor_lists.is_list(x):
            return tensor_lists.zeros_like(x)
        if out is None:
            out = np.empty_like(x)
        out[...] = b'' if out.dtype == object else 0
        return out


class OnesLike(_Like):
    """Ones of the input's shape and dtype."""

    def kernel(x, out=None):
        if out is None:
            out = np.empty_like(x)
        out[...] = 1
        return out


class Range(Op):
    """start, start + delta, ... up to but excluding limit."""

    signature = 'start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx'
    types = {'Tidx': FLOATS | INDEX}
    attrs = {'Tidx': dtypes.int32}
    static = {'start': 0, 'limit': 0, 'delta': 0}
    gradient = NOT_DIFFERENTIABLE

    def shape(start, limit, delta):
        if start is None or limit is None or delta is None:
            return (None,)
        return (_range_length(start, limit, delta),)

    def kernel(start, limit, delta, out=None, *, Tidx):  # noqa: N803 (TF's attribute name)
        length = _range_length(start, limit, delta)
        if out is None:
            out = np.empty(length, Tidx.np)
        # TF adds delta repeatedly, so for floats rounding errors accumulate in the same way.
        out[...] = delta
        out[:1] = start
        return np.add.accumulate(out, out=out)


def _range_length(start, limit, delta):
    if delta == 0:
        raise ValueError('delta must not be 0')
    if (start > limit) if delta > 0 else (start < limit):
        order = '<=' if delta > 0 else '>='
        raise ValueError(f'start must be {order} limit for a delta of {delta}, and '
                         f'start is {start}, limit is {limit}')
    if isinstance(start, int):
        return (abs(limit - start) + abs(delta) - 1) // abs(delta)
    return math.ceil(abs((limit - start) / delta))


class LinSpace(Op):
    """`num` evenly spaced values from start to stop."""

    signature = 'start: T, stop: T, num: Tidx -> output: T'
    types = {'T': FLOATS - {dtypes.float16}, 'Tidx': INDEX}
    attrs = {'Tidx': dtypes.int32}
    static = {'num': 0}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(start, stop, num):
        for label, value in (('start', start), ('stop', stop)):
            if value:
                raise ValueError(f'{label} must be a scalar')
        if num is not None and num <= 0:
            raise ValueError(f'num must be at least 1, got {num}')
        return (num,)

    def kernel(start, stop, num):
        for label, value in (('start', start), ('stop', stop)):
            if value.ndim:
                raise ValueError(
                    f'{label} must be a scalar, not shape {shapes.text(value.shape)}')
        if num <= 0:
            raise ValueError(f'num must be at least 1, got {num}')
        if num == 1:
            return start.reshape(1).copy()
        dtype = start.dtype
        step = (stop - start) / dtype.type(num - 1)
        return start + step * np.arange(num, dtype=dtype)


def constant(value, dtype=None, shape=None, name='Const', verify_shape=False):
    """A constant tensor.

    Shapes: value [*a] -> [*a], or [*shape], where the last element of value fills the rest.
    Raises ValueError for too many elements, TypeError for a value that is not of `dtype` or, with
    `verify_shape`, not of `shape`.
    """
    if isinstance(value, Tensor):
        raise misuse(TypeError(f"tf.constant makes a tensor from a value, and '{value.name}' "
                               'is a tensor already.\n  Hint: use it as it is, or tf.identity(x).'))
    array, dtype = as_array(value, dtype)
    if array is value:
        array = array.copy()            # later changes of the user's array must have no effect
    if shape is not None:
        array = _shaped(array, shapes.raw(shape), verify_shape)
    return Const.apply(name=name, value=array, dtype=dtype)


def _shaped(array, wanted, verify):
    if array.shape == wanted:
        return array
    if not shapes.known(wanted):
        raise misuse(TypeError(f'The shape of a constant must be fully known, not '
                               f'{shapes.text(wanted)}.'))
    if verify:
        raise misuse(TypeError(f"Expected Tensor's shape: {wanted}, got {array.shape}."))
    count = shapes.size(wanted)
    if array.size > count:
        raise misuse(ValueError(f'Too many elements provided. Needed at most {count}, but received '
                                f'{array.size}'))
    result = np.empty(count, array.dtype)
    result[:array.size] = array.ravel()
    if array.size < count:
        result[array.size:] = array.ravel()[-1] if array.size else 0
    return result.reshape(wanted)


def zeros(shape, dtype=dtypes.float32, name=None):
    """Zeros (False, or empty strings).

    Shapes: shape [rank] -> [*shape].
    """
    dtype = dtypes.as_dtype(dtype).base_dtype
    with name_scope(name, 'zeros', [shape]) as scope:
        return _filled({'b': False, 'O': b''}.get(dtype.kind, 0), shape, dtype, scope)


def ones(shape, dtype=dtypes.float32, name=None):
    """Ones (or True).

    Shapes: shape [rank] -> [*shape].
    """
    dtype = dtypes.as_dtype(dtype).base_dtype
    with name_scope(name, 'ones', [shape]) as scope:
        return _filled(dtype.kind == 'b' or 1, shape, dtype, scope)


_LARGEST_CONSTANT = 1000        # elements; from here on it is a Fill, as in TF1


def _filled(value, shape, dtype, scope):
    """A constant of a small known shape, or else a Fill."""
    if not isinstance(shape, Tensor):
        known = _known_shape(shape)
        if known is not None and not np.isscalar(shape):
            if shapes.size(known) < _LARGEST_CONSTANT:
                return Const.apply(name=scope, value=np.full(known, value, dtype.np), dtype=dtype)
        shape = (_convert_shape(shape) if known is None
                 else convert_to_tensor(shapes.TensorShape(known), name='shape_as_tensor'))
    if shape.raw_shape is None or len(shape.raw_shape) != 1:
        shape = nodes.Reshape(shape, [-1])
    filler = Const.apply(name='Const', value=np.array(value, dtype.np), dtype=dtype)
    return Fill.apply(shape, filler, name=scope)


def _known_shape(shape):
    try:
        known = shapes.raw(shape)
    except (TypeError, ValueError):
        return None
    return known if shapes.known(known) else None


def _convert_shape(shape):
    """A shape with tensors in it, as one tensor."""
    if isinstance(shape, (list, tuple)) and any(isinstance(d, Tensor) for d in shape):
        # TF1 compares the product of such a list with 1000, which leaves these nodes behind.
        functools.reduce(operator.mul, shape) < _LARGEST_CONSTANT  # noqa: B015
    return convert_to_tensor(shape, dtypes.int32)


def zeros_like(tensor, dtype=None, name=None, optimize=True):
    """Zeros of the tensor's shape, and of its dtype unless one is given.

    Shapes: tensor [*a] -> [*a].
    """
    with name_scope(name, 'zeros_like', [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name='tensor')
        wanted = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype).base_dtype
        if optimize and shapes.known(tensor.raw_shape):
            return zeros(tensor.shape, wanted, name=scope)
        if wanted is tensor.dtype.base_dtype:
            return ZerosLike.apply(tensor, name=scope)
        return zeros(shape_internal(tensor, optimize=optimize), wanted, name=scope)


def ones_like(tensor, dtype=None, name=None, optimize=True):
    """Ones of the tensor's shape, and of its dtype unless one is given.

    Shapes: tensor [*a] -> [*a].
    """
    with name_scope(name, 'ones_like', [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name='tensor')
        wanted = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype).base_dtype
        return ones(shape_internal(tensor, optimize=optimize), wanted, name=scope)


def fill(dims, value, name=None):
    """A tensor filled with the scalar `value`.

    Shapes: dims [rank], value [] -> [*dims].
    """
    return Fill.apply(dims, value, name=name)


_RANGE_DTYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def range(start, limit=None, delta=1, dtype=None, name='range'):
    """start, start + delta, ... up to but excluding limit; range(n) is 0 ... n - 1.

    Shapes: start [], limit [], delta [] -> [ceil((limit - start) / delta)]. Different dtypes become
    the last of them in the order int32, int64, float32, float64. Raises ValueError if delta is zero
    or has the wrong sign.
    """
    if limit is None:
        start, limit = 0, start
    with name_scope(name, 'Range', [start, limit, delta]) as scope:
        given = [convert_to_tensor(value, dtype, label)
                 for value, label in ((start, 'start'), (limit, 'limit'), (delta, 'delta'))]
        if dtype is None:
            common = max((t.dtype.base_dtype for t in given), key=_range_order)
            given = [cast(t, common) for t in given]
        return Range.apply(*given, name=scope)


def _range_order(dtype):
    return _RANGE_DTYPES.index(dtype) if dtype in _RANGE_DTYPES else -1


def linspace(start, stop, num, name=None):
    """`num` evenly spaced values, the first is `start` and the last is `stop`.

    Shapes: start [], stop [], num [] -> [num].
    """
    return LinSpace.apply(start, stop, num, name=name)


lin_space = linspace
