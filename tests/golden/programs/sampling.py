"""Candidate samplers, sampled losses and lookups of sparse ids."""
from .registry import program, run


def _labels(tf):
    return tf.constant([[1, 2], [3, 4], [0, 1]], tf.int64)


@program
def candidate_samplers_unique(tf, np):
    tf.set_random_seed(7)
    labels, nn = _labels(tf), tf.nn
    drawn = [nn.uniform_candidate_sampler(labels, 2, 5, True, 10),
             nn.uniform_candidate_sampler(labels, 2, 4, True, 5, seed=3),
             nn.log_uniform_candidate_sampler(labels, 2, 5, True, 1000),
             nn.log_uniform_candidate_sampler(labels, 2, 20, True, 40, seed=3),
             nn.learned_unigram_candidate_sampler(labels, 2, 5, True, 13, seed=9),
             nn.fixed_unigram_candidate_sampler(labels, 2, 4, True, 5, unigrams=[3, 1, 7, 2, 1],
                                                seed=5),
             nn.all_candidate_sampler(labels, 2, 5, True)]
    return [run([list(d) for d in drawn]) for _ in range(3)]


@program
def candidate_samplers_with_repeats(tf, np):
    tf.set_random_seed(8)
    labels, nn = _labels(tf), tf.nn
    drawn = [nn.uniform_candidate_sampler(labels, 2, 9, False, 8),
             nn.uniform_candidate_sampler(labels, 2, 4, False, 2 ** 40 + 1),
             nn.log_uniform_candidate_sampler(labels, 2, 5, False, 1000, name='classes'),
             nn.learned_unigram_candidate_sampler(labels, 2, 5, False, 5),
             nn.fixed_unigram_candidate_sampler(labels, 2, 9, False, 7, distortion=0.75, seed=5,
                                                unigrams=[3, 1, 7, 2, 1], num_reserved_ids=2),
             nn.fixed_unigram_candidate_sampler(labels, 2, 9, False, 2, unigrams=[3, 1, 7, 2, 1],
                                                num_shards=2, shard=1, seed=6)]
    return [run([list(d) for d in drawn]) for _ in range(3)]


def _model(tf, np):
    rng = np.random.RandomState(0)
    weights = tf.Variable(rng.randn(50, 4).astype('f'))
    biases = tf.Variable(rng.randn(50).astype('f'))
    return weights, biases, tf.constant(rng.randn(3, 4).astype('f'))


def _train(tf, loss, variables, feeds):
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return [run(tf.global_variables_initializer()), run(loss, feeds), run(step, feeds),
            run(loss, feeds), run(variables)]


@program
def nce_losses(tf, np):
    tf.set_random_seed(7)
    weights, biases, x = _model(tf, np)
    labels = tf.placeholder(tf.int32, [None, 2])
    one = tf.placeholder(tf.int64, [3, 1])
    loss = tf.reduce_mean(tf.nn.nce_loss(weights, biases, labels, x, 5, 50, 2))
    loss += tf.reduce_mean(tf.nn.nce_loss(weights=weights, biases=biases, labels=one, inputs=x,
                                          num_sampled=30, num_classes=50, name='cost',
                                          remove_accidental_hits=True))
    return _train(tf, loss, [weights, biases],
                  {labels: [[1, 2], [3, 4], [0, 1]], one: [[1], [2], [0]]})


@program
def sampled_softmax_losses(tf, np):
    tf.set_random_seed(7)
    weights, biases, x = _model(tf, np)
    labels = tf.placeholder(tf.int64, [3, 1])
    drawn = tf.nn.uniform_candidate_sampler(labels, 1, 6, False, 50)
    loss = tf.reduce_mean(tf.nn.sampled_softmax_loss(weights, biases, labels, x, 30, 50))
    loss += tf.reduce_mean(tf.nn.sampled_softmax_loss(
        weights, biases, labels, x, 6, 50, sampled_values=drawn, remove_accidental_hits=False,
        name='softmax'))
    return _train(tf, loss, [weights, biases], {labels: [[1], [2], [0]]})


@program
def nce_loss_of_a_table_in_parts(tf, np):
    weights = [tf.Variable(np.arange(i, i + 12).reshape(6, 2).astype('f') / 9) for i in (0, 7)]
    biases = tf.Variable(np.arange(12).astype('f') / 5)
    x = tf.constant([[0.5, -1.0], [2.0, 1.0]])
    labels = tf.placeholder(tf.int64, [None, 1])
    loss = tf.reduce_sum(tf.nn.nce_loss(weights, biases, labels, x, 4, 12,
                                        partition_strategy='div', sampled_values=(
        tf.constant([1, 7, 3, 10], tf.int64), tf.constant([[0.5], [0.25]]),
        tf.constant([0.5, 0.25, 0.5, 1.0]))))
    return _train(tf, loss, weights + [biases], {labels: [[3], [11]]})


@program
def embedding_lookup_sparse_combiners(tf, np):
    table = tf.Variable(np.random.RandomState(0).randn(10, 4).astype('f'))
    places = [[0, 0], [0, 1], [1, 0], [2, 3], [2, 4]]
    values = tf.placeholder(tf.int64, [None])
    ids = tf.SparseTensor(places, values, [3, 5])
    weights = tf.SparseTensor(places, [1.0, 2.0, 3.0, 4.0, 0.5], [3, 5])
    found = []
    for combiner in ('sum', 'mean', 'sqrtn'):
        found.append(tf.nn.embedding_lookup_sparse(table, ids, None, combiner=combiner))
        found.append(tf.nn.embedding_lookup_sparse(table, ids, weights, combiner=combiner,
                                                   name='weighted'))
    loss = tf.add_n([tf.reduce_sum(f * f) for f in found])
    step = tf.train.AdagradOptimizer(0.1).minimize(loss)
    feeds = {values: [3, 7, 3, 9, 9]}
    return [run(tf.global_variables_initializer()), run(found, feeds), run(step, feeds),
            run(table)]


@program
def safe_embedding_lookup_sparse_forms(tf, np):
    table = tf.Variable(np.random.RandomState(0).randn(10, 4).astype('f'))
    values, shares = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.float32, [None])
    places = [[0, 0], [0, 1], [2, 0], [2, 3], [2, 4]]
    ids, weights = tf.SparseTensor(places, values, [4, 5]), tf.SparseTensor(places, shares, [4, 5])
    cube = tf.SparseTensor([[0, 0, 0], [0, 1, 0], [1, 1, 0]], values[:3], [2, 2, 3])
    lookup = tf.nn.safe_embedding_lookup_sparse
    found = [lookup(table, ids), lookup(table, ids, weights, combiner='sum', default_id=3),
             lookup([table], ids, weights, combiner='sqrtn', name='roots'),
             lookup(table, cube, combiner='sum')]
    loss = tf.add_n([tf.reduce_sum(f * f) for f in found])
    gradients = [tf.convert_to_tensor(g) for g in tf.gradients(loss, [table, shares])]
    feeds = {values: [3, 7, -1, 9, 9], shares: [1.0, 2.0, 3.0, -4.0, 0.5]}
    return [run(tf.global_variables_initializer()), run([found, gradients], feeds)]


@program
def sparse_rows(tf, np):
    values = tf.placeholder(tf.float32, [None])
    sparse = tf.SparseTensor([[0, 1], [2, 0], [2, 2]], values, [4, 3])
    shaped = tf.sparse_reshape(sparse, [2, -1])
    filled, empty = tf.sparse_fill_empty_rows(sparse, 7.0)
    kept = tf.sparse_retain(sparse, [True, False, True])
    gradient, = tf.gradients(tf.reduce_sum(filled.values ** 3), values)
    return [run([list(s) for s in ([shaped.indices, shaped.values, shaped.dense_shape],
                                   [filled.indices, filled.values, empty],
                                   [kept.indices, kept.values, kept.dense_shape], [gradient])],
                {values: [1.0, 2.0, 3.0]})]


@program
def sampled_sparse_softmax(tf, np):
    tf.set_random_seed(7)
    weights, biases, x = _model(tf, np)
    labels = tf.placeholder(tf.int64, [3, 1])
    loss = tf.reduce_mean(tf.contrib.nn.sampled_sparse_softmax_loss(weights, biases, labels, x, 20,
                                                                    50))
    return _train(tf, loss, [weights, biases], {labels: [[1], [2], [0]]})
