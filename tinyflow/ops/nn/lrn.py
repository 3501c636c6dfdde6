"""Local response normalization (LRN) across neighbouring channels.

Source: Krizhevsky, Sutskever, Hinton, "ImageNet classification with deep convolutional neural
networks", NIPS 2012, section 3.3.
"""
from __future__ import annotations

from functools import lru_cache

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.dtypes import FLOATS
from tinyflow.graph.op import Op
from tinyflow.ops.array import constants, shaping
from tinyflow.ops.conv import conv_geometry
from tinyflow.ops.linalg.matmul import matmul

_ATTRS = {'depth_radius': 5, 'bias': 1.0, 'alpha': 1.0, 'beta': 0.5, 'T': dtypes.float32}


@lru_cache(maxsize=64)
def _band(channels, radius, dtype):
    """[channels, channels]: 1 where two channels are neighbours."""
    channel = np.arange(channels)
    return (abs(channel[:, None] - channel) <= radius).astype(dtype)


def _neighbours(x, radius):
    """For each channel, the sum over the channels within `radius`."""
    return (x.reshape(-1, x.shape[-1]) @ _band(x.shape[-1], radius, x.dtype)).reshape(x.shape)


def _norm(x, radius, bias, alpha):
    return bias + alpha * _neighbours(x * x, radius)


def _power(norm, exponent):
    """norm ** exponent for positive numbers; NumPy's own power is several times slower."""
    return np.exp(exponent * np.log(norm))


def _wide(x):
    """x, as float32 if it has half precision."""
    return x.astype(np.float32) if x.dtype.itemsize < 4 else x


class LRN(Op):
    """input / (bias + alpha * sum of the squares of the neighbouring channels) ^ beta."""

    signature = 'input: T -> output: T'
    types = {'T': FLOATS}
    attrs = _ATTRS
    partial_rank = True

    def shape(input):
        conv_geometry.check_rank('input', input, 4)
        return (None,) * 4 if input is None else input

    def kernel(input, *, depth_radius, bias, alpha, beta):
        x = _wide(input)
        norm = _norm(x, depth_radius, bias, alpha)
        return np.multiply(x, _power(norm, -beta)).astype(input.dtype, copy=False)

    def gradient(op, dy):
        return LRNGrad.apply(dy, op.inputs[0], op.outputs[0], **op.attrs)


class LRNGrad(Op):
    """The gradient for the input; output_image must be LRN of input_image."""

    signature = 'input_grads: T, input_image: T, output_image: T -> output: T'
    types = {'T': FLOATS}
    attrs = _ATTRS
    partial_rank = True

    def shape(input_grads, input_image, output_image):
        for what, shape in (('input_grads', input_grads), ('input_image', input_image),
                            ('output_image', output_image)):
            conv_geometry.check_rank(what, shape, 4)
        return shapes.merge(shapes.merge(input_grads, input_image), output_image) or (None,) * 4

    def kernel(input_grads, input_image, output_image, *, depth_radius, bias, alpha, beta):
        dy, x, y = map(_wide, (input_grads, input_image, output_image))
        norm = _norm(x, depth_radius, bias, alpha)
        dx = dy * _power(norm, -beta)
        dx -= 2 * alpha * beta * x * _neighbours(dy * y / norm, depth_radius)
        return dx.astype(input_grads.dtype, copy=False)

    def gradient(op, ddx):
        # With n the norm, W the sum over neighbours and u = dy x n^(-beta-1), the op computes
        # dy n^-beta - 2 alpha beta x W(u). The output image is treated as a function of x.
        dy, x, _ = op.inputs
        radius, bias, alpha, beta = (op.attrs[k] for k in
                                     ('depth_radius', 'bias', 'alpha', 'beta'))

        def neighbours(v):
            channels = constants.shape(v)[3]
            apart = constants.range(channels)
            apart = shaping.expand_dims(apart, 1) - apart
            band = constants.cast(apart * apart <= radius * radius, v.dtype)
            flat = shaping.reshape(v, [-1, channels])
            return shaping.reshape(matmul(flat, band), constants.shape(v))

        norm = bias + alpha * neighbours(x * x)
        power = norm ** (-beta - 1)
        around = neighbours(ddx * x)
        through_norm = beta * dy * power * (2 * alpha * (beta + 1) * around * x / norm - ddx)
        dx = 2 * alpha * (x * neighbours(through_norm)
                          - beta * (around * dy * power + ddx * neighbours(dy * x * power)))
        return power * (ddx * norm - 2 * alpha * beta * x * around), dx, None


def local_response_normalization(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):
    """input / (bias + alpha * sum of the squares within depth_radius channels) ^ beta.

    Shapes: input [batch, height, width, channels] -> the same.
    """
    return LRN.apply(input, depth_radius=shapes.integer(depth_radius, 'depth_radius'),
                     bias=float(bias), alpha=float(alpha), beta=float(beta), name=name)


lrn = local_response_normalization

__all__ = ['local_response_normalization', 'lrn']
