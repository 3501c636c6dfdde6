"""Seeded random numbers against values recorded from TensorFlow 1.15.5 on one thread.

Recorded arrays are written as the hexadecimal digits of their little-endian bytes, or as CRC-32 of
those bytes where they are long.
"""

import threading
import zlib

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tinyflow.ops.random import philox, philox_floats, rejection_samplers, samplers
from tinyflow.ops.random.philox import Counter, PhiloxStream, SystemStream, open_stream

pytestmark = pytest.mark.engine

BIG = (123456789012, 98765432101)  # both seeds have an upper word
SAMPLERS = {
    "uniform": samplers.uniform,
    "normal": samplers.standard_normal,
    "truncated": samplers.truncated_normal,
}

# (sampler, dtype, (seed, seed2), run, the seven numbers that run gives)
SEVEN = [
    (
        "uniform",
        "float16",
        (777, 3),
        1,
        "f839be39503b1e3af83a8033602c",
    ),
    (
        "uniform",
        "float16",
        BIG,
        1,
        "d03828376035563bd83602390439",
    ),
    (
        "uniform",
        "float32",
        (777, 3),
        0,
        "10a6883d2c169a3ee8625b3ff032d33d907e473e20deab3d1443603f",
    ),
    (
        "uniform",
        "float32",
        (777, 3),
        2,
        "287d343ed60a463f2c5e4a3f3493723fe485833e8259453f02b40d3f",
    ),
    (
        "uniform",
        "float32",
        BIG,
        0,
        "4c62863e4428b93e604af03eb014783eb8d2103faeda143f407e623f",
    ),
    (
        "uniform",
        "float32",
        BIG,
        2,
        "20822a3d7801633e8aeb653f06433c3f70d0b63d6cfffc3e88a08a3e",
    ),
    (
        "uniform",
        "float64",
        (777, 3),
        1,
        "e05ba0489ddfad3f3cfc8d4ba39edc3fe021c091f8c6e63fbeeb28618c58e93f94d8c526813fe23f1863"
        "17e3b45ed53f86d5a059188dec3f",
    ),
    (
        "uniform",
        "float64",
        BIG,
        1,
        "94fbfb98d0a4ef3f566f3713b0a2ef3f040a27cedaf6d43f484e6f1a08cad03f601ad91754efb53f2686"
        "ffd8ffa7e63fa0c3a6e2f522b03f",
    ),
    (
        "normal",
        "float16",
        (777, 3),
        1,
        "1dba16c24abf0e351ebcd81a203c",
    ),
    (
        "normal",
        "float16",
        BIG,
        1,
        "8daa2338af2ab421e238b43c3f3d",
    ),
    (
        "normal",
        "float32",
        (777, 3),
        0,
        "d75a0d40c5743bbf91b0ab3e6acfe23e1afd683f6b11c83f4cc500bf",
    ),
    (
        "normal",
        "float32",
        (777, 3),
        2,
        "fadfebbffbf48c3eeb3163be6818263f5138d1bf4b095d3e5808803f",
    ),
    (
        "normal",
        "float32",
        BIG,
        0,
        "2def9f3fda1987bfc2419d3f52b7743d8fd505bfea3b6ebfa26fe7bd",
    ),
    (
        "normal",
        "float32",
        BIG,
        2,
        "34d41e401d78e43ead58ecbe12f72dbdc3d4a53daa970cc0078aa6be",
    ),
    (
        "normal",
        "float64",
        (777, 3),
        1,
        "812ad89b72dae83f08ef9985ba0702c092ee852a8a78e9bff452b82eac91cb3f17a210d1ab4fed3f6620"
        "09fc4810e1bf63894a673b0eddbf",
    ),
    (
        "normal",
        "float64",
        BIG,
        1,
        "a3967dc47ee985bfa886639d451ac33f24d28b9430d5f73fb38576b6839abdbf5aef411de51e01c0c56c"
        "28c90880e2bf6d9267af996002c0",
    ),
    (
        "truncated",
        "float16",
        (777, 3),
        1,
        "1dba4abf0e351ebc343d7d38f034",
    ),
    (
        "truncated",
        "float16",
        BIG,
        1,
        "8daa2338af2ab4219ab498b1a8b8",
    ),
    (
        "truncated",
        "float32",
        (777, 3),
        0,
        "c5743bbf91b0ab3e6acfe23e1afd683ffd4ce53f6dd7063ec7de84bf",
    ),
    (
        "truncated",
        "float32",
        (777, 3),
        2,
        "fadfebbffbf48c3eeb3163be6818263f1f3f23bfc7d1ca3e2a7268bf",
    ),
    (
        "truncated",
        "float32",
        BIG,
        0,
        "2def9f3fda1987bfc2419d3f52b7743d713852bf4fc78a3d9494683f",
    ),
    (
        "truncated",
        "float32",
        BIG,
        2,
        "1d78e43ead58ecbe12f72dbdc3d4a53d6f046a3fdafae93f7a7151bf",
    ),
    (
        "truncated",
        "float64",
        (777, 3),
        1,
        "812ad89b72dae83f92ee852a8a78e9bf43a2c9c1585bf33f5c9417678efefb3f9e31a2b1324dccbfcc51"
        "beac94dbd2bfd6842bb3c2cbbc3f",
    ),
    (
        "truncated",
        "float64",
        BIG,
        1,
        "a3967dc47ee985bfa886639d451ac33f9d3cd2ddc199eabf20ccdac37c9fe9bf6095b3cacf6eda3f2ded"
        "bed3fed9ef3f95055df229e2ecbf",
    ),
]


def decode(digits, dtype):
    return np.frombuffer(bytes.fromhex(digits), np.dtype(dtype).newbyteorder("<"))


def run_number(run, sample, *args):
    """What the run with this number, counted from 0, gives."""
    for _ in range(run):
        sample(*args)
    return sample(*args)


@pytest.mark.parametrize("name, dtype, seeds, run, digits", SEVEN)
def test_floats_are_tensorflows(name, dtype, seeds, run, digits):
    x = run_number(run, SAMPLERS[name], PhiloxStream(*seeds), [7], dtype)
    expected = decode(digits, dtype)
    if dtype == "float64" and name != "uniform":
        np.testing.assert_array_max_ulp(x, expected, 2)  # NumPy's log is not glibc's
    else:
        np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize(
    "name, dtype, checksums",
    [
        ("uniform", "float32", (0xEDC47E31, 0x3B70D170, 0xC7A3D32B)),
        ("normal", "float32", (0x44A226E9, 0x3609FC49, 0x81AD99C0)),
        ("truncated", "float32", (0xAADBAB9E, 0xEE6B6539, 0x75511FBF)),
        ("truncated", "float16", (0x02D033C3, 0x032D47C3, 0xEB2B25DD)),
    ],
)
def test_three_runs_of_a_hundred_thousand(name, dtype, checksums):
    stream = PhiloxStream(777, 3)
    for checksum in checksums:
        x = SAMPLERS[name](stream, [100_000], dtype)
        assert zlib.crc32(x.astype(x.dtype.newbyteorder("<")).tobytes()) == checksum


@pytest.mark.parametrize(
    "seeds, dtype, bounds, run, expected",
    [
        ((777, 3), "int32", (-7, 93), 0, [38, 56, 73, 68, 27, 91, 87]),
        ((777, 3), "int32", (-7, 93), 1, [-3, 56, 21, 52, 37, 45, 7]),
        (BIG, "int64", (-7, 93), 0, [44, 13, 57, 1, 53, 79, 83]),
        (BIG, "int64", (-7, 93), 1, [-7, 13, 39, 43, 74, 52, 64]),
        (
            (-5, 17),
            "int32",
            (-(2**31), 2**31 - 1),
            1,
            [238439518, 1655809358, 1822054632, -1921711363, -992717861, 1852619798, 1168998587],
        ),
    ],
)
def test_integers_are_tensorflows(seeds, dtype, bounds, run, expected):
    x = run_number(run, samplers.uniform_int, PhiloxStream(*seeds), [7], *bounds, dtype)
    assert x.dtype == dtype
    assert x.tolist() == expected


@pytest.mark.parametrize(
    "seeds, run, expected",
    [
        ((777, 3), 0, [6, 4, 2, 0, 1, 5, 3]),
        ((777, 3), 1, [1, 0, 3, 5, 6, 4, 2]),
        ((0, 5), 0, [4, 1, 2, 0, 3, 5, 6]),
        ((0, 5), 1, [3, 1, 2, 6, 0, 5, 4]),
    ],
)
def test_shuffle_is_tensorflows(seeds, run, expected):
    assert run_number(run, samplers.shuffle, PhiloxStream(*seeds), 7).tolist() == expected


def test_shuffle_of_a_hundred_thousand():
    stream = PhiloxStream(777, 3)
    for checksum in (0x42E50D54, 0xDA347372, 0xC29C9783):
        assert zlib.crc32(samplers.shuffle(stream, 100_000).astype("<i4").tobytes()) == checksum


def test_shuffle_of_one_row_takes_nothing():
    stream = PhiloxStream(777, 3)
    assert samplers.shuffle(stream, 1).tolist() == [0]
    assert samplers.shuffle(stream, 7).tolist() == [6, 4, 2, 0, 1, 5, 3]


@pytest.mark.parametrize(
    "run, expected",
    [(0, [[2, 2, 2], [0, 0, 2], [3, 3, 2]]), (1, [[1, 1, 2], [2, 3, 0], [3, 3, 3]])],
)
def test_multinomial_is_tensorflows(run, expected):
    odds = np.array([[0.1, 0.2, 0.7, 0.001], [0.5, 0.25, 0.2, 0.05], [1e-3, 1, 2, 3.5]])
    logits = np.log(odds).astype(np.float32)
    logits[2, 1] = -np.inf
    x = run_number(run, samplers.multinomial, PhiloxStream(777, 3), logits, 3)
    assert x.tolist() == expected


def test_multinomial_does_not_depend_on_how_classes_are_searched():
    logits = np.random.default_rng(0).normal(size=(3, 11))
    many = samplers.multinomial(PhiloxStream(5, 6), logits, 2500)  # searched row by row
    few = samplers.multinomial(PhiloxStream(5, 6), logits[:1], 2500)  # all at once
    np.testing.assert_array_equal(many[0], few[0])
    shares = np.bincount(many[2], minlength=11) / 2500
    expected = np.exp(logits[2]) / np.exp(logits[2]).sum()
    np.testing.assert_allclose(shares, expected, atol=0.04)


@pytest.mark.parametrize(
    "run, digits",
    [
        (
            0,
            "0597853e1c2d653e6f216440f5c075416b7c243a27dcb63e8b35823eb77a8241"
            "06475f3fa412fd3e8870e13f1216cc41",
        ),
        (
            1,
            "ddb52a3eece11140caafb23fccf18a410e7b043e094eb13bccd08e4040f72941"
            "5c430238286cac3fd39431403c2aa641",
        ),
    ],
)
def test_gamma_is_tensorflows(run, digits):
    alpha = np.array([0.3, 1.0, 2.5, 17.0], np.float32)
    x = run_number(run, rejection_samplers.random_gamma, PhiloxStream(777, 3), [3], alpha)
    np.testing.assert_array_equal(x, decode(digits, "float32").reshape(3, 4))


@pytest.mark.parametrize(
    "run, expected",
    [
        (0, [[1, 4, 4, 8, 35, 1047], [0, 2, 9, 8, 35, 969], [1, 3, 15, 2, 38, 1023]]),
        (1, [[1, 4, 11, 4, 39, 1038], [0, 2, 11, 9, 41, 1027], [0, 1, 8, 9, 41, 1026]]),
    ],
)
def test_poisson_is_tensorflows(run, expected):
    rate = np.array([0.5, 3.0, 9.5, 10.0, 42.0, 1000.0], np.float32)
    x = run_number(run, rejection_samplers.random_poisson, PhiloxStream(777, 3), [3], rate)
    assert x.dtype == np.float32
    assert x.tolist() == expected


@pytest.mark.parametrize(
    "parameters, run, digits",
    [
        ((1, 2, -1, 9), 0, "d75aad4014d3edbe48d8d53fb567f13f8d7e3440b6088440004cc5bb"),
        ((1, 2, -1, 9), 1, "feba4240880f4cbe1ea6604064b7823f96c323bfd677ec3f6ae48c40"),
        ((0, 1, 0.5, 0.6), 0, "47b5013f4fb4073f4bf0153fd6a3023f8a93013fbff50b3f6ab5153f"),
        ((0, 1, 0.5, 0.6), 1, "f494003feebf143fec1c0c3fe31c113f9c48033f500f043fa6580b3f"),
        ((-1, 0.5, 0, np.inf), 0, "c4880f3f40ee023d2872ad3e8091e03c8cca133fe0de0b3d002bb33b"),
        ((-1, 0.5, 0, np.inf), 1, "58b31e3e400b273e509fb43decc3d93e58912c3e10fade3d04e9963e"),
    ],
    ids=str,
)
def test_bounded_normals_are_tensorflows(parameters, run, digits):
    arrays = [np.array(p, np.float32) for p in parameters]
    sample = rejection_samplers.parameterized_truncated_normal
    x = run_number(run, sample, PhiloxStream(777, 3), [7], *arrays)
    np.testing.assert_array_equal(x, decode(digits, "float32"))


# The generator itself.

positions = st.integers(0, 2**128 - 1) | st.integers(-9000, 9000).map(
    lambda d: (2**32 + d) % 2**128
)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**64 - 1), positions, st.integers(1, 20), st.sampled_from([1, 128, 256]))
def test_blocks_follow_the_definition(key, position, count, stride):
    start = Counter(key, position)
    made = philox.blocks(start, count, stride)
    one_by_one = [philox._block(key, (position + i * stride) % 2**128) for i in range(count)]
    np.testing.assert_array_equal(made, np.array(one_by_one, np.uint32))


def test_a_known_answer():
    # Random123's published vector for a counter and a key of nothing but ones.
    ones = Counter(2**64 - 1, 2**128 - 1)
    assert philox.words(ones, 4).tolist() == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


@settings(max_examples=25, deadline=None)
@given(positions, st.lists(st.integers(0, 2**34), min_size=5, max_size=30))
def test_blocks_at_any_offsets(position, offsets):
    made = philox.blocks_at(Counter(99, position), np.array(offsets))
    one_by_one = [philox._block(99, (position + offset) % 2**128) for offset in offsets]
    np.testing.assert_array_equal(made, np.array(one_by_one, np.uint32))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 3 * philox.CHUNK), st.integers(0, 500))
def test_words_can_be_made_piece_by_piece(blocks_before, count):
    start = Counter(7, 2**32 - 2 * philox.CHUNK)
    whole = philox.words(start, 4 * blocks_before + count)
    np.testing.assert_array_equal(
        whole[4 * blocks_before :], philox.words(start.skip(blocks_before), count)
    )


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@settings(max_examples=10, deadline=None)
@given(few=st.integers(0, 70), more=st.integers(0, 70) | st.integers(33_000, 34_000))
def test_fewer_numbers_are_a_prefix_of_more(name, dtype, few, more):
    sample = SAMPLERS[name]
    short = sample(PhiloxStream(1, 2), [few], dtype)
    long = sample(PhiloxStream(1, 2), [few + more], dtype)
    np.testing.assert_array_equal(short, long[:few])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_integers_are_remainders_of_words(dtype, data):
    info = np.iinfo(dtype)
    low = data.draw(st.integers(int(info.min), int(info.max) - 1))
    high = data.draw(st.integers(low + 1, int(info.max)))
    x = samplers.uniform_int(PhiloxStream(3, 4), [9], low, high, dtype)
    bits = philox.words(Counter(3, 4 << 64), 20).view(f"<u{info.bits // 8}")[:9]
    assert x.tolist() == [low + u % (high - low) for u in bits.tolist()]


def test_runs_never_share_blocks_between_threads():
    stream, starts = PhiloxStream(1, 1), []
    threads = [
        threading.Thread(target=lambda: starts.extend(stream.reserve(3) for _ in range(500)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(s.position - (1 << 64) for s in starts) == list(range(0, 6000, 3))


def test_box_muller_survives_the_smallest_uniform():
    words = np.zeros(4, np.uint32)  # u = 0 becomes 1e-7, the angle 0
    expected = np.sqrt(-2 * np.log(np.float32(1e-7)), dtype=np.float32)
    np.testing.assert_array_max_ulp(
        philox_floats.normal32(words), np.array([0, expected, 0, expected]), 1
    )


# Where results go, and what is refused.


def test_out_is_filled():
    out = np.empty((3, 5), np.float32)
    assert samplers.uniform(PhiloxStream(1, 2), [3, 5], np.float32, out) is out
    np.testing.assert_array_equal(out, samplers.uniform(PhiloxStream(1, 2), [3, 5]))


@pytest.mark.parametrize(
    "out", [np.empty(4), np.empty(3, np.float32), np.empty(8, np.float32)[::2]]
)
def test_unfit_out_is_refused(out):
    with pytest.raises(ValueError, match="out must be"):
        samplers.uniform(PhiloxStream(1, 2), [4], np.float32, out)


def test_bad_requests_are_refused():
    stream = PhiloxStream(1, 2)
    with pytest.raises(TypeError, match="int32"):
        samplers.standard_normal(stream, [2], np.int32)
    with pytest.raises(TypeError, match="float32"):
        samplers.uniform_int(stream, [2], 0, 9, np.float32)
    with pytest.raises(ValueError, match="minval=3, maxval=3"):
        samplers.uniform_int(stream, [2], 3, 3)
    bad = [np.array(p) for p in (0.0, 1.0, 2.0, 1.0)]
    with pytest.raises(ValueError, match="minval < maxval"):
        rejection_samplers.parameterized_truncated_normal(stream, [2], *bad)


# Without a seed: other numbers every time, of the same distribution and type.


def test_two_zero_seeds_mean_no_seed():
    assert isinstance(open_stream(0, 0), SystemStream)
    assert isinstance(open_stream(0, 1), PhiloxStream)
    a, b = (samplers.uniform(open_stream(0, 0), [8]) for _ in range(2))
    assert not np.array_equal(a, b)
    assert PhiloxStream.from_os().reserve(1) != PhiloxStream.from_os().reserve(1)


@pytest.mark.parametrize("open_one", [lambda: PhiloxStream(8, 9), lambda: open_stream(0, 0)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_moments(open_one, dtype):
    stream, n = open_one(), 40_000
    shape, half = (n // 2, 2), np.array(2.0, dtype)
    gamma = rejection_samplers.random_gamma(stream, shape, half)
    poisson = rejection_samplers.random_poisson(stream, shape, half * 10, dtype)
    low, high = np.array(-1.0, dtype), np.array(np.inf, dtype)
    bounded = rejection_samplers.parameterized_truncated_normal(
        stream, shape, np.array(0.0, dtype), np.array(1.0, dtype), low, high
    )
    drawn = [
        (samplers.uniform(stream, shape, dtype), 0.5, 1 / 12),
        (samplers.standard_normal(stream, shape, dtype), 0, 1),
        (samplers.truncated_normal(stream, shape, dtype), 0, 0.774),
        (gamma, 2, 2),
        (poisson, 20, 20),
        (bounded, 0.2876, 0.6297),
    ]
    for x, mean, variance in drawn:
        assert x.shape == shape
        assert x.dtype == dtype
        wide = x.astype(np.float64)
        assert abs(wide.mean() - mean) < 6 * np.sqrt(variance / n) + 1e-3
        assert abs(wide.var() - variance) < 0.06 * variance
    assert np.abs(drawn[2][0]).max() < 2.001
    assert drawn[0][0].min() >= 0
    assert drawn[0][0].max() < 1


def test_unseeded_integers_shuffles_and_classes():
    stream = open_stream(0, 0)
    x = samplers.uniform_int(stream, [2000], -3, 3, np.int64)
    assert x.dtype == np.int64
    assert set(x.tolist()) == set(range(-3, 3))
    assert sorted(samplers.shuffle(stream, 50).tolist()) == list(range(50))
    classes = samplers.multinomial(stream, np.array([[-np.inf, 0.0, 0.0]]), 400, np.int32)
    assert classes.dtype == np.int32
    assert set(classes.ravel().tolist()) == {1, 2}


def test_poisson_of_an_impossible_rate_is_nan():
    rate = np.array([-1.0, np.nan, np.inf, 3.0], np.float32)
    for stream in (PhiloxStream(1, 2), open_stream(0, 0)):
        x = rejection_samplers.random_poisson(stream, [2], rate)
        assert np.isnan(x[:, :3]).all()
        assert np.isfinite(x[:, 3]).all()
