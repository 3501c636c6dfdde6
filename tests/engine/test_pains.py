"""Rows of section A of PAINS.md that no other file is about: A9, A16, A21, A23, A29."""
from __future__ import annotations

import json

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.testing import check_gradient


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_a9_which_scope_gave_each_part_of_a_name():
    with tf.name_scope('model'), tf.variable_scope('layer'):
        w = tf.get_variable('w', [2])
        first, second = tf.add(w, 1., name='sum'), tf.add(w, 2., name='sum')
    assert (w.name, first.name, second.name) == ('layer/w:0', 'model/layer/sum:0',
                                                 'model/layer/sum_1:0')
    told = tf.explain_name(second)
    assert "'model/'  scope, opened at test_pains.py" in told
    assert "'_1' because 'sum' was taken" in told
    assert 'VariableV2' in tf.explain_name(w)


def test_a9_scopes_entered_twice_get_a_number():
    for _ in range(2):
        with tf.name_scope('block'):
            y = tf.constant(1., name='y')
    assert y.name == 'block_1/y:0'
    assert "asked for as 'block'; '_1' because that was taken" in tf.explain_name(y)
    with pytest.raises(KeyError):
        tf.explain_name('nothing:0')


def test_a16_arrays_that_fit_are_fed_without_a_copy():
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.reduce_sum(x)
    fitting = np.ones((4, 3), np.float32)
    with tf.Session() as sess:
        call = sess._new_call(y, {x: fitting})
        assert call.arrays([fitting])[0] is fitting
        assert call.arrays([np.ones((4, 3))])[0].dtype == np.float32       # has to be converted


def test_a21_one_more_op_changes_no_other_with_seeds_by_name():
    def drawn(more, by_name):
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.set_random_seed(1, by_name=by_name)
            if more:
                tf.constant(0.)
            return sess.run(tf.random_normal([3], name='noise'))
    assert (drawn(False, True) == drawn(True, True)).all()
    assert (drawn(False, False) != drawn(True, False)).all()       # as TF1 has it


@pytest.mark.parametrize('loss', [
    lambda z: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=tf.constant([[0., 1., 0.]], tf.float64), logits=z),
    lambda z: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=z),
    lambda z: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=tf.constant([[0., 1., 0.]], tf.float64), logits=z),
    lambda z: tf.nn.fused_batch_norm(tf.reshape(tf.cast(tf.tile(z, [4, 1]) * tf.constant(
        [[1.], [2.], [-1.], [.5]], tf.float64), tf.float64), [4, 1, 1, 3]),
        tf.ones([3], tf.float64), tf.zeros([3], tf.float64))[0],
])
def test_a23_second_derivatives_of_fused_ops(loss):
    """In TF the second derivative of the fused loss is silently wrong."""
    z = tf.placeholder(tf.float64, [1, 3])
    check_gradient(loss(z), [z], {z: [[.3, -.7, 1.1]]}, order=2, tol=1e-4)


def test_a23_what_has_no_derivative_says_so():
    z = tf.placeholder(tf.float64, [2, 2])
    with pytest.raises(LookupError, match='MatrixLogarithm'):
        tf.gradients(tf.real(tf.linalg.logm(tf.cast(z, tf.complex128))), z)


def test_a29_profiles_over_many_runs(tmp_path):
    x = tf.placeholder(tf.float32, [None, 50])
    y = tf.reduce_sum(tf.tanh(tf.matmul(x, tf.ones([50, 50]))))
    with tf.Session() as sess:
        profile = sess.profile(y, {x: np.ones((20, 50))}, runs=7)
    assert profile.runs == 7
    lines = profile.by_line()
    assert all('test_pains.py' in name for name, _, _ in lines) and lines[0][2] > 0
    assert 'test_pains.py' in profile.table()
    assert max(size for _, size in profile.memory_curve()) >= 20 * 50 * 4
    events = json.loads(profile.chrome_trace(str(tmp_path / 'trace.json')) and
                        (tmp_path / 'trace.json').read_text())['traceEvents']
    assert any(event.get('ph') == 'X' for event in events)
