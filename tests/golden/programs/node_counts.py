"""Random ops with a graph seed alone, whose op seed is TF1's number of nodes at that point.

Recorded with TF1's own control flow, whose nodes all stand in the one graph and are counted.
"""
from .registry import program, run


def _draw(tf):
    return tf.random_uniform([2])


@program
def seeds_in_and_after_conds(tf, np):
    tf.set_random_seed(7)
    x = tf.constant(2.0)
    v = tf.Variable(1.0)
    p = tf.placeholder(tf.bool, [], name='p')
    q = tf.placeholder(tf.bool, [], name='q')

    def inner():
        first = tf.cond(q, lambda: x + _draw(tf), lambda: x - _draw(tf))
        second = tf.cond(p, lambda: x * first + v, lambda: first)
        return second + _draw(tf)
    results = [tf.cond(p, inner, lambda: _draw(tf)), _draw(tf)]
    tf.cond(p, lambda: tf.assign(v, 2.0).op, tf.no_op)
    results.append(_draw(tf))
    results += tf.cond(v > 0.0, lambda: (v, _draw(tf), p), lambda: (x, _draw(tf), q))[:2]
    results.append(_draw(tf))
    initialize = run(tf.global_variables_initializer())
    feeds = [{p: a, q: b} for a, b in ((True, True), (True, False), (False, False))]
    return [initialize] + [run(results, feed) for feed in feeds]


@program
def seeds_in_and_after_cases(tf, np):
    tf.set_random_seed(7)
    x = tf.constant([1.0, 2.0])
    y = tf.constant(2)
    size = tf.placeholder(tf.float32, [None])
    results = [
        tf.case([(y > 3, lambda: x), (y > 1, lambda: _draw(tf))], default=lambda: x + 1.0),
        tf.case([(y > 3, lambda: x), (y > 1, lambda: _draw(tf))], exclusive=True), _draw(tf),
        tf.case({y < 0: lambda: x}, default=lambda: _draw(tf), exclusive=True), _draw(tf)]
    with tf.control_dependencies([tf.assert_positive(size), tf.Assert(x[0] > 0.0, [x])]):
        results.append(_draw(tf))
    return [run(results, {size: np.ones(2)})]


@program
def seeds_in_and_after_loops(tf, np):
    tf.set_random_seed(7)
    x = tf.constant([1.0, 2.0])
    p = tf.placeholder(tf.bool, [], name='p')
    # With several iterations at a time the order of the inner loop's numbers is any.
    one = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x + _draw(tf)), [0, x])[1]

    def body(i, a):
        b = tf.while_loop(lambda j, c: j < i, lambda j, c: [j + 1, c * x + _draw(tf)], [0, a],
                          maximum_iterations=3, parallel_iterations=1)[1]
        return i + 1, tf.cond(p, lambda: b + _draw(tf), lambda: x) + _draw(tf)
    two = tf.while_loop(lambda i, a: i < 3, body, [0, x], parallel_iterations=1)[1]
    three = tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0],
                          maximum_iterations=tf.constant(4))
    return [run([one, two, three, _draw(tf)], {p: flag}) for flag in (True, False)]


@program
def seeds_in_and_after_arrays(tf, np):
    tf.set_random_seed(7)
    a = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack([1.0, 2.0, 3.0])
    results = [a.read(0), _draw(tf), a.stack(), a.gather([1]), _draw(tf), a.size(), _draw(tf)]
    pieces = tf.TensorArray(tf.float32, 2).split(tf.constant([1.0, 2.0]), [1, 1])
    results += [pieces.concat(), _draw(tf)]
    grown = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    grown = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t.write(i, a.read(i))),
                          [0, grown])[1]
    results += [grown.stack(), _draw(tf)]
    x = tf.placeholder(tf.float32, [None, 2])
    results += [
        tf.map_fn(lambda row: row * _draw(tf), x), _draw(tf),
        tf.map_fn(lambda row: (row, tf.reduce_sum(row)), x, dtype=(tf.float32, tf.float32)),
        tf.scan(lambda b, row: b + row * _draw(tf), x), tf.scan(tf.add, x, tf.zeros([2])),
        _draw(tf), tf.foldl(tf.add, x), tf.foldr(lambda b, row: b + row * _draw(tf), x),
        _draw(tf)]
    return [run(results, {x: np.arange(6).reshape(3, 2)})]


@program
def seeds_of_weights_in_functions(tf, np):
    tf.set_random_seed(7)
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    training = tf.placeholder(tf.bool, [], name='training')

    def body(i, h):
        return i + 1, tf.layers.dense(h, 2, name='inner', reuse=tf.AUTO_REUSE)
    h = tf.while_loop(lambda i, h: i < 3, body, [0, x])[1]
    h = tf.layers.dropout(tf.layers.dense(h, 8), 0.5, training=training)
    h = tf.layers.dense(h, 3)
    return [run(tf.global_variables_initializer()), run(tf.trainable_variables()),
            run(h, {x: np.ones([2, 2]), training: False}),
            run(_draw(tf))]


@program
def seeds_after_decoding(tf, np):
    tf.set_random_seed(7)
    seq2seq = tf.contrib.seq2seq
    x = tf.placeholder(tf.float32, [2, 5, 3], name='x')
    cell = tf.nn.rnn_cell.GRUCell(4)
    decoder = seq2seq.BasicDecoder(cell, seq2seq.TrainingHelper(x, [5, 4]),
                                   cell.zero_state(2, tf.float32), tf.layers.Dense(7))
    output = seq2seq.dynamic_decode(decoder)[0].rnn_output
    table = tf.get_variable('table', [7, 3])
    helper = seq2seq.GreedyEmbeddingHelper(table, [1, 1], 2)
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32),
                                   tf.layers.Dense(7))
    chosen = seq2seq.dynamic_decode(decoder, maximum_iterations=6)[0].sample_id
    return [run(tf.global_variables_initializer()),
            run([output, table, chosen, _draw(tf)], {x: np.ones([2, 5, 3])})]
