"""Choices, loops and TensorArrays in TF's functional form."""
from .registry import functional, run


@functional
def tensor_array_methods(tf, np):
    a = tf.TensorArray(tf.float32, size=3)
    a = a.write(0, [1.0, 2.0]).write(2, [5.0, 6.0]).write(1, [3.0, 4.0])
    rows = tf.TensorArray(tf.float32, size=3).unstack(tf.constant([[1.0], [2.0], [3.0]]))
    scattered = tf.TensorArray(tf.float32, size=2, element_shape=[2]).scatter(
        [1, 0], tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    pieces = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(
        tf.constant([1.0, 2.0, 3.0]), [1, 2])
    return [run([a.read(1), a.stack(), a.gather([2, 0]), a.concat(), a.size(), rows.read(2),
                 scattered.stack(), pieces.read(1), pieces.concat()])]


@functional
def tensor_array_gradients(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    a = tf.TensorArray(tf.float32, size=3).unstack(x * x)
    y = tf.reduce_sum(a.gather([0, 2]) * 2.0) + tf.reduce_sum(a.read(1)) + \
        tf.reduce_sum(a.concat()) + tf.reduce_sum(tf.tanh(a.stack()))
    return [run([y, tf.gradients(y, x)[0]])]


@functional
def loop_with_several_variables(tf, np):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    w = tf.constant(np.eye(3, dtype=np.float32) * 0.5)
    i, h, total = tf.while_loop(
        lambda i, h, total: i < 4,
        lambda i, h, total: (i + 1, tf.tanh(tf.matmul(h, w) + x), total + tf.reduce_sum(h)),
        [tf.constant(0), x, tf.constant(0.0)], maximum_iterations=10)
    loss = tf.reduce_sum(h) + total
    feed = {x: np.array([[1.0, -2.0, 0.5], [0.1, 0.2, 0.3]], np.float32)}
    return [run([i, h, total, tf.gradients(loss, [x, w])], feed)]


@functional
def loops_in_loops_and_choices(tf, np):
    x = tf.placeholder(tf.float32, [2], name='x')

    def body(i, y):
        y = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x), [0, y])[1]
        return i + 1, tf.cond(tf.reduce_sum(y) > 3.0, lambda: y * 0.5, lambda: y + x)
    _, y = tf.while_loop(lambda i, y: i < 4, body, [0, x])
    return [run([y, tf.gradients(y, x)[0]], {x: np.array([1.5, -0.5], np.float32)})]


@functional
def random_numbers_in_functions(tf, np):
    tf.set_random_seed(7)
    p = tf.placeholder(tf.bool, [], name='p')
    drawn = tf.cond(p, lambda: tf.random_normal([2], seed=1),
                    lambda: tf.random_uniform([2], seed=2))
    _, total = tf.while_loop(lambda i, t: i < 3,
                             lambda i, t: (i + 1, t + tf.random_uniform([2], seed=3)),
                             [0, tf.zeros([2])])
    return [run(drawn, {p: True}), run(drawn, {p: False}), run(total), run(total)]


@functional
def choices_of_structures(tf, np):
    p = tf.placeholder(tf.bool, [], name='p')
    x = tf.constant([1.0, 2.0])
    pair = tf.cond(p, lambda: (x * 2.0, {'n': tf.constant(1)}),
                   lambda: (x + 1.0, {'n': tf.constant(2)}))
    chosen = tf.case([(tf.reduce_sum(x) < 2.0, lambda: x), (tf.reduce_sum(x) < 5.0, lambda: -x)],
                     default=lambda: x * 0.0)
    return [run([pair, chosen], {p: True}), run([pair, chosen], {p: False})]


@functional
def folds_and_scans(tf, np):
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    feed = {x: np.arange(6, dtype=np.float32).reshape(3, 2)}
    start = tf.constant([1.0, 1.0])
    mapped = tf.map_fn(lambda t: (t[0] + t[1], tf.reduce_sum(t[0])), (x, x * x),
                       dtype=(tf.float32, tf.float32))
    return [run([tf.foldl(lambda a, v: a * 0.5 + v, x, start), tf.foldr(lambda a, v: a - v, x),
                 tf.scan(lambda a, v: a + v, x, start),
                 tf.scan(lambda a, v: a * v, x, reverse=True), mapped,
                 tf.gradients(mapped[0], x)[0]], feed)]
