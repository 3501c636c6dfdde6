"""Groups of elementwise instructions that run tile by tile: which, and that no bit changes."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.codegen import tiling
from tinyflow.graph.support import processors, tiles

pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture(params=[1, 2, 4])
def threads(request, monkeypatch):
    monkeypatch.setattr(tiles, '_FEWEST_TILES', 1)
    monkeypatch.setattr(tiles, '_MOST_THREADS', request.param)
    monkeypatch.setattr(processors, 'most_threads', lambda: request.param)


def _array(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def _run(session, fetch, feed):
    """The value of a fetch, and the source of the program that gave it."""
    value = session.run(fetch, feed)
    entry = list(session._programs.entries.values())[-1]
    return value, next(iter(entry.executables.values())).source.text


CASES = {
    'transposed': ((600, 600), lambda t: t - tf.transpose(t), lambda t: t - t.T),
    'last row for all': ((4000, 100), lambda t: t - t[-1], lambda t: t - t[-1]),
    'reversed': ((300_000,), lambda t: t - t[::-1], lambda t: t - t[::-1]),
    'shifted': ((300_000,), lambda t: (t * 2.0)[1:] + t[:-1], lambda t: (t * 2)[1:] + t[:-1]),
    'reshaped': ((1000, 300), lambda t: tf.reshape(t, [300, 1000]) * 2.0 + 1.0,
                 lambda t: t.reshape(300, 1000) * 2 + 1),
    'column': ((1000, 300), lambda t: t * t[:, :1] + t[:, 1:2], lambda t: t * t[:, :1] + t[:, 1:2]),
    'a view of what dies': (
        (600, 600), lambda t: tf.exp(tf.transpose(tf.matmul(t, t) * 1e-3)) + 1.0,
        lambda t: np.exp((np.dot(t, t) * np.float32(1e-3)).T) + 1),
}


@pytest.mark.parametrize('name', CASES)
def test_views_of_a_groups_results_are_read_after_the_group(session, threads, name):
    shape, build, by_hand = CASES[name]
    x = tf.placeholder(tf.float32, shape)
    array = _array(*shape)
    for _ in range(2):
        value, _ = _run(session, build(tf.square(x * 0.5)), {x: array})
        np.testing.assert_array_equal(value, by_hand(np.square(array * np.float32(0.5))))


def test_a_chain_is_one_group_with_the_bits_of_the_untiled_program(session, threads, monkeypatch):
    x, bias = tf.placeholder(tf.float32, [None, 500]), tf.constant(_array(500))
    y = tf.nn.relu(tf.tanh(x * 1.1 + bias) * tf.exp(-x)) + 0.5
    array = _array(1200, 500)
    tiled, source = _run(session, y, {x: array})
    assert source.count('def tile') == 1
    monkeypatch.setattr(tiling, '_LARGE', 1 << 60)
    with tf.Session() as other:
        whole, source = _run(other, y, {x: array})
    assert 'def tile' not in source
    np.testing.assert_array_equal(tiled, whole)


def test_small_arrays_are_not_tiled(session):
    x = tf.placeholder(tf.float32, [100])
    _, source = _run(session, tf.exp(x) * 2.0 + 1.0, {x: _array(100)})
    assert 'tile' not in source


def test_an_error_inside_a_tile_names_its_node(session, threads):
    x = tf.placeholder(tf.int32, [2_000_000])
    y = (x * 2) // x
    with pytest.raises(tf.errors.InvalidArgumentError, match="FloorDiv 'floordiv'"):
        session.run(y, {x: np.zeros(2_000_000)})
    assert session.run(y, {x: np.ones(2_000_000)})[0] == 2
