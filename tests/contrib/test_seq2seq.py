"""Decoders: a search finds the best, attention reads what it should, lengths end a decoding."""
import itertools

import numpy as np
import pytest

import tinyflow as tf

CLASSES, END = 4, 3

pytestmark = pytest.mark.usefixtures('graph')


class Chain(tf.nn.rnn_cell.RNNCell):
    """A 'cell' whose logits depend on the last symbol alone: a Markov chain."""

    state_size, output_size = 1, CLASSES

    def call(self, inputs, state):
        table = tf.constant(CHAIN.astype('f'))
        return tf.matmul(inputs, table), state + 1


CHAIN = np.random.default_rng(5).normal(size=(CLASSES, CLASSES)) * 2


def log_probability(sequence, start):
    rows = CHAIN - np.log(np.exp(CHAIN).sum(1, keepdims=True))
    total, last = 0.0, start
    for symbol in sequence:
        total += rows[last, symbol]
        if symbol == END:
            break
        last = symbol
    return total


def test_a_beam_as_wide_as_all_sequences_finds_the_best():
    width, steps = CLASSES ** 3, 3
    seq2seq, cell = tf.contrib.seq2seq, Chain()
    decoder = seq2seq.BeamSearchDecoder(
        cell, tf.eye(CLASSES), tf.fill([2], 1), END, cell.zero_state(2 * width, tf.float32), width)
    outputs, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=steps)
    with tf.Session() as session:
        ids, scores = session.run([outputs.predicted_ids, state.log_probs])
    best = max(itertools.product(range(CLASSES), repeat=steps),
               key=lambda sequence: log_probability(sequence, 1))
    ended = [END if END in best[:i] else symbol for i, symbol in enumerate(best)]
    for row in range(2):
        assert ids[row, :, 0].tolist() == ended
        np.testing.assert_allclose(scores[row, 0], log_probability(best, 1), rtol=1e-5)
        finite = scores[row][np.isfinite(scores[row])]
        assert (np.diff(finite) <= 1e-6).all()


def test_greedy_decoding_ends_where_the_end_token_comes():
    seq2seq, cell = tf.contrib.seq2seq, Chain()
    helper = seq2seq.GreedyEmbeddingHelper(tf.eye(CLASSES), tf.range(3), END)
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(3, tf.float32))
    outputs, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=9)
    with tf.Session() as session:
        ids, lengths = session.run([outputs.sample_id, lengths])
    for row in range(3):
        wanted, last = [], row
        while len(wanted) < 9 and last != END:
            last = int(CHAIN[last].argmax())
            wanted.append(last)
        assert lengths[row] == len(wanted)
        assert ids[row, :len(wanted)].tolist() == wanted


def test_training_decoder_equals_dynamic_rnn():
    x = tf.constant(np.random.default_rng(0).normal(size=(2, 3, 4)).astype('f'))
    lengths, cell = tf.constant([3, 1]), tf.nn.rnn_cell.GRUCell(5)
    helper = tf.contrib.seq2seq.TrainingHelper(x, lengths)
    decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    with tf.variable_scope('net', reuse=tf.AUTO_REUSE):
        outputs, state, found = tf.contrib.seq2seq.dynamic_decode(decoder, impute_finished=True)
        wanted, last = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        a, b, c, d, e = session.run([outputs.rnn_output, wanted, state, last, found])
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(c, d, rtol=1e-5, atol=1e-6)
    assert e.tolist() == [3, 1]


@pytest.mark.parametrize('name', ['LuongAttention', 'BahdanauAttention'])
def test_attention_is_a_distribution_over_the_unmasked_values(name):
    memory = tf.constant(np.random.default_rng(0).normal(size=(2, 4, 3)).astype('f'))
    mechanism = getattr(tf.contrib.seq2seq, name)(5, memory, [4, 2])
    weights, _ = mechanism(tf.ones([2, 5]), mechanism.initial_state(2, tf.float32))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(weights)
    np.testing.assert_allclose(found.sum(1), 1, rtol=1e-6)
    assert not found[1, 2:].any() and found[0].all()


def test_monotonic_attention_in_all_modes():
    """Closed form, recursion and (for sure choices) the hard mode agree."""
    rng = np.random.default_rng(0)
    p = rng.random((3, 6)).astype('f')
    before = np.eye(6, dtype='f')[[0, 2, 1]]
    attend = tf.contrib.seq2seq.monotonic_attention
    sure = (p > 0.5).astype('f')
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(attend(p, before, 'parallel')),
                                   session.run(attend(p, before, 'recursive')), rtol=1e-4,
                                   atol=1e-6)
        np.testing.assert_allclose(session.run(attend(sure, before, 'hard')),
                                   session.run(attend(sure, before, 'recursive')), atol=1e-6)


def test_a_state_that_was_not_tiled_raises():
    seq2seq = tf.contrib.seq2seq
    memory = tf.zeros([2, 4, 3])
    cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(5), seq2seq.LuongAttention(5, memory))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match='tile_batch'):
        cell.zero_state(6, tf.float32)
    plain = tf.nn.rnn_cell.GRUCell(5)
    with pytest.raises(ValueError, match='batch_size=encoder_batch_size'):
        seq2seq.BeamSearchDecoder(plain, tf.eye(5), tf.fill([2], 1), 3,
                                  tf.zeros([6, 7]), 3)


@pytest.mark.slow
def test_a_model_with_buckets_learns():
    """The sum of the last steps of a sequence, by the smallest of models."""
    legacy = tf.contrib.legacy_seq2seq
    sources = [tf.placeholder(tf.int32, [None]) for _ in range(2)]
    targets = [tf.placeholder(tf.int32, [None]) for _ in range(2)]
    steps = [tf.zeros_like(targets[0]), targets[0]]
    weights = [tf.ones_like(t, tf.float32) for t in targets]
    with tf.variable_scope('net', initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=1)):
        _, losses = legacy.model_with_buckets(
            sources, steps, targets, weights, [(1, 1), (2, 2)],
            lambda x, y: legacy.embedding_attention_seq2seq(
                x, y, tf.nn.rnn_cell.GRUCell(12), 5, 5, 6))
    train = tf.train.AdamOptimizer(0.03).minimize(losses[1])
    rng = np.random.default_rng(0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        history = []
        for _ in range(60):
            a, b = rng.integers(0, 5, (2, 32))
            feeds = dict(zip(sources + targets, [a, b, b, a]))      # say it backwards
            history.append(session.run([losses[1], train], feeds)[0])
    assert history[-1] < 0.3 * history[0]


def test_a_method_that_a_subclass_forgot_is_named():
    class Reader(tf.contrib.seq2seq.Helper):
        pass
    with pytest.raises(NotImplementedError, match='Reader does not define initialize'):
        Reader().initialize()


def test_beams_over_a_memory_of_a_length_that_is_known_while_running(graph):
    """The ids, and with them the seeds of all weights, are those that TF 1.15.5 printed."""
    seq2seq, lstm = tf.contrib.seq2seq, tf.contrib.rnn.LSTMCell
    tf.set_random_seed(3)
    lengths = tf.placeholder(tf.int32, (None,))
    x = tf.placeholder(tf.float32, (None, None, 6))
    memory, state = tf.nn.dynamic_rnn(lstm(8), x, sequence_length=lengths, dtype=tf.float32)
    table, layer = tf.get_variable('emb', [12, 6]), tf.layers.Dense(12)
    start = tf.tile(tf.constant([1], dtype=tf.int32), [4], name='start_tokens')
    tiled, tiled_state, tiled_lengths = [seq2seq.tile_batch(t, 3)
                                         for t in (memory, state, lengths)]
    attention = seq2seq.BahdanauAttention(8, tiled, memory_sequence_length=tiled_lengths)
    cell = seq2seq.AttentionWrapper(lstm(8), attention, attention_layer_size=8)
    first = cell.zero_state(12, tf.float32).clone(cell_state=tiled_state)
    decoder = seq2seq.BeamSearchDecoder(cell, table, start, 2, first, 3, layer)
    outputs, _, ends = seq2seq.dynamic_decode(decoder, maximum_iterations=5)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        ids, found = session.run([outputs.predicted_ids, ends], {
            x: np.random.RandomState(0).rand(4, 6, 6), lengths: [6, 5, 3, 2]})
    assert ids[0].tolist() == [[9, 10, 9], [10, 9, 9], [9, 9, 9], [9, 9, 9], [9, 9, 9]]
    assert ids[1].tolist() == [[10, 10, 10], [10, 9, 9], [9, 10, 9], [9, 9, 9], [9, 9, 9]]
    assert (found == 5).all()


def test_a_state_of_another_size_is_refused_while_running():
    attention = tf.contrib.seq2seq.LuongAttention(4, tf.zeros([2, 3, 4]))
    cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), attention)
    other = tf.placeholder_with_default(tf.zeros([3, 4]), [None, 4])
    state = cell.zero_state(2, tf.float32).clone(cell_state=other)
    with tf.Session() as session, \
            pytest.raises(tf.errors.InvalidArgumentError, match='Wrong shape'):
        session.run(state.cell_state)
