"""dropout, and zero_fraction: the fraction of elements that are 0."""
from __future__ import annotations

from tinyflow.graph.constant_value import constant_value_as_tensorflow
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import float32, int32, int64
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, identity_and_cast, shape_ops
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.math import logic, reduction
from tinyflow.ops.random import random_functions


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Sets each element to 0 with probability `rate` (1 - keep_prob), else divides it by 1 - rate.

    Shapes: x [*a], noise_shape broadcasting with it -> [*a]; one decision per entry of the noise,
    so noise_shape=[n, 1] keeps or drops whole rows of x [n, m]. A rate of 0 returns x itself.
    ValueError for a rate outside [0, 1) or an x that is not floating point. Source: Srivastava et
    al., "Dropout: a simple way to prevent neural networks from overfitting", JMLR 15 (2014).
    """
    rate = _rate(keep_prob, rate)
    with name_scope(name, 'dropout', [x]):
        x = convert_to_tensor(x, name='x')
        _check(x, rate)
        if isinstance(rate, (int, float)) and rate == 0:
            return x
        rate = convert_to_tensor(rate, x.dtype, 'rate')
        if constant_value_as_tensorflow(rate) == 0:
            return x
        drawn = random_functions.random_uniform(_noise_shape(x, noise_shape), seed=seed,
                                                dtype=x.dtype)
        scale = 1 / (1 - rate)
        kept = drawn >= rate
        result = x * scale * identity_and_cast.cast(kept, x.dtype)
        result.set_shape(x.raw_shape)
        return result


def _rate(keep_prob, rate):
    if rate is not None:
        if keep_prob is not None:
            raise misuse(ValueError("dropout: Cannot specify both 'keep_prob' and 'rate'; rate is "
                                    '1 - keep_prob.'))
        return rate
    if keep_prob is None:
        raise misuse(ValueError('You must provide a rate to dropout: tf.nn.dropout(x, rate=0.5).'))
    if isinstance(keep_prob, (int, float)) and not 0 < keep_prob <= 1:
        raise misuse(ValueError(
            'rate must be a scalar tensor or a float in the range [0, 1), got '
            f'{1 - keep_prob:g}, which is 1 - keep_prob.\n  Hint: keep_prob is the fraction that '
            f'is kept, a number in (0, 1]; it is {keep_prob:g}.'))
    try:
        return 1 - keep_prob
    except TypeError:
        raise misuse(ValueError('keep_prob must be a floating point number or Tensor (got '
                                f'{keep_prob!r})')) from None


def _check(x, rate):
    if not x.dtype.is_floating:
        raise misuse(ValueError(report(
            f"dropout: x has to be a floating point tensor since it's going to be scaled. Got a "
            f'{x.dtype.name} tensor instead.', inputs=[('x', x)], hint='tf.cast(x, tf.float32).')))
    if isinstance(rate, Tensor) or not isinstance(rate, (int, float)):
        return
    if not 0 <= rate < 1:
        raise misuse(ValueError(report(
            f'dropout: rate must be a scalar tensor or a float in the range [0, 1), got {rate:g}',
            inputs=[('x', x)], hint='rate is the fraction that is dropped, keep_prob the one '
            'that is kept: rate = 1 - keep_prob.')))


def _noise_shape(x, noise_shape):
    """The shape of the random draw: noise_shape, with None replaced by x's size."""
    if noise_shape is None:
        return shape_ops.shape(x)
    if isinstance(noise_shape, Tensor):
        return noise_shape
    try:
        given = TensorShape(noise_shape).raw
    except (TypeError, ValueError):
        return noise_shape
    if x.raw_shape is not None and given is not None and len(given) == len(x.raw_shape):
        sizes = zip(given, x.raw_shape)
        return TensorShape([s if g is None else g for g, s in sizes])
    return noise_shape


def zero_fraction(value, name=None):
    """The fraction of elements that are 0; NaN for an empty tensor.

    Shapes: value [*a] -> [], dtype float32.
    """
    with name_scope(name, 'zero_fraction', [value]):
        value = convert_to_tensor(value, name='value')
        size = shape_ops.size(value, out_type=int64)
        # As in TF: 32-bit integers count faster, if they suffice.
        nonzero = cond(
            logic.less_equal(size, int32.max),
            lambda: identity_and_cast.cast(_count_nonzero(value, int32), int64),
            lambda: _count_nonzero(value, int64))
        with name_scope('counts_to_fraction'):
            fraction = identity_and_cast.cast(size - nonzero, float32) / identity_and_cast.cast(
                size, float32)
        return identity_and_cast.identity(fraction, 'fraction')


def _count_nonzero(value, dtype):
    with name_scope('count_nonzero'):
        different = logic.not_equal(value, constants.zeros([], value.dtype))
        return reduction.reduce_sum(identity_and_cast.cast(different, dtype), name='nonzero_count')


__all__ = ['dropout', 'zero_fraction']
