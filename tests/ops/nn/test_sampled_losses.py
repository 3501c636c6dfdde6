"""Candidate samplers and the losses made of them; sparse updates of large tables."""
import time

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.ops.nn import candidate_samplers

CLASSES, DIM = 40, 5

pytestmark = pytest.mark.usefixtures('graph')


def drawn(sampler, runs=1, **settings):
    labels = tf.constant([[1], [3]], tf.int64)
    fetch = getattr(tf.nn, sampler)(labels, 1, **settings)
    with tf.Session() as session:
        return [session.run(fetch) for _ in range(runs)]


@pytest.mark.parametrize('sampler', ['uniform', 'log_uniform', 'learned_unigram'])
@pytest.mark.parametrize('seed', [None, 3])
def test_unique_draws_are_different_and_inside(sampler, seed):
    found, = drawn(f'{sampler}_candidate_sampler', num_sampled=30, unique=True, range_max=30,
                   seed=seed)
    assert sorted(found.sampled_candidates) == list(range(30))
    assert (found.sampled_expected_count <= 1).all()


@pytest.mark.parametrize('unique', [True, False])
@pytest.mark.parametrize('kind', [candidate_samplers.Uniform, candidate_samplers.LogUniform,
                                  candidate_samplers.LearnedUnigram])
def test_every_run_draws_from_its_own_place_in_the_stream(kind, unique):
    """Although the words of some runs are computed together."""
    classes, runs = np.array([[1], [3]]), candidate_samplers._RUNS_AHEAD + 3
    sampler = candidate_samplers.SamplerState(kind(50), 3, 4)
    found, states = [], []
    for _ in range(runs):
        states.append(sampler.get_state())
        found.append(sampler.sample(classes, 12, unique))
    assert len({tuple(drawn) for drawn, _, _ in found}) == runs
    for state, expected in reversed([*zip(states, found)]):
        for one in (candidate_samplers.SamplerState(kind(50), 3, 4), sampler):
            one.set_state(state)
            for array, other in zip(one.sample(classes, 12, unique), expected):
                np.testing.assert_array_equal(array, other)


def test_log_uniform_draws_follow_zipf():
    """The expected counts are those that are drawn."""
    found, = drawn('log_uniform_candidate_sampler', num_sampled=200_000, unique=False,
                   range_max=20, seed=3)
    counts = np.bincount(found.sampled_candidates, minlength=20)
    classes = np.arange(20)
    wanted = 200_000 * np.log((classes + 2) / (classes + 1)) / np.log(21)
    np.testing.assert_allclose(counts, wanted, rtol=0.06)
    np.testing.assert_allclose(found.sampled_expected_count,
                               wanted[found.sampled_candidates], rtol=1e-5)


def test_fixed_unigram_draws_by_weight_and_distortion(tmp_path):
    path = tmp_path / 'words.csv'
    path.write_text('the,16\nof,4\na "rare, word",1\n')
    found, = drawn('fixed_unigram_candidate_sampler', num_sampled=100_000, unique=False,
                   range_max=4, vocab_file=str(path), distortion=0.5, num_reserved_ids=1)
    counts = np.bincount(found.sampled_candidates, minlength=4)
    assert counts[0] == 0
    np.testing.assert_allclose(counts[1:], 100_000 * np.array([4, 2, 1]) / 7, rtol=0.05)


def test_learned_unigram_learns():
    """A class that was true a thousand times is drawn more often; a new Session forgets."""
    labels = tf.fill([1000, 1], tf.constant(7, tf.int64))
    found = tf.nn.learned_unigram_candidate_sampler(labels, 1, 500, False, 10, seed=1)
    with tf.Session() as session:
        first, second = (session.run(found.sampled_candidates) for _ in range(2))
    assert (first == 7).mean() < 0.2 < 0.9 < (second == 7).mean()
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(found.sampled_candidates), first)


def model():
    rng = np.random.default_rng(0)
    return (tf.Variable(rng.normal(size=(CLASSES, DIM)).astype('f')),
            tf.Variable(rng.normal(size=CLASSES).astype('f')),
            tf.constant(rng.normal(size=(3, DIM)).astype('f')),
            tf.constant([[3], [17], [0]], tf.int64))


def test_sampled_softmax_over_all_classes_is_the_softmax():
    weights, biases, x, labels = model()
    everything = tf.nn.all_candidate_sampler(labels, 1, CLASSES, True)
    sampled = tf.nn.sampled_softmax_loss(weights, biases, labels, x, CLASSES, CLASSES,
                                         sampled_values=everything)
    full = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels[:, 0], logits=tf.matmul(x, weights, transpose_b=True) + biases)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(*session.run([sampled, full]), rtol=1e-4)


@pytest.mark.parametrize('loss', ['nce_loss', 'sampled_softmax_loss'])
def test_gradients_of_the_table_are_rows(loss):
    weights, biases, x, labels = model()
    value = getattr(tf.nn, loss)(weights, biases, labels, x, 4, CLASSES)
    gradients = tf.gradients(value, [weights, biases])
    assert all(isinstance(g, tf.IndexedSlices) for g in gradients)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(value)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(weights)
        session.run(step)
        changed = (session.run(weights) != before).any(1)
    assert 3 <= changed.sum() <= 7 and changed[[3, 17, 0]].all()


def test_rows_of_sparse_ids_are_combined():
    table = tf.constant(np.arange(20, dtype='f').reshape(5, 4))
    ids = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], tf.constant([1, 3, 4], tf.int64), [2, 3])
    weights = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 3.0, 2.0], [2, 3])
    rows = np.arange(20, dtype='f').reshape(5, 4)
    with tf.Session() as session:
        for combiner, divisor in (('sum', 1), ('mean', 4), ('sqrtn', 10 ** 0.5)):
            found = session.run(tf.nn.embedding_lookup_sparse(table, ids, weights,
                                                              combiner=combiner))
            np.testing.assert_allclose(found[0], (rows[1] + 3 * rows[3]) / divisor, rtol=1e-6)
    with pytest.raises(TypeError, match='embedding_lookup takes a dense'):
        tf.nn.embedding_lookup_sparse(table, [1, 2], None)


def microseconds(rows, optimizer):
    """One step on a batch of 32 of a table [rows, 64]: the least of many."""
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.get_variable('table', [rows, 64], initializer=tf.zeros_initializer())
        ids = tf.placeholder(tf.int32, [32])
        found = tf.nn.embedding_lookup(table, ids)
        step = optimizer().minimize(tf.reduce_mean((found - 1) ** 2))
        session.run(tf.global_variables_initializer())
        rng, times = np.random.default_rng(0), []
        for _ in range(60):
            batch = rng.integers(0, rows, 32)
            start = time.perf_counter()
            session.run(step, {ids: batch})
            times.append(time.perf_counter() - start)
        return min(times) * 1e6


@pytest.mark.slow
@pytest.mark.parametrize('optimizer', [
    lambda: tf.train.GradientDescentOptimizer(0.1), lambda: tf.train.AdagradOptimizer(0.1),
    lambda: tf.train.MomentumOptimizer(0.1, 0.9)], ids=['sgd', 'adagrad', 'momentum'])
def test_a_step_takes_no_longer_for_a_larger_table(optimizer):
    """Only the looked-up rows are touched: a hundred times the rows, the same time."""
    assert microseconds(500_000, optimizer) < 5 * microseconds(5_000, optimizer) + 200


def test_sampler_errors_have_hints():
    labels = tf.constant([[1]], tf.int64)
    with pytest.raises(ValueError, match='exactly one of vocab_file or unigrams'):
        tf.nn.fixed_unigram_candidate_sampler(labels, 1, 2, True, 5)
    with pytest.raises(ValueError, match='less than minimum 1'):
        tf.nn.uniform_candidate_sampler(labels, 1, 0, True, 5)
    with pytest.raises(TypeError, match='Expected int'):
        tf.nn.uniform_candidate_sampler(labels, 1, 2.5, True, 5)
    with tf.Session() as session:
        small = tf.nn.uniform_candidate_sampler(labels, 1, 6, True, 5)
        with pytest.raises(tf.errors.InvalidArgumentError, match='unique=False'):
            session.run(small)
