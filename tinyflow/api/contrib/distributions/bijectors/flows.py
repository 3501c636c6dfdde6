"""Flows: bijectors of vectors whose shift and scale are networks of a part of the vector."""
from __future__ import annotations

import numpy as np

from tinyflow.api import math
from tinyflow.api.contrib.distributions.bijectors.bijector import Bijector
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.core import dense
from tinyflow.ops.array import constants, joining, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import stop_gradient
from tinyflow.ops.control_flow.while_loop import while_loop
from tinyflow.ops.math.clip import clip_by_value
from tinyflow.ops.nn.activations import relu
from tinyflow.ops.variables import initializers
from tinyflow.ops.variables.template import make_template


class MaskedAutoregressiveFlow(Bijector):
    """y[i] = x[i] exp(log_scale[i]) + shift[i], both of which are functions of y[:i].

    `shift_and_log_scale_fn(y)` returns the pair (shift, log_scale), or (shift, None).
    """

    def __init__(self, shift_and_log_scale_fn, is_constant_jacobian=False, validate_args=False,
                 unroll_loop=False, name=None):
        self._function, self._unroll = shift_and_log_scale_fn, unroll_loop
        super().__init__(forward_min_event_ndims=1, is_constant_jacobian=is_constant_jacobian,
                         validate_args=validate_args, name=name or 'masked_autoregressive_flow')

    def _forward(self, x):
        size = x.shape[-1].value
        if self._unroll:
            if size is None:
                raise misuse(ValueError('The final dimension of `x` must be known at graph '
                                        'construction time if `unroll_loop=True`.'))
            y = constants.zeros_like(x, name='y0')
            for _ in range(size):
                y = self._step(x, y)
            return y
        steps = shape_ops.shape(x)[-1]
        _, y = while_loop(lambda i, _: i < steps, lambda i, y: (i + 1, self._step(x, y)),
                          (0, constants.zeros_like(x, name='y0')))
        return y

    def _step(self, x, y):
        shift, log_scale = self._function(y)
        return _scaled(x, shift, log_scale)

    def _inverse(self, y):
        shift, log_scale = self._function(y)
        x = y if shift is None else y - shift
        return x if log_scale is None else x * math.exp(-log_scale)

    def _inverse_log_det_jacobian(self, y):
        _, log_scale = self._function(y)
        if log_scale is None:
            return constants.constant(0.0, y.dtype, name='ildj')
        return -math.reduce_sum(log_scale, axis=-1)


class RealNVP(Bijector):
    """The first `num_masked` numbers stay; the others are scaled and shifted by functions of them.

    `shift_and_log_scale_fn(first, size)` returns (shift, log_scale) of shape [..., size].
    """

    def __init__(self, num_masked, shift_and_log_scale_fn, is_constant_jacobian=False,
                 validate_args=False, name=None):
        if num_masked <= 0:
            raise misuse(ValueError('num_masked must be a positive integer.'))
        self._count, self._function = num_masked, shift_and_log_scale_fn
        self._depth = None
        super().__init__(forward_min_event_ndims=1, is_constant_jacobian=is_constant_jacobian,
                         validate_args=validate_args, name=name or 'real_nvp')

    def _parts(self, x):
        """(the numbers that stay, the others, their shift, their log_scale)."""
        size = x.shape.with_rank_at_least(1)[-1].value
        if size is None:
            raise misuse(NotImplementedError('Rightmost dimension must be known prior to graph '
                                             'execution.'))
        if self._count >= size:
            raise misuse(ValueError('Number of masked units must be smaller than the event size.'))
        first, rest = x[..., :self._count], x[..., self._count:]
        return (first, rest, *self._function(first, size - self._count))

    def _forward(self, x):
        first, rest, shift, log_scale = self._parts(x)
        return joining.concat([first, _scaled(rest, shift, log_scale)], -1)

    def _inverse(self, y):
        first, rest, shift, log_scale = self._parts(y)
        rest = rest if shift is None else rest - shift
        rest = rest if log_scale is None else rest * math.exp(-log_scale)
        return joining.concat([first, rest], -1)

    def _inverse_log_det_jacobian(self, y):
        log_scale = self._parts(y)[3]
        if log_scale is None:
            return constants.constant(0.0, y.dtype, name='ildj')
        return -math.reduce_sum(log_scale, axis=-1)

    def _forward_log_det_jacobian(self, x):
        log_scale = self._parts(x)[3]
        if log_scale is None:
            return constants.constant(0.0, x.dtype, name='fldj')
        return math.reduce_sum(log_scale, axis=-1)


def _scaled(x, shift, log_scale):
    y = x if log_scale is None else x * math.exp(log_scale)
    return y if shift is None else y + shift


# ---- networks ------------------------------------------------------------------------------

def real_nvp_default_template(hidden_layers, shift_only=False, activation=relu, name=None,
                              *args, **kwargs):
    """A function (x, size) -> (shift, log_scale): dense layers, shared by all calls."""
    with name_scope(name, 'real_nvp_default_template'):
        def network(x, output_units):
            for units in hidden_layers:
                x = dense(x, units, activation, *args, **kwargs)
            x = dense(x, (1 if shift_only else 2) * output_units, None, *args, **kwargs)
            return (x, None) if shift_only else tuple(joining.split(x, 2, axis=-1))
        return make_template('real_nvp_default_template', network)


def masked_dense(inputs, units, num_blocks=None, exclusive=False, kernel_initializer=None,
                 reuse=None, name=None, *args, **kwargs):
    """A dense layer of which output block i depends on the input blocks before i (or up to i)."""
    depth = inputs.shape.with_rank_at_least(1)[-1].value
    if depth is None:
        raise misuse(NotImplementedError('Rightmost dimension must be known prior to graph '
                                         'execution.'))
    mask = _mask(num_blocks, depth, units, exclusive).T
    initializer = kernel_initializer or initializers.glorot_normal_initializer()

    def masked(shape, dtype=None, partition_info=None):
        return mask * initializer(shape, dtype, partition_info)
    with name_scope(name, 'masked_dense', [inputs, units, num_blocks]):
        return dense(inputs, units, *args, kernel_initializer=masked,
                     kernel_constraint=lambda x: mask * x, name=name, reuse=reuse, **kwargs)


def _mask(blocks, inputs, outputs, exclusive):
    mask = np.zeros([outputs, inputs], np.float32)
    wide, high, row = inputs // blocks, outputs // blocks, 0
    row = high if exclusive else 0
    for i in range(blocks):
        mask[row:, i * wide:(i + 1) * wide] = 1
        row += high
    return mask


def masked_autoregressive_default_template(hidden_layers, shift_only=False, activation=relu,
                                           log_scale_min_clip=-5.0, log_scale_max_clip=3.0,
                                           log_scale_clip_gradient=False, name=None, *args,
                                           **kwargs):
    """A function y -> (shift, log_scale): masked dense layers, shared by all calls."""
    name = name or 'masked_autoregressive_default_template'
    with name_scope(name, values=[log_scale_min_clip, log_scale_max_clip]):
        def network(x):
            size = x.shape.with_rank_at_least(1)[-1].value
            if size is None:
                raise misuse(NotImplementedError('Rightmost dimension must be known prior to '
                                                 'graph execution.'))
            shape = shape_ops.shape(x)
            for i, units in enumerate(hidden_layers):
                x = masked_dense(x, units, size, *args, exclusive=i == 0, activation=activation,
                                 **kwargs)
            x = masked_dense(x, (1 if shift_only else 2) * size, size, *args, activation=None,
                             **kwargs)
            if shift_only:
                return shaping.reshape(x, shape), None
            x = shaping.reshape(x, joining.concat([shape, [2]], 0))
            shift, log_scale = x[..., 0], x[..., 1]
            clip = clip_by_value if log_scale_clip_gradient else _clipped
            return shift, clip(log_scale, log_scale_min_clip, log_scale_max_clip)
        return make_template(name, network)


def _clipped(x, low, high):
    """clip_by_value whose gradient is that of x everywhere."""
    return x + stop_gradient(clip_by_value(x, low, high) - x)


__all__ = ['MaskedAutoregressiveFlow', 'RealNVP', 'masked_autoregressive_default_template',
           'masked_dense', 'real_nvp_default_template']
