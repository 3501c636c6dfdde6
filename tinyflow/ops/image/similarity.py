"""Image similarity: PSNR, SSIM and multi-scale SSIM.

Z. Wang et al., Image Quality Assessment (2004), and Multi-scale Structural Similarity (2003).
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    joining,
    padding,
    shape_ops,
    shaping,
)
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.conv import dilated, pooling_functions
from tinyflow.ops.image.colors import convert_image_dtype
from tinyflow.ops.math import arithmetic, logic, powers, reduction, unary
from tinyflow.ops.nn import activations, softmax

_SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
_HALF = [1, 2, 2, 1]


def _comparable(first, second):
    """(shapes of the two images, checks that they fit); ValueError where they cannot."""
    one, two = first.shape.with_rank_at_least(3), second.shape.with_rank_at_least(3)
    one[-3:].assert_is_compatible_with(two[-3:])
    if one.ndims is not None and two.ndims is not None:
        for a, b in zip(reversed(one.as_list()[:-3]), reversed(two.as_list()[:-3])):
            if 1 not in (a, b) and None not in (a, b) and a != b:
                raise misuse(ValueError(report('Two images are not compatible.', inputs=[
                    ('first', first), ('second', second)])))
    shapes = shape_ops.shape_n([first, second])
    enough = logic.greater_equal(shape_ops.size(shapes[0]), 3)
    checks = [assertions.Assert(enough, shapes, summarize=10)]
    alike = reduction.reduce_all(logic.equal(shapes[0][-3:], shapes[1][-3:]))
    checks.append(assertions.Assert(alike, shapes, summarize=10))
    return shapes, checks


def _after(checks, tensor):
    with get_default_graph().control_dependencies(checks):
        return identity_and_cast.identity(tensor)


def _scaled(max_val, first, second):
    """max_val and both images, as floats."""
    max_val = identity_and_cast.cast(max_val, first.dtype)
    return [convert_image_dtype(x, dtypes.float32) for x in (max_val, first, second)]


def psnr(a, b, max_val, name=None):
    """The peak signal-to-noise ratio in decibels: 10 log10(max_val^2 / mean((a - b)^2)).

    Shapes: a, b [*batch, height, width, channels] -> [*batch], float32.
    """
    with name_scope(name, 'PSNR', [a, b]):
        a, b = convert_to_tensor(a), convert_to_tensor(b)
        max_val, a, b = _scaled(max_val, a, b)
        error = reduction.reduce_mean(powers.squared_difference(a, b), [-3, -2, -1])
        decibels = arithmetic.subtract(
            20 * unary.log(max_val) / unary.log(10.0),
            np.float32(10 / np.log(10)) * unary.log(error), name='psnr')
        _, checks = _comparable(a, b)
        return _after(checks, decibels)


def _gaussian(size, sigma):
    """A filter [size, size, 1, 1] that sums to 1."""
    positions = identity_and_cast.cast(constants.range(size), sigma.dtype)
    positions = positions - identity_and_cast.cast(size - 1, sigma.dtype) / 2.0
    exponents = powers.square(positions)
    exponents = exponents * (-0.5 / powers.square(sigma))
    both = shaping.reshape(exponents, [1, -1]) + shaping.reshape(exponents, [-1, 1])
    weights = softmax.softmax(shaping.reshape(both, [1, -1]))
    return shaping.reshape(weights, [size, size, 1, 1])


def _local_mean(x, kernel):
    shape = shape_ops.shape(x)
    flat = shaping.reshape(x, joining.concat([[-1], shape[-3:]], 0))
    means = dilated.depthwise_conv2d(flat, kernel, [1, 1, 1, 1], 'VALID')
    return shaping.reshape(means, joining.concat([shape[:-3], shape_ops.shape(means)[1:]], 0))


def _factors(x, y, kernel, max_val, k1, k2):
    """(luminance, contrast and structure) of each window."""
    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    mean_x, mean_y = _local_mean(x, kernel), _local_mean(y, kernel)
    product = mean_x * mean_y * 2.0
    squares = powers.square(mean_x) + powers.square(mean_y)
    luminance = (product + c1) / (squares + c1)
    of_product = _local_mean(x * y, kernel) * 2.0
    of_squares = _local_mean(powers.square(x) + powers.square(y), kernel)
    c2 = c2 * 1.0
    return luminance, (of_product - product + c2) / (of_squares - squares + c2)


def _per_channel(x, y, max_val, filter_size, filter_sigma, k1, k2):
    """(SSIM, its part without luminance) [*batch, channels]."""
    size = constants.constant(filter_size, dtypes.int32)
    sigma = constants.constant(filter_sigma, x.dtype)
    shapes = shape_ops.shape_n([x, y])
    checks = [assertions.Assert(
        reduction.reduce_all(logic.greater_equal(shape[-3:-1], size)), [shape, size], summarize=8)
        for shape in shapes]
    x = _after(checks, x)
    kernel = joining.tile(_gaussian(size, sigma), [1, 1, shapes[0][-1], 1])
    luminance, structure = _factors(x, y, kernel, max_val, k1, k2)
    axes = constants.constant([-3, -2], dtypes.int32)
    return (reduction.reduce_mean(luminance * structure, axes),
            reduction.reduce_mean(structure, axes))


def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    """The structural similarity of two images: 1 for equal ones.

    Shapes: img1, img2 [*batch, height, width, channels], sides at least filter_size -> [*batch].
    """
    img1, img2 = convert_to_tensor(img1), convert_to_tensor(img2)
    _, checks = _comparable(img1, img2)
    img1 = _after(checks, img1)
    max_val, img1, img2 = _scaled(max_val, img1, img2)
    similar, _ = _per_channel(img1, img2, max_val, filter_size, filter_sigma, k1, k2)
    return reduction.reduce_mean(similar, [-1])


def _evened(images, odd):
    """The images, a row or column more where a side is odd."""
    widths = padding.pad(shaping.expand_dims(odd, -1), [[1, 0], [1, 0]])
    return [padding.pad(x, widths, mode='SYMMETRIC') for x in images]


def _halved(images, heads, tails, divisor):
    """(the images at half the size, the last three sides of each)."""
    flat = [shaping.reshape(x, joining.concat([[-1], tail], 0)) for x, tail in zip(images, tails)]
    odd = tails[0] % divisor
    even = cond(reduction.reduce_any(logic.not_equal(odd, 0)),
                lambda: _evened(flat, odd), lambda: flat)
    smaller = [pooling_functions.avg_pool(x, _HALF, _HALF, 'VALID') for x in even]
    tails = [shape[1:] for shape in shape_ops.shape_n(smaller)]
    return [shaping.reshape(x, joining.concat([head, tail], 0))
            for x, head, tail in zip(smaller, heads, tails)], tails


def ssim_multiscale(img1, img2, max_val, power_factors=_SCALES, filter_size=11, filter_sigma=1.5,
                    k1=0.01, k2=0.03):
    """The structural similarity at several scales, each half the size of the one before.

    Shapes: img1, img2 [*batch, height, width, channels] -> [*batch]. The sides must still hold
    the filter at the smallest scale.
    """
    with name_scope(None, 'MS-SSIM', [img1, img2]):
        img1, img2 = convert_to_tensor(img1), convert_to_tensor(img2)
        shapes, checks = _comparable(img1, img2)
        img1 = _after(checks, img1)
        max_val, *images = _scaled(max_val, img1, img2)
        heads = [shape[:-3] for shape in shapes]
        tails = [shape[-3:] for shape in shapes]
        divisor = constants.constant(_HALF[1:], dtypes.int32)
        parts = []
        for scale in range(len(power_factors)):
            with name_scope(None, f'Scale{scale}', images):
                if scale:
                    images, tails = _halved(images, heads, tails, divisor)
                similar, structure = _per_channel(*images, max_val, filter_size, filter_sigma,
                                                  k1, k2)
                parts.append(activations.relu(structure))
        together = shaping.stack([*parts[:-1], activations.relu(similar)], axis=-1)
        powered = powers.pow(together, power_factors)
        return reduction.reduce_mean(reduction.reduce_prod(powered, [-1]), [-1])
