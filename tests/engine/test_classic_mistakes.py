"""Traps that other small TF-like engines fell into (PAINS.md, section D): each a test."""
from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.graph.elementwise import Unary
from tinyflow.graph.op import Op

pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture
def counting():
    """An identity that counts how often its kernel runs."""
    runs = []

    class Counted(Unary):
        overwrites = ()
        pure = False                    # so that no pass may merge or fold it

        def kernel(x):
            runs.append(1)
            return x + 0.0

        def gradient(op, dy):
            return dy

    yield Counted.apply, runs
    del Op.registry['Counted']


# ---- D1 ------------------------------------------------------------------------------------

def test_d1_a_shared_node_runs_once(counting):
    """D1: 16 chained y + y must be 16 evaluations, not 131,071."""
    counted, runs = counting
    x = tf.placeholder(tf.float64, [], name='x')
    y = x
    for _ in range(16):
        y = counted(y)
        y = y + y
    with tf.Session() as session:
        assert session.run(y, {x: 1.0}) == 2.0 ** 16
    assert len(runs) == 16


def test_d1_a_node_fetched_twice_and_shared_runs_once(counting):
    """D1: two fetches, one evaluation; the next run evaluates again."""
    counted, runs = counting
    x = tf.placeholder(tf.float64, [], name='x')
    y = counted(x)
    with tf.Session() as session:
        assert session.run([y, y, y * 2.0, y + 1.0], {x: 3.0}) == [3.0, 3.0, 6.0, 4.0]
        assert len(runs) == 1
        session.run(y, {x: 3.0})
        assert len(runs) == 2


def test_d1_gradient_of_shared_nodes_is_small(graph):
    """D1: the gradient of 30 chained y + y has a few nodes for each, not 2**30."""
    x = tf.placeholder(tf.float64, [], name='x')
    y = x
    for _ in range(30):
        y = y + y
    before = len(graph.get_operations())
    g, = tf.gradients(y, x)
    assert len(graph.get_operations()) - before < 200
    with tf.Session() as session:
        assert session.run(g, {x: 1.0}) == 2.0 ** 30


# ---- D2 ------------------------------------------------------------------------------------

def test_d2_skip_connections():
    """D2: breadth-first back-propagation visits h before the long branch has reported."""
    x = tf.placeholder(tf.float64, [], name='x')
    h = x * 2.0
    long = h
    for _ in range(4):
        long = long * 3.0
    g, dh = tf.gradients(long + h * 5.0, [x, h])
    with tf.Session() as session:
        assert session.run([g, dh], {x: 1.0}) == [2.0 * (81.0 + 5.0), 81.0 + 5.0]


def test_d2_dense_skip_connections():
    """D2: every layer takes all earlier ones; checked against the sum over all paths."""
    x = tf.placeholder(tf.float64, [], name='x')
    layers, paths = [x], [1]
    for _ in range(8):
        total = layers[0]
        for layer in layers[1:]:
            total = total + layer
        layers.append(total * 1.0)
        paths.append(sum(paths))
    g, = tf.gradients(layers[-1], x)
    with tf.Session() as session:
        assert session.run(g, {x: 1.0}) == paths[-1]


# ---- D3 ------------------------------------------------------------------------------------

def test_d3_a_run_uses_nothing_of_an_earlier_run():
    """D3: values of other feeds must not linger, neither forward nor in the gradient."""
    x = tf.placeholder(tf.float64, [None], name='x')
    w = tf.Variable(np.array(2.0), name='w')
    loss = tf.square(x * w)
    g, = tf.gradients(loss, w)
    train = w.assign_sub(0.1 * g)
    with tf.Session() as session:
        session.run(w.initializer)
        assert session.run(loss, {x: [10.0]}).tolist() == [400.0]
        session.run(train.op, {x: [1.0]})               # dloss/dw = 2 * 2 at x = 1, w = 2
        assert session.run(w) == pytest.approx(1.6)
        session.run(train.op, {x: [1.0, 1.0]})
        assert session.run(w) == pytest.approx(1.6 - 0.1 * 2 * 3.2)


def test_d3_training_alone_reads_the_variable_anew():
    """D3: run(train) again and again, never fetching the loss, still goes down."""
    w = tf.Variable(np.array(4.0), name='w')
    train = w.assign_sub(0.25 * tf.gradients(tf.square(w), w)[0])
    with tf.Session() as session:
        session.run(w.initializer)
        seen = []
        for _ in range(3):
            session.run(train.op)
            seen.append(float(session.run(w)))
    assert seen == [2.0, 1.0, 0.5]


# ---- D4 ------------------------------------------------------------------------------------

def test_d4_the_same_tensor_twice_as_an_input():
    """D4: matmul(w, w) and w * w get the gradients of both places."""
    w = tf.placeholder(tf.float64, [2, 2], name='w')
    value = np.array([[1.0, 2.0], [3.0, 4.0]])
    dm, = tf.gradients(tf.matmul(w, w), w)
    ds, = tf.gradients(w * w, w)
    da, = tf.gradients(w + w, w)
    ones = np.ones((2, 2))
    with tf.Session() as session:
        dm, ds, da = session.run([dm, ds, da], {w: value})
    np.testing.assert_allclose(dm, ones @ value.T + value.T @ ones)
    np.testing.assert_allclose(ds, 2 * value)
    np.testing.assert_allclose(da, 2 * ones)


def test_d4_the_same_tensor_twice_is_not_overwritten():
    """D4's twin in the executor: x - x * x with buffers reused must still see x."""
    x = tf.placeholder(tf.float64, [1000], name='x')
    h = tf.exp(x)
    y = h * h - h
    value = np.linspace(-1, 1, 1000)
    with tf.Session() as session:
        for _ in range(2):
            got, kept = session.run([y, h], {x: value})
    np.testing.assert_allclose(got, np.exp(value) ** 2 - np.exp(value))
    np.testing.assert_allclose(kept, np.exp(value))


# ---- D5 ------------------------------------------------------------------------------------

def test_d5_two_sessions_do_not_share_values():
    """D5: each Session has its own variables, and closing one leaves the other alone."""
    v = tf.Variable(1.0, name='v')
    up = v.assign_add(1.0)
    first, second = tf.Session(), tf.Session()
    for session in (first, second):
        session.run(v.initializer)
    first.run(up.op)
    first.run(up.op)
    assert (first.run(v), second.run(v)) == (3.0, 1.0)
    second.close()
    assert first.run(v) == 3.0
    first.close()


def test_d5_a_fetched_array_is_the_callers_own():
    """D5: changing what a run returned changes no variable, constant or later result."""
    v = tf.Variable(np.zeros(3), name='v')
    c = tf.constant(np.ones(3))
    with tf.Session() as session:
        session.run(v.initializer)
        value, constant, total = session.run([v, c, c + v])
        for array in (value, constant, total):
            array[...] = 99.0
        again = session.run([v, c, c + v])
    assert [a.tolist() for a in again] == [[0.0] * 3, [1.0] * 3, [1.0] * 3]


def test_d5_an_earlier_result_is_not_changed_by_a_later_run():
    x = tf.placeholder(tf.float64, [3], name='x')
    y = tf.exp(x)
    with tf.Session() as session:
        first = session.run(y, {x: [0.0, 0.0, 0.0]})
        session.run(y, {x: [5.0, 5.0, 5.0]})
    assert first.tolist() == [1.0, 1.0, 1.0]


# ---- D6 ------------------------------------------------------------------------------------

def test_d6_a_chain_of_10_000_ops():
    """D6: no recursion when building, differentiating, or running a chain."""
    x = tf.placeholder(tf.float64, [], name='x')
    h = x
    for _ in range(10_000):
        h = tf.negative(h)
    g, = tf.gradients(h, x)
    with tf.Session() as session:
        assert session.run([h, g], {x: 3.0}) == [3.0, 1.0]


def test_d6_a_long_chain_of_constants():
    """D6: nor while static values are looked for."""
    c = tf.constant(1.0)
    for _ in range(5_000):
        c = c + 1.0
    shape = tf.cast(c, tf.int32)
    with tf.Session() as session:
        assert session.run(tf.fill(tf.reshape(shape, [1]), 1.0)).shape == (5001,)


# ---- D7 ------------------------------------------------------------------------------------

Pair = namedtuple('Pair', 'first second')


def test_d7_any_nest_of_fetches():
    """D7: lists, tuples, dicts, namedtuples, Operations, Variables and names."""
    x = tf.placeholder(tf.float32, [], name='x')
    y = tf.multiply(x, 2.0, name='y')
    v = tf.Variable(7.0, name='v')
    with tf.Session() as session:
        assert session.run(v.initializer) is None
        got = session.run({'list': [x, y], 'pair': Pair(y, (x,)), 'op': y.op, 'name': 'y:0',
                           'variable': v, 'none': []}, {x: 3.0})
        assert got == {'list': [3.0, 6.0], 'pair': Pair(6.0, (3.0,)), 'op': None, 'name': 6.0,
                       'variable': 7.0, 'none': []}
        assert isinstance(got['pair'], Pair)
        assert session.run([y, [y, y]], {'x:0': 1.0}) == [2.0, [2.0, 2.0]]


def test_d7_a_placeholder_without_a_feed_is_named():
    """D7: not a bare KeyError, but the placeholder, its line, and the way from the fetch."""
    x = tf.placeholder(tf.float32, [2], name='inputs')
    y = tf.square(x, name='y')
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(y)
    text = str(caught.value)
    assert "placeholder tensor 'inputs'" in text and 'float32' in text
    assert 'test_classic_mistakes.py:' in text and "'y' -> 'inputs'" in text


def test_d7_a_placeholder_that_is_not_needed_needs_no_feed():
    x = tf.placeholder(tf.float32, [2], name='x')
    y = tf.square(x)
    with tf.Session() as session:
        assert session.run(y, {y: [5.0, 6.0]}).tolist() == [5.0, 6.0]
        assert session.run(tf.constant(1.0)) == 1.0


# ---- gaps of the prototype -----------------------------------------------------------------

def test_prototype_control_dependencies_are_honoured():
    """Writes do not "simply go last": what waits for one sees its result."""
    v = tf.Variable(1.0, name='v')
    assign = v.assign(5.0)
    with tf.control_dependencies([assign]):
        after = tf.identity(v.read_value())
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(after) == 5.0


def test_prototype_an_unordered_read_sees_the_value_from_before():
    """A read that nothing orders after an assignment gives the value from before the run."""
    v = tf.Variable(1.0, name='v')
    double = v * 2.0
    assign = v.assign(5.0)
    with tf.Session() as session:
        session.run(v.initializer)
        before, _ = session.run([double, assign.op])
        assert before == 2.0
        assert session.run(double) == 10.0


def test_prototype_an_operation_with_several_outputs():
    """Operation and Tensor are two things: one output may be fetched, the other not."""
    x = tf.placeholder(tf.float64, [4], name='x')
    parts = tf.split(x, 2)
    assert parts[0].op is parts[1].op
    g, = tf.gradients(tf.square(parts[1]), x)
    with tf.Session() as session:
        second, slope = session.run([parts[1], g], {x: [1.0, 2.0, 3.0, 4.0]})
    assert second.tolist() == [3.0, 4.0] and slope.tolist() == [0.0, 0.0, 6.0, 8.0]


def test_prototype_sizes_that_are_unknown():
    """One graph runs on batches of any size, in any order."""
    x = tf.placeholder(tf.float64, [None, 2], name='x')
    b = tf.Variable(np.array([1.0, -1.0]), name='b')
    y = tf.reduce_sum(tf.square(x + b))
    g, = tf.gradients(y, b)
    with tf.Session() as session:
        session.run(b.initializer)
        for rows in (3, 1, 3, 5, 0):
            batch = np.arange(2.0 * rows).reshape(rows, 2)
            total, slope = session.run([y, g], {x: batch})
            np.testing.assert_allclose(total, ((batch + [1.0, -1.0]) ** 2).sum())
            np.testing.assert_allclose(slope, 2 * (batch + [1.0, -1.0]).sum(0))


def test_prototype_sums_also_over_axes_of_size_one():
    """Undoing a broadcast is not only about missing axes: [2, 1] against [2, 3]."""
    a = tf.placeholder(tf.float64, [2, 1], name='a')
    b = tf.placeholder(tf.float64, [2, 3], name='b')
    g, = tf.gradients(a * b, a)
    with tf.Session() as session:
        got = session.run(g, {a: np.ones((2, 1)), b: np.arange(6.0).reshape(2, 3)})
    assert got.tolist() == [[3.0], [12.0]]
