"""Clipping by value, by norm and by global norm, for tensors and gradients."""
from __future__ import annotations

import math

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import colocate_with, name_scope
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    indexing,
    joining,
    shape_ops,
)
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.nn import logistic


def _values(t):
    return t.values if isinstance(t, IndexedSlices) else t


def _like(t, values):
    """`values` in the form of `t`: an IndexedSlices of the same rows, or the tensor itself."""
    return IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) \
        else values


def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """min(max(t, clip_value_min), clip_value_max); the gradient is 0 where a value is clipped.

    Shapes: t [*a], bounds broadcasting with it -> [*a]; t may be an IndexedSlices.
    ValueError where a bound has a larger shape than t.
    """
    with name_scope(name, 'clip_by_value', [t, clip_value_min, clip_value_max]) as scope:
        values = convert_to_tensor(_values(t), name='t')
        below = arithmetic.minimum(values, clip_value_max)
        values.shape.assert_is_compatible_with(below.shape)
        result = arithmetic.maximum(below, clip_value_min, name=scope)
        values.shape.assert_is_compatible_with(result.shape)
        return _like(t, result)


def clip_by_norm(t, clip_norm, axes=None, name=None):
    """t * clip_norm / max(norm, clip_norm), where norm is the square root of the sum of squares.

    Shapes: t [*a] -> [*a]; with `axes`, the norm is taken along these axes.
    """
    with name_scope(name, 'clip_by_norm', [t, clip_norm]) as scope:
        values = convert_to_tensor(_values(t), name='t')
        total = reduction.reduce_sum(values * values, axes, keepdims=True)
        positive = total > 0
        # The square root has no derivative at 0, so its input is 1 there.
        safe = indexing.where(positive, total, constants.ones_like(total))
        norm = indexing.where(positive, arithmetic.sqrt(safe), total)
        product = values * clip_norm
        values.shape.assert_is_compatible_with(product.shape)
        clipped = identity_and_cast.identity(product / arithmetic.maximum(norm, clip_norm),
                                             name=scope)
        return _like(t, clipped)


def global_norm(t_list, name=None):
    """The square root of the sum of squares of all elements of the tensors that are not None.

    Shapes: a list of [*any] -> [].
    """
    t_list = _checked_list(t_list)
    with name_scope(name, 'global_norm', t_list):
        values = [convert_to_tensor(_values(t), name=f't_{i}')
                  for i, t in enumerate(t_list) if t is not None]
        halves = []
        for value in values:
            with colocate_with(value):
                halves.append(logistic.l2_loss(value))
        total = reduction.reduce_sum(joining.stack(halves))
        return arithmetic.sqrt(total * constants.constant(2.0, total.dtype), name='global_norm')


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """All tensors times clip_norm / max(global_norm, clip_norm), and that norm.

    Shapes: a list of [*any] -> a list of the same shapes, []. None and IndexedSlices may be in the
    list. A norm that is not finite makes all of them NaN. `use_norm` is the
    global norm, if it is computed already.
    Source: Pascanu et al., "On the difficulty of training recurrent neural networks", ICML 2013.
    """
    t_list = _checked_list(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with name_scope(name, 'clip_by_global_norm', t_list + [clip_norm]) as scope:
        scale = clip_norm * arithmetic.minimum(
            1.0 / use_norm, constants.constant(1.0, use_norm.dtype) / clip_norm)
        scale = indexing.where(logic.is_finite(use_norm), scale,
                               constants.constant(math.nan, use_norm.dtype))
        clipped = []
        for i, t in enumerate(t_list):
            if t is not None:
                values = convert_to_tensor(_values(t), name=f't_{i}')
                with colocate_with(values):
                    t = _like(t, identity_and_cast.identity(values * scale, f'{scope}_{i}'))
            clipped.append(t)
        return clipped, use_norm


def _checked_list(t_list):
    if not isinstance(t_list, (list, tuple)):
        raise misuse(TypeError('t_list should be a sequence: a list of tensors, such as the '
                               f'result of tf.gradients; received {t_list!r}.'))
    return list(t_list)


def clip_by_average_norm(t, clip_norm, name=None):
    """As clip_by_norm, with the norm divided by the number of elements.

    Shapes: t [*a] -> [*a].
    """
    with name_scope(name, 'clip_by_average_norm', [t, clip_norm]) as scope:
        t = convert_to_tensor(t, name='t')
        count = identity_and_cast.cast(shape_ops.size(t), t.dtype)
        inverse = arithmetic.rsqrt(reduction.reduce_sum(
            t * t, constants.range(shape_ops.rank(t))))
        scaled = t * clip_norm
        factor = arithmetic.minimum(inverse * count, constants.constant(1.0, t.dtype) / clip_norm)
        return identity_and_cast.identity(scaled * factor, name=scope)


__all__ = ['clip_by_average_norm', 'clip_by_global_norm', 'clip_by_norm', 'clip_by_value',
           'global_norm']
