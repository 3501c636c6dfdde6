"""Stacks and sums of matrix products that loops look after outside of their bodies."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.compile import Options, graph_to_program, optimise
from tinyflow.compiler.passes import PASSES
from tinyflow.graph.op import nodes
from tinyflow.session.program_cache import ProgramCache

pytestmark = pytest.mark.usefixtures('graph')

RANDOM = np.random.default_rng(3)
STACKS = tuple(name for name in PASSES if name != 'lift_sums')
NEITHER = tuple(name for name in STACKS if name != 'lift_stacks')


def values(fetches, feeds, passes=tuple(PASSES)):
    with tf.Session() as session:
        session._programs = ProgramCache(session._store, Options(passes=passes, unroll=None))
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def lifted(fetches, feeds):
    """(number of lists, of sums) that are taken out of the loops around the fetches."""
    program = optimise(graph_to_program(tuple(fetches), tuple(feeds)),
                       [np.shape(v) for v in feeds.values()], Options(unroll=None))
    found = [i.attrs['_lifted'] for i in program.instructions if '_lifted' in i.attrs]
    return (sum(len(f.pushed) + len(f.popped) for f in found), sum(len(f.summed) for f in found))


def same_everywhere(fetches, feeds):
    """Stacks change no bit, sums a rounding."""
    plain, stacks, both = [values(fetches, feeds, passes)
                           for passes in (NEITHER, STACKS, tuple(PASSES))]
    for a, b, c in zip(plain, stacks, both):
        assert a.dtype == c.dtype and a.tobytes() == b.tobytes()
        np.testing.assert_allclose(a, c, rtol=2e-5, atol=1e-6)
    return both


def array(*shape):
    return RANDOM.normal(size=shape).astype('f')


def recurrent(batch=3, steps=None):
    """A recurrence over a fed number of steps, its weights, and what is fed."""
    x, n = tf.placeholder(tf.float32, [batch, 4]), tf.placeholder(tf.int32, [])
    w, v = tf.constant(array(4, 5)), tf.constant(array(5, 4) / 3)

    def step(i, h):
        return i + 1, tf.tanh(tf.matmul(tf.sigmoid(tf.matmul(h, w)), v) + x)
    _, h = tf.while_loop(lambda i, h: i < n, step, [0, x])
    return h, [w, v, x], {x: array(batch or 3, 4), n: 7 if steps is None else steps}


def test_the_gradient_of_a_loop():
    h, by, feeds = recurrent()
    gradients = tf.gradients(tf.reduce_sum(h), by)
    stacks, sums = lifted(gradients, feeds)
    assert stacks >= 4 and sums == 2
    same_everywhere(gradients, feeds)


@pytest.mark.parametrize('steps', [0, 1, 500])
def test_loops_of_no_step_and_of_more_than_are_collected_at_a_time(steps):
    h, by, feeds = recurrent(steps=steps)
    same_everywhere([h, *tf.gradients(tf.reduce_sum(h), by)], feeds)


def test_a_large_batch_of_unknown_size():
    h, by, feeds = recurrent(batch=None)
    x = next(iter(feeds))
    gradients = tf.gradients(tf.reduce_sum(h), by)
    same_everywhere(gradients, {**feeds, x: array(700, 4)})


def gates(kernel, bias, cut):
    """A recurrence whose gates use parts of one kernel and one bias, cut by a function."""
    x, n = tf.placeholder(tf.float32, [3, 4]), tf.placeholder(tf.int32, [])

    def step(i, h):
        (w1, w2), (b1, b2) = cut(kernel), cut(bias)
        kept = tf.sigmoid(tf.nn.bias_add(tf.matmul(h, w1), b1))
        return i + 1, kept * h + tf.tanh(tf.nn.bias_add(tf.matmul(h + x, w2), b2))
    _, h = tf.while_loop(lambda i, h: i < n, step, [0, x])
    return h, {x: array(3, 4), n: 6}


@pytest.mark.parametrize('cut', [
    lambda w: (w[..., :4], w[..., 4:]), lambda w: (w[..., 4:], w[..., :4]),
    lambda w: (w[..., 1:5], w[..., 2:6]), lambda w: (w[..., ::2], w[..., -1:-8:-2]),
    lambda w: tf.split(w, 2, axis=-1)],
    ids=['slices', 'in another order', 'overlapping', 'of every second column', 'split'])
def test_parts_of_weights(cut):
    kernel, bias = tf.constant(array(4, 8)), tf.constant(array(8))
    h, feeds = gates(kernel, bias, cut)
    gradients = tf.gradients(tf.reduce_sum(h), [kernel, bias])
    assert lifted(gradients, feeds)[1] == 2
    same_everywhere([h, *gradients], feeds)


def test_parts_that_change_the_rank_stay():
    kernel, bias = tf.constant(array(2, 4, 4)), tf.constant(array(8))
    h, feeds = gates(kernel, bias, lambda w: (w[0], w[1]) if w is kernel else (w[:4], w[4:]))
    gradients = tf.gradients(tf.reduce_sum(h), [kernel, bias])
    assert lifted(gradients, feeds)[1] == 1
    same_everywhere([h, *gradients], feeds)


@pytest.mark.parametrize('shapes, message', [
    ([(4, 4), (3, 4), (3, 4)], None), ([(1, 4), (3, 4), (3, 4)], 'are not compatible'),
    ([(4, 4), (3, 1), (3, 1)], 'are not compatible'), ([(4, 4), (1, 4), (3, 4)], '1 and 3'),
    ([(4, 4), (3, 4), (1, 4)], '3 and 1')])
def test_shapes_that_do_not_fit(shapes, message):
    """Nothing is broadcast that would not be without the rewrite."""
    fed = [tf.placeholder(tf.float64, [None, None]) for _ in shapes]
    unknown = [tf.TensorShape([None, None])] * 3
    total = tf.while_loop(
        lambda i, *_: i < 2,
        lambda i, s, x, y: (i + 1, tf.add_n([s, tf.matmul(x, y, transpose_a=True)]), x, y),
        [0, *fed], shape_invariants=[tf.TensorShape([]), *unknown])[1]
    feeds = dict(zip(fed, map(np.ones, shapes)))
    assert lifted([total], feeds)[1] == 1
    if message is None:
        assert values(total, feeds)[0].tolist() == [7.0] * 4
        return
    for passes in (NEITHER, tuple(PASSES)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            values(total, feeds, passes)


@pytest.mark.slow
@pytest.mark.parametrize('layer', ['LSTM', 'GRU'])
@pytest.mark.parametrize('options', [{}, {'implementation': 2}, {'recurrent_dropout': 0.3}],
                         ids=['', 'one product', 'dropout'])
def test_keras_cells(layer, options):
    """One sum for the kernel, one for the recurrent kernel, one for the bias."""
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [4, 70, 3])
    cells = getattr(tf.keras.layers, layer)(5, **options)
    gradients = tf.gradients(tf.reduce_sum(cells(x)), cells.trainable_weights)
    feeds = {x: array(4, 70, 3)}
    assert lifted(gradients, feeds)[1] == 3
    same_everywhere(gradients, feeds)


def test_the_second_gradient():
    h, by, feeds = recurrent()
    first = tf.gradients(tf.reduce_sum(h * h), by)
    second = tf.gradients([tf.reduce_sum(g * g) for g in first], by)
    same_everywhere(second, feeds)


def test_dynamic_rnn_and_its_lengths():
    x, lengths = tf.placeholder(tf.float32, [None, 4, 3]), tf.placeholder(tf.int32, [4])
    cell = tf.nn.rnn_cell.BasicLSTMCell(5)
    outputs, state = tf.nn.dynamic_rnn(cell, x, lengths, time_major=True, dtype=tf.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        gradients = tf.gradients([outputs, state.h], [*tf.trainable_variables(), x])
        feeds = {x: array(6, 4, 3), lengths: [6, 2, 4, 1]}
        found = session.run(gradients, feeds)
        again = session.run(gradients, {**feeds, x: np.concatenate([feeds[x], array(3, 4, 3)])})
    for a, b in zip(found[:2], again):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)     # what is padding adds nothing


@pytest.mark.parametrize('keys', [[2, 3, 4], [1, 3, 4], [None, 3, 4]],
                         ids=['each', 'one for all', 'unknown'])
def test_batches_of_products(keys):
    """With one key for all, and where the graph does not know how many there are."""
    k, n = tf.placeholder(tf.float32, keys), tf.placeholder(tf.int32, [])
    start = tf.constant(array(2, 1, 4))

    def step(i, q):
        return i + 1, tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True)), k) + start
    _, q = tf.while_loop(lambda i, q: i < n, step, [0, start])
    gradients = tf.gradients(q, [k, start])
    feeds = {k: array(*[2 if size is None else size for size in keys]), n: 5}
    assert lifted(gradients, feeds)[1] == (0 if keys[0] == 1 else 1)
    same_everywhere(gradients, feeds)


def test_a_loop_inside_of_a_loop():
    n, w = tf.placeholder(tf.int32, []), tf.constant(array(3, 3) / 2)

    def inner(j, h):
        return j + 1, tf.tanh(tf.matmul(h, w))

    def outer(i, h):
        return i + 1, tf.while_loop(lambda j, h: j < i, inner, [0, h])[1] * 1.5
    _, h = tf.while_loop(lambda i, h: i < n, outer, [0, tf.constant(array(2, 3))])
    same_everywhere([h, *tf.gradients(h, w)], {n: 4})


def test_a_weight_used_twice_in_a_step():
    n, w = tf.placeholder(tf.int32, []), tf.constant(array(3, 3) / 2)
    _, h = tf.while_loop(lambda i, h: i < n,
                         lambda i, h: (i + 1, tf.matmul(tf.tanh(tf.matmul(h, w)), w)),
                         [0, tf.constant(array(2, 3))])
    gradients = tf.gradients(h, w)
    assert lifted(gradients, {n: 6})[1] == 1
    same_everywhere(gradients, {n: 6})


def test_a_sum_that_the_loop_reads_stays_in_its_body():
    n, a = tf.placeholder(tf.int32, []), tf.constant(array(2, 3))
    total = tf.zeros([3, 3])
    by_body = tf.while_loop(
        lambda i, s: i < n, lambda i, s: (i + 1, tf.add_n([s, tf.matmul(a, a, transpose_a=True)])
                                          + tf.reduce_max(s)), [0, total])[1]
    by_condition = tf.while_loop(
        lambda i, s: (i < n) & (tf.reduce_max(s) < 20),
        lambda i, s: (i + 1, tf.add_n([s, tf.matmul(a, a, transpose_a=True)])), [0, total])[1]
    free = tf.while_loop(
        lambda i, s: i < n,
        lambda i, s: (i + 1, tf.add_n([s, tf.matmul(a, a, transpose_a=True)])), [0, total])[1]
    for fetch, sums in ((by_body, 0), (by_condition, 0), (free, 1)):
        assert lifted([fetch], {n: 5})[1] == sums
        same_everywhere([fetch], {n: 5})


def test_what_waits_for_a_push_still_happens():
    n, v = tf.placeholder(tf.int32, []), tf.Variable(0.)

    def step(i, items):
        with tf.control_dependencies([v.assign_add(1.)]):
            return i + 1, nodes.TensorListPushBack(items, tf.constant(2.))
    empty = nodes.EmptyTensorList(tf.constant([], tf.int32), -1,
                                  element_dtype=tf.float32)
    _, items = tf.while_loop(lambda i, items: i < n, step, [0, empty])
    stacked = nodes.TensorListStack(items, tf.constant([], tf.int32),
                                    element_dtype=tf.float32)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(stacked, {n: 3}).tolist() == [2, 2, 2]
        assert session.run(v) == 3


def _popping(shape, count):
    """A loop that pops a fed number of elements from a list of `count`."""
    n = tf.placeholder(tf.int32, [])
    items = nodes.TensorListFromTensor(tf.range(float(count)), tf.constant(shape, tf.int32))

    def step(i, items, total):
        items, last = nodes.TensorListPopBack(
            items, tf.constant(shape, tf.int32), element_dtype=tf.float32)
        return i + 1, items, total * 10 + last
    found = tf.while_loop(lambda i, items, total: i < n, step, [0, items, 0.])
    return n, nodes.TensorListLength(found[1]), found[2]


def test_a_list_that_is_popped_and_what_is_left_of_it():
    n, left, total = _popping([], 5)
    assert lifted([left, total], {n: 3})[0] == 1
    with tf.Session() as session:
        assert session.run([left, total], {n: 3}) == [2, 432]


def test_a_pop_too_many_is_refused():
    n, _, total = _popping([], 2)
    refused = pytest.raises(tf.errors.InvalidArgumentError,
                            match="TensorListPopBack 'while/.*pop from an empty list")
    with tf.Session() as session, refused:
        session.run(total, {n: 3})


def test_an_element_of_another_shape_is_refused():
    n = tf.placeholder(tf.int32, [])
    items = nodes.EmptyTensorList(tf.constant([2], tf.int32), -1, element_dtype=tf.float32)
    x = tf.placeholder(tf.float32, [None])

    def step(i, items):
        return i + 1, nodes.TensorListPushBack(items, x * 2)
    _, items = tf.while_loop(lambda i, items: i < n, step, [0, items])
    length = nodes.TensorListLength(items)
    with tf.Session() as session:
        assert session.run(length, {n: 3, x: [1, 2]}) == 3
        with pytest.raises(tf.errors.InvalidArgumentError,
                           match="TensorListPushBack 'while/.*list shape: .2"):
            session.run(length, {n: 3, x: [1, 2, 3]})
