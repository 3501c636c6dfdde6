"""Iterators of tf.data: how they begin, what they give, what they refuse."""
from __future__ import annotations

import gc
import threading
import time
import warnings

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.data.runtime import base, batching, prefetch as ahead

Dataset = tf.data.Dataset

pytestmark = pytest.mark.usefixtures('graph')


def drained(dataset, session=None):
    """All elements, by an initializable iterator."""
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        return rest(session, element)


def rest(session, element):
    found = []
    try:
        while True:
            found.append(session.run(element))
    except tf.errors.OutOfRangeError as error:
        assert 'End of sequence' in str(error)
        return found


# ---- passes -------------------------------------------------------------------------------

def test_a_one_shot_iterator_makes_one_pass_per_session():
    element = Dataset.range(3).make_one_shot_iterator().get_next()
    for _ in range(2):
        with tf.Session() as session:
            assert rest(session, element) == [0, 1, 2]
            assert rest(session, element) == []


def test_sessions_do_not_share_a_pass():
    element = Dataset.range(5).make_one_shot_iterator().get_next()
    with tf.Session() as one, tf.Session() as two:
        assert [one.run(element), one.run(element), two.run(element)] == [0, 1, 0]


def test_one_run_takes_one_element():
    element = Dataset.range(5).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run([element, element * 10, element]) == [0, 0, 0]
        assert session.run([element, element * 10]) == [1, 10]


def test_two_get_next_take_two_elements():
    iterator = Dataset.range(6).make_one_shot_iterator()
    a, b = iterator.get_next(), iterator.get_next()
    with tf.Session() as session:
        assert sorted(session.run([a, b])) == [0, 1]
        assert session.run(a) == 2


def test_initializing_again_begins_again():
    iterator = Dataset.range(3).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        for _ in range(2):
            session.run(iterator.initializer)
            assert session.run(element) == 0
        assert rest(session, element) == [1, 2]


def test_a_fed_array_is_not_put_into_the_graph(graph):
    x = tf.placeholder(tf.float32, [None, 2])
    iterator = Dataset.from_tensor_slices(x).batch(2).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        for values in (np.ones([3, 2]), np.zeros([1, 2])):
            session.run(iterator.initializer, {x: values})
            assert np.array_equal(np.concatenate(rest(session, element)), values)


def test_shared_names_share_a_pass():
    one = Dataset.range(5).make_initializable_iterator('same')
    two = Dataset.range(5).make_initializable_iterator('same')
    a, b = one.get_next(), two.get_next()
    with tf.Session() as session:
        session.run(one.initializer)
        assert [session.run(a), session.run(b), session.run(a)] == [0, 1, 2]


def test_from_structure_takes_any_dataset_of_that_structure():
    iterator = tf.data.Iterator.from_structure((tf.int64, tf.string), ([None], []))
    element = iterator.get_next()
    first = Dataset.zip((Dataset.range(4).batch(2), Dataset.from_tensors('a').repeat()))
    second = Dataset.from_tensors((np.arange(3), 'b'))
    begin = [iterator.make_initializer(d) for d in (first, second)]
    with tf.Session() as session:
        session.run(begin[0])
        assert [len(n) for n, _ in rest(session, element)] == [2, 2]
        session.run(begin[1])
        ((n, s),) = rest(session, element)
        assert n.tolist() == [0, 1, 2] and s == b'b'


def test_string_handles_choose_an_iterator():
    handle = tf.placeholder(tf.string, [])
    train = Dataset.range(100).make_one_shot_iterator()
    check = Dataset.range(100, 200).make_initializable_iterator()
    element = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    with tf.Session() as session:
        handles = session.run([train.string_handle(), check.string_handle()])
        session.run(check.initializer)
        found = [int(session.run(element, {handle: handles[i % 2]})) for i in range(6)]
    assert found == [0, 100, 1, 101, 2, 102]


def test_the_caller_owns_the_returned_arrays():
    """Changing a fetched array changes neither the dataset nor a cache."""
    data = np.arange(4.0).reshape(2, 2)
    dataset = Dataset.from_tensor_slices(data).cache().repeat(3)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        for i in range(6):
            row = session.run(element)
            assert row.tolist() == [[0, 1], [2, 3]][i % 2]
            row[:] = -1
    for make in (Dataset.from_tensors, lambda x: Dataset.from_tensors(x).map(lambda x: x)):
        element = make(data).repeat().make_one_shot_iterator().get_next()
        with tf.Session() as session:
            session.run(element)[:] = -1
            assert session.run(element)[1, 1] == 3
    assert data[1, 1] == 3


def test_nodes_that_use_an_element_do_not_change_the_dataset():
    element = Dataset.from_tensors([1.0, 2.0]).repeat().make_one_shot_iterator().get_next()
    y = tf.exp(element * 2.0) + 1.0
    with tf.Session() as session:
        first = session.run(y)
        assert np.array_equal(first, session.run(y))


def test_side_effects_in_functions_happen():
    """As in TF, an assertion inside a map function needs no control dependency."""
    def checked(n):
        tf.Assert(n < 2, [n])
        return n
    dataset = Dataset.range(4).map(checked)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert [session.run(element), session.run(element)] == [0, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match='assertion failed'):
            session.run(element)


# ---- refusals -----------------------------------------------------------------------------

def test_an_iterator_must_be_initialized_first():
    element = Dataset.range(3).make_initializable_iterator().get_next()
    with tf.Session() as session, pytest.raises(
            tf.errors.FailedPreconditionError,
            match=r'(?s)has not been initialized.*test_iterators.*sess.run\(iterator.init'):
        session.run(element)


def test_placeholders_and_variables_need_an_initializable_iterator():
    x = tf.placeholder(tf.float32, [None])
    with pytest.raises(ValueError, match='(?s)capture a placeholder.*make_initializable_iterator'):
        Dataset.from_tensor_slices(x).make_one_shot_iterator()
    v = tf.Variable(1.0)
    with pytest.raises(ValueError, match='(?s)Failed to create a one-shot iterator.*Variable'):
        Dataset.from_tensors(1.0).map(lambda y: y * v).make_one_shot_iterator()


def test_a_one_shot_iterator_has_no_initializer():
    with pytest.raises(ValueError, match='does not have an initializer'):
        Dataset.range(3).make_one_shot_iterator().initializer       # noqa: B018


def test_other_elements_are_refused_by_make_initializer():
    iterator = tf.data.Iterator.from_structure(tf.int64, [])
    with pytest.raises(TypeError, match='Expected output types tf.int64 but got .*tf.int32'):
        iterator.make_initializer(Dataset.from_tensors(1))
    with pytest.raises(TypeError, match='(?s)Expected output shapes .*Hint: None'):
        iterator.make_initializer(Dataset.range(3).batch(2))


def test_other_elements_are_refused_by_a_string_handle():
    one = Dataset.range(3).make_one_shot_iterator()
    element = tf.data.Iterator.from_string_handle(
        one.string_handle(), tf.float32, []).get_next()
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError,
                                                match='expected float32 .* gives int64'):
        session.run(element)


def test_get_next_in_a_loop_warns_once():
    """get_next() in a loop makes the graph grow."""
    iterator = Dataset.range(100).make_one_shot_iterator()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        for _ in range(40):
            iterator.get_next()
    texts = [str(w.message) for w in caught if '[repeated-get-next] get_next()' in str(w.message)]
    assert len(texts) == 1 and 'before the loop' in texts[0]


def test_errors_of_functions_carry_the_users_line():
    dataset = Dataset.range(4).map(
        lambda n: tf.reshape(tf.range(n), [2], name='two_of_them'))
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError,
                           match='(?s)two_of_them.*test_iterators.py'):
            session.run(element)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(element)
        assert session.run(element).tolist() == [0, 1]     # one bad element does not end a pass


# ---- threads ------------------------------------------------------------------------------

def ours():
    return [t for t in threading.enumerate() if t.name.startswith('tinyflow ')]


@pytest.fixture
def always_threads(monkeypatch):
    monkeypatch.setattr(ahead, '_WORTH_IT', -1.0)


def slow_map(dataset, calls=None):
    def work(n):
        time.sleep(0.002)
        return n * 2
    return dataset.map(lambda n: tf.py_func(work, [n], tf.int64, stateful=False), calls)


@pytest.mark.parametrize('calls', [None, 1, 4, tf.data.experimental.AUTOTUNE])
def test_order_does_not_depend_on_threads(calls, always_threads):
    found = drained(slow_map(Dataset.range(60), calls).prefetch(5))
    assert found == [2 * n for n in range(60)]


def test_threads_make_slow_elements_ahead(monkeypatch):
    monkeypatch.setattr(ahead, '_WORTH_IT', 1e-4)
    dataset = slow_map(Dataset.range(40), 4)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        for _ in range(12):
            session.run(element)
        assert ours()
        start = time.perf_counter()
        for _ in range(24):
            session.run(element)
        assert time.perf_counter() - start < 24 * 0.002
    assert not ours()


def test_a_session_ends_its_threads(always_threads):
    element = slow_map(Dataset.range(1000), 3).prefetch(3).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        for _ in range(20):
            session.run(element)
        assert ours()
    assert not ours()


def test_a_forgotten_session_ends_its_threads(always_threads):
    element = Dataset.range(1000).prefetch(3).make_one_shot_iterator().get_next()
    session = tf.Session()
    for _ in range(20):
        session.run(element)
    assert ours()
    del session
    for _ in range(50):
        gc.collect()
        if not ours():
            return
        time.sleep(0.02)
    assert not ours()


def test_errors_come_in_order_with_threads(always_threads):
    dataset = Dataset.range(30).map(lambda n: tf.check_numerics(
        1.0 / tf.cast(n - 20, tf.float32), 'zero'), num_parallel_calls=3).prefetch(2)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        for n in range(20):
            assert session.run(element) == np.float32(1) / np.float32(n - 20)
        with pytest.raises(tf.errors.InvalidArgumentError, match='zero'):
            session.run(element)
        assert len(rest(session, element)) == 9


def test_random_functions_are_not_called_in_parallel(always_threads):
    """What they draw depends on the order of the calls."""
    def make(calls):
        return Dataset.range(50).map(lambda n: tf.random_uniform([], seed=3), calls)
    assert drained(make(4)) == drained(make(None))


def test_several_threads_take_elements_of_one_iterator():
    element = Dataset.range(2000).make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as session:
        def take():
            found.extend(rest(session, element))
        threads = [threading.Thread(target=take) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == list(range(2000))


# ---- long chains ---------------------------------------------------------------------------------

class _Pass(base.Transform):
    def __next__(self):
        return next(self.input)


class _Step(base.Source):
    pass_class = _Pass


def chained(count):
    """A dataset of one element after `count` steps that change nothing."""
    source = batching.Listed([(np.int64(7),)])
    for _ in range(count):
        source = _Step().with_inputs((source,))
    return source


@pytest.mark.slow
def test_a_long_chain_of_transformations(session):
    data = tf.data.Dataset.range(3)
    for _ in range(1100):
        data = data.skip(0)
    assert session.run(data.make_one_shot_iterator().get_next()) == 0
    cursor = base.opened(chained(2500))
    saved = base.save(cursor)
    assert list(next(cursor)) == [7]
    again = base.opened(chained(2500))
    base.load(again, saved)
    assert list(next(again)) == [7]


def test_a_chain_that_is_too_long():
    with pytest.raises(tf.errors.InvalidArgumentError, match='3,101 transformations'):
        base.opened(chained(3100))
