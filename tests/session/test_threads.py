"""Sessions under many threads: right answers, no lost updates, no shared memory."""
from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.graph.elementwise import Unary
from tinyflow.graph.op import Op
from tinyflow.session import cache_entry

THREADS = 8


pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture(autouse=True)
def switching_often():
    """Threads interrupt one another a thousand times more often than usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(work, threads=THREADS):
    """Calls work(i) in many threads at once; raises the first exception of any."""
    errors, start = [], threading.Barrier(threads)

    def body(i):
        try:
            start.wait()
            work(i)
        except BaseException as error:          # noqa: BLE001 - handed on to the test
            errors.append(error)
    all_threads = [threading.Thread(target=body, args=(i,)) for i in range(threads)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    if errors:
        raise errors[0]


def check_arenas(session):
    runtime = session._programs.runtime
    for free in (runtime.free_arenas, runtime.variable_arenas):
        assert 1 <= len({id(a) for a in free}) == len(free) <= THREADS


@pytest.mark.slow
@pytest.mark.parametrize('shape', [[4], [None], None])
def test_each_thread_gets_its_own_answer(graph, shape):
    x = tf.placeholder(tf.float32, shape)
    y = tf.reshape(tf.exp(x * 0.0) + x * 2.0, [2, 2])
    z = tf.matmul(y, tf.transpose(y)) + tf.reduce_sum(y)
    session = tf.Session(graph=graph)

    def work(i):
        fed = np.full([4], float(i), np.float32)
        a = 1.0 + 2.0 * i
        for _ in range(1000):
            got_z, got_y = session.run([z, y], {x: fed})
            assert got_y.tolist() == [[a, a], [a, a]]
            assert (got_z == 2 * a * a + 4 * a).all()
    in_threads(work)
    check_arenas(session)


def test_each_thread_gets_its_own_answer_from_large_arrays(graph):
    """Large enough that NumPy lets other threads run in the middle of an instruction."""
    x = tf.placeholder(tf.float32, [300, 200])
    y = tf.exp(x * 0.0) + x * 2.0
    z = tf.reduce_sum(tf.square(y) - y, 1)
    session = tf.Session(graph=graph)

    def work(i):
        fed = np.full([300, 200], float(i), np.float32)
        a = 1.0 + 2.0 * i
        for _ in range(40):
            got = session.run(z, {x: fed})
            assert (got == 200.0 * (a * a - a)).all()
    in_threads(work)
    check_arenas(session)


def test_first_runs_at_the_same_time(graph):
    """All threads find nothing compiled, for many fetches and shapes."""
    x = tf.placeholder(tf.float32, [None])
    nodes = [tf.reduce_sum(x) * float(k) for k in range(20)]
    session = tf.Session(graph=graph)

    def work(i):
        for k, node in enumerate(nodes):
            for n in (1, 2, 3):
                assert session.run(node, {x: np.ones(n)}) == n * float(k)
    in_threads(work)


def test_the_switch_to_the_program_for_any_size(graph):
    """While one thread compiles it, others must not take it for ready."""
    for _ in range(5):
        x = tf.placeholder(tf.float32, [None])
        y = tf.reduce_sum(tf.exp(x * 0.0) * x)
        session = tf.Session(graph=graph)

        def work(i):
            for n in range(1, 40):
                assert session.run(y, {x: np.ones(n * 8 + i)}) == n * 8 + i   # noqa: B023
        in_threads(work)
        entry, = session._programs.entries.values()
        assert len(entry.executables) <= cache_entry._SHAPES


@pytest.mark.slow
@pytest.mark.parametrize('size', [(), (10,), (5000,)])
def test_no_update_is_lost(graph, size):
    v = tf.Variable(np.zeros(size, np.float64))
    add = tf.assign_add(v, np.ones(size)).op
    sub = tf.assign_sub(v, np.ones(size)).op
    session = tf.Session(graph=graph)
    session.run(v.initializer)
    rounds = 1000 if size != (5000,) else 300

    def work(i):
        for _ in range(rounds):
            session.run(add)
            session.run(sub if i % 2 else add)
    in_threads(work)
    assert (session.run(v) == rounds * THREADS).all()


@pytest.mark.slow
def test_no_scattered_update_is_lost(graph):
    v = tf.Variable(np.zeros([20], np.int64))
    large = tf.Variable(np.zeros([4000, 3]))
    rows = tf.placeholder(tf.int32, [None])
    add = tf.scatter_add(v, rows, [1, 1]).op
    add_large = tf.scatter_add(large, rows, np.ones([2, 3])).op
    session = tf.Session(graph=graph)
    session.run(tf.global_variables_initializer())

    def work(i):
        for _ in range(300):
            session.run([add, add_large], {rows: [3, i]})
    in_threads(work)
    assert session.run(v)[3] == 300 * (THREADS + 1)
    assert (session.run(large)[3] == 300 * (THREADS + 1)).all()


def test_no_number_is_counted_twice(graph):
    v = tf.Variable(0)
    step = tf.count_up_to(v, 100_000)
    session = tf.Session(graph=graph)
    session.run(v.initializer)
    seen = [[] for _ in range(THREADS)]

    def work(i):
        for _ in range(500):
            seen[i].append(int(session.run(step)))
    in_threads(work)
    assert sorted(n for numbers in seen for n in numbers) == list(range(500 * THREADS))


def test_reads_and_writes_at_the_same_time(graph):
    """An array is never seen half written: its elements always agree."""
    v = tf.Variable(np.zeros([3000], np.float64))
    x = tf.placeholder(tf.float64, [])
    write = tf.assign(v, tf.fill([3000], x)).op
    session = tf.Session(graph=graph)
    session.run(v.initializer)

    def work(i):
        for n in range(200):
            if i % 2:
                session.run(write, {x: float(n)})
            else:
                value = session.run(v)
                assert value.shape == (3000,) and 0.0 <= value.min() <= value.max() < 200.0
    in_threads(work)


def test_random_streams_of_many_threads(graph):
    """Each run takes its own part of the stream, from any thread."""
    with_seed = tf.random_uniform([8], seed=4)
    session = tf.Session(graph=graph)
    wanted = sorted(tf.Session(graph=graph).run(with_seed).tolist() for _ in range(1))
    seen = []

    def work(i):
        for _ in range(100):
            seen.append(tuple(session.run(with_seed).tolist()))
    in_threads(work)
    assert len(set(seen)) == len(seen) == 100 * THREADS
    assert tuple(wanted[0]) in seen


def test_a_function_that_runs_the_session_in_another_thread(graph):
    session = tf.Session(graph=graph)
    x = tf.placeholder(tf.float32, [2])
    inner = tf.exp(x) + 1.0

    class Elsewhere(Unary):
        pure, overwrites = False, ()

        def kernel(value):
            got = []
            thread = threading.Thread(target=lambda: got.append(session.run(inner, {x: value})))
            thread.start()
            thread.join()
            return got[0]
    try:
        outer = Elsewhere.apply(x * 1.0) * 2.0
        for _ in range(20):
            assert session.run(outer, {x: [0.0, 0.0]}).tolist() == [4.0, 4.0]
    finally:
        del Op.registry['Elsewhere']
    check_arenas(session)


def test_many_sessions_on_one_graph(graph):
    v = tf.Variable(np.zeros([300]))
    add = tf.assign_add(v, np.ones([300]))

    def work(i):
        with tf.Session(graph=graph) as session:
            session.run(v.initializer)
            for n in range(1, 50 + i):
                assert (session.run(add) == n).all()
    in_threads(work)


def test_failures_in_some_threads_do_not_affect_the_others(graph):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = tf.exp(x * 0.0) + y
    session = tf.Session(graph=graph)

    def work(i):
        for n in range(200):
            if i % 2 and n % 3 == 0:
                with pytest.raises(tf.errors.InvalidArgumentError):
                    session.run(z, {x: np.ones(3), y: np.ones(4)})
            else:
                assert session.run(z, {x: np.ones(3), y: np.full(3, i)}).tolist() == [1.0 + i] * 3
    in_threads(work)
    check_arenas(session)
