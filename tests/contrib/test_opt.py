"""tf.contrib.opt: SciPy's optimizers, which Variables decay, averages in checkpoints."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

opt = tf.contrib.opt


def test_scipy_finds_the_least_loss(session):
    x = tf.Variable([7.0, 7.0], name='x')
    y = tf.Variable([[2.0]], name='y')
    center = tf.placeholder(tf.float32, [])
    loss = tf.reduce_sum(tf.square(x - center)) + tf.reduce_sum(tf.square(y + 1.0))
    optimizer = opt.ScipyOptimizerInterface(loss, options={'maxiter': 50})
    session.run(tf.global_variables_initializer())
    seen, steps = [], []
    optimizer.minimize(session, {center: 3.0}, fetches=[loss], loss_callback=seen.append,
                       step_callback=lambda x: steps.append(x.copy()))
    np.testing.assert_allclose(session.run(x), [3, 3], atol=1e-4)
    np.testing.assert_allclose(session.run(y), [[-1]], atol=1e-4)
    assert len(seen) > 1 and seen[-1] < 1e-6 and steps[-1].shape == (3,)


def test_scipy_keeps_constraints_and_bounds(session):
    x = tf.Variable([7.0, 7.0])
    loss = tf.reduce_sum(tf.square(x))
    session.run(tf.global_variables_initializer())
    opt.ScipyOptimizerInterface(loss, equalities=[x[0] - 2.0], inequalities=[x[1] - 1.0],
                                method='SLSQP').minimize(session)
    np.testing.assert_allclose(session.run(x), [2, 1], atol=1e-4)
    opt.ScipyOptimizerInterface(loss, var_to_bounds={x: ([0.5, 0.25], np.inf)}).minimize(session)
    np.testing.assert_allclose(session.run(x), [0.5, 0.25], atol=1e-4)


def test_scipy_sets_some_arguments_itself(session):
    x = tf.Variable([7.0])
    session.run(x.initializer)
    with pytest.raises(ValueError, match="'jac' is set automatically"):
        opt.ScipyOptimizerInterface(tf.reduce_sum(x * x), jac=False).minimize(session)


def test_only_listed_variables_decay(session):
    v, w = tf.Variable([1.0], name='v'), tf.Variable([1.0], name='w')
    step = opt.MomentumWOptimizer(0.5, 0.0, 0.9).minimize(v + w, decay_var_list=[v])
    session.run(tf.global_variables_initializer())
    session.run(step)
    assert session.run([v, w]) == [[0.5], [1.0]]


def test_averages_are_saved_in_place_of_variables(session, tmp_path):
    v = tf.Variable(4.0, name='v')
    optimizer = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.25), 0.5)
    with pytest.raises(RuntimeError, match='before creating the swapping_saver'):
        optimizer.swapping_saver()
    step = optimizer.minimize(v * 4.0)
    saver = optimizer.swapping_saver()
    session.run(tf.global_variables_initializer())
    session.run(step)                                       # v is 3, its average 3.5
    path = saver.save(session, str(tmp_path / 'swapped'))
    assert tf.train.load_variable(path, 'v') == 3.5
    assert tf.train.load_variable(path, 'v/ExponentialMovingAverage') == 3.0
    session.run(v.assign(0.0))
    saver.restore(session, path)
    assert session.run(v) == 3.0


def test_what_is_left_out_says_so():
    with pytest.raises(AttributeError, match='contrib.opt.Shampoo'):
        opt.ShampooOptimizer()
