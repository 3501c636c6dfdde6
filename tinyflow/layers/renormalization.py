"""Batch renormalization: batch statistics, corrected towards the moving ones: Ioffe (2017)."""
from __future__ import annotations

from tinyflow.graph.defaults import colocate_with, control_dependencies, name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, identity_and_cast
from tinyflow.ops.control_flow.smart_cond import smart_cond
from tinyflow.ops.math import arithmetic
from tinyflow.ops.nn import activations
from tinyflow.ops.variables import variable_ops


def check_clipping(clipping):
    """The limits as a dict; ValueError for unknown keys."""
    clipping = clipping or {}
    if set(clipping) - {'rmax', 'rmin', 'dmax'}:
        raise misuse(ValueError(f"renorm_clipping {clipping} contains keys not in "
                                "['rmax', 'rmin', 'dmax']"))
    return clipping


def make_weights(layer, shape):
    """The moving standard deviation, and the averages used by the correction."""
    def stddev(*args, **kwargs):
        return arithmetic.sqrt(layer.moving_variance_initializer(*args, **kwargs))
    with colocate_with(layer.moving_variance):
        layer.moving_stddev = layer.add_statistic('moving_stddev', shape, stddev)
    with colocate_with(layer.moving_mean):
        layer.renorm_mean = layer.add_statistic('renorm_mean', shape,
                                                layer.moving_mean_initializer)
    with colocate_with(layer.moving_stddev):
        layer.renorm_stddev = layer.add_statistic('renorm_stddev', shape, stddev)


def correct(layer, mean, variance, training):
    """(r, d, mean, variance): normalized r + d equals normalization by the moving statistics."""
    stddev = arithmetic.sqrt(variance + layer.epsilon)
    renorm_stddev = arithmetic.maximum(layer.renorm_stddev, arithmetic.sqrt(layer.epsilon))
    r = stddev / renorm_stddev
    d = (mean - layer.renorm_mean) / renorm_stddev
    with control_dependencies([r, d]):          # compared before the averages are updated
        mean, stddev = identity_and_cast.identity(mean), identity_and_cast.identity(stddev)
    r, d = _clipped(r, d, layer.renorm_clipping)
    inner_r, inner_d = r, d
    r = smart_cond(training, lambda: inner_r, lambda: constants.ones_like(inner_r))
    d = smart_cond(training, lambda: inner_d, lambda: constants.zeros_like(inner_d))
    moved = [_moved(layer, variable, value, training) for variable, value in
             ((layer.renorm_mean, mean), (layer.renorm_stddev, stddev))]
    with control_dependencies(moved):
        return r, d, identity_and_cast.identity(mean), identity_and_cast.identity(variance)


def _clipped(r, d, limits):
    if limits.get('rmin') is not None:
        r = arithmetic.maximum(r, limits['rmin'])
    if limits.get('rmax') is not None:
        r = arithmetic.minimum(r, limits['rmax'])
    if limits.get('dmax') is not None:
        d = arithmetic.maximum(d, -limits['dmax'])
        d = arithmetic.minimum(d, limits['dmax'])
    return r, d


def _moved(layer, variable, value, training):
    value = identity_and_cast.identity(value)
    return smart_cond(training, lambda: layer.move(variable, value, layer.renorm_momentum),
                      lambda: identity_and_cast.identity(variable))


def move_variance(layer, variance):
    """Moves the standard deviation; the moving variance is its square."""
    stddev = layer.move(layer.moving_stddev, arithmetic.sqrt(variance + layer.epsilon),
                        layer.momentum)
    square = activations.relu(stddev * stddev - layer.epsilon)
    with name_scope('AssignNewValue') as scope, colocate_with(layer.moving_variance):
        return variable_ops.assign(layer.moving_variance, square, name=scope)
