"""A choice between two tensors, made while building where it can be."""
from __future__ import annotations

import tinyflow as tf
from tinyflow.ops.smart_cond import smart_cond, smart_constant_value

__all__ = ['smart_cond', 'smart_constant_value', 'switch']


def switch(condition, then_expression, else_expression):
    """then_expression where `condition`, else_expression elsewhere; both may be functions.

    A scalar condition chooses one of the two; else each element is chosen (or each row, where the
    condition has fewer axes).
    """
    if condition.dtype != tf.bool:
        condition = tf.cast(condition, 'bool')
    if condition.shape.ndims == 0:
        def of(x):
            return x if callable(x) else lambda: x
        return tf.cond(condition, of(then_expression), of(else_expression))
    then_expression = then_expression() if callable(then_expression) else then_expression
    else_expression = else_expression() if callable(else_expression) else else_expression
    missing = then_expression.shape.ndims - condition.shape.ndims
    if missing > 0:
        shape = tf.concat([tf.shape(condition), [1] * missing], axis=0)
        condition = tf.reshape(condition, shape)
        shape = tf.shape(then_expression)
        tile = tf.where(tf.greater(shape, 1), shape, tf.ones_like(shape)) \
            // tf.maximum(tf.shape(condition), 1)
        condition = tf.tile(condition, tf.maximum(tile, 1))
    return tf.where(condition, then_expression, else_expression)
