"""Seeded random numbers against values recorded from TensorFlow 1.15.5 on one thread.

The arrays are recorded by golden/record_philox.py; of long ones only the CRC-32 of their
little-endian bytes is here.
"""

import threading
import zlib

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.golden import read_recorded
from tests.golden.encoding import decode
from tinyflow.ops.random import philox, philox_floats, rejection_samplers, samplers
from tinyflow.ops.random.philox import Counter, PhiloxStream, SystemStream, open_stream

BIG = (123456789012, 98765432101)  # both seeds have an upper word
SAMPLERS = {
    'uniform': samplers.uniform,
    'normal': samplers.standard_normal,
    'truncated': samplers.truncated_normal,
}

RECORDED = read_recorded('philox')


def run_number(run, sample, *args):
    """What the run with this number, counted from 0, gives."""
    for _ in range(run):
        sample(*args)
    return sample(*args)


@pytest.mark.parametrize('name, dtype, seeds, run, recorded', RECORDED['floats'])
def test_floats_are_tensorflows(name, dtype, seeds, run, recorded):
    x = run_number(run, SAMPLERS[name], PhiloxStream(*seeds), [7], dtype)
    expected = decode(recorded)
    if dtype == 'float64' and name != 'uniform':
        np.testing.assert_array_max_ulp(x, expected, 2)  # NumPy's log is not glibc's
    else:
        np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize(
    'name, dtype, checksums',
    [
        ('uniform', 'float32', (0xEDC47E31, 0x3B70D170, 0xC7A3D32B)),
        ('normal', 'float32', (0x44A226E9, 0x3609FC49, 0x81AD99C0)),
        ('truncated', 'float32', (0xAADBAB9E, 0xEE6B6539, 0x75511FBF)),
        ('truncated', 'float16', (0x02D033C3, 0x032D47C3, 0xEB2B25DD)),
    ],
)
def test_three_runs_of_a_hundred_thousand(name, dtype, checksums):
    stream = PhiloxStream(777, 3)
    for checksum in checksums:
        x = SAMPLERS[name](stream, [100_000], dtype)
        assert zlib.crc32(x.astype(x.dtype.newbyteorder('<')).tobytes()) == checksum


@pytest.mark.parametrize(
    'seeds, dtype, bounds, run, expected',
    [
        ((777, 3), 'int32', (-7, 93), 0, [38, 56, 73, 68, 27, 91, 87]),
        ((777, 3), 'int32', (-7, 93), 1, [-3, 56, 21, 52, 37, 45, 7]),
        (BIG, 'int64', (-7, 93), 0, [44, 13, 57, 1, 53, 79, 83]),
        (BIG, 'int64', (-7, 93), 1, [-7, 13, 39, 43, 74, 52, 64]),
        (
            (-5, 17),
            'int32',
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
    'seeds, run, expected',
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
        assert zlib.crc32(samplers.shuffle(stream, 100_000).astype('<i4').tobytes()) == checksum


def test_shuffle_of_one_row_takes_nothing():
    stream = PhiloxStream(777, 3)
    assert samplers.shuffle(stream, 1).tolist() == [0]
    assert samplers.shuffle(stream, 7).tolist() == [6, 4, 2, 0, 1, 5, 3]


@pytest.mark.parametrize(
    'run, expected',
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


@pytest.mark.parametrize('run, recorded', RECORDED['gamma'])
def test_gamma_is_tensorflows(run, recorded):
    alpha = np.array([0.3, 1.0, 2.5, 17.0], np.float32)
    x = run_number(run, rejection_samplers.random_gamma, PhiloxStream(777, 3), [3], alpha)
    np.testing.assert_array_equal(x, decode(recorded))


@pytest.mark.parametrize(
    'run, expected',
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


@pytest.mark.parametrize('parameters, run, recorded', RECORDED['bounded'], ids=str)
def test_bounded_normals_are_tensorflows(parameters, run, recorded):
    arrays = [np.array(float(p), np.float32) for p in parameters]
    sample = rejection_samplers.parameterized_truncated_normal
    x = run_number(run, sample, PhiloxStream(777, 3), [7], *arrays)
    np.testing.assert_array_equal(x, decode(recorded))


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


@pytest.mark.parametrize('name', SAMPLERS)
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
@settings(max_examples=10, deadline=None)
@given(few=st.integers(0, 70), more=st.integers(0, 70) | st.integers(33_000, 34_000))
def test_fewer_numbers_are_a_prefix_of_more(name, dtype, few, more):
    sample = SAMPLERS[name]
    short = sample(PhiloxStream(1, 2), [few], dtype)
    long = sample(PhiloxStream(1, 2), [few + more], dtype)
    np.testing.assert_array_equal(short, long[:few])


@pytest.mark.parametrize('dtype', [np.int32, np.int64])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_integers_are_remainders_of_words(dtype, data):
    info = np.iinfo(dtype)
    low = data.draw(st.integers(int(info.min), int(info.max) - 1))
    high = data.draw(st.integers(low + 1, int(info.max)))
    x = samplers.uniform_int(PhiloxStream(3, 4), [9], low, high, dtype)
    bits = philox.words(Counter(3, 4 << 64), 20).view(f'<u{info.bits // 8}')[:9]
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
    'out', [np.empty(4), np.empty(3, np.float32), np.empty(8, np.float32)[::2]]
)
def test_an_unsuitable_out_array_is_refused(out):
    with pytest.raises(ValueError, match='out must be'):
        samplers.uniform(PhiloxStream(1, 2), [4], np.float32, out)


def test_bad_requests_are_refused():
    stream = PhiloxStream(1, 2)
    with pytest.raises(TypeError, match='int32'):
        samplers.standard_normal(stream, [2], np.int32)
    with pytest.raises(TypeError, match='float32'):
        samplers.uniform_int(stream, [2], 0, 9, np.float32)
    with pytest.raises(ValueError, match='minval=3, maxval=3'):
        samplers.uniform_int(stream, [2], 3, 3)
    bad = [np.array(p) for p in (0.0, 1.0, 2.0, 1.0)]
    with pytest.raises(ValueError, match='minval < maxval'):
        rejection_samplers.parameterized_truncated_normal(stream, [2], *bad)


# Without a seed: other numbers every time, of the same distribution and type.


def test_two_zero_seeds_mean_no_seed():
    assert isinstance(open_stream(0, 0), SystemStream)
    assert isinstance(open_stream(0, 1), PhiloxStream)
    a, b = (samplers.uniform(open_stream(0, 0), [8]) for _ in range(2))
    assert not np.array_equal(a, b)
    assert PhiloxStream.from_os().reserve(1) != PhiloxStream.from_os().reserve(1)


@pytest.mark.slow
@pytest.mark.parametrize('open_one', [lambda: PhiloxStream(8, 9), lambda: open_stream(0, 0)])
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
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
