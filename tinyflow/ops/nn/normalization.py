"""Moments and normalization: tf.nn.moments, batch_normalization, l2_normalize."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import float16, float32
from tinyflow.graph.shapes import known
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    shape_ops,
    shaping,
)
from tinyflow.ops.math import arithmetic, reduction
from tinyflow.ops.support.arguments import renamed


def _keepdims(keepdims, keep_dims):
    return bool(renamed('keepdims', keepdims, 'keep_dims', keep_dims))


def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
    """The mean and the variance of `x` over `axes`; `shift` is ignored, as in TF1.

    Shapes: x [*a] -> two tensors of x's shape less `axes` (of size 1 there with keepdims).
    float16 is computed in float32.
    """
    keepdims = _keepdims(keepdims, keep_dims)
    with name_scope(name, 'moments', [x, axes]):
        if not hasattr(x, 'handle'):            # a resource variable is read when it is used
            x = convert_to_tensor(x, name='x')
        wide = identity_and_cast.cast(x, float32) if x.dtype == float16 else x
        mean = reduction.reduce_mean(wide, axes, keepdims=True, name='mean')
        # The variance's derivative by the mean is 0, so stopping the gradient here loses nothing.
        squares = arithmetic.squared_difference(wide, identity_and_cast.stop_gradient(mean))
        variance = reduction.reduce_mean(squares, axes, keepdims=True, name='variance')
        if not keepdims:
            mean, variance = shaping.squeeze(mean, axes), shaping.squeeze(variance, axes)
        if x.dtype == float16:
            return identity_and_cast.cast(mean, float16), identity_and_cast.cast(variance, float16)
        return mean, variance


def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
    """The mean and the variance of `x` over `axes`, each element weighted.

    Shapes: x [*a], frequency_weights broadcasting with it -> two tensors of x's shape less `axes`.
    """
    keepdims = _keepdims(keepdims, keep_dims)
    with name_scope(name, 'weighted_moments', [x, frequency_weights, axes]):
        x = convert_to_tensor(x, name='x')
        weights = convert_to_tensor(frequency_weights, name='frequency_weights')
        narrow = x.dtype == float16
        if narrow:
            x = identity_and_cast.cast(x, float32)
        weights = identity_and_cast.cast(weights, x.dtype)
        total = reduction.reduce_sum(weights * x, axes, name='weighted_input_sum', keepdims=True)
        # Broadcast to the shape of the product, so that both sums have the same number of terms.
        weight = reduction.reduce_sum(weights + constants.zeros_like(x), axes,
                                      name='sum_of_weights', keepdims=True)
        divisor = arithmetic.reciprocal(weight, name='inv_weight_sum')
        mean = arithmetic.multiply(total, divisor)
        squares = weights * arithmetic.squared_difference(x, mean)
        spread = reduction.reduce_sum(squares, axes, name='weighted_distsq', keepdims=True)
        variance = arithmetic.multiply(spread, divisor)
        if not keepdims:
            mean, variance = shaping.squeeze(mean, axes), shaping.squeeze(variance, axes)
        if narrow:
            return identity_and_cast.cast(mean, float16), identity_and_cast.cast(variance, float16)
        return mean, variance


def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
    """(count, sum of x - shift, sum of (x - shift)^2, shift): what `normalize_moments` needs.

    Shapes: x [*a] -> [], two tensors of x's shape less `axes`, and the shift (None if not given).
    """
    axes = list(set(axes))
    keepdims = _keepdims(keepdims, keep_dims)
    with name_scope(name, 'sufficient_statistics', [x, shift]):
        x = convert_to_tensor(x, name='x')
        count = _count(x, axes)
        if shift is None:
            shifted, squares = x, arithmetic.square(x)
        else:
            shift = convert_to_tensor(shift, name='shift')
            shifted = arithmetic.subtract(x, shift)
            squares = arithmetic.squared_difference(x, shift)
        mean_ss = reduction.reduce_sum(shifted, axes, keepdims=keepdims, name='mean_ss')
        var_ss = reduction.reduce_sum(squares, axes, keepdims=keepdims, name='var_ss')
        return count, mean_ss, var_ss, shift


def _count(x, axes):
    shape = x.raw_shape
    if shape is not None and known(tuple(shape[d] for d in axes)):
        count = 1
        for axis in axes:
            count *= shape[axis]
        return constants.constant(count, x.dtype)
    sizes = gathering.gather(identity_and_cast.cast(shape_ops.shape(x), x.dtype), axes)
    return reduction.reduce_prod(sizes, name='count')


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """The mean and the variance from the results of `sufficient_statistics`.

    Shapes: counts [], mean_ss and variance_ss [*a] -> [*a], [*a].
    """
    with name_scope(name, 'normalize', [counts, mean_ss, variance_ss, shift]):
        divisor = arithmetic.reciprocal(counts, name='divisor')
        if shift is None:
            mean = shifted_mean = arithmetic.multiply(mean_ss, divisor, name='mean')
        else:
            shifted_mean = arithmetic.multiply(mean_ss, divisor, name='shifted_mean')
            mean = arithmetic.add(shifted_mean, shift, name='mean')
        variance = arithmetic.subtract(arithmetic.multiply(variance_ss, divisor),
                                       arithmetic.square(shifted_mean), name='variance')
        return mean, variance


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """(x - mean) / sqrt(variance + variance_epsilon) * scale + offset.

    Shapes: x [*a], the others broadcasting with it -> [*a]; offset and scale may be None.
    Source: Ioffe and Szegedy, "Batch normalization", ICML 2015.
    """
    with name_scope(name, 'batchnorm', [x, mean, variance, scale, offset]):
        factor = arithmetic.rsqrt(variance + variance_epsilon)
        if scale is not None:
            factor *= scale
        # TF's node order: first the product with x, then the shift.
        product = x * identity_and_cast.cast(factor, x.dtype)
        moved = -mean * factor if offset is None else offset - mean * factor
        return product + identity_and_cast.cast(moved, x.dtype)


def batch_norm_with_global_normalization(t=None, m=None, v=None, beta=None, gamma=None,
                                         variance_epsilon=None, scale_after_normalization=None,
                                         name=None, input=None, mean=None, variance=None):
    """`batch_normalization` under its oldest name; gamma is used if scale_after_normalization.

    Shapes: t [batch, height, width, channels], m, v, beta, gamma [channels] -> as t.
    """
    t = renamed('input', input, 't', t)
    m = renamed('mean', mean, 'm', m)
    v = renamed('variance', variance, 'v', v)
    return batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None,
                               variance_epsilon, name)


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """x / sqrt(max(sum(x^2), epsilon)), summed over `axis`.

    Shapes: x [*a] -> [*a]. `dim` is the old name of `axis`.
    """
    axis = renamed('axis', axis, 'dim', dim)
    with name_scope(name, 'l2_normalize', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        total = reduction.reduce_sum(arithmetic.square(x), axis, keepdims=True)
        inverse = arithmetic.rsqrt(arithmetic.maximum(total, epsilon))
        return arithmetic.multiply(x, inverse, name=scope)


__all__ = ['batch_norm_with_global_normalization', 'batch_normalization', 'l2_normalize', 'moments',
           'normalize_moments', 'sufficient_statistics', 'weighted_moments']
