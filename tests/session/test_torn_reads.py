"""Runs that overlap: no read sees half of an update, and no update is lost."""
from __future__ import annotations

import threading

import numpy as np
import pytest

import tinyflow as tf
from tests.session.torn_reads import cases, torn
from tinyflow.graph.op import Op
from tinyflow.session.concurrent_runs import share

pytestmark = pytest.mark.usefixtures('graph')


def in_thread(work):
    """Starts a thread; the function that is returned waits for it and returns work()'s result."""
    result, errors = [], []

    def body():
        try:
            result.append(work())
        except BaseException as error:          # noqa: BLE001 - raised below
            errors.append(error)
    thread = threading.Thread(target=body, daemon=True)
    thread.start()

    def wait():
        thread.join(30.0)
        assert not thread.is_alive()
        if errors:
            raise errors[0]
        return result[0]
    return wait


@pytest.fixture
def two_steps():
    """An op that updates a Variable in two steps, and the events before and after the pause."""
    half, go_on = threading.Event(), threading.Event()

    class AddInTwoSteps(Op):
        signature = 'ref: Ref(T), value: T -> output_ref: Ref(T)'
        writes = (0,)

        def shape(ref, value):
            return ref

        def kernel(ref, value):
            middle = len(ref) // 2
            ref[:middle] += value[:middle]
            half.set()
            go_on.wait(0.2)             # a reader that waits for the update sets nothing
            ref[middle:] += value[middle:]
            return ref
    yield AddInTwoSteps, half, go_on
    del Op.registry['AddInTwoSteps']


def reader_of(how, v):
    """A function of the Session that reads `v`."""
    if how == 'callable':
        return lambda session: session.make_callable(v)()
    if how == 'variable_values':
        return lambda session: session.variable_values([v])[0]
    if how == 'profile':
        return lambda session: session.run(
            v, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
            run_metadata=tf.RunMetadata())
    if how == 'run':
        fetch = v.read_value()
    elif how == 'matmul':
        fetch = tf.matmul([[0.5, 0.5]], tf.stack([v, v]))
    elif how == 'cond':
        fetch = tf.cond(tf.placeholder_with_default(True, []), lambda: v * 1.0, lambda: v)
    else:
        _, fetch = tf.while_loop(lambda i, _: i < 2, lambda i, _: (i + 1, v * 1.0),
                                 [0, tf.zeros([6])])
    return lambda session: session.run(fetch)


@pytest.mark.slow
@pytest.mark.parametrize('nan_check', [False, True], ids=['compiled', 'nan_check'])
@pytest.mark.parametrize('read', ['run', 'matmul', 'cond', 'loop', 'callable', 'variable_values',
                                  'profile'])
def test_half_of_an_update_is_never_read(read, nan_check, two_steps):
    op, half, go_on = two_steps
    v = tf.Variable(tf.zeros([6]))
    update, reader = op.apply(v._variable, tf.ones([6])).op, reader_of(read, v)
    session = tf.Session(nan_check=nan_check)
    session.run(v.initializer)
    for before in (0.0, 1.0):           # first the reader waits, then it reads the old array
        half.clear()
        go_on.clear()
        # On a slow machine the first reader may have come too late to overlap with the update.
        held = session._store.storage(v.op).value if session._store.shared else None
        writer = in_thread(lambda: session.run(update))
        assert half.wait(30.0)
        value = np.unique(reader(session))
        go_on.set()
        writer()
        assert len(value) == 1 and value[0] in (before, before + 1.0)
        assert held is None or held.tolist() == [before] * 6
    assert session.run(v).tolist() == [2.0] * 6


def test_a_saver_in_another_thread_saves_one_state(two_steps, tmp_path):
    op, half, go_on = two_steps
    v = tf.Variable(tf.zeros([6]), name='v')
    update, saver = op.apply(v._variable, tf.ones([6])).op, tf.train.Saver()
    session = tf.Session()
    session.run(v.initializer)
    writer = in_thread(lambda: session.run(update))
    assert half.wait(30.0)
    path = saver.save(session, str(tmp_path / 'model'))
    go_on.set()
    writer()
    assert len(np.unique(tf.train.load_variable(path, 'v'))) == 1


@pytest.mark.parametrize('use_resource', [False, True], ids=['ref', 'resource'])
@pytest.mark.parametrize('name', [
    'assign / run', 'assign_add / matmul', 'scatter_update / run', 'while_loop / two reads',
    'AdamOptimizer / variable_values', 'set_variable_values / run', 'assign_add / run, nan_check'])
def test_large_variables_under_two_writers(name, use_resource, tmp_path):
    case = dict(cases([100, 1000], use_resource, str(tmp_path)))[name]
    assert torn(case, 20) == 0


def test_setting_a_value_does_not_change_what_a_run_has_read(graph):
    v = tf.Variable(tf.zeros([4]))
    reading, go_on = threading.Event(), threading.Event()

    class SlowRead(Op):
        signature = 'x: T -> y: T'
        pure = False

        def shape(x):
            return x

        def kernel(x):
            first = x[:2].copy()
            reading.set()
            assert go_on.wait(30.0)
            return np.concatenate([first, x[2:]])
    try:
        slow = SlowRead.apply(v.value())
        session = tf.Session()
        session.run(v.initializer)
        reader = in_thread(lambda: session.run(slow))
        assert reading.wait(30.0)
        session.set_variable_values([(v, np.ones(4))])
        go_on.set()
        assert reader().tolist() == [0.0] * 4 and session.run(v).tolist() == [1.0] * 4
    finally:
        del Op.registry['SlowRead']


def test_reads_after_a_failed_update_do_not_wait_for_ever_after(graph):
    class FailingAdd(Op):
        signature = 'ref: Ref(T), value: T -> output_ref: Ref(T)'
        writes = (0,)

        def shape(ref, value):
            return ref

        def kernel(ref, value):
            raise ValueError('no')
    try:
        v = tf.Variable(tf.zeros([4]))
        update = FailingAdd.apply(v._variable, tf.ones([4])).op
        session = tf.Session()
        session.run(v.initializer)
        share(session._store)
        with pytest.raises((ValueError, tf.errors.OpError), match='no'):
            session.run(update)
        storage = session._store.storage(v.op)
        assert storage.in_place
        assert session.run(v).tolist() == [0.0] * 4 and not storage.in_place
    finally:
        del Op.registry['FailingAdd']


# ---- when the Session changes --------------------------------------------------------------------

def test_one_thread_and_its_nested_runs_update_in_place():
    v = tf.Variable(tf.zeros([4]))
    add = tf.assign_add(v, tf.ones([4]))
    session = tf.Session()
    session.run(v.initializer)

    def nested(x):
        session.run(add.op)
        session.run(v.assign(session.run(v) * 2.0).op)
        return x
    with tf.control_dependencies([tf.py_func(nested, [0.0], tf.float32)]):
        after = tf.assign_add(v, tf.ones([4]))
    array = session._store.storage(v.op).value
    assert session.run(after).tolist() == [3.0] * 4
    assert session._store.storage(v.op).value is array and not session._store.shared
    in_thread(lambda: session.run(add))()           # one after the other, in two threads
    assert session._store.storage(v.op).value is array and not session._store.shared


@pytest.mark.parametrize('shared', [False, True])
def test_a_run_sees_what_a_run_inside_it_assigns(shared):
    v = tf.Variable(tf.zeros([4]))
    add = v.assign_add(tf.ones([4])).op
    session = tf.Session()

    def nested(x):
        session.run(add)
        return x
    before = v * 1.0
    with tf.control_dependencies([before]):
        call = tf.py_func(nested, [1.0], tf.float32)
    with tf.control_dependencies([call]):
        after, add_more = v * 1.0, v.assign_add([10.0] * 4)
    session.run(v.initializer)
    if shared:
        share(session._store)
    results = session.run([before, call, after, add_more])
    assert [r.flat[0] for r in results] == [0.0, 1.0, 1.0, 11.0]
    assert session._store.shared == shared


def test_threads_that_use_no_variables_change_nothing():
    """Enqueue operations that wait, next to a training loop."""
    queue = tf.FIFOQueue(1, tf.float32, [[]])
    v = tf.Variable(0.0)
    enqueue, step = queue.enqueue(1.0), v.assign_add(queue.dequeue())
    session = tf.Session()
    session.run(v.initializer)
    writer = in_thread(lambda: [session.run(enqueue) for _ in range(50)])
    for _ in range(50):
        session.run(step)
    writer()
    assert session.run(v) == 50.0 and not session._store.shared


@pytest.mark.parametrize('use_resource', [False, True], ids=['ref', 'resource'])
def test_a_run_that_waits_for_another_one_sees_its_assignment(use_resource):
    """The first run waits in a queue for the second, which must not wait for the first to end."""
    v = tf.Variable(tf.zeros([3]), use_resource=use_resource)
    w = tf.Variable(tf.ones([3]), use_resource=use_resource)
    queue = tf.FIFOQueue(1, tf.float32, [[]])
    with tf.control_dependencies([w.assign_add([1.0, 1.0, 1.0])]):
        item = queue.dequeue()
    with tf.control_dependencies([item]):
        result = v * w + item
    with tf.control_dependencies([v.assign([5.0, 6.0, 7.0])]):
        enqueue = queue.enqueue(100.0)
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        reader = in_thread(lambda: session.run(result))
        session.run(enqueue)
        value = reader()
    assert value.tolist() == [120.0, 124.0, 128.0]


def test_functions_of_datasets_update_by_copies():
    """Threads of the pipeline call them."""
    v = tf.Variable(0.0)
    data = tf.data.Dataset.range(3).map(lambda i: tf.cast(i, tf.float32) + tf.assign_add(v, 0.0))
    iterator = tf.data.make_initializable_iterator(data.prefetch(1))
    element = iterator.get_next()
    session = tf.Session()
    session.run(v.initializer)
    session.run(iterator.initializer)
    assert [session.run(element) for _ in range(3)] == [0.0, 1.0, 2.0]
    assert session._store.shared


# ---- afterwards ----------------------------------------------------------------------------------

def test_arrays_belong_to_the_caller():
    v = tf.Variable(tf.zeros([3]))
    x = tf.placeholder(tf.float32, [3])
    assign = v.assign(x).op
    session = tf.Session()
    session.run(v.initializer)
    share(session._store)
    fed = np.ones(3, np.float32)
    session.run(assign, {x: fed})
    fed[:] = 7.0
    fetched = session.run(v)
    fetched[:] = 8.0
    session.variable_values([v])[0][:] = 9.0
    assert session.run(v).tolist() == [1.0] * 3


@pytest.mark.slow
def test_only_arrays_that_a_run_reads_are_copied(two_steps):
    op, half, go_on = two_steps
    v = tf.Variable(tf.zeros([6]))
    update, twice = op.apply(v._variable, tf.ones([6])).op, v * 2.0
    session = tf.Session()
    session.run(v.initializer)
    share(session._store)
    storage = session._store.storage(v.op)
    address = storage.value.ctypes.data
    writer = in_thread(lambda: session.run(update))
    assert half.wait(30.0)
    assert session.run(twice).tolist() == [2.0] * 6         # it has waited for the update
    writer()
    assert storage.value.ctypes.data == address
    for part in (lambda array: array, lambda array: array[2:4], lambda array: array[:, None].T):
        held, address = part(storage.value), storage.value.ctypes.data
        before = held.copy()
        session.run(update)
        assert np.array_equal(held, before) and storage.value.ctypes.data != address


@pytest.mark.parametrize('nan_check', [False, True], ids=['compiled', 'nan_check'])
def test_no_update_of_a_slot_is_lost(nan_check):
    """An optimizer's update has several targets; others update one of them."""
    v = tf.Variable(tf.zeros([3]))
    train = tf.train.MomentumOptimizer(0.0, 1.0).minimize(tf.reduce_sum(v) * 0.0)
    slot, = [s for s in tf.global_variables() if s is not v]
    add = slot.assign_add([1.0, 1.0, 1.0]).op
    session = tf.Session(nan_check=nan_check)
    session.run(tf.global_variables_initializer())
    others = [in_thread(lambda: [session.run(train) for _ in range(100)]) for _ in range(2)]
    for _ in range(100):
        session.run(add)
    for other in others:
        other()
    assert session.run(slot).tolist() == [100.0] * 3


@pytest.mark.slow
def test_a_long_program():
    """Its parts share the names of Variables as globals."""
    v = tf.Variable(tf.ones([2]))
    counter = tf.Variable(0)
    y = v.read_value()
    for i in range(2100):
        y = tf.sin(y) if i % 2 else tf.cos(y)
    with tf.control_dependencies([y]):
        add, number = v.assign_add([1.0, 1.0]), tf.count_up_to(counter, 10)
    with tf.control_dependencies([add]):
        z = v.read_value()
    for i in range(2100):
        z = tf.sin(z) if i % 2 else tf.cos(z)
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    share(session._store)
    first = session.run([y, add, number, z])
    second = session.run([y, add, number, z])
    assert first[1].tolist() == [2.0, 2.0] and second[1].tolist() == [3.0, 3.0]
    assert (first[2], second[2]) == (0, 1) and np.array_equal(first[3], second[0])
