"""Batch normalization and moving averages."""
from __future__ import annotations

import tinyflow as tf
from tinyflow.train.optimizers import moving_averages

__all__ = ['batch_normalization', 'moving_average_update', 'normalize_batch_in_training']


def batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=1e-3):
    """(x - mean) / sqrt(var + epsilon) * gamma + beta; beta and gamma may be None.

    Images are normalized by one fused op, where `axis` is that of the channels.

    Shapes: x [*a], mean, var, beta and gamma [channels], or with sizes of 1 for the other axes of x
    -> [*a]. Source: Ioffe & Szegedy (2015).
    """
    data_format = {1: 'NCHW', 3: 'NHWC', -1: 'NHWC'}.get(axis) if x.shape.ndims == 4 else None
    if data_format is None:
        return tf.nn.batch_normalization(x, mean, var, beta, gamma, epsilon)
    mean, var = _vector(mean), _vector(var)
    beta = tf.zeros_like(mean) if beta is None else _vector(beta)
    gamma = tf.ones_like(mean) if gamma is None else _vector(gamma)
    return tf.nn.fused_batch_norm(x, gamma, beta, epsilon=epsilon, mean=mean, variance=var,
                                  data_format=data_format, is_training=False)[0]


def _vector(x):
    return tf.reshape(x, [-1]) if x.shape.ndims is not None and x.shape.ndims > 1 else x


def normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=1e-3):
    """(x normalized over `reduction_axes`, its mean, its variance); gamma, beta may be None.

    Shapes: x [*a], gamma and beta [*the axes that are not reduced] -> [*a] and two of gamma's
    shape. The variance of images with their channels last is the unbiased one, n / (n - 1) larger,
    which the fused op gives.
    """
    axes, rank = list(reduction_axes), x.shape.ndims
    if rank == 4 and axes == [0, 1, 2]:
        channels = x.shape[3]
        if gamma is None:
            gamma = tf.constant(1.0, dtype=x.dtype, shape=[channels])
        if beta is None:
            beta = tf.constant(0.0, dtype=x.dtype, shape=[channels])
        return tf.nn.fused_batch_norm(x, gamma, beta, epsilon=epsilon, data_format='NHWC')
    mean, var = tf.nn.moments(x, axes, None, None, False)
    moments = [mean, var, gamma, beta]
    if sorted(axes) != list(range(rank - 1)):
        shape = tf.stack([1 if axis in axes else tf.shape(x)[axis] for axis in range(rank)])
        moments = [None if m is None else tf.reshape(m, shape) for m in moments]
    wide_mean, wide_var, gamma, beta = moments
    return tf.nn.batch_normalization(x, wide_mean, wide_var, beta, gamma, epsilon), mean, var


def moving_average_update(x, value, momentum):
    """The update x = momentum x + (1 - momentum) value, with bias correction for the start at 0.

    It adds two Variables, `biased` and `local_step`, under the name of x; run
    `tf.global_variables_initializer()` after building it.
    """
    return moving_averages.assign_moving_average(x, value, momentum, zero_debias=True)
