"""GIF files, decoded through Pillow, and BMP files, which are arrays after a header."""
from __future__ import annotations

import struct

import numpy as np

from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.image import jpeg_png

__all__ = ['decode_bmp', 'decode_gif']

_HEADER = 32              # bytes of a BMP file up to the bits per pixel and what follows them


def _check_scalar(contents):
    if contents:
        raise OpFailure(f'Shape must be rank 0 but is rank {len(contents)}',
                        'one file; tf.map_fn decodes several.')


class DecodeGif(Op):
    """The pixels of all pictures of a GIF file."""

    signature = 'contents: string -> image: uint8'
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(contents):
        _check_scalar(contents)
        return None, None, None, 3

    def kernel(contents):
        _check_scalar(contents.shape)
        frames = []
        with jpeg_png.opened(contents.item(), ['GIF']) as picture:
            for i in range(picture.n_frames):
                picture.seek(i)
                frames.append(np.array(picture.convert('RGB')))
        return np.stack(frames)


class DecodeBmp(Op):
    """The pixels of a BMP file."""

    signature = 'contents: string -> image: uint8'
    attrs = {'channels': 0}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(contents, *, channels):
        _check_scalar(contents)
        if channels not in (0, 1, 3, 4):
            raise ValueError(f'channels must be 0, 1, 3 or 4, got {channels}')
        return None, None, channels or None

    def kernel(contents, *, channels):
        _check_scalar(contents.shape)
        data = contents.item()
        if len(data) < _HEADER:
            raise ValueError(f'Incomplete bmp content, requires at least {_HEADER} bytes, got '
                             f'{len(data)} bytes')
        if not data.startswith(b'BM'):
            raise OpFailure('Invalid bmp data', jpeg_png.what_it_is(data))
        start, width, height = struct.unpack('<i4xii', data[10:26])
        bits, = struct.unpack('<H', data[28:30])
        if bits not in (8, 24, 32):
            raise OpFailure(f'bmp files of {bits} bits per pixel are not decoded',
                            'save it with 24 bits, or as PNG.')
        depth = bits // 8
        if channels not in (0, depth):
            raise ValueError(f'channels attribute {channels} does not match bits per pixel from '
                             f'file {depth}')
        return _pixels(data, start, width, height, depth)


def _pixels(data, start, width, height, depth):
    if width <= 0 or not height or start < 0:
        raise ValueError(f'bmp width must be positive and height not 0, got {width}, {height}')
    row = (width * depth + 3) // 4 * 4          # rows begin at multiples of four bytes
    count = row * abs(height)
    if len(data) < start + count:
        raise ValueError(f'Incomplete bmp content, requires at least {start + count} bytes, got '
                         f'{len(data)} bytes')
    rows = np.frombuffer(data, np.uint8, count, start).reshape(abs(height), row)
    pixels = rows[:, :width * depth].reshape(abs(height), width, depth)
    if height > 0:
        pixels = pixels[::-1]                   # such files begin with the lowest row
    order = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}[depth]
    return np.ascontiguousarray(pixels[..., order])


def decode_gif(contents, name=None):
    """The pixels of all pictures of a GIF file.

    Shapes: contents [] string -> [pictures, height, width, 3].
    ImportError without Pillow (pip install tinyflow-graph[images]).
    """
    return DecodeGif.apply(contents, name=name)


def decode_bmp(contents, channels=0, name=None):
    """The pixels of a BMP file, exactly.

    Shapes: contents [] string -> [height, width, channels]; `channels` 0 means as in the file.
    """
    return DecodeBmp.apply(contents, channels=channels, name=name)
