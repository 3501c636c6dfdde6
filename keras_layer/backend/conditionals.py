"""Conditionals: switch, and cond that is decided at graph construction if possible."""
from __future__ import annotations

import tinyflow as tf
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.control_flow.smart_cond import smart_cond, smart_constant_value

__all__ = ['smart_cond', 'smart_constant_value', 'switch']


def switch(condition, then_expression, else_expression):
    """then_expression where `condition`, else_expression elsewhere; both may be functions.

    A scalar condition selects one of the two; otherwise each element is selected (or each row, if
    the condition has fewer axes).

    Shapes: condition [], [rows] or [*a], expressions [*a, *b] -> [*a, *b].
    ValueError if the condition has more axes than the expressions.
    """
    if condition.dtype != tf.bool:
        condition = tf.cast(condition, 'bool')
    rank = condition.shape.ndims
    if not rank:
        return tf.cond(condition, _function(then_expression), _function(else_expression))
    then_expression = then_expression() if callable(then_expression) else then_expression
    else_expression = else_expression() if callable(else_expression) else else_expression
    if rank > then_expression.shape.ndims:
        raise misuse(ValueError(
            'Rank of `condition` should be less than or equal to rank of `then_expression` and '
            f'`else_expression`. ndim(condition)={rank}, '
            f'ndim(then_expression)={then_expression.shape.ndims}'))
    if rank > 1:
        condition = _like(condition, then_expression)
    return tf.where(condition, then_expression, else_expression)


def _function(x):
    return x if callable(x) else lambda: x


def _like(condition, x):
    """The condition broadcast over the axes of x that it does not have, or has with size 1."""
    missing = x.shape.ndims - condition.shape.ndims
    sizes = tf.concat([tf.shape(condition), [1] * missing], axis=0)
    condition = tf.reshape(condition, sizes)
    wanted = tf.shape(x)
    return tf.tile(condition, tf.where(wanted - sizes > 0, wanted, tf.ones_like(wanted)))
