"""Rows of ops on images."""
import colorsys

import numpy as np

from tests.golden.image_files import JPEG, PNG
from tests.ops.rows import row


def bilinear_ref(x):
    """4 x 4 halved with half-pixel centres: the mean of each 2 x 2 block."""
    return x.reshape(2, 2, 2, 2, 2, 1).mean((2, 4))


def hsv_ref(change):
    def ref(x, factor):
        out = [colorsys.hsv_to_rgb(*change(*colorsys.rgb_to_hsv(*pixel), float(factor)))
               for pixel in x.reshape(-1, 3).astype(float)]
        return np.float32(out).reshape(x.shape)
    return ref


def contrast_ref(x, factor):
    mean = x.mean((1, 2), keepdims=True)
    return mean * (1 - factor) + factor * x


HALF = {'half_pixel_centers': True}
BATCH, FACTOR = (2, 4, 4, 1), np.float32(1.5)
DECODED = np.arange(18).reshape(2, 3, 3) * 13
COLOURS = {'dtype': 'float32', 'low': 0, 'grad': False, 'tol': 1e-4}


def resizer(name, ref):
    def bad(tf):
        return getattr(tf.image, name)(tf.zeros([4, 4, 1]), [2, 2])

    def run_bad(tf):
        return getattr(tf.image, name)(tf.zeros([1, 4, 4, 1]), [0, 2])

    return {'build': lambda tf, x: getattr(tf.image, name)(x, [2, 2], **HALF), 'inputs': [BATCH],
            'ref': ref, 'bad': [bad], 'run_bad': [run_bad], 'dtype': 'float32', 'tol': 1e-3}


def backwards(name, ref):
    def build(tf, dy):
        x = tf.ones([2, 4, 4, 1])
        return tf.gradients(getattr(tf.image, name)(x, [2, 2], **HALF), x, dy)[0]
    return {'build': build, 'inputs': [(2, 2, 2, 1)], 'ref': ref, 'dtype': 'float32', 'tol': 1e-3}


def spread(weight):
    return lambda dy: np.repeat(np.repeat(dy, 2, 1), 2, 2) * weight


def nearest_grad(dy):
    out = np.zeros((2, 4, 4, 1), dy.dtype)
    out[:, 1::2, 1::2] = dy
    return out


ROWS = [
    row('ResizeBilinear', **resizer('resize_bilinear', bilinear_ref)),
    row('ResizeBilinearGrad', **backwards('resize_bilinear', spread(.25))),
    row('ResizeNearestNeighbor',
        **resizer('resize_nearest_neighbor', lambda x: x[:, 1::2, 1::2])),
    row('ResizeNearestNeighborGrad', **backwards('resize_nearest_neighbor', nearest_grad)),
    row('AdjustContrastv2', lambda tf, x, f: tf.image.adjust_contrast(x, f),
        [(2, 4, 5, 3), FACTOR], ref=contrast_ref,
        bad=[lambda tf: tf.image.adjust_contrast(tf.zeros([4, 5]), 2.)], **COLOURS),
    row('AdjustHue', lambda tf, x, f: tf.image.adjust_hue(x, f), [(2, 4, 5, 3), np.float32(.3)],
        ref=hsv_ref(lambda h, s, v, d: ((h + d) % 1, s, v)),
        bad=[lambda tf: tf.image.adjust_hue(tf.zeros([4, 3]), .2)],
        run_bad=[lambda tf: tf.image.adjust_hue(tf.zeros([4, 5, 1]), .2)], **COLOURS),
    row('AdjustSaturation', lambda tf, x, f: tf.image.adjust_saturation(x, f),
        [(2, 4, 5, 3), FACTOR], ref=hsv_ref(lambda h, s, v, f: (h, min(s * f, 1), v)),
        bad=[lambda tf: tf.image.adjust_saturation(tf.zeros([4, 3]), .2)],
        run_bad=[lambda tf: tf.image.adjust_saturation(tf.zeros([4, 5, 1]), .2)], **COLOURS),
    row('DecodePng', lambda tf, f: tf.image.decode_png(f), [np.array(PNG, object)],
        ref=lambda f: DECODED.astype(np.uint8), static_result=False,
        bad=[lambda tf: tf.image.decode_png('', channels=2)],
        run_bad=[lambda tf: tf.image.decode_png('text')]),
    row('DecodeJpeg', lambda tf, f: tf.image.decode_jpeg(f, 3), [np.array(JPEG, object)],
        ref=lambda f: np.full([2, 3, 3], 128, np.uint8),
        static_result=False, bad=[lambda tf: tf.image.decode_jpeg('', channels=2)],
        run_bad=[lambda tf: tf.image.decode_jpeg('text')]),
    row('EncodePng', lambda tf, x: tf.image.decode_png(tf.image.encode_png(x)),
        [DECODED.astype(np.uint8)], ref=lambda x: x, static_result=False,
        bad=[lambda tf: tf.image.encode_png(tf.zeros([2, 2], tf.uint8))],
        run_bad=[lambda tf: tf.image.encode_png(tf.zeros([2, 2, 2], tf.uint8))]),
]
