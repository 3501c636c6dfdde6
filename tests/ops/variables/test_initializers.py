"""Initializers: their nodes as in TensorFlow 1.15, their distributions, their configurations."""
from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import tinyflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        graph.seed = 1
        yield graph


def value_of(initializer, shape, **settings):
    with tf.Session() as session:
        return session.run(initializer(shape, **settings))


# ---- nodes, recorded from TensorFlow 1.15.5 --------------------------------------------------

NORMAL = [('shape', 'Const'), ('mean', 'Const'), ('stddev', 'Const')]


@pytest.mark.parametrize('initializer, shape, expected', [
    (tf.zeros_initializer(), [2, 3], [('zeros', 'Const')]),
    (tf.zeros_initializer(), [100, 20], [('zeros/shape_as_tensor', 'Const'),
                                         ('zeros/Const', 'Const'), ('zeros', 'Fill')]),
    (tf.ones_initializer(), [2], [('ones', 'Const')]),
    (tf.constant_initializer(0.5), [2, 3], [('Const', 'Const')]),
    (tf.truncated_normal_initializer(), [2, 3],
     [('truncated_normal/' + name, kind) for name, kind in NORMAL]
     + [('truncated_normal/TruncatedNormal', 'TruncatedNormal'), ('truncated_normal/mul', 'Mul'),
        ('truncated_normal', 'Add')]),
    (tf.orthogonal_initializer(), [2, 3],
     [('random_normal/' + name, kind) for name, kind in NORMAL]
     + [('random_normal/RandomStandardNormal', 'RandomStandardNormal'),
        ('random_normal/mul', 'Mul'), ('random_normal', 'Add'), ('Qr', 'Qr'),
        ('DiagPart', 'DiagPart'), ('Sign', 'Sign'), ('mul', 'Mul'),
        ('matrix_transpose/transpose/perm', 'Const'), ('matrix_transpose/transpose', 'Transpose'),
        ('Reshape/shape', 'Const'), ('Reshape', 'Reshape'), ('mul_1/x', 'Const'),
        ('mul_1', 'Mul')]),
    (tf.initializers.identity(), [2, 3],
     [('eye/ones', 'Const'), ('eye/zeros', 'Const'), ('eye/set_diag', 'MatrixSetDiag'),
      ('mul/x', 'Const'), ('mul', 'Mul')]),
])
def test_nodes(graph, initializer, shape, expected):
    tf.get_variable('v', shape, initializer=initializer)
    assert [(op.name, op.type) for op in graph.get_operations()] == [
        *(('v/Initializer/' + name, kind) for name, kind in expected),
        ('v', 'VariableV2'), ('v/Assign', 'Assign'), ('v/read', 'Identity')]


# ---- values ----------------------------------------------------------------------------------

def test_constants():
    np.testing.assert_array_equal(value_of(tf.zeros_initializer(), [2, 2]), np.zeros((2, 2)))
    np.testing.assert_array_equal(value_of(tf.ones_initializer(tf.int32), [3]), [1, 1, 1])
    np.testing.assert_array_equal(value_of(tf.constant_initializer([1, 2]), [2, 2]),
                                  [[1, 2], [2, 2]])
    np.testing.assert_array_equal(value_of(tf.initializers.identity(3.0), [2, 3]),
                                  [[3, 0, 0], [0, 3, 0]])
    assert value_of(tf.zeros_initializer(), [1], dtype=tf.float64).dtype == np.float64


def test_constant_verifies_shapes_on_request():
    with pytest.raises(TypeError):
        tf.constant_initializer([1.0, 2.0], verify_shape=True)([3])
    with pytest.raises(TypeError):
        tf.constant_initializer([1.0, 2.0])([3], verify_shape=True)


SHAPE = [3, 5, 40, 60]                  # a window of 15, so fans of 600 and 900


@pytest.mark.parametrize('initializer, variance', [
    (tf.random_normal_initializer(stddev=0.3), 0.09),
    (tf.random_uniform_initializer(-3.0, 3.0), 3.0),
    (tf.variance_scaling_initializer(2.0), 2 / 600),
    (tf.variance_scaling_initializer(2.0, 'fan_out'), 2 / 900),
    (tf.variance_scaling_initializer(1.0, 'fan_avg', 'untruncated_normal'), 1 / 750),
    (tf.variance_scaling_initializer(1.0, 'fan_avg', 'uniform'), 1 / 750),
    (tf.glorot_uniform_initializer(), 2 / 1500),
    (tf.glorot_normal_initializer(), 2 / 1500),
    (tf.initializers.he_normal(), 2 / 600),
    (tf.initializers.he_uniform(), 2 / 600),
    (tf.initializers.lecun_normal(), 1 / 600),
    (tf.initializers.lecun_uniform(), 1 / 600),
    (tf.uniform_unit_scaling_initializer(2.0), 4 / 600),
])
def test_mean_and_variance(initializer, variance):
    x = value_of(initializer, SHAPE)
    assert abs(x.mean()) < 4 * math.sqrt(variance / x.size)
    assert x.var() == pytest.approx(variance, rel=0.03)


def test_truncated_values_stay_within_two_deviations():
    x = value_of(tf.truncated_normal_initializer(1.0, 0.5), [10000])
    assert x.min() > 0.0 and x.max() < 2.0 and x.max() - x.min() > 1.9


@pytest.mark.parametrize('shape', [[4, 4], [7, 3], [3, 7], [2, 3, 4]])
def test_orthogonal(shape):
    x = value_of(tf.orthogonal_initializer(2.0), shape).reshape(-1, shape[-1])
    product = x.T @ x if x.shape[0] >= x.shape[1] else x @ x.T
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-5)


def test_a_partition_has_the_fans_of_the_full_variable():
    whole = SimpleNamespace(full_shape=[600, 40])
    x = tf.variance_scaling_initializer()([6, 40], partition_info=whole)
    y = tf.variance_scaling_initializer()([600, 40])
    with tf.Session() as session:
        x, y = session.run([x, y])
    assert x.shape == (6, 40)
    assert x.var() == pytest.approx(y.var(), rel=0.3)


def test_seeded_initializers_repeat():
    x, y = (value_of(tf.glorot_uniform_initializer(seed=3), [4, 4]) for _ in range(2))
    np.testing.assert_array_equal(x, y)


# ---- configurations, recorded from TensorFlow 1.15.5 -----------------------------------------

@pytest.mark.parametrize('name, config', [
    ('zeros', {}), ('ones', {}), ('constant', {'value': 0}),
    ('random_uniform', {'minval': 0, 'maxval': None, 'seed': None}),
    ('random_normal', {'mean': 0.0, 'stddev': 1.0, 'seed': None}),
    ('truncated_normal', {'mean': 0.0, 'stddev': 1.0, 'seed': None}),
    ('uniform_unit_scaling', {'factor': 1.0, 'seed': None}),
    ('variance_scaling', {'scale': 1.0, 'mode': 'fan_in', 'distribution': 'truncated_normal',
                          'seed': None}),
    ('glorot_uniform', {'seed': None}), ('glorot_normal', {'seed': None}),
    ('he_uniform', {'scale': 2.0, 'mode': 'fan_in', 'distribution': 'uniform', 'seed': None}),
    ('lecun_normal', {'scale': 1.0, 'mode': 'fan_in', 'distribution': 'truncated_normal',
                      'seed': None}),
    ('orthogonal', {'gain': 1.0, 'seed': None}), ('identity', {'gain': 1.0}),
])
def test_config(name, config):
    initializer = getattr(tf.initializers, name)()
    assert initializer.get_config() == {**config, 'dtype': 'float32'}
    again = type(initializer).from_config(initializer.get_config())
    assert again.get_config() == initializer.get_config()


# ---- refusals --------------------------------------------------------------------------------

@pytest.mark.parametrize('build, error, message', [
    (lambda: tf.variance_scaling_initializer(-1), ValueError, 'positive'),
    (lambda: tf.variance_scaling_initializer(mode='fan'), ValueError, 'Invalid `mode`'),
    (lambda: tf.variance_scaling_initializer(distribution='x'), ValueError, 'distribution'),
    (lambda: tf.initializers.identity()([2]), ValueError, '2D'),
    (lambda: tf.orthogonal_initializer()([2]), ValueError, 'at least two-dimensional'),
    (lambda: tf.constant_initializer(None), TypeError, 'Invalid type for initial value'),
    (lambda: tf.truncated_normal_initializer(dtype=tf.int32), ValueError, 'floating point'),
])
def test_refusals(build, error, message):
    with pytest.raises(error, match=message):
        build()
