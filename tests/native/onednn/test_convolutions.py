"""Convolution and its gradients by oneDNN agree with NumPy's, whatever the geometry."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.native.onednn.library import find_library

pytestmark = [pytest.mark.engine,
              pytest.mark.skipif(find_library() is None, reason='needs the extra "fast"')]

# data, filter, strides, padding, dilations
CASES = [
    ((2, 14, 14, 16), (5, 5, 16, 8), (1, 1), 'SAME', (1, 1)),
    ((3, 12, 9, 3), (3, 3, 3, 16), (1, 1), 'VALID', (1, 1)),
    ((2, 15, 16, 16), (3, 3, 16, 24), (2, 2), 'SAME', (1, 1)),
    ((4, 17, 16, 8), (3, 2, 8, 16), (3, 2), 'VALID', (1, 1)),       # windows leave rows unused
    ((1, 28, 28, 1), (5, 5, 1, 32), (1, 1), 'SAME', (1, 1)),
    ((8, 10, 10, 32), (1, 1, 32, 16), (2, 2), 'SAME', (1, 1)),      # margins would be negative
    ((2, 16, 16, 7), (3, 3, 7, 5), (1, 1), 'SAME', (2, 3)),
    ((2, 16, 14, 8), (3, 3, 8, 8), (1, 1), 'VALID', (2, 2)),
    ((2, 12, 12, 8), (4, 3, 8, 8), (2, 1), [[0, 0], [2, 1], [0, 3], [0, 0]], (1, 1)),
]


def all_three(mode, monkeypatch, x, filter, strides, padding, dilations):
    """The convolution, and its gradients for both arguments."""
    monkeypatch.setenv('TINYFLOW_NATIVE', mode)
    with tf.Graph().as_default(), tf.Session() as session:
        rng = np.random.RandomState(1)
        data = tf.placeholder(tf.float32, x)
        kernel = tf.placeholder(tf.float32, filter)
        y = tf.nn.conv2d(data, kernel, [1, *strides, 1], padding, dilations=[1, *dilations, 1])
        dy = tf.placeholder(tf.float32, y.shape)
        fetches = [y, *tf.gradients(y, [data, kernel], dy)]
        fed = {t: rng.normal(size=t.shape.as_list()).astype('f') for t in (data, kernel, dy)}
        results = [session.run(fetches, fed) for _ in range(2)]
        assert all((a == b).all() for a, b in zip(*results))        # to the bit
        program = tf.explain(fetches, fed, session, runs=0)
        return results[0], program.source


@pytest.mark.parametrize('case', CASES, ids=str)
def test_values_agree_with_numpy(case, monkeypatch):
    expected, source = all_three('off', monkeypatch, *case)
    assert 'native' not in source
    native, source = all_three('always', monkeypatch, *case)
    assert source.count('native_Conv2D') == 3
    for a, b in zip(expected, native):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4 * np.abs(a).max())


@pytest.mark.parametrize('dtype, format, size', [
    ('float64', 'NHWC', 16), ('float32', 'NCHW', 16), ('float32', 'NHWC', 3)])
def test_what_onednn_is_not_used_for(dtype, format, size, monkeypatch, session):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    y = tf.nn.conv2d(tf.ones([2, size, size, size], dtype) * tf.placeholder(dtype, []),
                     tf.ones([3, 3, size, 4], dtype), [1, 1, 1, 1], 'SAME', data_format=format)
    assert 'native' not in tf.explain(y, {y.op.inputs[0].op.inputs[1]: 1.0}, session).source


def test_a_convolution_inside_a_concatenation(monkeypatch):
    """Its result has gaps in memory."""
    results = []
    for mode in ('off', 'always'):
        monkeypatch.setenv('TINYFLOW_NATIVE', mode)
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [2, 16, 16, 8])
            filters = [tf.constant(np.random.RandomState(s).normal(size=(3, 3, 8, 8)).astype('f'))
                       for s in range(2)]
            joined = tf.concat([tf.nn.conv2d(x, f, [1, 1, 1, 1], 'SAME') for f in filters], 3)
            results.append(session.run(joined * 2, {x: np.ones([2, 16, 16, 8])}))
    np.testing.assert_allclose(*results, rtol=1e-4, atol=1e-4)
