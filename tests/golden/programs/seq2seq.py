"""tf.contrib.legacy_seq2seq and tf.contrib.seq2seq."""
from .registry import functional, program, run


def _ids(tf, name, count):
    return [tf.placeholder(tf.int32, [None], name='%s%d' % (name, i)) for i in range(count)]


def _legacy(tf, np, build, loss=True):
    """Outputs, state, both losses and gradients of a model of three steps in, four out."""
    tf.set_random_seed(7)
    sources, steps = _ids(tf, 'in', 3), _ids(tf, 'out', 4)
    outputs, state = build(sources, steps)
    weights = [tf.placeholder(tf.float32, [None], name='w%d' % i) for i in range(4)]
    legacy = tf.contrib.legacy_seq2seq
    losses = [legacy.sequence_loss(outputs, steps, weights),
              legacy.sequence_loss_by_example(outputs, steps, weights, False)] if loss else []
    gradients = [tf.convert_to_tensor(g) for g in tf.gradients(
        tf.add_n([tf.reduce_sum(o * o) for o in outputs]), tf.trainable_variables())
        if g is not None]
    rng = np.random.RandomState(0)
    feeds = {p: rng.randint(0, 6, 2) for p in sources + steps}
    feeds.update({w: rng.rand(2) for w in weights})
    return [run(tf.global_variables_initializer()),
            run([outputs, state, losses, gradients], feeds)]


def _cell(tf, size=5):
    return tf.nn.rnn_cell.BasicLSTMCell(size)


@program
def seq2seq_legacy_basic(tf, np):
    def build(sources, steps):
        return tf.contrib.legacy_seq2seq.basic_rnn_seq2seq(
            [tf.one_hot(s, 6) for s in sources], [tf.one_hot(s, 6) for s in steps], _cell(tf, 6))
    return _legacy(tf, np, build)


@program
def seq2seq_legacy_tied(tf, np):
    def build(sources, steps):
        return tf.contrib.legacy_seq2seq.tied_rnn_seq2seq(
            [tf.one_hot(s, 6) for s in sources], [tf.one_hot(s, 6) for s in steps], _cell(tf, 6))
    return _legacy(tf, np, build)


@program
def seq2seq_legacy_embedding(tf, np):
    def build(sources, steps):
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(5) for _ in range(2)])
        return tf.contrib.legacy_seq2seq.embedding_rnn_seq2seq(sources, steps, cell, 6, 7, 5,
                                                               feed_previous=True)
    return _legacy(tf, np, build)


@program
def seq2seq_legacy_embedding_tied(tf, np):
    def build(sources, steps):
        return tf.contrib.legacy_seq2seq.embedding_tied_rnn_seq2seq(sources, steps, _cell(tf), 6, 5)
    return _legacy(tf, np, build)


@program
def seq2seq_legacy_attention(tf, np):
    def build(sources, steps):
        return tf.contrib.legacy_seq2seq.embedding_attention_seq2seq(
            sources, steps, _cell(tf), 6, 7, 5, num_heads=2, initial_state_attention=True)
    return _legacy(tf, np, build)


@program
def seq2seq_legacy_attention_feeds_itself(tf, np):
    def build(sources, steps):
        return tf.contrib.legacy_seq2seq.embedding_attention_seq2seq(
            sources, steps, _cell(tf), 6, 7, 5, feed_previous=True)
    return _legacy(tf, np, build)


@program
def seq2seq_legacy_one_to_many(tf, np):
    def build(sources, steps):
        outputs, states = tf.contrib.legacy_seq2seq.one2many_rnn_seq2seq(
            sources, {'a': steps[:2]}, _cell(tf), {'a': _cell(tf)}, 6, {'a': 6}, 4)
        return outputs['a'], states['a']
    return _legacy(tf, np, build, loss=False)


@program
def seq2seq_legacy_buckets(tf, np):
    tf.set_random_seed(7)
    legacy = tf.contrib.legacy_seq2seq
    sources, steps = _ids(tf, 'in', 3), _ids(tf, 'out', 4)
    weights = [tf.placeholder(tf.float32, [None], name='w%d' % i) for i in range(4)]

    def model(x, y):
        return legacy.embedding_attention_seq2seq(x, y, tf.nn.rnn_cell.GRUCell(5), 6, 7, 5)

    outputs, losses = legacy.model_with_buckets(sources, steps, steps, weights, [(2, 2), (3, 4)],
                                                model)
    rng = np.random.RandomState(0)
    feeds = {p: rng.randint(0, 6, 2) for p in sources + steps}
    feeds.update({w: rng.rand(2) for w in weights})
    return [run(tf.global_variables_initializer()), run([outputs, losses], feeds)]


@program
def seq2seq_sequence_losses(tf, np):
    logits = tf.placeholder(tf.float32, [None, 3, 7])
    targets, weights = tf.placeholder(tf.int32, [None, 3]), tf.placeholder(tf.float32, [None, 3])
    loss = tf.contrib.seq2seq.sequence_loss
    found = [loss(logits, targets, weights),
             loss(logits, targets, weights, average_across_timesteps=False),
             loss(logits, targets, weights, average_across_batch=False),
             loss(logits, targets, weights, False, False, name='plain'),
             loss(logits, targets, weights, False, False, True, True),
             loss(logits, targets, weights, False, False, True, False)]
    rng = np.random.RandomState(0)
    return [run(found, {logits: rng.randn(2, 3, 7), targets: rng.randint(0, 7, (2, 3)),
                        weights: [[1, 1, 0], [0.5, 0, 0]]})]


def _decoding(tf):
    """A table, a projection and a cell, made before the loop: inside, TF makes resources."""
    tf.set_random_seed(7)
    table = tf.get_variable('table', [7, 4])
    layer = tf.layers.Dense(7, use_bias=False, dtype=tf.float32)
    cell = tf.nn.rnn_cell.GRUCell(5)
    with tf.variable_scope('decoder'):
        layer.build(tf.TensorShape([None, 5]))
        cell.build(tf.TensorShape([None, 4]))
    return table, layer, cell


def _decoded(tf, np, decoder, feeds=None, **settings):
    found = tf.contrib.seq2seq.dynamic_decode(decoder, **settings)
    return [run(tf.global_variables_initializer()), run(list(found), feeds)]


def _inputs(tf, np):
    x = tf.placeholder(tf.float32, [None, 3, 4], name='x')
    lengths = tf.placeholder(tf.int32, [None], name='lengths')
    return x, lengths, {x: np.random.RandomState(0).randn(2, 3, 4), lengths: [2, 3]}


@functional
def seq2seq_training_helper(tf, np):
    _, layer, cell = _decoding(tf)
    x, lengths, feeds = _inputs(tf, np)
    helper = tf.contrib.seq2seq.TrainingHelper(x, lengths)
    decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32), layer)
    return _decoded(tf, np, decoder, feeds)


@functional
def seq2seq_impute_finished(tf, np):
    _, _, cell = _decoding(tf)
    x, lengths, feeds = _inputs(tf, np)
    helper = tf.contrib.seq2seq.TrainingHelper(x, lengths, name='true')
    decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    return _decoded(tf, np, decoder, feeds, impute_finished=True, output_time_major=True,
                    maximum_iterations=2)


@functional
def seq2seq_greedy(tf, np):
    table, layer, cell = _decoding(tf)
    helper = tf.contrib.seq2seq.GreedyEmbeddingHelper(table, tf.fill([2], 1), 2)
    decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32), layer)
    return _decoded(tf, np, decoder, maximum_iterations=6)


@functional
def seq2seq_sampled(tf, np):
    table, layer, cell = _decoding(tf)
    helper = tf.contrib.seq2seq.SampleEmbeddingHelper(table, tf.fill([2], 1), 2, 0.5, seed=4)
    decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32), layer)
    return _decoded(tf, np, decoder, maximum_iterations=6)


@functional
def seq2seq_scheduled_embedding(tf, np):
    table, layer, cell = _decoding(tf)
    x, lengths, feeds = _inputs(tf, np)
    helper = tf.contrib.seq2seq.ScheduledEmbeddingTrainingHelper(
        x, lengths, table, 0.5, seed=4, scheduling_seed=5)
    decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32), layer)
    return _decoded(tf, np, decoder, feeds)


@functional
def seq2seq_scheduled_output(tf, np):
    tf.set_random_seed(7)
    cell = tf.nn.rnn_cell.GRUCell(4)
    with tf.variable_scope('decoder'):
        cell.build(tf.TensorShape([None, 8]))
    x, lengths, feeds = _inputs(tf, np)
    helper = tf.contrib.seq2seq.ScheduledOutputTrainingHelper(
        x, lengths, 0.5, seed=4, auxiliary_inputs=x, next_inputs_fn=lambda outputs: 2 * outputs)
    decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    return _decoded(tf, np, decoder, feeds)


@functional
def seq2seq_beam_search(tf, np):
    table, layer, cell = _decoding(tf)
    decoder = tf.contrib.seq2seq.BeamSearchDecoder(
        cell, table, tf.fill([2], 1), 2, cell.zero_state(6, tf.float32), 3, layer,
        length_penalty_weight=0.25)
    return _decoded(tf, np, decoder, maximum_iterations=5)


def _attended(tf, np, mechanism, **settings):
    tf.set_random_seed(7)
    memory = tf.placeholder(tf.float32, [None, 3, 4], name='memory')
    lengths = tf.placeholder(tf.int32, [None], name='lengths')
    x = tf.constant(np.random.RandomState(1).randn(2, 4).astype('f'))
    cell = tf.contrib.seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.GRUCell(5), mechanism(tf.contrib.seq2seq, memory, lengths), **settings)
    state = cell.zero_state(2, tf.float32).clone(cell_state=tf.ones([2, 5]))
    first, state = cell(x, state)
    second, state = cell(2 * x, state)
    loss = tf.reduce_mean(first * first + second) / 10
    gradients = tf.gradients(loss, tf.trainable_variables())
    return [run(tf.global_variables_initializer()),
            run([first, second, state.alignments, state.attention,
                 [g for g in gradients if g is not None]],
                {memory: np.random.RandomState(0).randn(2, 3, 4), lengths: [2, 3]})]


@functional
def seq2seq_luong_attention(tf, np):
    return _attended(tf, np, lambda s, m, n: s.LuongAttention(5, m, n, scale=True),
                     attention_layer_size=3)


@functional
def seq2seq_bahdanau_attention(tf, np):
    return _attended(tf, np, lambda s, m, n: s.BahdanauAttention(6, m, n, normalize=True),
                     output_attention=False)


@functional
def seq2seq_two_attentions(tf, np):
    return _attended(tf, np, lambda s, m, n: [s.BahdanauAttention(6, m), s.LuongAttention(5, m, n)],
                     attention_layer_size=[3, 2])


@functional
def seq2seq_monotonic_attention(tf, np):
    return _attended(tf, np, lambda s, m, n: s.BahdanauMonotonicAttention(
        6, m, n, sigmoid_noise=1.0, sigmoid_noise_seed=3), attention_layer_size=5)


@functional
def seq2seq_hard_monotonic_attention(tf, np):
    return _attended(tf, np, lambda s, m, n: s.LuongMonotonicAttention(5, m, mode='hard'))


@program
def seq2seq_pieces(tf, np):
    s = tf.contrib.seq2seq
    p, before = tf.constant([[0.25, 0.5, 1.0]]), tf.constant([[1.0, 0.0, 0.0]])
    tree = s.gather_tree(tf.constant([[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]]),
                         tf.constant([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]]]), [3], 10)
    return [run([s.safe_cumprod(p, axis=1), s.monotonic_attention(p, before, 'parallel'),
                 s.monotonic_attention(p, before, 'hard'), s.hardmax([[1.0, 3.0, 2.0]]), tree,
                 s.tile_batch(tf.constant([[1, 2], [3, 4]]), 2)])]
