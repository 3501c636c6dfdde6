"""image_gradients and sobel_edges."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, joining, padding, shape_ops, shaping
from tinyflow.ops.conv import dilated

# The filters down and across, [3, 3, 1, 2].
_SOBEL = np.transpose([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]],
                      (1, 2, 0))[:, :, None, :]


def image_gradients(image):
    """(dy, dx): the pixel below, and the one to the right, minus each pixel; 0 at the far border.

    Shapes: image [batch, height, width, channels] -> two of that shape.
    """
    if image.shape.ndims != 4:
        raise misuse(ValueError(report('image_gradients expects a 4D tensor [batch_size, h, w, d].',
                                       inputs=[('image', image)])))
    shape = shape_ops.shape(image)
    batch, height, width, channels = joining.unstack(shape)
    dy = image[:, 1:, :, :] - image[:, :-1, :, :]
    dx = image[:, :, 1:, :] - image[:, :, :-1, :]
    last = shaping.stack([batch, 1, width, channels])
    dy = joining.concat([dy, constants.zeros(last, image.dtype)], 1)
    dy = shaping.reshape(dy, shape)
    last = shaping.stack([batch, height, 1, channels])
    dx = joining.concat([dx, constants.zeros(last, image.dtype)], 2)
    return dy, shaping.reshape(dx, shape)


def sobel_edges(image):
    """Sobel's differences down and across; the image is mirrored at its border.

    Shapes: image [batch, height, width, channels] -> [batch, height, width, channels, 2].
    """
    shape = shape_ops.shape(image)
    filters = constants.constant(_SOBEL, 'float32')
    filters = joining.tile(filters, [1, 1, shape[-1], 1], name='sobel_filters')
    padded = padding.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode='REFLECT')
    filtered = dilated.depthwise_conv2d(padded, filters, [1, 1, 1, 1], 'VALID')
    result = shaping.reshape(filtered, joining.concat([shape, [2]], 0))
    result.set_shape(image.shape.concatenate([2]))
    return result
