"""Rows of section A of PAINS.md that no other file is about, and what other files leave out."""
from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.api.testing import check_gradient


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
    assert "requested as 'block'; '_1' because that was taken" in tf.explain_name(y)
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


# ---- what the rows say beside their main test ------------------------------------------------

def told(kind, call, *parts):
    """The message of the error of just this kind, which has these parts in eight lines or fewer."""
    with pytest.raises(kind) as caught:
        call()
    text = str(caught.value)
    for part in parts:
        assert part in text, f'{part!r} is not in:\n{text}'
    assert len(text.split('\n')) <= 8, text
    return text


def test_a2_what_was_made_after_the_initializer():
    """Slots made after the last initializer are told as such, and one call makes up for them."""
    w = tf.Variable([1.0, 2.0], name='w')
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(w.assign([5.0, 6.0]))
        train = tf.train.MomentumOptimizer(0.0, 0.9).minimize(tf.reduce_sum(w * w))
        told(tf.errors.FailedPreconditionError, lambda: sess.run(train),
             "made after the initializer 'init' (test_pains.py:", "leaves them out: 'w/Momentum'",
             'tf.initialize_missing_variables(sess)')
        assert sess.run(tf.report_uninitialized_variables()).tolist() == [b'w/Momentum']
        assert [v.op.name for v in tf.initialize_missing_variables(sess)] == ['w/Momentum']
        sess.run(train)
        assert sess.run(w).tolist() == [5.0, 6.0]
    with tf.Session() as other:                 # a new Session: nothing was made too late
        text = told(tf.errors.FailedPreconditionError, lambda: other.run(w), "'w'"[1:-1])
        assert 'made after' not in text


@pytest.mark.parametrize('fetch, nearest', [
    ('los', "'loss'"), ('los:0', "'loss:0'"), ('net/dense/MatMul_0', "'net/dense/MatMul'"),
    ('matmul', "'net/dense/MatMul'"), ('MatMul:0', "'net/dense/MatMul:0'")])
def test_a6_a_misspelt_name_names_the_nearest_nodes(fetch, nearest):
    tf.constant(1.0, name='loss')
    tf.matmul(tf.zeros([1, 1]), tf.zeros([1, 1]), name='net/dense/MatMul')
    with tf.Session() as sess:
        told(ValueError, lambda: sess.run(fetch), f"'{fetch}'", 'Nearest: ', nearest)
        told(KeyError, lambda: sess.graph.as_graph_element(fetch), nearest)


def test_a6_summaries_that_are_none():
    tf.constant(1.0)
    with tf.Session() as sess:
        told(TypeError, lambda: sess.run(tf.summary.merge_all()), 'merge_all', 'no summaries')


def test_a8_the_same_line_twice_and_another_line():
    """The two causes are told apart, and each has its own mend."""
    def layer():
        return tf.get_variable('w', [2])
    layer()
    told(ValueError, layer, 'the same line ran twice', 'reset_default_graph')
    text = told(ValueError, lambda: tf.get_variable('w', [2]), 'asked for again', 'reuse')
    assert 'the same line' not in text


def test_a12_the_op_that_cuts_the_way_and_the_logits():
    w = tf.get_variable('w', [3, 2])
    found = tf.argmax(tf.matmul(tf.ones([4, 3]), w), 1)
    loss = tf.reduce_mean(tf.cast(found, tf.float32))
    told(ValueError, lambda: tf.train.GradientDescentOptimizer(0.1).minimize(loss),
         'No gradients provided', "ArgMax 'ArgMax', built at test_pains.py:",
         'did you mean the logits')


def test_a23_what_has_no_second_derivative_says_so():
    """Not None, and not the part of it that is known."""
    x = tf.placeholder(tf.float32, [2, 1, 3])
    loss = tf.nn.ctc_loss(tf.SparseTensor([[0, 0]], [1], [1, 1]), x, [2])
    first, = tf.gradients(loss, x)
    told(LookupError, lambda: tf.gradients(first, x), "CTCLoss 'CTCLoss' has no second derivative",
         'built at test_pains.py')


@pytest.mark.parametrize('name, nearest', [
    ('truncated_norml', 'tf.truncated_normal'), ('layers.dens', 'tf.layers.dense'),
    ('train.AdamOptimiser', 'tf.train.AdamOptimizer')])
def test_a31_a_slip_of_the_pen_names_what_was_meant(name, nearest):
    def look_up():
        value = tf
        for part in name.split('.'):
            value = getattr(value, part)
    told(AttributeError, look_up, f'there is no tf.{name}', f'nearest: {nearest}')


# ---- smaller promises -------------------------------------------------------------------------

@pytest.mark.parametrize('choose', [tf.maximum, tf.minimum])
def test_the_gradient_of_an_extreme_is_a_choice_not_a_product(choose):
    """Infinity arrives at the chosen input alone; the other gets 0, as in TF, not infinity * 0."""
    x, y = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [3])
    dx, dy = tf.gradients(choose(x, y), [x, y], grad_ys=tf.constant([np.inf, -np.inf, np.nan]))
    low, high = np.float32([1, 1, 1]), np.float32([2, 2, 2])
    chosen = np.float32([np.inf, -np.inf, np.nan])
    with tf.Session() as sess:
        feeds = {x: high, y: low} if choose is tf.maximum else {x: low, y: high}
        for got, wanted in zip(sess.run([dx, dy], feeds), (chosen, np.zeros(3))):
            np.testing.assert_array_equal(got, wanted)
        feeds = {x: feeds[y], y: feeds[x]}
        for got, wanted in zip(sess.run([dx, dy], feeds), (np.zeros(3), chosen)):
            np.testing.assert_array_equal(got, wanted)
        # Equal values: all goes to the first, as in TF.
        for got, wanted in zip(sess.run([dx, dy], {x: low, y: low}), (chosen, np.zeros(3))):
            np.testing.assert_array_equal(got, wanted)


def test_nothing_goes_through_the_statistics_of_batch_normalisation():
    """TF gives zeros for what only the mean and the variance depend on; and adds nothing else."""
    x = tf.placeholder(tf.float32, [2, 2, 2, 3])
    y, mean, variance = tf.nn.fused_batch_norm(x, tf.ones([3]), tf.zeros([3]))
    of_statistics, = tf.gradients(tf.reduce_sum(mean) + tf.reduce_sum(variance), x)
    alone, = tf.gradients(tf.reduce_sum(y * y * y), x)
    both, = tf.gradients(tf.reduce_sum(y * y * y) + tf.reduce_sum(mean * variance), x)
    value = np.random.default_rng(0).normal(size=(2, 2, 2, 3)).astype(np.float32)
    with tf.Session() as sess:
        zeros, one, two = sess.run([of_statistics, alone, both], {x: value})
    assert not zeros.any() and one.any()
    np.testing.assert_array_equal(one, two)


def test_methods_that_a_subclass_is_to_define_name_class_and_method():
    from tinyflow.api.test.assertions import Assertions
    from tinyflow.train.checkpoints.checkpoint import _Status

    class Mine(_Status, Assertions):
        def __init__(self):
            """Neither needs anything here."""
    for method, arguments in (('evaluate', [1]), ('assert_consumed', []),
                              ('assert_existing_objects_matched', []),
                              ('assert_nontrivial_match', [])):
        with pytest.raises(NotImplementedError, match=f'Mine does not define {method}'):
            getattr(Mine(), method)(*arguments)


def test_a_table_of_ids_needs_no_other_module_first():
    """The choice between known ids and buckets is made by an op whose module loads late."""
    program = '''
import tinyflow as tf
table = tf.contrib.lookup.index_table_from_tensor(['a', 'b'], num_oov_buckets=2)
ids = table.lookup(tf.constant(['b', 'a', 'zebra']))
with tf.Session() as sess:
    sess.run(tf.tables_initializer())
    found = sess.run(ids).tolist()
assert found[:2] == [1, 0] and found[2] in (2, 3), found
'''
    done = subprocess.run([sys.executable, '-W', 'error', '-c', program], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
