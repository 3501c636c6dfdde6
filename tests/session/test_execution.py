"""What a run computes: each node once, from this run's feeds, in the order of dependencies."""
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


def test_a_shared_node_runs_once(counting):
    """16 chained y + y must be 16 evaluations, not 131,071."""
    counted, runs = counting
    x = tf.placeholder(tf.float64, [], name='x')
    y = x
    for _ in range(16):
        y = counted(y)
        y = y + y
    with tf.Session() as session:
        assert session.run(y, {x: 1.0}) == 2.0 ** 16
    assert len(runs) == 16


def test_a_node_fetched_twice_and_shared_runs_once(counting):
    """Two fetches, one evaluation; the next run evaluates again."""
    counted, runs = counting
    x = tf.placeholder(tf.float64, [], name='x')
    y = counted(x)
    with tf.Session() as session:
        assert session.run([y, y, y * 2.0, y + 1.0], {x: 3.0}) == [3.0, 3.0, 6.0, 4.0]
        assert len(runs) == 1
        session.run(y, {x: 3.0})
        assert len(runs) == 2


def test_a_run_uses_nothing_of_an_earlier_run():
    """Values of other feeds must not linger, neither forward nor in the gradient."""
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


def test_each_training_step_reads_the_variable_again():
    """Run(train) again and again, never fetching the loss, still goes down."""
    w = tf.Variable(np.array(4.0), name='w')
    train = w.assign_sub(0.25 * tf.gradients(tf.square(w), w)[0])
    with tf.Session() as session:
        session.run(w.initializer)
        seen = []
        for _ in range(3):
            session.run(train.op)
            seen.append(float(session.run(w)))
    assert seen == [2.0, 1.0, 0.5]


def test_a_tensor_used_twice_is_not_overwritten():
    """X - x * x with buffers reused must still see x."""
    x = tf.placeholder(tf.float64, [1000], name='x')
    h = tf.exp(x)
    y = h * h - h
    value = np.linspace(-1, 1, 1000)
    with tf.Session() as session:
        for _ in range(2):
            got, kept = session.run([y, h], {x: value})
    np.testing.assert_allclose(got, np.exp(value) ** 2 - np.exp(value))
    np.testing.assert_allclose(kept, np.exp(value))


@pytest.mark.slow
def test_a_chain_of_10_000_ops():
    """No recursion when building, differentiating, or running a chain."""
    x = tf.placeholder(tf.float64, [], name='x')
    h = x
    for _ in range(10_000):
        h = tf.negative(h)
    g, = tf.gradients(h, x)
    with tf.Session() as session:
        assert session.run([h, g], {x: 3.0}) == [3.0, 1.0]


@pytest.mark.slow
def test_a_long_chain_of_constants():
    """Nor while static values are looked for."""
    c = tf.constant(1.0)
    for _ in range(5_000):
        c = c + 1.0
    shape = tf.cast(c, tf.int32)
    with tf.Session() as session:
        assert session.run(tf.fill(tf.reshape(shape, [1]), 1.0)).shape == (5001,)


Pair = namedtuple('Pair', 'first second')


def test_any_nest_of_fetches():
    """Lists, tuples, dicts, namedtuples, Operations, Variables and names."""
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


def test_a_placeholder_that_is_not_needed_needs_no_feed():
    x = tf.placeholder(tf.float32, [2], name='x')
    y = tf.square(x)
    with tf.Session() as session:
        assert session.run(y, {y: [5.0, 6.0]}).tolist() == [5.0, 6.0]
        assert session.run(tf.constant(1.0)) == 1.0


def test_control_dependencies_are_honoured():
    """Writes do not "simply go last": what waits for one sees its result."""
    v = tf.Variable(1.0, name='v')
    assign = v.assign(5.0)
    with tf.control_dependencies([assign]):
        after = tf.identity(v.read_value())
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(after) == 5.0


def test_an_unordered_read_sees_the_value_from_before():
    """A read that nothing orders after an assignment gives the value from before the run."""
    v = tf.Variable(1.0, name='v')
    double = v * 2.0
    assign = v.assign(5.0)
    with tf.Session() as session:
        session.run(v.initializer)
        before, _ = session.run([double, assign.op])
        assert before == 2.0
        assert session.run(double) == 10.0


def test_an_operation_with_several_outputs():
    """Operation and Tensor are two things: one output may be fetched, the other not."""
    x = tf.placeholder(tf.float64, [4], name='x')
    parts = tf.split(x, 2)
    assert parts[0].op is parts[1].op
    g, = tf.gradients(tf.square(parts[1]), x)
    with tf.Session() as session:
        second, slope = session.run([parts[1], g], {x: [1.0, 2.0, 3.0, 4.0]})
    assert second.tolist() == [3.0, 4.0] and slope.tolist() == [0.0, 0.0, 6.0, 8.0]


def test_batches_of_any_size():
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


def test_a_run_does_not_get_slower_as_the_graph_grows(session):
    """What one run executes depends on its fetches only."""
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    program = session._programs.entry((y,), (x,)).program
    for _ in range(2000):
        tf.constant(1.0)
    z = x + 2.0
    assert len(session._programs.entry((z,), (x,)).program.instructions) == \
        len(program.instructions)
