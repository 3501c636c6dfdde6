"""tf.image: what the tables of recorded values do not show."""
import io
import random
import struct
import sys
import zlib

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.image_files import COLOURS, INKS, JPEG
from tinyflow.ops.image import jpeg_png


def test_yuv_there_and_back():
    pixels = np.random.RandomState(0).rand(3, 4, 3).astype(np.float32)
    with tf.Session() as session:
        back = session.run(tf.image.yuv_to_rgb(tf.image.rgb_to_yuv(pixels)))
    np.testing.assert_allclose(back, pixels, atol=1e-5)


def test_a_flat_image_is_standardized_to_zeros():
    with tf.Session() as session:
        np.testing.assert_allclose(
            session.run(tf.image.per_image_standardization(tf.fill([4, 5, 3], 7.))), 0, atol=0)


def test_total_variation_wants_a_known_rank():
    with pytest.raises(ValueError, match='3 or 4-dimensional'):
        tf.image.total_variation(tf.zeros([4, 5]))


def test_a_box_by_chance_covers_enough_of_the_object_and_is_new_in_every_run():
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        [40, 60, 3], [[[.25, .25, .75, .75]]], min_object_covered=.5, seed=1)
    with tf.Session() as session:
        found = [session.run([begin, size]) for _ in range(20)]
    assert len({(*b, *s) for b, s in found}) > 10
    for (top, left, _), (height, width, _) in found:
        rows = min(top + height, 30) - max(top, 10)
        columns = min(left + width, 45) - max(left, 15)
        assert rows * columns >= .5 * 20 * 30


def test_a_crop_outside_the_image_fails_at_run_time():
    image = tf.placeholder(tf.float32, [None, None, 3])
    cropped = tf.image.crop_to_bounding_box(image, 0, 0, 5, 5)
    assert cropped.shape.as_list() == [5, 5, 3]
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match='height'):
        session.run(cropped, {image: np.zeros([4, 6, 3])})


def test_bytes_that_are_not_an_image_raise_with_the_four_formats():
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match='GIF'):
        session.run(tf.image.decode_image(b'no image at all'))


def test_jpeg_keeps_a_smooth_image_to_a_few_levels():
    """The format loses that much; fast decoders (TensorFlow's default) lose up to 4 levels."""
    pixels = np.add.outer(np.arange(32), np.arange(48))[..., None].repeat(3, 2).astype(np.uint8)
    with tf.Session() as session:
        back = session.run(tf.image.decode_jpeg(tf.image.encode_jpeg(pixels, quality=100)))
    assert np.abs(back.astype(int) - pixels).max() <= 2


def test_a_colour_png_read_as_grey():
    """TF 1.15.5's values: libpng cuts the fraction off."""
    pixels = np.uint8([[[10, 20, 30], [200, 100, 50], [7, 7, 7], [255, 255, 255], [1, 2, 250]]])
    with tf.Session() as session:
        data = session.run(tf.image.encode_png(pixels))
        grey = session.run(tf.image.decode_png(data, channels=1))
    assert grey[0, :, 0].tolist() == [18, 124, 7, 255, 29]


IMAGE = np.arange(24.0).reshape(2, 4, 3)


@pytest.mark.parametrize('function, expected', [
    (tf.image.flip_left_right, IMAGE[:, ::-1]), (tf.image.flip_up_down, IMAGE[::-1]),
    (tf.image.transpose_image, IMAGE.transpose(1, 0, 2)),
    (tf.image.rot90, np.rot90(IMAGE)), (lambda x: tf.image.rot90(x, 3), np.rot90(IMAGE, 3))])
def test_an_image_of_a_rank_that_is_not_known_is_a_single_one(function, expected):
    """As what tf.image.decode_image gives."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64)
        result = function(x)
        assert result.shape.as_list() == [None, None, None]
        np.testing.assert_array_equal(session.run(result, {x: IMAGE}), expected)


@pytest.mark.parametrize('flip', [tf.image.random_flip_left_right, tf.image.random_flip_up_down])
def test_a_flip_by_chance_of_an_image_of_unknown_rank(flip):
    axis = 1 if flip is tf.image.random_flip_left_right else 0
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64)
        result = flip(x, seed=1)
        assert result.shape.as_list() == [None, None, None]
        found = [session.run(result, {x: IMAGE}) for _ in range(20)]
    flipped = [np.array_equal(f, np.flip(IMAGE, axis)) for f in found]
    assert 2 < sum(flipped) < 18
    assert all(a or np.array_equal(f, IMAGE) for a, f in zip(flipped, found))


def huge(kind):
    """A picture of 60,000 times 60,000 pixels: of a PNG, the beginning; of a GIF, one that is."""
    if kind == 'GIF':
        return b'GIF89a' + struct.pack('<HH', 60000, 60000) + b'\0\0\0,' + bytes(4) \
            + struct.pack('<HH', 60000, 60000) + b'\0\x02\x02D\x01\0;'
    header = b'IHDR' + struct.pack('>IIBBBBB', 60000, 60000, 8, 2, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + struct.pack('>I', 13) + header \
        + struct.pack('>II4s', zlib.crc32(header), 10, b'IDAT') + bytes(14)


@pytest.mark.parametrize('kind, decode', [
    ('PNG', tf.image.decode_png), ('PNG', tf.image.decode_jpeg), ('PNG', tf.image.decode_image),
    ('GIF', tf.image.decode_gif)])
def test_a_picture_with_too_many_pixels(kind, decode):
    with tf.Session() as session, \
            pytest.raises(tf.errors.InvalidArgumentError, match='MAX_IMAGE_PIXELS') as caught:
        session.run(decode(huge(kind), name='big'))
    assert 'exceeds limit' in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize('kind', ['PNG', 'JPEG', 'GIF', 'BMP'])
def test_damaged_pictures(kind):
    """With bytes changed by chance: pixels, or an InvalidArgumentError."""
    from PIL import Image
    chance, file = random.Random(7), io.BytesIO()
    grey = np.arange(12 * 9, dtype=np.uint8).reshape(12, 9)
    Image.fromarray(grey).convert('RGB').save(file, kind)
    data = tf.placeholder(tf.string, [])
    pixels = tf.image.decode_image(data)
    with tf.Session() as session:
        for _ in range(150):
            damaged = bytearray(file.getvalue())
            for _ in range(chance.randint(1, 4)):
                damaged[chance.randrange(2, len(damaged))] = chance.randrange(256)
            cut = chance.choice([len(damaged), chance.randrange(2, len(damaged))])
            try:
                session.run(pixels, {data: bytes(damaged[:cut])})
            except tf.errors.InvalidArgumentError:
                pass


@pytest.mark.parametrize('name, method', [('bilinear', 'BILINEAR'), ('bicubic', 'BICUBIC'),
                                          ('nearest', 'NEAREST_NEIGHBOR'), ('area', 'AREA')])
def test_methods_of_resizing_have_names_too(session, name, method):
    image = tf.reshape(tf.range(16.0), [4, 4, 1])
    named = tf.image.resize(image, [2, 3], name)
    numbered = tf.image.resize(image, [2, 3], getattr(tf.image.ResizeMethod, method))
    first, second = session.run([named, numbered])
    assert (first == second).all()
    with pytest.raises(ValueError, match="not implemented: 'lanczos3'"):
        tf.image.resize(image, [2, 3], 'lanczos3')


def test_jpegs_without_simplejpeg_differ_by_a_few_levels(monkeypatch):
    """The accurate transform has the same pixels; a smaller size needs the package."""
    file = tf.placeholder(tf.string)
    fast, accurate, half = [tf.image.decode_jpeg(file, **options) for options in (
        {}, {'dct_method': 'INTEGER_ACCURATE'}, {'ratio': 2})]
    with tf.Session() as session:
        wanted = session.run([fast, accurate], {file: COLOURS})
        monkeypatch.setitem(sys.modules, 'simplejpeg', None)
        found = session.run([fast, accurate], {file: COLOURS})
        with pytest.raises(NotImplementedError, match='simplejpeg'):
            session.run(half, {file: COLOURS})
    np.testing.assert_array_equal(found[1], wanted[1])
    assert 0 < np.abs(found[0].astype(int) - wanted[0]).max() <= 10


def test_jpegs_with_errors():
    """Bytes before the end change nothing; before the picture, Pillow decodes it; truncated files
    are refused."""
    file = tf.placeholder(tf.string)
    whole, half = tf.image.decode_jpeg(file), tf.image.decode_jpeg(file, ratio=2)
    second = 4 + int.from_bytes(COLOURS[4:6], 'big')        # where the second marker begins
    odd = COLOURS[:second] + b'\0\0' + COLOURS[second:]
    with tf.Session() as session:
        wanted, found = session.run(whole, {file: COLOURS}), session.run(whole, {file: odd})
        assert np.abs(wanted.astype(int) - found).max() <= 10
        np.testing.assert_array_equal(
            session.run(whole, {file: COLOURS[:-2] + b'\0\0' + COLOURS[-2:]}), wanted)
        with pytest.raises(NotImplementedError, match='without errors'):
            session.run(half, {file: odd})
        for pixels in (whole, half):
            with pytest.raises(tf.errors.InvalidArgumentError, match='truncated'):
                session.run(pixels, {file: COLOURS[:-20]})
        with pytest.raises(tf.errors.InvalidArgumentError, match='PNG'):
            session.run(tf.image.decode_jpeg(file, try_recover_truncated=True), {file: b'text'})
        with pytest.raises(tf.errors.InvalidArgumentError, match='channels must be 0, 1, or 3'):
            session.run(tf.image.decode_png(file, channels=4), {file: COLOURS})
        with pytest.raises(tf.errors.InvalidArgumentError, match='uint16'):
            session.run(tf.image.decode_png(file, dtype=tf.uint16), {file: COLOURS})


def test_inks_without_adobes_marker_are_not_inverted():
    """An Adobe marker inside another segment, a thumbnail's, does not count."""
    start = INKS.index(b'\xff\xee')
    length = 2 + int.from_bytes(INKS[start + 2:start + 4], 'big')
    marker = INKS[start:start + length]
    plain = INKS[:start] + INKS[start + length:]
    inside = plain[:2] + b'\xff\xed' + (length + 2).to_bytes(2, 'big') + marker + plain[2:]
    file = tf.placeholder(tf.string)
    with tf.Session() as session:
        inverted, *others = [session.run(tf.image.decode_jpeg(file), {file: data})
                             for data in (INKS, plain, inside)]
    np.testing.assert_array_equal(*others)
    assert np.abs(inverted.astype(int) - others[0]).max() > 100


def test_what_is_missing_of_decode_jpeg_says_so():
    file = tf.placeholder(tf.string)
    with tf.Session() as session:
        with pytest.raises(NotImplementedError, match='try_recover_truncated'):
            session.run(tf.image.decode_jpeg(file, try_recover_truncated=True),
                        {file: COLOURS[:-20]})
        with pytest.raises(NotImplementedError, match='less than 8x8'):
            session.run(tf.image.decode_jpeg(file, ratio=2), {file: JPEG})


def test_a_jpeg_with_more_pixels_than_pillow_allows(monkeypatch):
    from PIL import Image
    monkeypatch.setattr(Image, 'MAX_IMAGE_PIXELS', 30)
    monkeypatch.setattr(jpeg_png, '_MOST_PIXELS', 60)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match='MAX_IMAGE'):
        session.run(tf.image.decode_jpeg(COLOURS))
