"""Reductions made of several nodes: reduce_logsumexp, variance, standard deviation, counts."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import nodes
from tinyflow.ops.array import constants, shaping
from tinyflow.ops.math import arithmetic, logic, unary
from tinyflow.ops.math.reduction import Max, Mean, Sum, reduced
from tinyflow.ops.support.arguments import renamed

__all__ = ['count_nonzero', 'reduce_logsumexp', 'reduce_std', 'reduce_variance']


def reduce_logsumexp(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                     keep_dims=None):
    """log(sum(exp(x))) along `axis` (all axes if None), without overflow.

    Shapes: input_tensor [*a] -> [*a without axis], or with size 1 there if keepdims.
    """
    axis = renamed('axis', axis, 'reduction_indices', reduction_indices)
    keepdims = bool(renamed('keepdims', keepdims, 'keep_dims', keep_dims))
    with name_scope(name, 'ReduceLogSumExp', [input_tensor]):
        largest = reduced(Max, input_tensor, axis, True, None)
        # Infinities would make x - max undefined.
        shift = constants.stop_gradient(nodes.Select(
            logic.is_finite(largest), largest, constants.zeros_like(largest)))
        total = reduced(Sum, unary.exp(arithmetic.subtract(input_tensor, shift)), axis,
                        keepdims, None)
        result = unary.log(total)
        if not keepdims:
            shift = shaping.reshape(shift, constants.shape(result))
        return arithmetic.add(result, shift)


def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """mean((x - mean(x))^2) along `axis` (all axes if None).

    Shapes: input_tensor [*a] -> [*a without axis], or with size 1 there if keepdims.
    """
    with name_scope(name or 'reduce_variance'):
        means = reduced(Mean, input_tensor, axis, True, None)
        return reduced(Mean, arithmetic.square(input_tensor - means), axis, keepdims, None)


def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """The standard deviation, sqrt(reduce_variance(x)), along `axis` (all axes if None).

    Shapes: input_tensor [*a] -> [*a without axis], or with size 1 there if keepdims.
    """
    with name_scope(name or 'reduce_std'):
        return arithmetic.sqrt(reduce_variance(input_tensor, axis, keepdims))


def count_nonzero(input_tensor=None, axis=None, keepdims=None, dtype=dtypes.int64, name=None,
                  reduction_indices=None, keep_dims=None, input=None):
    """The number of nonzero elements along `axis` (all axes if None).

    Shapes: input_tensor [*a] -> [*a without axis], or with size 1 there if keepdims.
    Raises ValueError if the input is missing.
    """
    keepdims = renamed('keepdims', keepdims, 'keep_dims', keep_dims)
    input_tensor = renamed('input_tensor', input_tensor, 'input', input)
    axis = renamed('axis', axis, 'reduction_indices', reduction_indices)
    with name_scope(name, 'count_nonzero', [input_tensor]):
        input_tensor = convert_to_tensor(input_tensor, name='input')
        zero = constants.zeros([], input_tensor.dtype.base_dtype)
        different = constants.cast(logic.not_equal(input_tensor, zero), dtypes.int64)
        return constants.cast(reduced(Sum, different, axis, keepdims, None), dtype)
