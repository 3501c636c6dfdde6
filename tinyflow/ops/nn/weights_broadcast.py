"""Broadcasting the weights of losses and metrics to the values: check and broadcast.

Each axis of the weights must have size 1 or that of the values; anything else, such as [batch]
against [batch, 1], is more often a mistake than intended.
"""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.shapes import known
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, joining, shape_ops, shaping
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.math import arithmetic, logic
from tinyflow.ops.sparse import set_ops

_ERROR_PREFIX = 'weights can not be broadcast to values.'


def assert_broadcastable(weights, values):
    """An Operation that fails unless the weights are a scalar, or each axis is 1 or as in values.

    Shapes: weights [*b], values [*a] -> none. Raises ValueError if the static shapes are
    incompatible.
    """
    with name_scope(None, 'assert_broadcastable', [weights, values]) as scope:
        weights, weights_shape, weights_rank = _shape_and_rank(weights, 'weights')
        values, values_shape, values_rank = _shape_and_rank(values, 'values')
        success = _static_check(weights, values)
        if success:
            return grouping.no_op(name=success)
        return _assert_at_run_time(weights, weights_shape, weights_rank, values, values_shape,
                                   values_rank, scope)


def _shape_and_rank(value, name):
    with name_scope(None, name, [value]) as scope:
        value = convert_to_tensor(value, name=scope)
        return value, shape_ops.shape(value, name='shape'), shape_ops.rank(value, name='rank')


def _static_check(weights, values):
    """Checks the static shapes: the name of TF's node on success, None if they are not known."""
    w, v = weights.raw_shape, values.raw_shape
    if w is None or v is None:
        return None
    if not w:
        return 'static_scalar_check_success'
    if len(w) != len(v):
        _raise_error(weights, values, f'values.rank={len(v)}. weights.rank={len(w)}.')
    if not known(w) or not known(v):
        return None
    for axis, (weight_size, value_size) in enumerate(zip(w, v)):
        if weight_size not in (1, value_size):
            _raise_error(weights, values, f'Mismatch at dim {axis}.')
    return 'static_dims_check_success'


def _raise_error(weights, values, why):
    raise misuse(ValueError(report(
        f'{_ERROR_PREFIX} {why} values.shape={values.shape}. weights.shape={weights.shape}.',
        inputs=[('values', values), ('weights', weights)],
        hint='pass a scalar, or weights whose axes have size 1 or that of the values: '
             'tf.expand_dims(weights, -1), or tf.squeeze of the values.')))


def _assert_at_run_time(weights, weights_shape, weights_rank, values, values_shape, values_rank,
                        scope):
    is_scalar = logic.equal(0, weights_rank, name='is_scalar')
    data = [_ERROR_PREFIX, 'weights.shape=', weights.name, weights_shape,
            'values.shape=', values.name, values_shape, 'is_scalar=', is_scalar]
    valid = cond(
        is_scalar, lambda: is_scalar,
        lambda: _valid_nonscalar(weights_rank, weights_shape, values_rank, values_shape),
        name='is_valid_shape')
    return assertions.Assert(valid, data, name=scope)


def _valid_nonscalar(weights_rank, weights_shape, values_rank, values_shape):
    with name_scope(None, 'has_valid_nonscalar_shape',
                    [weights_rank, weights_shape, values_rank, values_shape]) as scope:
        same_rank = logic.equal(values_rank, weights_rank, name='is_same_rank')
        return cond(same_rank, lambda: _valid_sizes(weights_shape, values_shape),
                    lambda: same_rank, name=scope)


def _valid_sizes(weights_shape, values_shape):
    """True if each size of the weights is in the set {size of the values, 1}."""
    with name_scope(None, 'has_invalid_dims', [weights_shape, values_shape]) as scope:
        sizes = shaping.expand_dims(values_shape, -1)
        valid = joining.concat((sizes, constants.ones_like(sizes)), axis=1)
        invalid = set_ops.set_difference(shaping.expand_dims(weights_shape, -1), valid)
        return logic.equal(0, shape_ops.size(invalid.values, name='num_invalid_dims'), name=scope)


def broadcast_weights(weights, values):
    """The weights, repeated to the shape of the values.

    Shapes: weights [*b], values [*a] -> [*a]. Raises as `assert_broadcastable`.
    """
    with name_scope(None, 'broadcast_weights', [weights, values]) as scope:
        values = convert_to_tensor(values, name='values')
        weights = convert_to_tensor(weights, values.dtype.base_dtype, 'weights')
        if known(weights.raw_shape) and weights.raw_shape == values.raw_shape:
            return weights
        with control_dependencies([assert_broadcastable(weights, values)]):
            return arithmetic.multiply(weights, constants.ones_like(values), name=scope)


__all__ = ['assert_broadcastable', 'broadcast_weights']
