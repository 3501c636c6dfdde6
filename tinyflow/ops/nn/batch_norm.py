"""Fused batch normalization (FusedBatchNormV3), its gradient and second derivatives.

x is viewed as [outer, channels, inner]: inner is 1 for channels last; for channels first, outer is
the batch and inner are the pixels. Source: Ioffe and Szegedy, "Batch normalization", ICML 2015.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import FLOATS, float32, float64
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import misuse, report
from tinyflow.graph.support.tiles import in_tiles
from tinyflow.ops.array import constants, shaping
from tinyflow.ops.conv import conv_geometry
from tinyflow.ops.math import arithmetic, reduction
from tinyflow.ops.support.axis_sums import add_reduce, is_product

_ATTRS = {'epsilon': 1e-4, 'data_format': 'NHWC', 'is_training': True}
_WIDE = frozenset((float32, float64))
_PIECE = 1 << 16        # elements processed at a time


class _Layout:
    """A view of x (channels last or first) as rows, split into pieces that do not depend on the
    number of threads, so that sums do not either.
    """

    def __init__(self, shape, data_format):
        self.shape = shape
        first = conv_geometry.channels_first(data_format)
        self.channels = shape[1] if first else shape[-1]
        self.rows = (shape[0], self.channels, -1) if first else (-1, self.channels)
        self.count = int(np.prod(shape, dtype=np.int64)) // max(1, self.channels)
        if not self.count or not self.channels:
            self.rows = (0, self.channels)
        per_row = self.channels * (shape[2] * shape[3] if first else 1)
        self.piece = max(1, _PIECE // max(1, per_row))
        self.subscripts = 'ijk'[:len(self.rows)]

    def as_rows(self, x):
        return x.reshape(self.rows)

    def broadcastable(self, vector):
        """A per-channel vector, reshaped to broadcast with rows."""
        return vector[:, None] if len(self.rows) == 3 else vector

    def sums(self, length, function, count):
        """`count` per-channel vectors: function(start, stop) summed over the pieces of rows."""
        pieces = -(-length // self.piece)
        parts = np.zeros((pieces, count, self.channels))

        def piece_sums(start, stop):
            parts[start // self.piece] = function(start, stop)

        if length:
            in_tiles(length, piece_sums, self.piece)
        return parts.sum(0)

    def sum(self, x):
        if len(self.rows) == 2 and is_product(x.dtype, x.shape, 0):
            return add_reduce(x, 0)
        return np.einsum(f'{self.subscripts}->j', x)

    def dot(self, x, y):
        return np.einsum(f'{self.subscripts},{self.subscripts}->j', x, y)


def _statistics(x, layout):
    """The mean and the (biased) variance of each channel, in double precision."""
    total = layout.sums(len(x), lambda i, j: [layout.sum(x[i:j])], 1)[0]
    mean = total / max(1, layout.count)
    center = layout.broadcastable(mean.astype(x.dtype))

    def squares(i, j):
        apart = x[i:j] - center
        return [layout.sum(apart), layout.dot(apart, apart)]

    # Correct for the rounding of the center: the deviations do not sum to exactly 0.
    left, total = layout.sums(len(x), squares, 2)
    return mean, (total - left ** 2 / max(1, layout.count)) / max(1, layout.count)


def _check_vectors(channels, **vectors):
    """The number of channels, if any shape specifies it; ValueError if the vectors disagree."""
    for what, shape in vectors.items():
        if shape is None:
            continue
        if len(shape) != 1:
            raise ValueError(f'Shape must be rank 1 but is rank {len(shape)} for {what}: it '
                             'needs one number per channel')
        if None not in (channels, shape[0]) and channels != shape[0]:
            raise ValueError(f'Dimensions must be equal, but are {channels} and {shape[0]}: x has '
                             f'{channels} channels, but {what} has {shape[0]} elements')
        channels = shape[0] if channels is None else channels
    return channels


def _checked(x, data_format, **vectors):
    """(shape of x, number of channels), as far as they are known."""
    conv_geometry.check_format(data_format, 4)
    conv_geometry.check_rank('input', x, 4)
    last = (None,) * 4 if x is None else conv_geometry.last_shape(x, data_format)
    channels = _check_vectors(last[-1], **vectors)
    return conv_geometry.from_last_shape((*last[:-1], channels), data_format), channels


class FusedBatchNormV3(Op):
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, and the batch statistics.

    In training, mean and variance are computed from the batch. `batch_variance` is the unbiased
    estimate, meant for moving averages; the reserved outputs, used by the gradient, are the biased
    ones that x was normalized with.
    """

    signature = ('x: T, scale: U, offset: U, mean: U, variance: U -> y: T, batch_mean: U, '
                 'batch_variance: U, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U')
    types = {'T': FLOATS, 'U': _WIDE}
    attrs = _ATTRS
    partial_rank = True

    def shape(x, scale, offset, mean, variance, *, data_format, is_training):
        given = {} if is_training else {'mean': mean, 'variance': variance}
        result, channels = _checked(x, data_format, scale=scale, offset=offset, **given)
        return [result, *[(channels,)] * 4, None]

    def kernel(x, scale, offset, mean, variance, *, epsilon, data_format, is_training):
        given = {} if is_training else {'mean': mean.shape, 'variance': variance.shape}
        _checked(x.shape, data_format, scale=scale.shape, offset=offset.shape, **given)
        layout, wide = _Layout(x.shape, data_format), scale.dtype
        rows = layout.as_rows(x if x.dtype.itemsize >= 4 else x.astype(np.float32))
        if is_training:
            mean, variance = _statistics(rows, layout)
        factor = layout.broadcastable((1 / np.sqrt(variance.astype(np.float64) + epsilon)
                                       * scale).astype(rows.dtype))
        center, shift = (layout.broadcastable(v.astype(rows.dtype)) for v in (mean, offset))
        y = np.empty(x.shape, x.dtype)
        target = layout.as_rows(y)

        def some(i, j):
            part = target[i:j] if target.dtype == rows.dtype else np.empty_like(rows[i:j])
            np.subtract(rows[i:j], center, part)
            np.multiply(part, factor, part)
            np.add(part, shift, part)
            if part.dtype != target.dtype:
                target[i:j] = part

        if len(rows):
            in_tiles(len(rows), some, layout.piece)
        mean, variance = mean.astype(wide), variance.astype(wide)
        unbiased = variance * wide.type(layout.count / max(1, layout.count - 1)) if is_training \
            else variance.copy()
        return y, mean, unbiased, mean.copy(), variance, np.zeros((), wide)

    def gradient(op, dy, dmean, dvariance, dreserved_mean, dreserved_variance, _):
        """As in TensorFlow, no gradient flows through the outputs batch_mean and batch_variance.

        It does flow through the reserved outputs, because second derivatives are built from them.
        """
        x, scale, _, mean, variance = op.inputs
        if dy is None:
            dy = constants.zeros_like(op.outputs[0])
        saved = op.outputs[3:] if op.attrs['is_training'] else (mean, variance, op.outputs[5])
        dx, dscale, doffset = FusedBatchNormGradV3.apply(dy, x, scale, *saved, **op.attrs)[:3]
        through = _through_statistics(op, dreserved_mean, dreserved_variance)
        return dx if through is None else dx + through, dscale, doffset, None, None


def _per_channel(op):
    """(axes to sum over, a function that reshapes a vector to broadcast with x)."""
    if conv_geometry.channels_first(op.attrs['data_format']):
        return [0, 2, 3], lambda v: shaping.reshape(v, [1, -1, 1, 1])
    return [0, 1, 2], lambda v: v


def _through_statistics(op, dmean, dvariance):
    """The gradient for x through the reserved mean and variance; None if there is none."""
    x, mean = op.inputs[0], op.outputs[3]
    along = _per_channel(op)[1]
    wide = mean.dtype
    count = constants.cast(constants.size(x), wide) / constants.cast(constants.size(mean), wide)
    parts = []
    if dmean is not None:
        parts.append(along(dmean / count) + constants.cast(constants.zeros_like(x), wide))
    if dvariance is not None:
        apart = constants.cast(x, wide) - along(mean)
        parts.append(apart * along(2.0 * dvariance / count))
    return constants.cast(arithmetic.add_n(parts), x.dtype) if parts else None


class FusedBatchNormGradV3(Op):
    """The gradients for x, scale and offset.

    With n numbers in each channel, u = (x - mean) * r, r = 1 / sqrt(variance + epsilon):
    in training dx = scale * r * (dy - sum(dy) / n - u * sum(dy * u) / n), otherwise
    dx = scale * r * dy; dscale = sum(dy * u), doffset = sum(dy).
    """

    signature = ('y_backprop: T, x: T, scale: U, reserve_space_1: U, reserve_space_2: U, '
                 'reserve_space_3: U -> x_backprop: T, scale_backprop: U, offset_backprop: U, '
                 'reserve_space_4: U, reserve_space_5: U')
    types = {'T': FLOATS, 'U': _WIDE}
    attrs = _ATTRS
    partial_rank = True

    def shape(y_backprop, x, scale, reserve_space_1, reserve_space_2, reserve_space_3, *,
              data_format, is_training):
        if not shapes.compatible(y_backprop, x):
            raise ValueError(f'y_backprop {shapes.text(y_backprop)} must have the shape of x, '
                             f'{shapes.text(x)}')
        result, channels = _checked(shapes.merge(x, y_backprop), data_format, scale=scale,
                                    reserve_space_1=reserve_space_1,
                                    reserve_space_2=reserve_space_2)
        empty = (0,) if is_training else (channels,)        # as TF declares them; they are unused
        return [result, (channels,), (channels,), empty, empty]

    def kernel(y_backprop, x, scale, reserve_space_1, reserve_space_2, reserve_space_3, *, epsilon,
               data_format, is_training):
        FusedBatchNormGradV3.shape(y_backprop.shape, x.shape, scale.shape, reserve_space_1.shape,
                                   reserve_space_2.shape, (), data_format=data_format,
                                   is_training=is_training)
        layout, wide = _Layout(x.shape, data_format), scale.dtype
        narrow = x.dtype.itemsize < 4
        rows, dy = (layout.as_rows(a.astype(np.float32) if narrow else a) for a in (x, y_backprop))
        mean = layout.broadcastable(reserve_space_1.astype(rows.dtype))
        r = 1 / np.sqrt(reserve_space_2.astype(np.float64) + epsilon)

        def totals(i, j):
            return [layout.sum(dy[i:j]), layout.dot(dy[i:j], rows[i:j] - mean)]

        doffset, dscale = layout.sums(len(rows), totals, 2)
        # In training: dx = a dy + b (x - mean) + c.
        a = scale * r
        b = c = None
        if is_training:
            b = -a * r * r * dscale / max(1, layout.count)
            b = layout.broadcastable(b.astype(rows.dtype))
            c = layout.broadcastable((-a * doffset / max(1, layout.count)).astype(rows.dtype))
        a = layout.broadcastable(a.astype(rows.dtype))
        dx = np.empty(x.shape, x.dtype)
        target = layout.as_rows(dx)

        def some(i, j):
            part = dy[i:j] * a
            if is_training:
                apart = rows[i:j] - mean
                np.multiply(apart, b, apart)
                np.add(apart, c, apart)
                np.add(part, apart, part)
            target[i:j] = part

        if len(rows):
            in_tiles(len(rows), some, layout.piece)
        nothing = np.zeros(0 if is_training else len(scale), wide)
        return dx, (dscale * r).astype(wide), doffset.astype(wide), nothing, nothing.copy()

    def gradient(op, ddx, ddscale, ddoffset, *reserved):
        return _second_derivatives(op, ddx, ddscale, ddoffset)


def _second_derivatives(op, ddx, ddscale, ddoffset):
    """The gradients of FusedBatchNormGradV3 for its inputs dy, x and scale.

    With M the mean over a channel and B(v) = v - M(v) - u M(v u), dx = scale r B(dy); its product
    with g is scale r n q, q = M(g dy) - M(g) M(dy) - M(g u) M(dy u), which depends on x through
    u, du = r B, and through r, dr = -r^2 u / n.
    """
    dy, x, scale, mean, variance = op.inputs[:5]
    axes, along = _per_channel(op)
    wide = scale.dtype
    training = op.attrs['is_training']
    dy, x = constants.cast(dy, wide), constants.cast(x, wide)
    rsqrt = arithmetic.rsqrt(variance + op.attrs['epsilon'])
    r, a = along(rsqrt), along(scale)
    u = (x - along(mean)) * r

    def average(v):
        return along(reduction.reduce_mean(v, axes))

    def centered(v):
        return v - average(v) - u * average(v * u)

    to_dy, to_u, to_x, to_scale = [], [], [], None
    if ddx is not None:
        g = constants.cast(ddx, wide)
        to_dy.append(a * r * (centered(g) if training else g))
        if training:
            q = average(g * dy) - average(g) * average(dy) - average(g * u) * average(dy * u)
            to_scale = reduction.reduce_sum(r * (centered(g) * dy), axes)
            to_u.append(-(a * r) * (g * average(dy * u) + dy * average(g * u)))
            to_x.append(-(a * r * r * q) * u)
        else:
            to_scale = reduction.reduce_sum(r * (g * dy), axes)
    if ddscale is not None:
        to_dy.append(along(ddscale) * u)
        to_u.append(along(ddscale) * dy)
    if ddoffset is not None:
        to_dy.append(along(ddoffset) + constants.zeros_like(dy))
    for v in to_u:
        to_x.append(r * (centered(v) if training else v))
    narrow = op.inputs[0].dtype
    return (constants.cast(_total(to_dy), narrow) if to_dy else None,
            constants.cast(_total(to_x), narrow) if to_x else None, to_scale, None, None, None)


def _total(terms):
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


_MIN_EPSILON = 1.001e-5       # TF's lower bound (cuDNN's minimum)


def fused_batch_norm(x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format='NHWC',
                     is_training=True, name=None):
    """(y, mean, variance): y = (x - mean) / sqrt(variance + epsilon) * scale + offset.

    Shapes: x [batch, height, width, channels] (data_format 'NCHW' has the channels as axis 1),
    scale, offset, mean, variance [channels] -> as x, [channels], [channels]. In training the
    statistics are those of the batch, and mean and variance must not be given; the variance that
    is returned is the unbiased one.
    """
    x = convert_to_tensor(x, name='input')
    scale = convert_to_tensor(scale, name='scale')
    offset = convert_to_tensor(offset, name='offset')
    if is_training and (mean is not None or variance is not None):
        raise misuse(ValueError(report(
            "Both 'mean' and 'variance' must be None if is_training is True.", inputs=[('x', x)],
            hint='in training the statistics are computed from x; leave both out.')))
    mean = constants.constant([], scale.dtype.base_dtype) if mean is None else mean
    variance = constants.constant([], scale.dtype.base_dtype) if variance is None else variance
    epsilon = epsilon if epsilon > _MIN_EPSILON else _MIN_EPSILON
    y, batch_mean, batch_variance = FusedBatchNormV3.apply(
        x, scale, offset, mean, variance, epsilon=float(epsilon), data_format=data_format,
        is_training=bool(is_training), name=name)[:3]
    return y, batch_mean, batch_variance


__all__ = ['fused_batch_norm']
