"""Gradients of slices that fill a tensor are concatenated; others are padded and added."""
import numpy as np
import pytest

import tinyflow as tf
from tests.compiler.test_passes import types, values
from tinyflow.compiler.compile import Options
from tinyflow.compiler.passes import PASSES

pytestmark = pytest.mark.usefixtures('graph')

WITHOUT = Options(passes=tuple(p for p in PASSES if p != 'join_parts'))


def gradient(slices, shape=(4, 6)):
    """The gradient of a loss of slices (begin, size), and what is fed."""
    x = tf.placeholder(tf.float32, shape)
    parts = [tf.slice(x, begin, size) for begin, size in slices]
    loss = tf.add_n([tf.reduce_sum(tf.sin(p) * (n + 1.0)) for n, p in enumerate(parts)])
    return tf.gradients(loss, x), {x: np.random.default_rng(0).normal(size=shape).astype('f')}


@pytest.mark.parametrize('slices', [
    [([0, 0], [4, 2]), ([0, 2], [4, 4])],
    [([0, 3], [4, -1]), ([0, 0], [4, 1]), ([0, 1], [4, 2])],
    [([0, 0], [1, 6]), ([1, 0], [3, -1])],
])
def test_slices_that_fill_the_tensor_are_concatenated(slices):
    fetches, feeds = gradient(slices)
    found = types(fetches, feeds, [(4, 6)])
    assert 'Pad' not in found and 'AddN' not in found and found.count('ConcatV2') == 1
    np.testing.assert_array_equal(values(fetches, feeds, Options()),
                                  values(fetches, feeds, WITHOUT))


@pytest.mark.parametrize('slices', [
    [([0, 0], [4, 2]), ([0, 3], [4, 3])],                       # a gap
    [([0, 0], [4, 3]), ([0, 2], [4, 4])],                       # an overlap
    [([0, 0], [4, 2]), ([0, 2], [4, 3])],                       # something is left at the end
    [([0, 1], [4, 2]), ([0, 3], [4, 3])],                       # and at the beginning
    [([0, 0], [4, 3]), ([0, 3], [2, 3]), ([2, 3], [2, 3])],     # two axes
    [([0, 0], [4, 3]), ([0, 0], [2, 6])],
])
def test_other_slices_are_padded(slices):
    fetches, feeds = gradient(slices)
    assert types(fetches, feeds, [(4, 6)]).count('Pad') == len(slices)
    np.testing.assert_array_equal(values(fetches, feeds, Options()),
                                  values(fetches, feeds, WITHOUT))


def test_a_padded_part_that_is_used_elsewhere_is_kept():
    x, y = tf.placeholder(tf.float32, [2, 2]), tf.placeholder(tf.float32, [2, 3])
    first = tf.pad(x, [[0, 0], [0, 3]])
    total = tf.add_n([first, tf.pad(y, [[0, 0], [2, 0]])])
    feeds = {x: np.ones((2, 2), 'f'), y: np.full((2, 3), 2, 'f')}
    shapes = [(2, 2), (2, 3)]
    assert types([total], feeds, shapes).count('ConcatV2') == 1
    assert types([total, first], feeds, shapes).count('Pad') == 2
    np.testing.assert_array_equal(values([total], feeds, Options())[0], [[1, 1, 2, 2, 2]] * 2)


@pytest.mark.parametrize('size', [4, 40_000])
@pytest.mark.parametrize('change', [
    lambda v: tf.assign_add(v, tf.ones(v.shape)), lambda v: tf.assign(v, tf.ones(v.shape) * 9),
    lambda v: tf.scatter_update(v, [0], [77.0])])
def test_parts_of_a_variable_that_is_written_before_the_sum(size, change):
    start = np.arange(size, dtype='f')
    v, half = tf.Variable(start), size // 2
    parts = [tf.pad(v[:half], [[0, half]]), tf.pad(v[half:], [[half, 0]])]
    with tf.control_dependencies(parts):
        written = change(v)
    with tf.control_dependencies([written.op]):
        total = tf.add_n(parts)
    with tf.Session() as session:
        for _ in range(3):
            session.run(v.initializer)
            np.testing.assert_array_equal(session.run(total), start)
