"""tf.summary.image and tf.summary.audio: PNG and WAV files inside Summary messages."""
from __future__ import annotations

import numpy as np

from tinyflow.formats.wire import png, wav
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.summary.summaries import (
    collect,
    of_the_first_replica,
    one_tag,
    serialized,
    summary_scope,
)

__all__ = ['audio', 'image']

_TINY = np.float32(1e-6)        # an image whose largest value is below is black
_RED = np.array([255, 0, 0, 255], np.uint8)
_RED.flags.writeable = False


def _check_count(count, attribute, op_type):
    if count < 1:
        raise ValueError(f"Value for attr '{attribute}' of {count} must be at least minimum 1 of "
                         f'{op_type}')


def _tags(tag, kind, limit, count):
    """A tag for each of `count` images or sounds; numbered if there can be several."""
    return [f'{tag}/{kind}/{i}' if limit > 1 else f'{tag}/{kind}' for i in range(count)]


class ImageSummary(Op):
    """A Summary message with up to `max_images` PNG files."""

    signature = 'tag: string, tensor: T -> summary: string'
    types = {'T': dtypes.FLOATS | {dtypes.uint8}}
    attrs = {'max_images': 3, 'T': dtypes.float32, 'bad_color': _RED}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(tag, tensor, *, max_images):
        _check_count(max_images, 'max_images', 'ImageSummary')
        return ()

    def kernel(tag, tensor, *, max_images, bad_color):
        from tinyflow.formats.protos import summary_pb2  # start-up time
        _check_images(tensor)
        message = summary_pb2.Summary()
        images = tensor[:max_images]
        tags = _tags(one_tag(tag), 'image', max_images, len(images))
        for each, pixels in zip(tags, images):
            if pixels.dtype != np.uint8:
                pixels = _as_uint8(pixels, bad_color)
            height, width, channels = pixels.shape
            image = message.value.add(tag=each).image
            image.height, image.width, image.colorspace = height, width, channels
            image.encoded_image_string = png.encode(pixels)
        return serialized(message)


def _check_images(tensor):
    if tensor.ndim != 4 or tensor.shape[3] not in (1, 3, 4):
        raise OpFailure(f'Tensor must be 4-D with last dim 1, 3, or 4, not {list(tensor.shape)}',
                        'images are [batch, height, width, channels]; tf.reshape(x, [-1, height, '
                        'width, 1]) makes grey ones of rows.')
    if 0 in tensor.shape[1:]:
        raise OpFailure(f'input tensor must have non-zero dims. Found: {list(tensor.shape)}',
                        'an image without pixels cannot be shown.')


def _as_uint8(pixels, bad_color):
    """Floats to 0..255: from 0 up to the largest value, or around 128 if some are negative.

    Shapes: pixels [height, width, channels]; bad_color [>= channels], for pixels that are not
    finite, which do not count for the range.
    """
    kind, single = pixels.dtype.type, np.float32    # as TensorFlow mixes them, for equal pixels
    finite = np.isfinite(pixels).all(axis=2)
    shown = pixels[finite]
    with np.errstate(all='ignore'):                 # 255 / 1e-5 is infinite as a float16
        ends = single([shown.min(), shown.max()] if shown.size else [0, 0])
        signed = ends[0] < 0
        extent = np.abs(ends).max() if signed else ends[1]
        scale = kind(single(127 if signed else 255) / extent) if extent >= _TINY else kind(0)
        scaled = shown * scale + kind(128 if signed else 0)
    scaled = np.where(np.isfinite(scaled), np.clip(scaled, 0, 255), 0)
    out = np.empty(pixels.shape, np.uint8)
    out[finite] = scaled.astype(np.uint8)
    out[~finite] = bad_color[:pixels.shape[2]]
    return out


@of_the_first_replica
def image(name, tensor, max_outputs=3, collections=None, family=None):
    """The first `max_outputs` images as a Summary message; joins the collection SUMMARIES.

    Shapes: tensor [batch, height, width, channels] -> [], string; channels 1 (grey), 3 (RGB) or 4
    (RGBA). uint8 is shown as it is. Floats are scaled, each image by itself: the largest to 255,
    or, if some are negative, zero to 128 and the farthest value to one end. Pixels that are not
    finite are red.
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        result = ImageSummary.apply(tag, tensor, max_images=max_outputs, bad_color=_RED, name=scope)
        return collect(result, collections, [GraphKeys.SUMMARIES])


class AudioSummaryV2(Op):
    """A Summary message with up to `max_outputs` WAV files."""

    signature = 'tag: string, tensor: float32, sample_rate: float32 -> summary: string'
    attrs = {'max_outputs': 3}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(tag, tensor, sample_rate, *, max_outputs):
        _check_count(max_outputs, 'max_outputs', 'AudioSummaryV2')
        return ()

    def kernel(tag, tensor, sample_rate, *, max_outputs):
        from tinyflow.formats.protos import summary_pb2  # start-up time
        rate = _checked_rate(tensor, sample_rate)
        message = summary_pb2.Summary()
        clips = tensor[:max_outputs]
        tags = _tags(one_tag(tag), 'audio', max_outputs, len(clips))
        for each, clip in zip(tags, clips):
            samples = clip.reshape(len(clip), -1)
            audio = message.value.add(tag=each).audio
            audio.sample_rate, audio.content_type = rate, 'audio/wav'
            audio.length_frames, audio.num_channels = samples.shape
            audio.encoded_audio_string = wav.encode(samples, max(round(rate), 1))
        return serialized(message)


def _checked_rate(tensor, sample_rate):
    if tensor.ndim not in (2, 3):
        raise OpFailure(f'Tensor must be 3-D or 2-D, got: {list(tensor.shape)}',
                        'sounds are [batch, frames] or [batch, frames, channels].')
    if sample_rate.size != 1:
        raise OpFailure(f'sample_rate must be one number, got: {list(sample_rate.shape)}',
                        'all sounds of a batch have the same rate.')
    rate = float(sample_rate.reshape(-1)[0])
    if not rate > 0:
        raise OpFailure('sample_rate must be > 0', 'it is in samples per second: 44100.')
    if rate >= 1 << 32:
        raise OpFailure(f'sample_rate must be in (0, 2^32), got: {rate:.0f}',
                        'it is in samples per second: 44100.')
    if not tensor.shape[1]:
        raise OpFailure('num_frames must be positive.', 'a sound without samples cannot be heard.')
    if tensor.ndim == 3 and not tensor.shape[2]:
        raise OpFailure('num_channels must be positive.', 'one channel is mono, two are stereo.')
    return rate


@of_the_first_replica
def audio(name, tensor, sample_rate, max_outputs=3, collections=None, family=None):
    """The first `max_outputs` sounds as a Summary message; joins the collection SUMMARIES.

    Shapes: tensor [batch, frames] or [batch, frames, channels], from -1 to 1; sample_rate [], in
    frames a second -> [], string.
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        sample_rate = convert_to_tensor(sample_rate, dtype=dtypes.float32, name='sample_rate')
        result = AudioSummaryV2.apply(tag, tensor, sample_rate, max_outputs=max_outputs, name=scope)
        return collect(result, collections, [GraphKeys.SUMMARIES])
