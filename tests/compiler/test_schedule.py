"""When Variables are read and written within one run, and that order is never left to chance."""
from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.compile import graph_to_program

pytestmark = pytest.mark.usefixtures('graph')


def initialised(session, *variables):
    session.run([v.initializer for v in variables])
    return variables if len(variables) > 1 else variables[0]


def orders(items):
    """Each order of a few fetches, as a list."""
    return [list(p) for p in itertools.permutations(items)]


SIZES = [(), (3,), (400,)]          # scalar, small, large enough for a lock


# ---- reads before writes -------------------------------------------------------------------

@pytest.mark.parametrize('shape', SIZES)
def test_a_fetched_variable_has_the_value_from_after(session, shape):
    """So TF 1.15 has it, every time: programs print what a step made of their Variables."""
    v = initialised(session, tf.Variable(np.zeros(shape, np.float32)))
    step = tf.assign_add(v, np.ones(shape, np.float32))
    n = 0.0
    for read in (v, v.value()):
        for fetches in ([step.op, read], [read, step.op], [read, step]):
            n += 1.0
            assert np.all(session.run(fetches)[fetches.index(read)] == n), read


@pytest.mark.parametrize('shape', SIZES)
def test_results_of_a_variable_use_the_value_before_the_assignment(session, shape):
    v = initialised(session, tf.Variable(np.zeros(shape, np.float32)))
    step = tf.assign_add(v, np.ones(shape, np.float32))
    n = 0.0
    for read in (v.read_value(), tf.identity(v), v * 1.0, v + 0.0,
                 tf.reshape(v, [-1]), tf.transpose(tf.reshape(v, [-1, 1]))):
        for fetches in ([step.op, read], [read, step.op], [read, step]):
            got = session.run(fetches)
            value = got[fetches.index(read)]
            assert np.all(value == n), read
            n += 1.0
            assert np.all(session.run(v) == n)


@pytest.mark.parametrize('shape', SIZES)
def test_the_assignment_returns_the_new_value(session, shape):
    v = initialised(session, tf.Variable(np.zeros(shape, np.float32)))
    one = np.ones(shape, np.float32)
    add, sub = tf.assign_add(v, one), tf.assign_sub(v, one)
    assert np.all(session.run(add) == 1.0)
    assert np.all(session.run(add * 10.0) == 20.0)
    assert np.all(session.run(tf.identity(sub)) == 1.0)
    assert np.all(session.run(tf.assign(v, one * 7.0)) == 7.0)
    before, after, last = session.run([v * 1.0, add, v])
    assert np.all(before == 7.0) and np.all(after == 8.0) and np.all(last == 8.0)


def test_reads_come_first_whatever_is_fetched_first(session):
    v = tf.Variable([1.0, 2.0])
    views = [v + 0.0, tf.reshape(v, [2, 1]), tf.transpose(tf.reshape(v, [1, 2])), v * 3.0]
    write = tf.assign(v, [9.0, 9.0]).op
    for fetches in orders([*views[:3], write]) + orders([views[3], write]):
        session.run(v.initializer)
        for fetch, value in zip(fetches, session.run(fetches)):
            if fetch is not write:
                factor = 3.0 if fetch is views[3] else 1.0
                assert value.ravel().tolist() == [factor, 2.0 * factor]


def test_a_chain_that_reads_late_still_reads_first(session):
    """Many steps lie between the read and its use; the write must not slip between."""
    v = initialised(session, tf.Variable([1.0, 2.0]))
    w = tf.reshape(v, [2, 1])
    for _ in range(50):
        w = tf.transpose(w)
    result = tf.concat([w, w * 2.0], 0)
    write = tf.assign(v, tf.reduce_sum(result) * tf.ones([2]))
    got, wrote = session.run([result, write])
    assert got.ravel().tolist() == [1.0, 2.0, 2.0, 4.0] and wrote.tolist() == [9.0, 9.0]


def test_swap_of_two_variables(session):
    for shape in SIZES:
        one, two = np.ones(shape, np.float32), 2 * np.ones(shape, np.float32)
        a, b = initialised(session, tf.Variable(one), tf.Variable(two))
        swap = tf.group(tf.assign(a, b), tf.assign(b, a))
        swap_read = tf.group(tf.assign(b, a.read_value()), tf.assign(a, b.value()))
        for i, op in enumerate([swap, swap_read, swap, swap]):
            session.run(op)
            got_a, got_b = session.run([a, b])
            assert np.all(got_a == 2 - i % 2) and np.all(got_b == 1 + i % 2)


def test_rotation_of_many_variables(session):
    variables = [tf.Variable(float(i)) for i in range(7)]
    initialised(session, *variables)
    rotate = tf.group(*[tf.assign(v, w) for v, w in zip(variables, variables[1:] + variables[:1])])
    for turn in range(1, 9):
        session.run(rotate)
        assert session.run(variables) == [float((i + turn) % 7) for i in range(7)]


def test_a_variable_assigned_from_itself(session):
    v = tf.Variable(np.arange(9.0).reshape(3, 3))
    start = np.arange(9.0).reshape(3, 3)
    for value, wanted in [
            (tf.transpose(v), start.T), (v[::-1], start[::-1]), (v, start), (v.value(), start),
            (tf.reshape(tf.transpose(v), [3, 3]), start.T), (tf.matmul(v, v), start @ start),
            (tf.reverse(v, [0, 1]), start[::-1, ::-1])]:
        session.run(v.initializer)
        assert session.run(tf.assign(v, value)).tolist() == wanted.tolist()
        session.run(v.initializer)
        assert session.run(tf.assign_add(v, value)).tolist() == (start + wanted).tolist()
        assert session.run(v).tolist() == (start + wanted).tolist()


def test_scatter_from_itself(session):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    session.run(v.initializer)
    assert session.run(tf.scatter_update(v, [1, 2, 3], v[:3])).tolist() == [1.0, 1.0, 2.0, 3.0]
    session.run(v.initializer)
    assert session.run(tf.scatter_add(v, [1, 2, 3], v[:3])).tolist() == [1.0, 3.0, 5.0, 7.0]


# ---- what is ordered by control dependencies -----------------------------------------------

def test_a_read_after_a_write_sees_it(session):
    v = initialised(session, tf.Variable([1.0, 2.0]))
    with tf.control_dependencies([tf.assign_add(v, [10.0, 10.0])]):
        reads = [v.read_value(), tf.identity(v.read_value() * 2.0), tf.reshape(v.read_value(), [2])]
    assert session.run(reads[0]).tolist() == [11.0, 12.0]
    assert session.run(reads[1]).tolist() == [42.0, 44.0]
    assert session.run(reads[2]).tolist() == [31.0, 32.0]
    assert session.run([v, *reads])[1].tolist() == [41.0, 42.0]


def test_reads_on_both_sides_of_a_write(session):
    v = initialised(session, tf.Variable([1.0, 2.0]))
    before = tf.reshape(v.value(), [2, 1])
    with tf.control_dependencies([before]):
        write = tf.assign(v, [5.0, 6.0])
    with tf.control_dependencies([write]):
        after = tf.reshape(v.read_value(), [2, 1])
        both = tf.concat([before, after], 1)
    for fetches in ([both, before, after], [after, before, both], [before, after, both]):
        session.run(v.initializer)
        got = dict(zip(fetches, session.run(fetches)))
        assert got[both].tolist() == [[1.0, 5.0], [2.0, 6.0]]
        assert got[before].ravel().tolist() == [1.0, 2.0]
        assert got[after].ravel().tolist() == [5.0, 6.0]


def test_writes_ordered_by_control_dependencies(session):
    v = initialised(session, tf.Variable(1.0))
    write, seen = None, []
    for i in range(6):
        with tf.control_dependencies([write] if write is not None else []):
            write = (tf.assign_add(v, 1.0) if i % 2 == 0 else tf.assign(v, v.read_value() * 2.0)).op
        with tf.control_dependencies([write]):
            seen.append(v.read_value())
    assert session.run(seen + [v, v + 0.0])[-2:] == [22.0, 1.0]
    session.run(v.initializer)
    assert session.run(write) is None
    assert session.run(v) == 22.0


def test_chained_assignments_through_their_results(session):
    v = initialised(session, tf.Variable(1.0))
    a = tf.assign(v, 5.0)
    b = tf.assign_add(a, 1.0)
    c = tf.assign_sub(b, 4.0)
    assert session.run(c) == 2.0
    assert session.run(v) == 2.0
    assert session.run(c * 100.0) == 200.0
    v0, end = session.run([v, c])
    assert (v0, end) == (2.0, 2.0)


def test_results_of_chained_assignments_are_read_in_between(session):
    v = initialised(session, tf.Variable([1.0]))
    a = tf.assign(v, [5.0])
    b = tf.assign_add(a, [1.0])
    got_v, got_a, got_b = session.run([v, a, b])
    assert got_v.tolist() == [6.0] and got_b.tolist() == [6.0]
    assert got_a.tolist() in ([5.0], [6.0])         # one place: read at once, or when all is done


def test_a_loop_of_updates_in_one_run(session):
    """Gradient descent unrolled: each step reads what the step before wrote."""
    w = initialised(session, tf.Variable([4.0, -2.0]))
    step = tf.no_op()
    for _ in range(20):
        with tf.control_dependencies([step]):
            grad = 2.0 * w.read_value()
            step = tf.assign_sub(w, 0.1 * grad).op
    session.run(step)
    np.testing.assert_allclose(session.run(w), np.array([4.0, -2.0]) * 0.8 ** 20, rtol=1e-5)


def test_control_dependencies_make_an_op_run(session):
    v = initialised(session, tf.Variable(0.0))
    with tf.control_dependencies([tf.assign_add(v, 1.0)]):
        constant = tf.constant(3.0)
        identity = tf.identity(constant)
        nothing = tf.no_op()
    for i, fetch in enumerate([identity, nothing, constant, tf.group(nothing, identity)], 1):
        session.run(fetch)
        assert session.run(v) == float(i)


def test_one_assignment_runs_once_however_often_it_is_needed(session):
    v = initialised(session, tf.Variable(0.0))
    add = tf.assign_add(v, 1.0)
    with tf.control_dependencies([add]):
        a, b = tf.identity(add), tf.no_op()
    session.run([a, b, add, add.op, tf.group(add, a), add * 2.0])
    assert session.run(v) == 1.0


def test_initialising_in_order_of_dependence(session):
    a = tf.Variable(tf.ones([2]) * 3.0)
    b = tf.Variable(a.initialized_value() * 2.0)
    session.run(tf.global_variables_initializer())
    assert session.run(b).tolist() == [6.0, 6.0]


def test_is_initialised_next_to_a_read(session):
    """Looking at the storage alone must not count as having read the Variable."""
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    known = [tf.is_variable_initialized(v), tf.is_variable_initialized(w)]
    session.run(v.initializer)
    assert session.run(known) == [True, False]
    assert session.run([known[0], v, v * 2.0]) == [True, 2.0, 4.0]
    assert session.run([v, known[0]]) == [2.0, True]
    assert session.run([*known, w.initializer]) == [True, False, None]
    assert session.run(known) == [True, True]
    with tf.control_dependencies([tf.assign(w, 8.0)]):
        after = [tf.is_variable_initialized(w), w.read_value()]
    assert session.run(after) == [True, 8.0]


def test_an_assignment_needs_no_value_before(session):
    v = tf.Variable([1.0, 2.0])
    assert session.run(tf.assign(v, [3.0, 4.0])).tolist() == [3.0, 4.0]
    w = tf.Variable([1.0, 2.0])
    with tf.control_dependencies([w.initializer]):
        total = tf.reduce_sum(w.read_value())
    assert session.run(total) == 3.0


# ---- copies only where needed --------------------------------------------------------------

def copies(fetches, feeds=()):
    return [i.name for i in graph_to_program(tuple(fetches), tuple(feeds)).instructions if i.copy]


def test_a_read_made_late_comes_before_a_write_that_is_ready_first(session):
    """The write of v could run at once, the read only after the write of u: the read goes first."""
    u, v = tf.Variable(1.0), tf.Variable(2.0)
    write_v = v.assign(20.0)
    with tf.control_dependencies([u.assign(10.0)]):
        read = v.read_value() + 0.0
    session.run(tf.global_variables_initializer())
    assert session.run([write_v, read])[1] == 2.0
    assert session.run([u, v]) == [10.0, 20.0]


def test_a_read_that_cannot_come_before_two_writes(session):
    """Each read would have to precede a write that the other one waits for."""
    a, b, c, d, e = [tf.Variable(float(i), name=name) for i, name in enumerate('abcde', 1)]
    session.run(tf.global_variables_initializer())
    write_a, write_b = tf.assign(a, 10.0), tf.assign(b, 20.0)
    with tf.control_dependencies([write_b]):
        read_a = tf.identity(a)
    with tf.control_dependencies([write_a]):
        write_e = tf.assign(e, b)
    write_c = tf.assign(c, read_a)
    write_d = tf.assign(d, c)
    fetched = session.run([read_a, write_e.op, write_c.op, write_d.op])
    values = session.run([a, b, c, d, e])
    assert values[:3] == [10.0, 20.0, fetched[0]] and fetched[0] in (1.0, 10.0)
    assert values[3] in (3.0, values[2]) and values[4] in (2.0, 20.0)


def test_an_op_sees_the_writes_that_it_is_ordered_after(session):
    """`tf.identity(v)` after an assignment, as introductions to control dependencies have it."""
    v = tf.Variable(0.0)
    with tf.control_dependencies([tf.assign_add(v, 1.0)]):
        after = tf.identity(v)
    before = v * 1.0
    session.run(tf.global_variables_initializer())
    assert [session.run(after) for _ in range(3)] == [1.0, 2.0, 3.0]
    assert session.run([after, before]) == [4.0, 3.0]


def test_no_copy_where_the_read_is_dead_before_the_write():
    v = tf.Variable(tf.zeros([5, 5]))
    loss = tf.reduce_sum(tf.matmul(tf.transpose(v), v))
    step = tf.assign_sub(v, tf.matmul(v, v) * 0.1)
    assert copies([loss, step.op]) == []
    assert copies([step.op]) == []
    assert copies([loss]) == []
    assert copies([tf.reshape(v, [-1])]) == []


def test_a_copy_where_the_read_outlives_the_write():
    v = tf.Variable(tf.zeros([5, 5]))
    view = tf.reshape(v, [-1], name='view')
    step = tf.assign_sub(v, v)
    assert copies([view, step.op]) == ['view']
    assert copies([v.value(), step.op]) == []


def test_a_copy_where_control_dependencies_force_it():
    v = tf.Variable([1.0], name='v')
    old = tf.identity(v, name='old')
    with tf.control_dependencies([tf.assign_add(v, [1.0])]):
        late = tf.add(old, 1.0)
    assert copies([late]) == ['old']
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(late).tolist() == [2.0]


def test_writes_come_as_late_as_they_can():
    v = tf.Variable([1.0, 2.0])
    step = tf.assign_add(v, [1.0, 1.0])
    later = v * 2.0
    order = [i.type for i in graph_to_program((step.op, later), ()).instructions]
    assert order[-1] == 'AssignAdd'


# ---- the order is fixed --------------------------------------------------------------------

def test_the_order_is_deterministic():
    def text():
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [4])
            variables = [tf.Variable(x * float(i), name=f'v{i}') for i in range(9)]
            sums = [tf.add_n([v * 2.0, x]) for v in variables]
            steps = [tf.assign_add(v, s) for v, s in zip(variables, reversed(sums))]
            with tf.control_dependencies(set(steps[::2])):
                late = [tf.assign(v, v.read_value() + 1.0) for v in variables[1::2]]
            return str(graph_to_program((tf.group(*late, *steps).name and late[0].op, *sums), (x,)))
    assert len({text() for _ in range(5)}) == 1


def test_waiting_for_oneself_is_an_error(graph):
    """Control inputs added after the fact can close a circle; it is named, not waited for."""
    a = tf.constant(1.0, name='first')
    b = tf.identity(a, name='second')
    a.op.control_inputs = (b.op,)
    with tf.Session() as session, pytest.raises(ValueError, match='wait for each other') as caught:
        session.run(b)
    assert 'first' in str(caught.value) and 'second' in str(caught.value)


def test_a_control_input_made_later_comes_first(session):
    v = initialised(session, tf.Variable(1.0))
    read = v.read_value()
    add = tf.assign_add(v, 1.0)
    read.op.control_inputs = (add.op,)
    assert session.run(read) == 2.0


# ---- long chains ---------------------------------------------------------------------------

@pytest.mark.slow
def test_a_chain_of_20_000_ops():
    """Builds, differentiates and runs without recursion, in seconds of the processor."""
    n, start = 20_000, time.process_time()
    x = tf.placeholder(tf.float32, [4], name='x')
    y = x
    for _ in range(n):
        y = tf.negative(y)
    built = time.process_time()
    gradient, = tf.gradients(y, x)
    differentiated = time.process_time()
    with tf.Session() as session:
        value, slope = session.run([y, gradient], {x: [1.0, 2.0, 3.0, 4.0]})
        ran = time.process_time()
        again, _ = session.run([y, gradient], {x: [1.0, 0.0, 0.0, 0.0]})
    assert value.tolist() == [1.0, 2.0, 3.0, 4.0] and slope.tolist() == [1.0] * 4
    assert again.tolist() == [1.0, 0.0, 0.0, 0.0]
    print(f'build {built - start:.1f} s, gradients {differentiated - built:.1f} s, compile and '
          f'run {ran - differentiated:.1f} s')
    assert ran - start < 12.0


@pytest.mark.slow
def test_a_deep_chain_of_controls_and_writes(session):
    v = initialised(session, tf.Variable(0.0))
    step = tf.no_op()
    for _ in range(2000):
        with tf.control_dependencies([step]):
            step = tf.assign_add(v, 1.0).op
    session.run(step)
    assert session.run(v) == 2000.0


@pytest.mark.parametrize('resource', [False, True])
@pytest.mark.parametrize('fetch', [
    lambda v: tf.identity(v).op, lambda v: tf.group(2 * v), lambda v: _after(2 * v),
    lambda v: _after(tf.group(v.read_value())), lambda v: tf.assert_variables_initialized([v])])
def test_an_unused_read_still_needs_a_value(fetch, resource):
    """A read that only orders or checks fails, too, where the Variable has no value."""
    v = tf.get_variable('v', [2], use_resource=resource)
    fetch = fetch(v)
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match='value v\n'):
            session.run(fetch)
        session.run(v.initializer)
        session.run(fetch)


def _after(something):
    with tf.control_dependencies([something]):
        return tf.constant(1)


def test_ops_that_check_for_a_value_do_not_need_it():
    v = tf.get_variable('v', [2])
    with tf.control_dependencies([v.op, tf.is_variable_initialized(v)]):
        one = tf.constant(1)
    with tf.Session() as session:
        assert session.run(one) == 1
        assert session.run([tf.group(v.assign([1.0, 2.0])), one]) == [None, 1]
