"""PNG, JPEG, GIF and BMP, decoded in graphs and by Keras."""
from __future__ import annotations

import functools
import io
import pathlib
import zlib

import numpy as np

import tinyflow as tf
from tests.faults.damage import damaged
from tests.faults.format import file_format


@functools.cache
def _pictures():
    from PIL import Image  # optional package
    rng = np.random.default_rng(0)
    smooth = np.linspace(0, 255, 24 * 31 * 3).reshape(24, 31, 3).astype(np.uint8)
    found = {}
    for mode in ('L', 'RGB', 'RGBA', 'P', 'I;16', '1'):
        picture = Image.fromarray(smooth).convert(mode) if mode != 'I;16' else \
            Image.fromarray(rng.integers(0, 65535, (9, 7)).astype(np.uint16))
        for kind in ('PNG', 'JPEG', 'GIF', 'BMP'):
            if kind == 'PNG' or mode in {'JPEG': ('L', 'RGB'), 'GIF': ('P', 'RGB'),
                                         'BMP': ('L', 'RGB', 'RGBA')}[kind]:
                file, more = io.BytesIO(), {}
                if kind == 'GIF':
                    more = {'save_all': True, 'append_images': [picture.rotate(90), picture]}
                picture.save(file, kind, **more)
                found[f'{mode.replace(";", "")}.{kind.lower()}'] = file.getvalue()
    return found


def _decoders():
    graph = tf.Graph()
    with graph.as_default():
        data = tf.placeholder(tf.string, [])
        fetches = {'png': [tf.image.decode_png(data), tf.image.decode_png(data, 3, tf.uint16)],
                   'jpeg': [tf.image.decode_jpeg(data), tf.image.extract_jpeg_shape(data),
                            tf.image.decode_and_crop_jpeg(data, [1, 2, 5, 6])],
                   'gif': [tf.image.decode_gif(data)], 'bmp': [tf.image.decode_bmp(data)]}
        for each in fetches.values():
            each.append(tf.image.decode_image(data))
    return tf.Session(graph=graph), data, fetches


def _read(place, name, data, made):
    session, placeholder, fetches = made
    failed = None
    for fetch in fetches[name.rpartition('.')[2]]:
        try:
            session.run(fetch, {placeholder: data})
        except tf.errors.OpError as error:
            failed = error
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    tf.keras.preprocessing.image.load_img(str(path), target_size=(5, 5))
    if failed is not None:
        raise failed


def _of(kind):
    return {name: data for name, data in _pictures().items() if name.endswith(kind)}


# The texts of nodes' errors begin with the type of the node.
NODES = ('Decode', 'ExtractJpegShape', 'decode_image', 'cond', 'Assert')
for _kind in ('png', 'jpeg', 'gif', 'bmp'):
    file_format(_kind, functools.partial(_of, _kind), named=NODES, begin=_decoders)(_read)


def _damaged_chunk(data, chance, marks):
    """A PNG whose checksums are valid around one damaged chunk."""
    chunks, place = [], 8
    while place < len(data):
        size = int.from_bytes(data[place:place + 4], 'big')
        chunks.append((data[place + 4:place + 8], data[place + 8:place + 8 + size]))
        place += size + 12
    number = chance.randrange(len(chunks))
    kind, body = chunks[number]
    if kind == b'IDAT' and chance.random() < 0.5:
        body = zlib.compress(damaged(zlib.decompress(body), chance))
    else:
        body = damaged(body, chance)
    chunks[number] = kind, body
    return data[:8] + b''.join(
        len(body).to_bytes(4, 'big') + kind + body + zlib.crc32(kind + body).to_bytes(4, 'big')
        for kind, body in chunks)


file_format('png, valid checksums', functools.partial(_of, 'png'), _damaged_chunk, named=NODES,
            begin=_decoders)(_read)
