"""Reductions over axes: reduce_sum, mean, prod, max, min, all, any, euclidean_norm.

`reduction_indices` is TF's name for the axes; the public functions call them `axis`. Without an
axis, all of them are reduced. A reduced axis disappears, or stays with size 1 if `keepdims`.
"""
from __future__ import annotations

import math

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import INDEX, NUMBERS
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op, nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import constants, ranking, shaping, unique
from tinyflow.ops.math import arithmetic, complex_numbers, logic, scans
from tinyflow.ops.support.arguments import renamed
from tinyflow.ops.support.axis_sums import add_reduce, is_product


class Reduction(Op, abstract=True):
    """One value for each position along the axes that are not reduced."""

    signature = 'input: T, reduction_indices: Tidx -> output: T'
    types = {'T': NUMBERS, 'Tidx': INDEX}
    attrs = {'keep_dims': False, 'Tidx': dtypes.int32}
    static = {'reduction_indices': (0, 1)}

    def shape(x, axes, *, keep_dims):
        if axes is None or type(axes) is tuple and None in axes:
            return (None,) * len(x) if keep_dims else None
        reduced = _axes(axes, len(x))
        if keep_dims:
            return tuple(1 if i in reduced else size for i, size in enumerate(x))
        return tuple(size for i, size in enumerate(x) if i not in reduced)


def _axes(axes, rank):
    """A static value as a set of non-negative axes. Raises ValueError if they do not exist."""
    reduced = set()
    for axis in axes if type(axes) is tuple else (axes,):
        if not -rank <= axis < rank:
            raise OpFailure(f'Invalid reduction dimension {axis} for input with {rank} dimensions.',
                            f'axes count from 0 to {rank - 1}, or from -{rank} to -1.')
        reduced.add(axis % rank)
    return reduced


def _output_broadcasts(op):
    """Whether the output of a reduction can be broadcast against its input as it is."""
    return op.attrs['keep_dims'] or op.outputs[0].raw_shape == ()


def with_reduced_axes(op, tensor):
    """A tensor shaped like a reduction's output, with the reduced axes put back as size 1."""
    if _output_broadcasts(op):
        return tensor
    x, axes = op.inputs[0], static_value(op.inputs[1])
    if axes is None or type(axes) is tuple and None in axes:
        return shaping.reshape(tensor, _kept_shape(x, op.inputs[1]))
    axes = axes if type(axes) is tuple else (axes,)
    rank = None if x.raw_shape is None else len(x.raw_shape)
    if rank is not None:
        axes = sorted({axis % rank for axis in axes})
        if shapes.known(x.raw_shape):
            kept = [1 if i in axes else size for i, size in enumerate(x.raw_shape)]
            return shaping.reshape(tensor, kept)
    elif all(axis < 0 for axis in axes):
        axes = sorted(set(axes), reverse=True)
    elif any(axis < 0 for axis in axes):
        return shaping.reshape(tensor, _kept_shape(x, op.inputs[1]))
    else:
        axes = sorted(set(axes))
    for axis in axes:
        tensor = shaping.expand_dims(tensor, axis)
    return tensor


def _kept_shape(x, axes):
    """The shape of x with size 1 along `axes`, computed while the graph runs."""
    shape, rank = constants.shape(x), constants.rank(x)
    axes = shaping.reshape(constants.cast(axes, dtypes.int32), [-1])
    axes = (axes + rank) % rank
    reduced = nodes.UnsortedSegmentMax(constants.ones_like(axes), axes, rank)
    return nodes.Select(reduced > 0, constants.ones_like(shape), shape)


def _broadcast_to_input(op, dy):
    """`dy`, shaped like a reduction's output, in the shape of its input."""
    x = op.inputs[0]
    target = x.raw_shape if shapes.known(x.raw_shape) else constants.shape(x)
    return constants.broadcast_to(with_reduced_axes(op, dy), target)


def _divisor(op, dtype):
    """How many input elements make one output element."""
    x, y = op.inputs[0].raw_shape, op.outputs[0].raw_shape
    if shapes.known(x) and shapes.known(y) and shapes.size(y):
        return convert_to_tensor(shapes.size(x) // shapes.size(y), dtype)
    axes = static_value(op.inputs[1])
    if x is not None and axes is not None:
        sizes = [x[axis] for axis in (axes if type(axes) is tuple else (axes,))]
        if None not in sizes:
            return convert_to_tensor(math.prod(sizes), dtype)
    size = constants.size
    count = size(op.inputs[0]) // arithmetic.maximum(size(op.outputs[0]), 1)
    return constants.cast(count, dtype)


def _emit_sum(call):
    """NumPy source for a Sum of floats; None where NumPy needs a dtype argument."""
    if 1 not in call.static or call.inputs[0].dtype.kind not in 'fc':
        return None
    axes = call.static[1]
    if axes == ():
        return None
    axes = axes[0] if type(axes) is tuple and len(axes) == 1 else axes
    keep, x = call.attrs['keep_dims'], call.inputs[0]
    if not x.known_shape or is_product(x.dtype.np, x.sizes, axes):
        return f'{call.constant(add_reduce)}({call.args[0]}, {axes}, {call.out}, {keep})'
    if call.out == 'None':
        return f'np.add.reduce({call.args[0]}, {axes}{", keepdims=True" if keep else ""})'
    return f'np.add.reduce({call.args[0]}, {axes}, None, {call.out}{", True" if keep else ""})'


def _sum(x, axes, out, keep_dims):
    if x.dtype.kind == 'f' and axes != ():
        return add_reduce(x, axes, out, keep_dims)
    return np.add.reduce(x, axes, x.dtype, out, keep_dims)


class Sum(Reduction):
    def kernel(x, axes, out=None, *, keep_dims):
        if axes == ():                  # NumPy would add 0.0, which turns -0.0 into 0.0
            return np.positive(x, out)
        return _sum(x, axes, out, keep_dims)

    emit = _emit_sum

    def gradient(op, dy):
        return _broadcast_to_input(op, dy), None


class Mean(Reduction):
    def kernel(x, axes, out=None, *, keep_dims):
        total = _sum(x, axes, out, keep_dims)
        # The mean of no elements is 0 / 0, a NaN; an empty output stays empty.
        count = x.size // total.size if total.size else 1
        if x.dtype.kind in 'iu':
            return _integer_mean(total, count, out)
        if out is None and total.ndim:
            out = total
        if not count:
            return np.true_divide(total, total.dtype.type(0), out)
        return np.true_divide(total, total.dtype.type(count), out)

    def emit(call):
        total, (x, y) = _emit_sum(call), (call.inputs[0], call.outputs[0])
        if total is None or not (x.known_shape and y.known_shape):
            return None
        elements = shapes.size(x.raw_shape)
        if not elements:
            return None
        # Divided, as TF does: the mean of equal numbers is that number.
        count = np.array(elements // shapes.size(y.raw_shape), x.dtype.np)
        if call.out == 'None':
            return f'{total} / {call.constant(count[()])}'
        return f'np.true_divide({total}, {call.constant(count)}, {call.out})'

    def gradient(op, dy):
        return _broadcast_to_input(op, dy / _divisor(op, dy.dtype)), None


def _integer_mean(total, count, out):
    """total / count, rounded towards zero as C++ divides."""
    if not count:
        raise OpFailure('Mean of an empty integer tensor.', 'its mean is undefined.')
    quotient = np.floor_divide(np.abs(total), total.dtype.type(count))
    return np.multiply(quotient, np.sign(total), out)


class Prod(Reduction):
    def kernel(x, axes, out=None, *, keep_dims):
        return np.multiply.reduce(x, axes, x.dtype, out, keep_dims)

    def gradient(op, dy):
        # The product of all other elements, from the products before and after each element:
        # dividing the whole product by x would fail where x is 0.
        order = _reduced_first(op)
        moved = shaping.transpose(complex_numbers.conj(op.inputs[0]), order)
        columns = constants.size(op.outputs[0])
        rows = constants.size(moved) // arithmetic.maximum(columns, 1)
        matrix = shaping.reshape(moved, convert_to_tensor([rows, columns]))
        before = scans.cumprod(matrix, exclusive=True)
        after = scans.cumprod(matrix, exclusive=True, reverse=True)
        others = shaping.reshape(before * after, constants.shape(moved))
        others = shaping.transpose(others, unique.invert_permutation(order))
        return others * with_reduced_axes(op, dy), None


def _reduced_first(op):
    """The permutation of the input's axes that puts the reduced ones first."""
    x, axes = op.inputs
    rank = constants.rank(x)
    axes = (shaping.reshape(constants.cast(axes, dtypes.int32), [-1]) + rank) % rank
    reduced = nodes.UnsortedSegmentMax(constants.ones_like(axes), axes, rank)
    return ranking.top_k(reduced, rank)[1]


def _extreme_gradient(op, dy):
    """The gradient of Max and Min, shared equally between the elements with that value."""
    chosen = logic.equal(with_reduced_axes(op, op.outputs[0]), op.inputs[0])
    chosen = constants.cast(chosen, dy.dtype)
    count = reduce_sum(chosen, op.inputs[1], keepdims=op.attrs['keep_dims'])
    return chosen * with_reduced_axes(op, dy / count), None


def _extreme(ufunc, ufunc_without_nan, start, x, axes, out, keep_dims):
    """The maximum or minimum of all elements but NaN, which TF ignores."""
    if not x.size:
        return ufunc.reduce(x, axes, None, out, keep_dims, start)
    result = ufunc.reduce(x, axes, None, out, keep_dims)
    if x.dtype.kind == 'f' and np.isnan(result).any():
        return ufunc_without_nan.reduce(x, axes, None, out, keep_dims, start)
    return result


class Max(Reduction):
    def kernel(x, axes, out=None, *, keep_dims):
        return _extreme(np.maximum, np.fmax, _smallest(x.dtype), x, axes, out, keep_dims)

    gradient = _extreme_gradient


class Min(Reduction):
    def kernel(x, axes, out=None, *, keep_dims):
        return _extreme(np.minimum, np.fmin, _largest(x.dtype), x, axes, out, keep_dims)

    gradient = _extreme_gradient


def _smallest(dtype):
    return -np.inf if dtype.kind in 'fc' else np.iinfo(dtype).min


def _largest(dtype):
    return np.inf if dtype.kind in 'fc' else np.iinfo(dtype).max


class All(Reduction):
    signature = 'input: bool, reduction_indices: Tidx -> output: bool'
    types = {'Tidx': INDEX}

    def kernel(x, axes, out=None, *, keep_dims):
        return np.logical_and.reduce(x, axes, None, out, keep_dims)

    gradient = NOT_DIFFERENTIABLE


class Any(Reduction):
    signature = 'input: bool, reduction_indices: Tidx -> output: bool'
    types = {'Tidx': INDEX}

    def kernel(x, axes, out=None, *, keep_dims):
        return np.logical_or.reduce(x, axes, None, out, keep_dims)

    gradient = NOT_DIFFERENTIABLE


class EuclideanNorm(Reduction):
    """The square root of the sum of |x|^2. It has no gradient in TF1."""

    def kernel(x, axes, out=None, *, keep_dims):
        squares = np.square(x) if x.dtype.kind != 'c' else x * x.conj()
        total = np.asarray(np.add.reduce(squares, axes, x.dtype, out, keep_dims))
        if x.dtype.kind in 'fc':
            return np.sqrt(total, total)
        total[...] = np.sqrt(total)
        return total

    gradient = NOT_DIFFERENTIABLE


# ---- public functions ------------------------------------------------------------------------

def reduced(op, input_tensor, axis, keepdims, name):
    """A reduction node; for axis=None the list of all axes is made first, as in TF1."""
    keepdims = bool(keepdims)
    axes = all_axes(input_tensor) if axis is None else axis
    result = op.apply(input_tensor, axes, name=name, keep_dims=keepdims)
    if axis is None and not keepdims and result.raw_shape is None:
        result.set_shape(())
    return result


def all_axes(x):
    """The axes of x: a constant if its rank is known, else computed while the graph runs."""
    if isinstance(x, Tensor) and x.raw_shape is not None:
        return constants.constant(np.arange(len(x.raw_shape)), dtypes.int32)
    return constants.range(0, constants.rank(x))


def reduce_sum(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
               keep_dims=None):
    """The sum of the elements along `axis` (all axes if None).

    Shapes: input_tensor [*a] -> [*a without axis], or with size 1 there if keepdims.
    """
    axis = renamed('axis', axis, 'reduction_indices', reduction_indices)
    keepdims = renamed('keepdims', keepdims, 'keep_dims', keep_dims)
    return reduced(Sum, input_tensor, axis, keepdims, name)


def reduce_mean(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                keep_dims=None):
    """The mean of the elements along `axis` (all axes if None).

    Shapes: input_tensor [*a] -> [*a without axis], or with size 1 there if keepdims.
    Integers are rounded towards zero.
    """
    axis = renamed('axis', axis, 'reduction_indices', reduction_indices)
    keepdims = renamed('keepdims', keepdims, 'keep_dims', keep_dims)
    return reduced(Mean, input_tensor, axis, keepdims, name)


def reduce_prod(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                keep_dims=None):
    """The product of the elements along `axis` (all axes if None).

    Shapes: input_tensor [*a] -> [*a without axis], or with size 1 there if keepdims.
    """
    axis = renamed('axis', axis, 'reduction_indices', reduction_indices)
    keepdims = renamed('keepdims', keepdims, 'keep_dims', keep_dims)
    return reduced(Prod, input_tensor, axis, keepdims, name)


def reduce_max(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
               keep_dims=None):
    """The largest element along `axis` (all axes if None).

    Shapes: input_tensor [*a] -> [*a without axis], or with size 1 there if keepdims.
    The gradient is shared equally between equal largest elements.
    """
    axis = renamed('axis', axis, 'reduction_indices', reduction_indices)
    keepdims = renamed('keepdims', keepdims, 'keep_dims', keep_dims)
    return reduced(Max, input_tensor, axis, keepdims, name)


def reduce_min(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
               keep_dims=None):
    """The smallest element along `axis` (all axes if None).

    Shapes: input_tensor [*a] -> [*a without axis], or with size 1 there if keepdims.
    The gradient is shared equally between equal smallest elements.
    """
    axis = renamed('axis', axis, 'reduction_indices', reduction_indices)
    keepdims = renamed('keepdims', keepdims, 'keep_dims', keep_dims)
    return reduced(Min, input_tensor, axis, keepdims, name)


def reduce_all(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
               keep_dims=None):
    """Whether all elements along `axis` (all axes if None) are True.

    Shapes: input_tensor [*a] bool -> [*a without axis], or with size 1 there if keepdims.
    """
    axis = renamed('axis', axis, 'reduction_indices', reduction_indices)
    keepdims = renamed('keepdims', keepdims, 'keep_dims', keep_dims)
    return reduced(All, input_tensor, axis, keepdims, name)


def reduce_any(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
               keep_dims=None):
    """Whether some element along `axis` (all axes if None) is True.

    Shapes: input_tensor [*a] bool -> [*a without axis], or with size 1 there if keepdims.
    """
    axis = renamed('axis', axis, 'reduction_indices', reduction_indices)
    keepdims = renamed('keepdims', keepdims, 'keep_dims', keep_dims)
    return reduced(Any, input_tensor, axis, keepdims, name)


def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None):
    """sqrt(sum(x^2)) along `axis` (all axes if None).

    Shapes: input_tensor [*a] -> [*a without axis], or with size 1 there if keepdims.
    It has no gradient, as in TF1; tf.norm has one.
    """
    return reduced(EuclideanNorm, input_tensor, axis, keepdims, name)


__all__ = ['reduce_all', 'reduce_any', 'reduce_euclidean_norm', 'reduce_max', 'reduce_mean',
           'reduce_min', 'reduce_prod', 'reduce_sum']
