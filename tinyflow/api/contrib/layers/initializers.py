"""Initializers of tf.contrib.layers: Xavier and variance scaling."""
from __future__ import annotations

import math

from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.random import random_functions


def xavier_initializer(uniform=True, seed=None, dtype=dtypes.float32):
    """Random with variance 2 / (inputs + outputs): Glorot and Bengio (2010)."""
    return variance_scaling_initializer(1.0, 'FAN_AVG', uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(factor=2.0, mode='FAN_IN', uniform=False, seed=None,
                                 dtype=dtypes.float32):
    """Random with variance factor / n, where n is the number of inputs, outputs, or their mean.

    The default is that of He et al. (2015). TypeError for another mode, or for integers.
    """
    if not dtype.is_floating:
        raise misuse(TypeError('Cannot create initializer for non-floating point type.'))
    if mode not in ('FAN_IN', 'FAN_OUT', 'FAN_AVG'):
        raise misuse(TypeError(f'Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]'))

    def initializer(shape, dtype=dtype, partition_info=None):
        if not dtype.is_floating:
            raise misuse(TypeError('Cannot create initializer for non-floating point type.'))
        fan_in, fan_out = _fans(shape)
        number = {'FAN_IN': fan_in, 'FAN_OUT': fan_out, 'FAN_AVG': (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / number)
            return random_functions.random_uniform(shape, -limit, limit, dtype, seed=seed)
        # 1.3 approximately corrects the variance for the truncation.
        stddev = math.sqrt(1.3 * factor / number)
        return random_functions.truncated_normal(shape, 0.0, stddev, dtype, seed=seed)

    return initializer


def _fans(shape):
    """Numbers of inputs and outputs of weights [*window, inputs, outputs], as floats."""
    if not shape:
        return 1.0, 1.0
    window = math.prod(map(float, shape[:-2]))
    return float(shape[-2] if len(shape) > 1 else shape[-1]) * window, float(shape[-1]) * window


__all__ = ['variance_scaling_initializer', 'xavier_initializer', 'xavier_initializer_conv2d']
