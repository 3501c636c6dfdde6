"""tf.where of large arrays: chosen by masks of bits, so infinity, NaN and -0.0 pass unchanged."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.graph.support.tiles import TILE
from tinyflow.ops.support.choice import choose

SPECIAL = [np.inf, -np.inf, np.nan, -0.0, 1e-45]


def _bits(x):
    return np.ascontiguousarray(x).view(np.uint8).tolist()


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64', 'int16', 'int32', 'int64'])
@pytest.mark.parametrize('size', [1, 100, 9000, 2 * TILE + 7])
def test_every_bit_is_that_of_one_of_the_two(dtype, size):
    random = np.random.RandomState(0)
    condition = random.rand(size) > 0.5
    t, e = random.normal(size=(2, size)).astype(dtype)
    if dtype.startswith('float'):
        t[:5], e[-5:] = SPECIAL[:size], SPECIAL[:size]
    expected = np.where(condition, t, e)
    assert _bits(choose(condition, t, e)) == _bits(expected)
    assert _bits(choose(condition, t, e, np.empty_like(t))) == _bits(expected)
    in_place = e.copy()
    assert choose(condition, t, in_place, in_place) is in_place
    assert _bits(in_place) == _bits(expected)
    in_place = t.copy()
    choose(condition, in_place, e, in_place[:])         # another array object of the same memory
    assert _bits(in_place) == _bits(expected)
    gaps = np.empty(2 * size, dtype)[::2]
    assert _bits(choose(condition, t, e, gaps)) == _bits(expected)


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int32', 'int64'])
@pytest.mark.parametrize('zeros_first', [True, False])
@pytest.mark.parametrize('zero', [0.0, -0.0])
def test_zeros_on_one_side_in_a_compiled_program(dtype, zeros_first, zero, graph, session):
    random = np.random.RandomState(0)
    condition, x = random.rand(50, 20) > 0.5, random.normal(size=(50, 20)).astype(dtype)
    if dtype.startswith('float'):
        x[0, :5] = SPECIAL
    zeros = np.full_like(x, zero)
    mask, values = tf.placeholder(tf.bool, [50, 20]), tf.placeholder(dtype, [50, 20])
    pair, arrays = (values, tf.constant(zeros)), (x, zeros)
    if zeros_first:
        pair, arrays = pair[::-1], arrays[::-1]
    found = session.run(tf.where(mask, *pair), {mask: condition, values: x})
    assert _bits(found) == _bits(np.where(condition, *arrays))
