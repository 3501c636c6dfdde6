"""Rows of ops on boxes in images, their parts, and files of them."""
import io

import numpy as np
import simplejpeg
from PIL import Image

from tests.golden.image_files import BMP, GIF, JPEG
from tests.ops.image.rows import DECODED, backwards
from tests.ops.rows import row

F32 = {'dtype': 'float32', 'low': 0, 'grad': False}
BOXES = np.float32([[.2, .1, .7, .9], [.9, .8, .3, .2], [.1, .15, .8, .85]])
WHICH = np.int32([0, 1, 1])
CORNERS = np.float32([[0, 0, 1, 1], [0, .1, 1, 1.1], [0, 2, 1, 3], [0, 2, 1, 3.2], [4, 4, 5, 5]])
SCORES = np.float32([.6, .9, .5, .8, .7])


def crops_ref(x, boxes, which):
    """Each new pixel by its own formula."""
    out = np.zeros((len(boxes), 3, 4, x.shape[3]), np.float32)
    for n, r, c in np.ndindex(3, 3, 4):
        y1, x1, y2, x2 = boxes[n].astype(float)
        at = [(y1 + (y2 - y1) * r / 2) * (x.shape[1] - 1), (x1 + (x2 - x1) * c / 3)
              * (x.shape[2] - 1)]
        low = [int(np.floor(a)) for a in at]
        for down, across in np.ndindex(2, 2):
            weight = abs(1 - down - at[0] + low[0]) * abs(1 - across - at[1] + low[1])
            out[n, r, c] += weight * x[which[n], min(low[0] + down, x.shape[1] - 1),
                                       min(low[1] + across, x.shape[2] - 1)]
    return out


def crops(tf, x, boxes, which):
    return tf.image.crop_and_resize(x, boxes, which, [3, 4])


def to_crops(position):
    def build(tf, dy, x, boxes):
        made = tf.image.crop_and_resize(x, boxes, WHICH, [3, 4])
        return tf.gradients(made, [x, boxes], dy)[position]

    def ref(dy, x, boxes):
        if position == 0:           # linear in x: the sensitivity is a column at a time
            columns = [(crops_ref(unit.reshape(x.shape), boxes, WHICH) * dy).sum()
                       for unit in np.eye(x.size, dtype=np.float32)]
            return np.float32(columns).reshape(x.shape)
        result, step = np.zeros_like(boxes), 1e-4
        for i in np.ndindex(*boxes.shape):
            shift = np.zeros(boxes.shape)
            shift[i] = step
            up, down = (crops_ref(x.astype(float), boxes + s * shift, WHICH) for s in (1, -1))
            result[i] = ((up.astype(float) - down) * dy).sum() / (2 * step)
        return result
    return {'build': build, 'ref': ref, 'inputs': [(3, 3, 4, 1), (2, 4, 5, 1), BOXES],
            'dtype': 'float32', 'grad': False, 'tol': 2e-2}


def framed(color):
    def ref(images, boxes, *colors):
        out = images.copy()
        out[0, 1, 1:4], out[0, 3, 1:4], out[0, 1:4, 1], out[0, 1:4, 3] = (color,) * 4
        return out
    return ref


FRAME = np.float32([[[.25, .25, .75, .75]]])


def kept(boxes, scores, *_):
    return np.int32([1, 3, 4])


def jpeg_pixels(image, *_, quality=95):
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, 'JPEG', quality=quality)
    return simplejpeg.decode_jpeg(buffer.getvalue(), fastdct=True)


def glimpse_ref(x, offsets):
    return x[:, 2:4, 3:6]


def suppression(name, results, **settings):
    def bad(tf):
        return getattr(tf.image, name)(tf.zeros([3, 3]), tf.zeros([3]), 2)

    def run_bad(tf):
        found = getattr(tf.image, name)(tf.zeros([3, 4]), tf.zeros([3]), 2, 1.5)
        return found[0] if isinstance(found, tuple) else found

    def build(tf, boxes, scores):
        return list(getattr(tf.image, name)(boxes, scores, 4, **settings))
    return {'build': build, 'inputs': [CORNERS, SCORES], 'ref': lambda *_: results,
            'static_result': False, 'bad': [bad], 'run_bad': [run_bad], **F32}


def cubic_halved(x):
    """Half-pixel centres halfway between pixels: weights -1/16, 9/16, 9/16, -1/16 (a = -0.5)."""
    return np.einsum('bijc,yi,xj->byxc', x, CUBIC, CUBIC)


# What would lie outside the four pixels is left out, and the rest scaled to a sum of one.
CUBIC = np.array([[9, 9, -1, 0], [0, -1, 9, 9]]) / 17


def colours(name, ref):
    import colorsys
    change = getattr(colorsys, ref)
    return {'build': lambda tf, x: getattr(tf.image, name)(x), 'inputs': [(2, 4, 3)],
            'ref': lambda x: np.float32([change(*p) for p in x.reshape(-1, 3)]).reshape(x.shape),
            'bad': [lambda tf: getattr(tf.image, name)(tf.zeros([2, 4]))], 'tol': 1e-4, **F32}


ROWS = [
    row('CropAndResize', crops, [(2, 4, 5, 2), BOXES, WHICH], ref=crops_ref, dtype='float32',
        grad=False, tol=1e-4, bad=[lambda tf: crops(tf, tf.zeros([4, 5, 1]), BOXES, WHICH)],
        run_bad=[lambda tf: crops(tf, tf.zeros([1, 4, 5, 1]), BOXES, WHICH)]),
    row('CropAndResizeGradImage', **to_crops(0)),
    row('CropAndResizeGradBoxes', **to_crops(1)),
    row('ExtractGlimpse', lambda tf, x, o: tf.image.extract_glimpse(x, [2, 3], o),
        [(2, 6, 9, 2), np.zeros([2, 2], np.float32)], ref=glimpse_ref, **F32,
        bad=[lambda tf: tf.image.extract_glimpse(tf.zeros([2, 2]), [2, 2], [[0., 0]])],
        run_bad=[lambda tf: tf.image.extract_glimpse(tf.zeros([2, 2, 2, 1]), [1, 1], [[0., 0]])]),
    row('ResizeBicubic', lambda tf, x: tf.image.resize_bicubic(x, [2, 2], half_pixel_centers=True),
        [(2, 4, 4, 1)], ref=cubic_halved, dtype='float32', tol=1e-3, second=False,
        bad=[lambda tf: tf.image.resize_bicubic(tf.zeros([4, 4, 1]), [2, 2])],
        run_bad=[lambda tf: tf.image.resize_bicubic(tf.zeros([1, 4, 4, 1]), [0, 2])]),
    row('ResizeBicubicGrad', **{
        **backwards('resize_bicubic',
                    lambda dy: np.einsum('byxc,yi,xj->bijc', dy, CUBIC, CUBIC)), 'grad': False}),
    row('ResizeArea', lambda tf, x: tf.image.resize_area(x, [2, 2]), [(2, 4, 6, 1)],
        ref=lambda x: x.reshape(2, 2, 2, 2, 3, 1).mean((2, 4)), tol=1e-5, **F32,
        bad=[lambda tf: tf.image.resize_area(tf.zeros([4, 4, 1]), [2, 2])],
        run_bad=[lambda tf: tf.image.resize_area(tf.zeros([1, 4, 4, 1]), [0, 2])]),
    row('RGBToHSV', **{**colours('rgb_to_hsv', 'rgb_to_hsv'), 'dtype': 'float64', 'grad': True}),
    row('HSVToRGB', **colours('hsv_to_rgb', 'hsv_to_rgb')),
    row('DrawBoundingBoxes', lambda tf, x, b: tf.image.draw_bounding_boxes(x, b),
        [(1, 5, 5, 3), FRAME], ref=framed([1, 1, 0]), **F32,
        bad=[lambda tf: tf.image.draw_bounding_boxes(tf.zeros([1, 5, 5, 2]), FRAME)],
        run_bad=[lambda tf: tf.image.draw_bounding_boxes(tf.zeros([2, 5, 5, 3]), FRAME)]),
    row('DrawBoundingBoxesV2', lambda tf, x, b, c: tf.image.draw_bounding_boxes(x, b, colors=c),
        [(1, 5, 5, 3), FRAME, np.float32([[.5, 0, 1]])], ref=framed([.5, 0, 1]), **F32,
        bad=[lambda tf: tf.image.draw_bounding_boxes(tf.zeros([1, 5, 5, 2]), FRAME, None,
                                                     [[1., 0, 0]])],
        run_bad=[lambda tf: tf.image.draw_bounding_boxes(tf.zeros([1, 5, 5, 3]), FRAME, None,
                                                         [[1., 0]])]),
    row('SampleDistortedBoundingBoxV2', lambda tf, s, b: list(
        tf.image.sample_distorted_bounding_box(s, b, 3)), grad=False, inputs=
        [np.int32([20, 30, 3]), np.float32([[[.1, .1, .9, .9]]])],
        bad=[lambda tf: tf.image.sample_distorted_bounding_box([2, 2, 3], [[0., 0, 1, 1]])],
        run_bad=[lambda tf: tf.image.sample_distorted_bounding_box(
            [2, 2, 3], [[[0., 0, 1, 2]]])[0]]),
    row('NonMaxSuppressionV3', **{
        **suppression('non_max_suppression', None), 'ref': kept,
        'build': lambda tf, b, s: tf.image.non_max_suppression(b, s, 4)}),
    row('NonMaxSuppressionV4', **suppression(
        'non_max_suppression_padded', [np.int32([1, 3, 4, 0]), np.int32(3)],
        pad_to_max_output_size=True)),
    row('NonMaxSuppressionV5', **suppression(
        'non_max_suppression_with_scores', [np.int32([1, 3, 4]), np.float32([.9, .8, .7])])),
    row('NonMaxSuppressionWithOverlaps',
        lambda tf, o, s: tf.image.non_max_suppression_overlaps(o, s, 4),
        [np.float32(abs(np.subtract.outer(np.arange(5), np.arange(5))) == 1), SCORES],
        ref=lambda o, s: np.int32([1, 3]), static_result=False, **F32,
        bad=[lambda tf: tf.image.non_max_suppression_overlaps(tf.zeros([2, 3]), tf.zeros([3]), 1)],
        run_bad=[lambda tf: tf.image.non_max_suppression_overlaps(
            tf.zeros([3, 3]), tf.zeros([3]), -1)]),
    row('CombinedNonMaxSuppression', lambda tf, b, s: list(
        tf.image.combined_non_max_suppression(b, s, 2, 3, clip_boxes=False)),
        [CORNERS[None, :, None], SCORES[None, :, None]],
        ref=lambda b, s: [np.concatenate(
            [b[:, [1, 3], 0], np.zeros([1, 1, 4], np.float32)], 1),
            np.float32([[.9, .8, 0]]), np.zeros([1, 3], np.float32), np.int32([2])], **F32,
        bad=[lambda tf: tf.image.combined_non_max_suppression(CORNERS, SCORES, 2, 3)],
        run_bad=[lambda tf: tf.image.combined_non_max_suppression(
            tf.zeros([1, 2, 1, 4]), tf.zeros([1, 2, 1]), 2, 0)[0]]),
    row('DecodeBmp', lambda tf, f: tf.image.decode_bmp(f), [np.array(BMP, object)],
        ref=lambda f: DECODED.astype(np.uint8), static_result=False,
        bad=[lambda tf: tf.image.decode_bmp('', channels=2)],
        run_bad=[lambda tf: tf.image.decode_bmp('text')]),
    row('DecodeGif', lambda tf, f: tf.image.decode_gif(f), [np.array(GIF, object)],
        ref=lambda f: np.uint8([[10, 20, 30], [200, 100, 50], [0, 255, 128]])[
            [[[0, 1, 2], [2, 1, 0]], [[1, 2, 0], [0, 2, 1]]]], static_result=False,
        bad=[lambda tf: tf.image.decode_gif([''])],
        run_bad=[lambda tf: tf.image.decode_gif('text')]),
    row('EncodeJpeg', lambda tf, x: tf.image.decode_jpeg(tf.image.encode_jpeg(x)),
        [DECODED.astype(np.uint8)], ref=jpeg_pixels, static_result=False,
        bad=[lambda tf: tf.image.encode_jpeg(tf.zeros([2, 2], tf.uint8))],
        run_bad=[lambda tf: tf.image.encode_jpeg(tf.zeros([2, 2, 2], tf.uint8))]),
    row('EncodeJpegVariableQuality', lambda tf, x, q: tf.image.adjust_jpeg_quality(x, q),
        [DECODED.astype(np.uint8), np.int32(70)],
        ref=lambda x, q: jpeg_pixels(x, quality=70), static_result=False,
        bad=[lambda tf: tf.image.adjust_jpeg_quality(tf.zeros([2, 2], tf.uint8), 70)],
        run_bad=[lambda tf: tf.image.adjust_jpeg_quality(tf.zeros([2, 2, 3], tf.uint8), 170)]),
    row('ExtractJpegShape', lambda tf, f: tf.image.extract_jpeg_shape(f),
        [np.array(JPEG, object)], ref=lambda f: np.int32([2, 3, 3]),
        bad=[lambda tf: tf.image.extract_jpeg_shape([''])],
        run_bad=[lambda tf: tf.image.extract_jpeg_shape('text')]),
    row('DecodeAndCropJpeg', lambda tf, f: tf.image.decode_and_crop_jpeg(f, [0, 1, 2, 2]),
        [np.array(JPEG, object)], ref=lambda f: np.full([2, 2, 3], 128, np.uint8),
        static_result=False, bad=[lambda tf: tf.image.decode_and_crop_jpeg('', [0, 0, 1])],
        run_bad=[lambda tf: tf.image.decode_and_crop_jpeg(JPEG, [0, 0, 5, 5])]),
]
