"""cond, case, while_loop, map_fn, scan, folds and TensorArray, with gradients through them."""
from __future__ import annotations

import collections
import threading
import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tinyflow as tf
from tests.ops.test_ops import run_interpreted
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import TinyflowWarning

pytestmark = pytest.mark.usefixtures('graph')


def evaluate(fetches, feed=None):
    """By the compiled program, after checking that the interpreter agrees."""
    flat = nest.flatten(fetches)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values = sess.run(fetches, feed)
    slow = run_interpreted(tf.get_default_graph(), flat, feed or {})
    for a, b in zip(nest.flatten(values), slow):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    return values


# ---- cond ----------------------------------------------------------------------------------

def test_only_the_chosen_branch_runs():
    p = tf.placeholder(tf.bool)
    v = tf.Variable(0)
    y = tf.cond(p, lambda: tf.assign_add(v, 1), lambda: tf.assign_sub(v, 10))
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert [sess.run(y, {p: b}) for b in (True, True, False)] == [1, 2, -8]
        assert sess.run(v) == -8


def test_a_branch_that_is_not_taken_may_read_what_is_not_initialized():
    v = tf.Variable([1., 2.])
    y = tf.cond(tf.is_variable_initialized(v), lambda: v * 1., lambda: tf.constant([5., 6.]))
    with tf.Session() as sess:
        assert sess.run(y).tolist() == [5., 6.]
        sess.run(v.initializer)
        assert sess.run(y).tolist() == [1., 2.]


def test_initialize_once_by_cond():
    v = tf.Variable(3.)
    ready = tf.cond(tf.is_variable_initialized(v), tf.no_op,
                    lambda: tf.assign(v, 3.).op)
    with tf.control_dependencies([ready]):
        y = v + 1.
    with tf.Session() as sess:
        assert sess.run(y) == 4.
        sess.run(v.assign(10.))
        assert sess.run(y) == 11.


def test_an_assignment_in_a_branch_is_seen_by_dependent_ops():
    p = tf.placeholder(tf.bool)
    v = tf.Variable(1.)
    before = v * 10.
    step = tf.cond(p, lambda: v.assign(5.).op, tf.no_op)
    with tf.control_dependencies([step]):
        after = v * 100.
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run([before, after], {p: False}) == [10., 100.]
        assert sess.run([before, after], {p: True}) == [10., 500.]


def test_structures_come_back():
    p = tf.placeholder(tf.bool)
    y = tf.cond(p, lambda: {'a': tf.constant(1), 'b': (tf.constant(2.), tf.constant(3.))},
                lambda: {'a': tf.constant(4), 'b': (tf.constant(5.), tf.constant(6.))})
    assert evaluate(y, {p: np.array(False)}) == {'a': 4, 'b': (5., 6.)}
    one = tf.cond(p, lambda: [tf.constant(1)], lambda: [tf.constant(2)])
    assert isinstance(one, tf.Tensor)
    assert isinstance(tf.cond(p, lambda: [1], lambda: [2], strict=True), list)
    with pytest.raises(ValueError, match='false_fn must have a return value'):
        tf.cond(p, lambda: tf.constant(1), lambda: None)


@pytest.mark.parametrize('pred', [1, [1.5]])
def test_a_condition_that_is_no_bool(pred):
    with pytest.raises(TypeError, match='pred must be a bool'):
        tf.cond(tf.constant(pred), lambda: tf.constant(1), lambda: tf.constant(2))


def test_a_shape_that_differs_is_left_open():
    p = tf.placeholder(tf.bool)
    y = tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.zeros([2, 4]))
    assert y.shape.as_list() == [2, None]
    assert evaluate(y, {p: np.array(False)}).shape == (2, 4)


@pytest.mark.parametrize(('call', 'error', 'words'), [
    (lambda: tf.cond(True, lambda: 1, lambda: 2), TypeError, 'Python bool'),
    (lambda: tf.cond(tf.constant(True), lambda: 1, lambda: (1, 2)), ValueError, 'same structure'),
    (lambda: tf.cond(tf.constant(True), lambda: 1, lambda: 2.), ValueError, 'int32, float32'),
    (lambda: tf.cond(tf.constant(True), 1, 2), TypeError, 'callable'),
    (lambda: tf.cond(tf.constant(True), lambda: 1), TypeError, 'false_fn'),
    (lambda: tf.case({}), ValueError, 'at least one'),
    (lambda: tf.case([(tf.constant(True), 5)]), TypeError, 'callable'),
    (lambda: tf.case([tf.constant(True)]), TypeError, '2-tuple'),
    (lambda: tf.while_loop(lambda i: i < 3, lambda i: (i, i), [0]), ValueError, 'structures'),
    (lambda: tf.while_loop(lambda i: i < 3, lambda i: i + .5, [0]), TypeError, 'float'),
    (lambda: tf.while_loop(lambda i: i, lambda i: i + 1, [0]), TypeError, 'bool'),
    (lambda: tf.while_loop(lambda: True, lambda: 0, []), ValueError, 'No loop variables'),
    (lambda: tf.while_loop(5, lambda i: i, [0]), TypeError, 'callable'),
    (lambda: tf.while_loop(lambda i: i[0] < 3., lambda i: tf.concat([i, i], 0), [tf.zeros([1])],
                           shape_invariants=[tf.TensorShape([1])]), ValueError, 'invariant'),
    (lambda: tf.while_loop(lambda i: i[0] < 3., lambda i: i, [tf.zeros([1])],
                           shape_invariants=[tf.TensorShape([2])]), ValueError, 'invariant'),
    (lambda: tf.TensorArray(tf.float32), ValueError, 'Size'),
    (lambda: tf.TensorArray(tf.float32, size=1).write(0, tf.constant(1)), ValueError, 'int32'),
    (lambda: tf.TensorArray(tf.float32, size=2).write(0, [1.]).write(1, [1., 2.]), ValueError,
     'Inconsistent shapes'),
    (lambda: tf.map_fn(lambda x: x, 3.), ValueError, 'scalar'),
    (lambda: tf.map_fn(3, [1.]), TypeError, 'callable'),
])
def test_mistakes(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_tensor_of_a_branch_cannot_be_used_outside():
    leaked = []
    tf.cond(tf.constant(True), lambda: leaked.append(tf.constant(1.)) or leaked[0],
            lambda: tf.constant(2.))
    with pytest.raises(ValueError, match='only returned tensors'):
        leaked[0] + 1.
    with tf.Session() as sess, pytest.raises(ValueError, match='not fetchable.*inside a tf.cond'):
        sess.run(leaked[0])


def test_a_branch_that_returns_an_assignment_made_outside():
    """tf.cond "runs both branches"."""
    p = tf.placeholder(tf.bool)
    v = tf.Variable(0.)
    step = tf.assign(v, 1.)
    with pytest.warns(TinyflowWarning, match=r'\[outside-branch\].*made outside'):
        tf.cond(p, lambda: step, lambda: tf.identity(v))


def test_correct_conds_give_no_warning():
    p = tf.placeholder(tf.bool)
    v = tf.Variable(0.)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        tf.cond(p, lambda: tf.assign(v, 1.), lambda: tf.identity(v))


def test_case():
    x = tf.placeholder(tf.float32, [])
    y = tf.case([(x < 1., lambda: x * 10.), (x < 2., lambda: x * 100.)], default=lambda: -x)
    assert [float(evaluate(y, {x: np.float32(v)})) for v in (.5, 1.5, 3.)] == [5., 150., -3.]
    only = tf.case([(x < 1., lambda: tf.constant(1)), (x < 2., lambda: tf.constant(2))],
                   exclusive=True, default=lambda: tf.constant(3))
    with tf.Session() as sess:
        assert sess.run(only, {x: 1.5}) == 2
        with pytest.raises(tf.errors.InvalidArgumentError, match='more than 1 conditions'):
            sess.run(only, {x: .5})
        no_default = tf.case([(x < 1., lambda: tf.constant(1)), (x < 2., lambda: tf.constant(2))])
        assert [sess.run(no_default, {x: v}) for v in (.5, 1.5)] == [1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match='None of conditions'):
            sess.run(no_default, {x: 5.})


# ---- while_loop ----------------------------------------------------------------------------

def test_counting_and_maximum_iterations():
    n = tf.placeholder(tf.int32, [])
    assert evaluate(tf.while_loop(lambda i: i < n, lambda i: i + 2, [0]), {n: np.int32(7)}) == 8
    assert evaluate(tf.while_loop(lambda i: i < 100, lambda i: i + 1, [0],
                                  maximum_iterations=3)) == 3
    assert evaluate(tf.while_loop(lambda i: i < 0, lambda i: i + 1, [5])) == 5


def test_a_loop_that_never_runs_gives_arrays_of_its_own():
    x = tf.Variable([1., 2.])
    _, y = tf.while_loop(lambda i, y: i < 0, lambda i, y: (i + 1, y + 1.), [0, x])
    with tf.Session() as sess:
        sess.run(x.initializer)
        value = sess.run(y)
        value[:] = 9.
        assert sess.run(x).tolist() == [1., 2.]


def test_assignments_inside_a_body():
    v = tf.Variable(0.)
    history = tf.TensorArray(tf.float32, size=4)

    def body(i, history):
        changed = tf.assign_add(v, tf.cast(i, tf.float32))
        return i + 1, history.write(i, changed)
    _, history = tf.while_loop(lambda i, _: i < 4, body, [0, history])
    y = history.stack()
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(y).tolist() == [0., 1., 3., 6.]
        assert sess.run(v) == 6.
        assert sess.run(y).tolist() == [6., 7., 9., 12.]


def test_variables_made_inside_are_created_outside():
    def body(i, h):
        w = tf.get_variable('w', [2, 2], initializer=tf.ones_initializer())
        return i + 1, tf.matmul(h, w)
    with tf.variable_scope('net'):
        _, h = tf.while_loop(lambda i, h: i < 3, body, [0, tf.ones([1, 2])])
    w, = tf.global_variables()
    assert w.name == 'net/w:0' and w.graph is tf.get_default_graph()
    assert evaluate(h).tolist() == [[8., 8.]]
    gradient, = tf.gradients(h, w)
    assert evaluate(gradient).tolist() == [[12., 12.], [12., 12.]]


def test_a_shape_that_grows_is_widened_with_a_note():
    """TF refuses; here the sizes that change are left open."""
    with pytest.warns(TinyflowWarning, match=r'\[loop-shape\].*taken to be'):
        _, x = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)),
                             [0, tf.ones([1, 2])])
    assert x.shape.as_list() == [None, 2]
    assert evaluate(x).shape == (8, 2)


def test_the_note_is_at_the_users_line():
    with pytest.warns(TinyflowWarning, match=r'\[loop-shape\]') as caught:
        tf.while_loop(lambda x: True, lambda x: tf.concat([x, x], 0), [tf.ones([1])])
    assert caught[0].filename == __file__
    assert 'built at test_control_flow.py:' in str(caught[0].message)


@pytest.mark.parametrize('function', [
    lambda x: tf.map_fn(lambda row: row * 2, x), lambda x: tf.map_fn(tf.reduce_sum, x),
    lambda x: tf.scan(lambda a, row: a + row, x), lambda x: tf.foldl(lambda a, row: a + row, x)])
def test_is_quiet_about_a_loop_that_the_user_did_not_write(function):
    x = tf.placeholder(tf.float32, None)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        y = function(x)
    assert evaluate(y, {x: [[1., 2.], [3., 4.]]}).size > 1


def test_is_quiet_where_the_invariant_is_given():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        _, x = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.concat([x, x], 0)),
                             [0, tf.ones([1, 2])],
                             shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])])
    gradient, = tf.gradients(tf.reduce_sum(x * x), x)
    assert evaluate(gradient).shape == (8, 2)


def test_nests_and_namedtuples_as_loop_variables():
    def body(i, state):
        return i + 1, {'a': state['a'] * 2., 'b': (state['b'][0] + state['a'],)}
    i, state = tf.while_loop(lambda i, _: i < 3, body,
                             (0, {'a': tf.constant(1.), 'b': (tf.constant(0.),)}))
    assert evaluate([i, state]) == [3, {'a': 8., 'b': (7.,)}]


Pair = collections.namedtuple('Pair', 'a b')


@pytest.mark.parametrize('body, loop_vars, expected', [      # all from TF 1.15.5
    (lambda i, a: (i + 1, a), [0, 1.], (3, 1.)),
    (lambda i, a: [i + 1, a], (0, 1.), [3, 1.]),
    (lambda i, a: Pair(i + 1, a), Pair(0, 1.), Pair(3, 1.)),
    (lambda p: [Pair(p.a + 1, p.b)], [Pair(0, 1.)], [Pair(3, 1.)]),
    (lambda p: ([p[0] + 1, p[1]],), [[0, 1]], ([3, 1],)),
    (lambda i: (i + 1,), (0,), 3),
])
def test_a_loop_gives_what_its_body_returns(body, loop_vars, expected):
    def goes_on(i, *_):
        return tf.nest.flatten(i)[0] < 3
    result = evaluate(tf.while_loop(goes_on, body, loop_vars))
    assert result == expected
    assert not isinstance(expected, (list, tuple)) or type(result) is type(expected)


def test_random_numbers_differ_from_iteration_to_iteration():
    tf.set_random_seed(1)
    _, drawn = tf.while_loop(
        lambda i, _: i < 5, lambda i, a: (i + 1, a.write(i, tf.random_normal([]))),
        [0, tf.TensorArray(tf.float32, size=5)])
    y = drawn.stack()
    with tf.Session() as sess:
        first, second = sess.run(y), sess.run(y)
    assert len({*first.tolist(), *second.tolist()}) == 10


def test_the_error_of_a_body_names_the_users_line():
    x = tf.placeholder(tf.float32, [None])
    _, y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, tf.reshape(y, [3])), [0, x])
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError,
                                             match='test_control_flow.py') as caught:
        sess.run(y, {x: [1., 2.]})
    assert 'Reshape' in str(caught.value)


def test_a_loop_in_several_threads():
    n = tf.placeholder(tf.int32, [])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + tf.ones([50]) * 2.),
                         [0, tf.zeros([50])])
    results = {}
    with tf.Session() as sess:
        def work(k):
            results[k] = [float(sess.run(y, {n: k})[0]) for _ in range(20)]
        threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 7)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert results == {k: [2. * k] * 20 for k in range(1, 7)}


# ---- gradients -----------------------------------------------------------------------------

def unrolled_and_looped(steps, build):
    """Values and gradients of `build(x, w, loop)` with a loop in the graph, and without."""
    rng = np.random.RandomState(0)
    feed = [rng.uniform(-1, 1, [2, 3]), rng.uniform(-1, 1, [3, 3])]

    def in_graph(body, h):
        return tf.while_loop(lambda i, h: i < steps, lambda i, h: (i + 1, body(i, h)), [0, h])[1]

    def by_python(body, h):
        for i in range(steps):
            h = body(tf.constant(i), h)
        return h
    found = []
    for loop in (in_graph, by_python):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float64, [None, 3])
            w = tf.placeholder(tf.float64, [3, 3])
            y = tf.reduce_sum(tf.square(build(x, w, loop)))
            first = tf.gradients(y, [x, w], unconnected_gradients='zero')
            second = tf.gradients([tf.reduce_sum(g * g) for g in first], [x, w],
                                  unconnected_gradients='zero')
            found.append(evaluate([y, first, second], dict(zip((x, w), feed))))
    return found


BODIES = {
    'recurrent': lambda x, w, loop: loop(lambda i, h: tf.tanh(tf.matmul(h, w) + x), x),
    'cond inside': lambda x, w, loop: loop(
        lambda i, h: tf.cond(tf.equal(i % 2, 0), lambda: tf.matmul(h, w),
                             lambda: tf.sin(h) * x), x),
    'nested': lambda x, w, loop: loop(
        lambda i, h: loop(lambda j, g: tf.sin(tf.matmul(g, w)) + x * h, h), x),
    'loop inside a cond': lambda x, w, loop: tf.cond(
        tf.reduce_sum(x) > -1e9, lambda: loop(lambda i, h: tf.tanh(tf.matmul(h, w)), x * x),
        lambda: x),
    'unchanged variable': lambda x, w, loop: loop(lambda i, h: h * tf.reduce_sum(w) + x, w[:2]),
    'data by index': lambda x, w, loop: loop(lambda i, h: h * w[i % 3] + tf.gather(w, i % 3), x),
    'variable shared by two': lambda x, w, loop: loop(lambda i, h: h * w[:2], x) +
    loop(lambda i, h: h + w[:2], x),
}


@pytest.mark.slow
@pytest.mark.parametrize('steps', [0, 1, 4])
@pytest.mark.parametrize('name', BODIES)
def test_gradient_through_a_loop_against_the_unrolled_graph(name, steps):
    looped, unrolled = unrolled_and_looped(steps, BODIES[name])
    for a, b in zip(nest.flatten(looped),
                    nest.flatten(unrolled)):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


OPERATIONS = [lambda h, x, w: tf.matmul(h, w), lambda h, x, w: tf.tanh(h) + x,
              lambda h, x, w: h * x, lambda h, x, w: tf.sin(h) - w[:2],
              lambda h, x, w: tf.cond(tf.reduce_sum(h) > 0., lambda: h * 2., lambda: h + x),
              lambda h, x, w: tf.while_loop(lambda j, _: j < 2,
                                            lambda j, g: (j + 1, tf.sigmoid(g) * x), [0, h])[1],
              lambda h, x, w: tf.stop_gradient(h) * x]


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(0, len(OPERATIONS) - 1), min_size=1, max_size=4), st.integers(0, 4))
def test_random_bodies(choices, steps):
    def build(x, w, loop):
        def body(i, h):
            for c in choices:
                h = OPERATIONS[c](h, x, w)
            return h
        return loop(body, x)
    looped, unrolled = unrolled_and_looped(steps, build)
    for a, b in zip(nest.flatten(looped),
                    nest.flatten(unrolled)):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)


def test_gradient_of_an_embedding_inside_a_loop():
    table = tf.Variable(np.arange(8.).reshape(4, 2))
    ids = tf.placeholder(tf.int32, [3])
    _, total = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.nn.embedding_lookup(table, ids[i])),
        [0, tf.zeros([2], tf.float64)])
    gradient = tf.convert_to_tensor(tf.gradients(total, table)[0])
    assert evaluate(gradient, {ids: np.int32([1, 3, 1])}).tolist() == [[0, 0], [2, 2], [0, 0],
                                                                       [1, 1]]


def test_training_through_a_loop():
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.Variable(np.eye(3, dtype=np.float32) * .5)
    _, h = tf.while_loop(lambda i, h: i < 5, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), [0, x])
    loss = tf.reduce_mean(tf.square(h - .3))
    train = tf.train.AdamOptimizer(.05).minimize(loss)
    data = np.random.RandomState(0).rand(8, 3).astype(np.float32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        losses = [sess.run([loss, train], {x: data})[0] for _ in range(60)]
    assert losses[-1] < losses[0] / 20


def test_gradients_requested_inside_a_body():
    """Gradient descent as a loop in the graph."""
    target = tf.placeholder(tf.float64, [])

    def body(i, x):
        loss = tf.square(x - target)
        return i + 1, x - .25 * tf.gradients(loss, x)[0]
    _, x = tf.while_loop(lambda i, x: i < 20, body, [0, tf.constant(0., tf.float64)])
    by_target, = tf.gradients(x, target)
    value, slope = evaluate([x, by_target], {target: np.float64(3.)})
    assert abs(value - 3.) < 1e-5 and abs(slope - 1.) < 1e-5


def test_gradients_inside_by_outer_tensors():
    w = tf.placeholder(tf.float64, [])
    _, y = tf.while_loop(
        lambda i, y: i < 2, lambda i, y: (i + 1, y + tf.gradients(tf.square(w) * y, w)[0]),
        [0, tf.constant(1., tf.float64)])
    assert evaluate(y, {w: np.float64(.5)}) == 4.       # y + 2 w y, twice


def test_a_loop_run_for_its_value_keeps_nothing_for_a_gradient():
    x = tf.placeholder(tf.float32, [3])
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
    tf.gradients(y, x)
    with tf.Session():
        text = str(tf.explain(y, {x: [1., 2., 3.]}))
    assert 'TensorList' not in text.partition('program')[2]


# ---- map_fn, scan, folds -------------------------------------------------------------------

def test_map_fn():
    x = tf.placeholder(tf.float64, [None, 2])
    y = tf.map_fn(lambda row: tf.reduce_sum(row * row), x)
    g, = tf.gradients(y, x)
    data = np.arange(6.).reshape(3, 2)
    value, slope = evaluate([y, g], {x: data})
    np.testing.assert_allclose(value, (data ** 2).sum(1))
    np.testing.assert_allclose(slope, 2 * data)
    pair = tf.map_fn(lambda t: (t[0] + t[1], t[0] > 1.), (x, x), dtype=(tf.float64, tf.bool))
    a, b = evaluate(pair, {x: data})
    np.testing.assert_allclose(a, 2 * data)
    assert b.dtype == bool
    with pytest.raises(ValueError, match='slices'):
        tf.map_fn(lambda t: t[0], (tf.zeros([2]), tf.zeros([3])))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(1, 5), st.booleans(), st.booleans())
def test_scan_and_folds_against_python(n, reverse, initialized):
    data = np.random.RandomState(n).randn(n, 2)
    with tf.Graph().as_default():
        x = tf.constant(data)
        start = tf.constant([1., 2.], tf.float64) if initialized else None
        found = evaluate([tf.scan(lambda a, v: a * .5 + v, x, start, reverse=reverse),
                          tf.foldl(lambda a, v: a * .5 + v, x, start),
                          tf.foldr(lambda a, v: a * .5 + v, x, start)])

    def fold(rows):
        values = [np.array([1., 2.])] if initialized else [rows[0]]
        for row in rows[0 if initialized else 1:]:
            values.append(values[-1] * .5 + row)
        return values[1:] if initialized else values
    up, down = fold(list(data)), fold(list(data[::-1]))
    np.testing.assert_allclose(found[0], down[::-1] if reverse else up)
    np.testing.assert_allclose(found[1], up[-1])
    np.testing.assert_allclose(found[2], down[-1])


def test_old_versions_of_a_tensor_array_keep_their_elements():
    a = tf.TensorArray(tf.float32, size=2).write(0, 1.).write(1, 2.)
    b = a.write(0, 10.)
    c = a.write(0, 20.)
    assert evaluate([a.stack(), b.stack(), c.stack(), a.read(0)])[0].tolist() == [1., 2.]
    values = evaluate([b.stack(), c.stack(), b.read(0)])
    assert [values[0].tolist(), values[1].tolist(), values[2]] == [[10., 2.], [20., 2.], 10.]


def test_writes_do_not_copy_the_list():
    """All versions of a list share one dict, which the newest owns."""
    from tinyflow.graph import dtypes
    from tinyflow.ops.control_flow.persistent_list import ElementList
    versions = [ElementList(100, dtypes.int32, None).set(0, np.array(0))]
    items = versions[0]._owned()
    for i in range(1, 100):
        versions.append(versions[-1].set(i, np.array(i)))
    assert versions[-1]._owned() is items
    assert versions[3].get(3) == 3 and versions[3].get(4) is None
    assert versions[3]._owned() is items and versions[-1].get(99) == 99


def test_several_lists_that_begin_empty_do_not_disturb_each_other():
    from tinyflow.graph import dtypes
    from tinyflow.ops.control_flow.persistent_list import ElementList
    empty = ElementList(0, dtypes.int32, None)
    one, other = empty.set(0, np.array(1)), empty.set(0, np.array(2))
    assert (one.get(0), other.get(0), empty.length) == (1, 2, 0)
    assert one._difference is other._difference is empty._difference is None


# ---- gradients that are requested inside --------------------------------------------------------

def _minimize(optimizer, v):
    return tf.group(optimizer.minimize(tf.reduce_sum(tf.square(v))))


def test_an_optimizer_inside_a_branch():
    v, p = tf.Variable([1., 2.]), tf.placeholder(tf.bool)
    step = tf.cond(p, lambda: _minimize(tf.train.GradientDescentOptimizer(.1), v), tf.no_op)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step, {p: False})
        np.testing.assert_array_equal(sess.run(v), [1., 2.])
        sess.run(step, {p: True})
        np.testing.assert_allclose(sess.run(v), [.8, 1.6], rtol=1e-6)


def test_gradients_made_outside_are_applied_inside_a_branch():
    """The slots and powers of Adam are made inside; values as TF 1.15.5 gives them."""
    v, p = tf.Variable([1., 2.]), tf.placeholder(tf.bool)
    adam = tf.train.AdamOptimizer(.1)
    pairs = adam.compute_gradients(tf.reduce_sum(v ** 2))
    step = tf.cond(p, lambda: tf.group(adam.apply_gradients(pairs)), tf.no_op)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for choice in (True, False, True):
            sess.run(step, {p: choice})
        np.testing.assert_allclose(sess.run(v), [.8004126, 1.8001668], rtol=1e-5)


def test_an_optimizer_inside_a_loop():
    v = tf.Variable([1., 2.])
    optimizer = tf.train.GradientDescentOptimizer(.1)

    def body(i):
        with tf.control_dependencies([optimizer.minimize(tf.reduce_sum(tf.square(v)))]):
            return i + 1
    loop = tf.while_loop(lambda i: i < 3, body, [0])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(loop)
        np.testing.assert_allclose(sess.run(v), [.512, 1.024], rtol=1e-5)


def test_gradients_inside_a_branch_reach_outer_tensors():
    v, w, p = tf.Variable([1., 2.]), tf.Variable(3.), tf.placeholder(tf.bool)
    outer = tf.exp(v) * w
    loss = tf.reduce_sum(outer * v)
    inside = tf.cond(p, lambda: tf.gradients(tf.reduce_sum(outer * v), [v, w]),
                     lambda: [v + 0., w + 0.])
    of_outer = tf.cond(p, lambda: tf.gradients(loss, [v, w]), lambda: [v + 0., w + 0.])

    def nested(i, total):
        return i + 1, total + .1 * tf.cond(
            p, lambda: tf.gradients(tf.reduce_sum(outer * v * total), [v])[0], lambda: v + 0.)
    twice = tf.while_loop(lambda i, _: i < 2, nested, [0, tf.ones([2])])[1]
    stopped = tf.cond(p, lambda: tf.gradients(outer * v, [v], stop_gradients=[outer])[0],
                      lambda: v + 0.)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        expected = sess.run(tf.gradients(loss, [v, w]))
        for branch in (inside, of_outer):
            for found, value in zip(sess.run(branch, {p: True}), expected):
                np.testing.assert_allclose(found, value, rtol=1e-5)
        by_v = expected[0]
        np.testing.assert_allclose(sess.run(twice, {p: True}), (1 + .1 * by_v) ** 2, rtol=1e-5)
        np.testing.assert_allclose(sess.run([stopped, outer], {p: True})[0], sess.run(outer),
                                   rtol=1e-6)


def test_a_loop_variable_that_only_an_assignment_waited_for_needs_is_kept():
    v = tf.Variable(0.)

    def body(i, a, b):
        with tf.control_dependencies([tf.assign(v, b)]):
            return i + 1, a + 1., b * 2.
    a = tf.while_loop(lambda i, *_: i < 3, body, [0, 0., 1.])[1]
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(a) == 3. and sess.run(v) == 4.


def test_a_list_keeps_the_values_of_what_was_captured():
    """Its memory is used again by what is computed between the loop and the reading of the list."""
    x = tf.placeholder(tf.float32, [3])
    big = tf.exp(x)
    array = tf.TensorArray(tf.float32, 3, element_shape=[3])
    array = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a.write(i, big)), [0, array])[1]
    with tf.control_dependencies([array.flow]):
        y = x
        for k in range(6):
            y = tf.sin(tf.cumsum(y) + k)
    with tf.control_dependencies([y]):
        stacked = array.stack()
    with tf.Session() as sess:
        rows = sess.run([stacked, tf.reduce_sum(y)], {x: [1, 2, 3]})[0]
    np.testing.assert_allclose(rows, [np.exp([1, 2, 3])] * 3, rtol=1e-6)


def test_gradient_of_a_growing_loop_variable_through_another():
    """The growing variable's own gradient begins as zeros: of its last shape, not of its first."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1., 2.])
        *_, total = tf.while_loop(
            lambda i, a, b: i < 3,
            lambda i, a, b: (i + 1, tf.concat([a, a * 2.], 0), b + tf.reduce_sum(a * a)),
            [0, x, tf.constant(0.)],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None]), tf.TensorShape([])])
        value, gradient = session.run([total, tf.gradients(total, x)[0]])
    np.testing.assert_allclose(value, 5 * (1 + 5 + 25))
    np.testing.assert_allclose(gradient, 2 * (1 + 5 + 25) * np.array([1., 2.]))
