"""Sessions: default stacks, closing, caches of compiled programs, and runs that fail."""
from __future__ import annotations

import gc
import re
import threading
import weakref

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.graph.elementwise import Unary
from tinyflow.graph.op import Op
from tinyflow.session import cache_entry, calls
from tinyflow.session.executable import Executable

pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture
def user_op():
    """Makes op types whose kernel is a function of the test; they are forgotten afterwards."""
    made = []

    def make(kernel, name, **declared):
        members = {'kernel': kernel, 'overwrites': (), 'pure': False, **declared}
        made.append(name)
        return type(name, (Unary,), members).apply
    yield make
    for name in made:
        del Op.registry[name]


# ---- the default Session -------------------------------------------------------------------

def test_eval_and_run_use_the_default_session():
    v = tf.Variable(2.0)
    with tf.Session() as session:
        assert tf.get_default_session() is session
        v.initializer.run()
        assert v.eval() == 2.0 and (v * 2.0).eval() == 4.0
    assert tf.get_default_session() is None


def test_eval_takes_feeds_and_a_session(graph):
    x = tf.placeholder(tf.float32, [])
    session = tf.Session()
    assert (x + 1.0).eval({x: 2.0}, session) == 3.0
    assert (x + 1.0).eval(feed_dict={x: 2.0}, session=session) == 3.0
    tf.no_op().run(session=session)


def test_eval_without_a_session_raises():
    with pytest.raises(ValueError, match='no default session'):
        tf.constant(1.0).eval()
    with pytest.raises(ValueError, match='no default session'):
        tf.no_op().run()


def test_eval_in_a_session_of_another_graph_raises():
    a = tf.constant(1.0)
    with tf.Graph().as_default(), tf.Session(), pytest.raises(ValueError, match='belongs to'):
        a.eval()


def test_nested_default_sessions():
    a = tf.constant(1.0)
    with tf.Session() as outer:
        with tf.Session() as inner:
            assert tf.get_default_session() is inner and a.eval() == 1.0
        assert tf.get_default_session() is outer and a.eval() == 1.0
        with pytest.raises(RuntimeError, match='closed'):
            inner.run(a)
        with inner.as_default():
            assert tf.get_default_session() is inner
        assert tf.get_default_session() is outer


def test_as_default_neither_closes_nor_switches_graphs():
    other = tf.Graph()
    session = tf.Session(graph=other)
    here = tf.get_default_graph()
    for _ in range(2):
        with session.as_default() as entered:
            assert entered is session and tf.get_default_graph() is here
            with session.as_default():
                pass
            assert tf.get_default_session() is session
    with other.as_default():
        a = tf.constant(1.0)
    assert session.run(a) == 1.0


def test_a_with_block_makes_the_sessions_graph_the_default():
    other = tf.Graph()
    here = tf.get_default_graph()
    with tf.Session(graph=other) as session:
        assert tf.get_default_graph() is other and session.graph is other
        assert session.run(tf.constant(1.0)) == 1.0
    assert tf.get_default_graph() is here


def test_a_session_is_not_entered_twice_at_once():
    """As TF1: `with sess:` inside `with sess:` would close it halfway."""
    session = tf.Session()
    with session, pytest.raises(RuntimeError, match='re-entrant'):
        session.__enter__()


def test_an_exception_passes_through_a_with_block():
    with pytest.raises(KeyError), tf.Session() as session:
        raise KeyError
    assert tf.get_default_session() is None
    with pytest.raises(RuntimeError, match='closed'):
        session.run(tf.constant(1.0))


def test_interactive_session():
    session = tf.InteractiveSession()
    try:
        assert tf.get_default_session() is session
        assert tf.constant(3.0).eval() == 3.0
    finally:
        session.close()
    assert tf.get_default_session() is None
    session.close()
    with pytest.raises(RuntimeError, match='closed'):
        session.run(tf.constant(1.0))


def test_interactive_session_of_a_graph():
    here, other = tf.get_default_graph(), tf.Graph()
    session = tf.InteractiveSession(graph=other)
    assert tf.get_default_graph() is other
    assert tf.constant(3.0).eval() == 3.0
    session.close()
    assert tf.get_default_graph() is here


def test_the_default_session_is_each_threads_own():
    seen = []
    with tf.Session():
        thread = threading.Thread(target=lambda: seen.append(tf.get_default_session()))
        thread.start()
        thread.join()
    assert seen == [None]


def test_closing(graph):
    v = tf.Variable(1.0)
    session = tf.Session()
    session.run(v.initializer)
    session.close()
    session.close()
    for use in (lambda: session.run(v), lambda: session.run([]), lambda: v.eval(session=session)):
        with pytest.raises(RuntimeError, match='closed'):
            use()


def test_arguments_of_a_session():
    with pytest.raises(TypeError, match='graph must be'):
        tf.Session(graph='g')
    with pytest.raises(TypeError, match='config must be'):
        tf.Session(config={})


# ---- two Sessions --------------------------------------------------------------------------

def test_two_sessions_have_values_of_their_own():
    v = tf.Variable(1.0)
    add = tf.assign_add(v, 1.0)
    one, two = tf.Session(), tf.Session()
    one.run(v.initializer)
    with pytest.raises(tf.errors.FailedPreconditionError):
        two.run(v)
    two.run(v.initializer)
    assert [one.run(add) for _ in range(3)] == [2.0, 3.0, 4.0]
    assert two.run(add) == 2.0
    one.close()
    assert two.run(v) == 2.0


def test_two_sessions_do_not_share_large_values():
    v = tf.Variable(np.zeros([1000], np.float32))
    x = v * 2.0 + 1.0
    one, two = tf.Session(), tf.Session()
    for session in (one, two):
        session.run(v.initializer)
    one.run(tf.assign_add(v, np.ones([1000], np.float32)))
    assert one.run(x)[0] == 3.0 and two.run(x)[0] == 1.0


@pytest.mark.slow
def test_a_closed_session_leaves_nothing_behind():
    v = tf.Variable(np.zeros([1000], np.float32))
    session = tf.Session()
    session.run(v.initializer)
    session.run(v * 2.0)
    value = weakref.ref(session._store.storage(v.op).value)
    session.close()
    gc.collect()
    assert value() is None


# ---- the cache -----------------------------------------------------------------------------

@pytest.fixture
def compiled(monkeypatch):
    """A list that grows with every Executable made."""
    made = []
    init = Executable.__init__

    def counting(self, *args, **kwargs):
        made.append(self)
        init(self, *args, **kwargs)
    monkeypatch.setattr(Executable, '__init__', counting)
    return made


def model():
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.Variable(tf.ones([3, 1]))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    train = tf.assign_sub(w, 0.01 * tf.gradients(loss, w)[0])
    return x, w, loss, train.op


def test_alternating_programs_are_compiled_once(session, compiled):
    x, w, loss, train = model()
    session.run(w.initializer)
    compiled.clear()
    for _ in range(20):
        session.run(train, {x: np.ones([4, 3])})
        session.run(loss, {x: np.ones([4, 3])})
        session.run([loss, w], {x: np.ones([4, 3])})
    assert len(compiled) == 3


def test_equal_arguments_share_a_program(session, compiled):
    x = tf.placeholder(tf.float32, [], name='x')
    y = tf.add(x, 1.0, name='y')
    for fetches, key in [(y, x), (y, 'x:0'), ('y:0', x), ([y], x), ((y,), x), ({'a': y}, x),
                         ([y, y], x), ([[y], (y, [y])], x)]:
        session.run(fetches, {key: 1.0})
    assert len(compiled) == 1


def test_a_smaller_last_batch_is_compiled_once(session, compiled):
    x, w, loss, train = model()
    session.run(w.initializer)
    compiled.clear()
    for _ in range(5):
        for n in (32, 32, 32, 7):
            session.run(train, {x: np.ones([n, 3])})
    assert len(compiled) == 2


def test_many_shapes_end_in_one_program_for_all(session, compiled):
    x, w, loss, train = model()
    session.run(w.initializer)
    compiled.clear()
    for n in range(1, 200):
        value = np.full([n, 3], float(n), np.float32)
        assert session.run(loss, {x: value}) == pytest.approx((3.0 * n) ** 2, rel=1e-5)
    assert len(compiled) == cache_entry._TOO_MANY_SHAPES + 1
    for n in (1, 5, 77, 500):
        assert session.run(loss, {x: np.ones([n, 3])}) == pytest.approx(9.0)
    assert len(compiled) == cache_entry._TOO_MANY_SHAPES + 1


def test_many_ranks_end_in_one_program_for_all(session, compiled):
    x = tf.placeholder(tf.float32)
    y = tf.reduce_sum(tf.reshape(tf.exp(x) * 2.0, [-1]))
    shapes = [(n,) * rank for n in (1, 2, 3) for rank in range(7)]
    for _ in range(2):
        for shape in shapes:
            got = session.run(y, {x: np.zeros(shape)})
            assert got == 2.0 * np.prod(shape)
    assert len(compiled) <= cache_entry._TOO_MANY_SHAPES + 3


def test_two_varying_feeds(session):
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [2, None])
    z = tf.matmul(x, y) + tf.reduce_sum(x)
    rng = np.random.default_rng(0)
    for _ in range(60):
        a = rng.normal(size=(rng.integers(0, 6), 2)).astype(np.float32)
        b = rng.normal(size=(2, rng.integers(0, 6))).astype(np.float32)
        np.testing.assert_allclose(session.run(z, {x: a, y: b}), a @ b + a.sum(), 1e-4, 1e-5)


def test_a_failed_compilation_for_any_size_is_forgotten(session, monkeypatch):
    x = tf.placeholder(tf.float32, [None])
    y = x * 2.0
    for n in range(cache_entry._TOO_MANY_SHAPES):
        session.run(y, {x: np.ones(n)})
    real = cache_entry.optimise
    monkeypatch.setattr(cache_entry, 'optimise', lambda *a: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        session.run(y, {x: np.ones(99)})
    monkeypatch.setattr(cache_entry, 'optimise', real)
    for n in (99, 3, 100):
        assert session.run(y, {x: np.ones(n)}).tolist() == [2.0] * n


@pytest.mark.slow
def test_the_number_of_programs_kept_is_bounded(session):
    x = tf.placeholder(tf.float32, [])
    busy = x * 2.0
    session.run(busy, {x: 1.0})
    busy_entry, = session._programs.entries.values()
    nodes = [x + float(i) for i in range(2 * calls._MOST_CALLS)]
    for i, node in enumerate(nodes):
        assert session.run(node, {x: 1.0}) == 1.0 + i
        session.run(busy, {x: 1.0})
    gc.collect()
    assert len(session._programs.entries) <= calls._MOST_CALLS
    assert session.run(nodes[0], {x: 1.0}) == 1.0
    session.run(busy, {x: 1.0})
    assert busy_entry in session._programs.entries.values()     # what runs most stays


@pytest.mark.slow
def test_nests_that_cannot_be_keys_are_compiled_once(session):
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    for _ in range(3):
        assert session.run({'a': [y, {'b': y}]}, {x: 1.0}) == {'a': [2.0, {'b': 2.0}]}
        assert session.run((y, (y,)), {x: 1.0}) == (2.0, (2.0,))
    gc.collect()
    assert len(session._programs.entries) == 1
    executable, = next(iter(session._programs.entries.values())).executables.values()
    assert executable.runs == 6


def test_a_closed_session_does_nothing_more():
    x = tf.constant(1.0)
    session = tf.Session()
    session.close()
    for use in (lambda: session.run(x), lambda: session.profile(x),
                lambda: session.make_callable(x), lambda: tf.explain(x, session=session)):
        with pytest.raises(RuntimeError, match='closed Session'):
            use()


def test_an_arena_that_grows_is_left_by_all(session):
    small, large = tf.placeholder(tf.float32, [10]), tf.placeholder(tf.float32, [100_000])
    a, b = tf.exp(small) * 2.0 + 1.0, tf.exp(large) * 2.0 + 1.0
    session.run(a, {small: np.zeros(10)})
    arena, = session._programs.runtime.free_arenas
    old = weakref.ref(arena.memory)
    session.run(b, {large: np.zeros(100_000)})
    assert old() is None
    np.testing.assert_array_equal(session.run(a, {small: np.zeros(10)}), np.full(10, 3.0))


def test_the_number_of_shapes_kept_is_bounded(session):
    x = tf.placeholder(tf.float32)
    y = x + 1.0
    for n in range(100):
        session.run(y, {x: np.zeros([n % 7] * (n % 5))})
    for entry in session._programs.entries.values():
        assert len(entry.executables) <= cache_entry._SHAPES


def test_a_program_survives_the_growth_of_its_graph(session, compiled):
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    session.run(y, {x: 1.0})
    for i in range(3):
        z = y * float(i)
        assert session.run(y, {x: 1.0}) == 2.0
        assert session.run(z, {x: 1.0}) == 2.0 * i
    assert len(compiled) == 4


# ---- runs that fail ------------------------------------------------------------------------

def healthy(session):
    """Each arena is in the list of free ones once, and nothing is lost or left over."""
    runtime = session._programs.runtime
    free = runtime.free_arenas
    assert len({id(a) for a in free}) == len(free) <= 1
    assert runtime.variable_arenas == [runtime.first_arena]


def failing(user_op):
    """(x, y, bad): `bad` feeds make fetching y fail in a kernel, after others have run."""
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.matmul(tf.exp(x), tf.ones([2, 2])) + 1.0
    return x, y


GOOD = np.zeros([3, 2], np.float32)


def good_run(session, x, y):
    assert session.run(y, {x: GOOD}).tolist() == [[3.0, 3.0]] * 3
    healthy(session)


@pytest.mark.parametrize('error', [ValueError('broken'), MemoryError(), KeyboardInterrupt(),
                                   SystemExit(3), RuntimeError('other'), ZeroDivisionError(),
                                   StopIteration(), GeneratorExit(), IndexError('i')], ids=repr)
def test_after_a_kernel_raises(session, user_op, error):
    trouble = [error]

    def kernel(x):
        if trouble:
            raise trouble[0]
        return x + 0.0
    x, _ = failing(user_op)
    y = tf.matmul(user_op(kernel, 'Trouble')(tf.exp(x)), tf.ones([2, 2])) + 1.0
    other = tf.exp(x) * 2.0
    session.run(other, {x: GOOD})
    for _ in range(3):
        with pytest.raises(BaseException) as caught:
            session.run(y, {x: GOOD})
        if isinstance(error, (ValueError, IndexError)):
            assert type(caught.value) is tf.errors.InvalidArgumentError
        elif isinstance(error, MemoryError):
            assert type(caught.value) is tf.errors.ResourceExhaustedError
        else:
            assert caught.value is error
        healthy(session)
        assert session.run(other, {x: GOOD})[0, 0] == 2.0
    trouble.clear()
    good_run(session, x, y)


def test_after_wrong_feeds(session, user_op):
    x, y = failing(user_op)
    good_run(session, x, y)
    for feeds in ({}, {x: 'text'}, {x: np.zeros([2])}, {x: np.zeros([2, 3])}, {x: None}, {y: None},
                  {3: 4}, {x: [[1.0], [1.0, 2.0]]}, {x: x}):
        with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
            session.run(y, feeds)
        good_run(session, x, y)


def test_after_wrong_fetches(session, user_op):
    x, y = failing(user_op)
    for fetches in (None, [y, None], 'nothing:0', object(), tf.Graph()):
        with pytest.raises((TypeError, ValueError)):
            session.run(fetches, {x: GOOD})
        good_run(session, x, y)


def test_after_an_uninitialised_variable(session):
    x = tf.placeholder(tf.float32, [None, 2])
    v = tf.Variable(tf.ones([2, 2]))
    y = tf.matmul(tf.exp(x), v) + 1.0
    for _ in range(2):
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(y, {x: GOOD})
    session.run(v.initializer)
    good_run(session, x, y)


def test_after_shapes_that_do_not_fit(session):
    x, w = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.matmul(tf.exp(x), w) + 1.0
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {x: GOOD, w: np.ones([3, 3])})
        assert session.run(y, {x: GOOD, w: np.ones([2, 2])}).tolist() == [[3.0, 3.0]] * 3
        healthy(session)


def test_a_failed_assignment_changes_nothing(session):
    v = tf.Variable([1.0, 2.0])
    x = tf.placeholder(tf.float32)
    session.run(v.initializer)
    for op in (tf.assign(v, x), tf.assign_add(v, x)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(op, {x: [1.0, 2.0, 3.0]})
        assert session.run(v).tolist() == [1.0, 2.0]


def test_a_run_inside_a_run(session, user_op):
    """A user's function may call the Session that is running it, and other Sessions."""
    x = tf.placeholder(tf.float32, [2])
    inner = tf.exp(x) * 2.0
    other = tf.Session()

    def kernel(value):
        first = session.run(inner, {x: value})
        second = other.run(inner, {x: value})
        return first + second
    outer = user_op(kernel, 'Nested')(tf.exp(x) - 1.0) + 1.0
    for _ in range(3):
        assert session.run(outer, {x: [0.0, 0.0]}).tolist() == [5.0, 5.0]
    assert len({id(a) for a in session._programs.runtime.free_arenas}) == 2


def test_numpys_error_settings_are_unchanged(session):
    x = tf.placeholder(tf.float32, [1])
    before = np.geterr()
    with np.errstate(all='raise'):
        assert np.isinf(session.run(tf.log(x), {x: [0.0]})).all()
        assert np.isnan(session.run(tf.sqrt(x), {x: [-1.0]})).all()
        assert np.geterr()['divide'] == 'raise'
    assert np.geterr() == before


def test_device_attributes(session):
    device, = session.list_devices()
    assert (device.name, device.device_type) == ('/job:localhost/replica:0/task:0/device:CPU:0',
                                                 'CPU')
    assert repr(device).startswith(
        '_DeviceAttributes(/job:localhost/replica:0/task:0/device:CPU:0, CPU, 268435456, ')


def test_short_texts_of_sessions_profiles_and_graphs(graph):
    x = tf.placeholder(tf.float32, [], name='x')
    with tf.Session() as session:
        assert repr(session) == f'<tf.Session of <tf.Graph {graph.number}: 1 nodes>>'
        profile = session.profile(x * 2.0, {x: 1.0}, runs=3)
        assert re.fullmatch(r'<tf.Profile: 3 runs, \d nodes?, [\d.]+ us a run>', repr(profile))
    assert repr(session) == '<tf.Session closed>'
