"""Regularizers: functions of weights that return a loss."""
from __future__ import annotations

import numbers

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import add_to_collection, get_collection, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.math import arithmetic, reduction
from tinyflow.ops.nn import logistic


def l1_regularizer(scale, scope=None):
    """scale * sum of |weights|. ValueError for an integer or negative scale."""
    if _is_off(scale):
        return lambda _: None

    def l1(weights, name=None):
        with name_scope(scope, 'l1_regularizer', [weights]) as name:
            factor = convert_to_tensor(scale, weights.dtype.base_dtype, 'scale')
            norm = reduction.reduce_sum(arithmetic.abs(weights))
            return arithmetic.multiply(factor, norm, name=name)
    return l1


def l2_regularizer(scale, scope=None):
    """scale * sum of weights^2 / 2. ValueError for an integer or negative scale."""
    if _is_off(scale):
        return lambda _: None

    def l2(weights):
        with name_scope(scope, 'l2_regularizer', [weights]) as name:
            factor = convert_to_tensor(scale, weights.dtype.base_dtype, 'scale')
            return arithmetic.multiply(factor, logistic.l2_loss(weights), name=name)
    return l2


def _is_off(scale):
    """True for the scale 0, which creates no node."""
    _check_no_integer('scale', scale)
    if isinstance(scale, numbers.Real) and scale < 0.:
        raise misuse(ValueError(f'Setting a scale less than 0 on a regularizer: {scale:g}'))
    return isinstance(scale, numbers.Real) and scale == 0.


def _check_no_integer(name, scale):
    if isinstance(scale, numbers.Integral):
        raise misuse(ValueError(f'{name} cannot be an integer: {scale}\n  Hint: a float, such as '
                                '0.001; large scales make all weights zero.'))


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    """scale_l1 * sum of |weights| + scale_l2 * sum of weights^2 / 2."""
    _check_no_integer('scale_l1', scale_l1)
    _check_no_integer('scale_l2', scale_l2)
    scope = scope or 'l1_l2_regularizer'
    if scale_l1 == 0.:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def sum_regularizer(regularizer_list, scope=None):
    """The sum of several regularizers; None for none."""
    regularizers = [r for r in regularizer_list if r is not None]
    if not regularizers:
        return None

    def total(weights):
        with name_scope(scope, 'sum_regularizer', [weights]) as name:
            losses = [r(weights) for r in regularizers]
            losses = [loss for loss in losses if loss is not None]
            return arithmetic.add_n(losses, name=name) if losses else None
    return total


def apply_regularization(regularizer, weights_list=None):
    """The sum of the regularizer over weights, also added to REGULARIZATION_LOSSES.

    Shapes: -> []. Without a list, the weights are those in GraphKeys.WEIGHTS. ValueError if there
    are none, or if the regularizer does not return a scalar.
    """
    weights_list = weights_list or get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise misuse(ValueError('No weights to regularize.'))
    with name_scope('get_regularization_penalty', values=weights_list) as scope:
        penalties = [regularizer(w) for w in weights_list]
        penalties = [constants.constant(0.0) if p is None else p for p in penalties]
        for penalty in penalties:
            if penalty.shape.ndims != 0:
                raise misuse(ValueError('regularizer must return a scalar Tensor instead of a '
                                        f'Tensor with rank {penalty.shape.ndims}.'))
        total = arithmetic.add_n(penalties, name=scope)
        add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total


__all__ = ['apply_regularization', 'l1_l2_regularizer', 'l1_regularizer', 'l2_regularizer',
           'sum_regularizer']
