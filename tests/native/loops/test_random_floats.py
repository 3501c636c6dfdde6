"""Uniform random floats by a loop: the bits of NumPy's kernel."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.graph_to_program import graph_to_program
from tinyflow.native import loops
from tinyflow.native.loops.random_floats import uniform_kernel
from tinyflow.ops.random.philox import PhiloxStream
from tinyflow.ops.random.samplers import uniform

pytestmark = [pytest.mark.skipif(not loops.found(), reason='needs the extra "fast"'),
              pytest.mark.usefixtures('graph')]


def runs(monkeypatch, mode, fetches, feeds=None, count=3):
    monkeypatch.setenv('TINYFLOW_NATIVE', mode)
    with tf.Session() as session:
        found = [session.run(fetches, feeds) for _ in range(count)]
        return found, str(tf.explain(fetches, feeds, session=session))


@pytest.mark.slow
@pytest.mark.parametrize('size', [4096, 4097, 4111, 5000, 100_003])
def test_seeded_floats_have_the_bits_of_numpys(monkeypatch, size):
    x = tf.random_uniform([size], seed=5)
    (plain, _), (native, text) = [runs(monkeypatch, mode, x) for mode in ('off', 'always')]
    assert 'RandomUniform' in text.partition('by loops')[2]
    for a, b in zip(plain, native):
        assert a.tobytes() == b.tobytes()
    assert plain[0].tobytes() != plain[1].tobytes()


def test_sizes_that_are_known_while_running(monkeypatch):
    n = tf.placeholder(tf.int32, [])
    x = tf.random_uniform([n, 3], seed=5)
    for size in (0, 1, 7, 3001):
        plain, native = [runs(monkeypatch, mode, x, {n: size})[0] for mode in ('off', 'always')]
        assert [a.tobytes() for a in plain] == [a.tobytes() for a in native]


def test_dropout(monkeypatch):
    tf.set_random_seed(3)
    x = tf.nn.dropout(tf.ones([64, 128]), rate=.25)
    plain, native = [runs(monkeypatch, mode, x)[0] for mode in ('off', 'always')]
    assert [a.tobytes() for a in plain] == [a.tobytes() for a in native]
    assert .7 < np.mean(plain[0] > 0) < .8


def test_floats_without_a_seed_are_in_the_interval(monkeypatch):
    [first, second, _], _ = runs(monkeypatch, 'always', tf.random_uniform([300, 301]))
    assert first.tobytes() != second.tobytes()
    assert first.min() >= 0 and first.max() < 1 and abs(first.mean() - .5) < .01
    assert len(np.unique(first)) > 85_000


def _kernel(size):
    program = graph_to_program((tf.random_uniform([size]),), ())
    return uniform_kernel(next(i for i in program.instructions if i.type == 'RandomUniform'))


@pytest.mark.parametrize('before', [2 ** 32 - 700, 2 ** 64 - 700, 2 ** 64 - 40_000])
def test_counters_that_carry(before):
    """Over a word, and over the half of the counter of which a loop knows no carry."""
    kernel = _kernel(9000)
    native, plain = PhiloxStream(7, 8), PhiloxStream(7, 8)
    for stream in (native, plain):
        stream.reserve(before)
    floats = kernel(native, (9000,))
    assert floats.tobytes() == uniform(plain, (9000,)).tobytes()
    assert native.get_state() == plain.get_state()

