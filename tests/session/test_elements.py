"""Programs that take elements of iterators are compiled for the shapes of what they took."""
from __future__ import annotations

import threading

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.graph_to_program import graph_to_program
from tinyflow.compiler.split_elements import split_elements
from tinyflow.inspect.explain import explain
from tinyflow.session import element_executable, loop_executable
from tinyflow.session.element_executable import ElementExecutable

ROWS = np.random.RandomState(0).rand(50, 6).astype(np.float32)
LABELS = np.random.RandomState(1).randint(0, 3, 50)


def batches(size=8, epochs=1, **options):
    data = tf.data.Dataset.from_tensor_slices((ROWS, LABELS)).repeat(epochs).batch(size, **options)
    return data.make_one_shot_iterator().get_next()


def network(x, labels):
    with tf.variable_scope('net', reuse=tf.AUTO_REUSE):
        hidden = tf.layers.dense(x, 5, tf.tanh, kernel_initializer=tf.keras.initializers.Ones(),
                                 name='a')
        logits = tf.layers.dense(hidden, 3, name='b',
                                 kernel_initializer=tf.random_uniform_initializer(seed=3))
        return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def executable_of(session, fetches):
    call, = [c for c in session._calls.values() if c.entry.fetches == tuple(fetches)]
    executable, = call.entry.executables.values()
    return executable


def sizes(session, *fetches):
    """The batch sizes that the rest of a program is compiled for."""
    entry = executable_of(session, fetches).rest
    return [key[0][0] for key in entry.executables]


def test_values_are_those_of_fed_arrays(session):
    loss = network(*batches(epochs=2))
    step = tf.train.AdamOptimizer(0.1).minimize(loss)
    session.run(tf.global_variables_initializer())
    taken = [session.run([step, loss])[1] for _ in range(13)]
    with pytest.raises(tf.errors.OutOfRangeError, match='End of sequence'):
        session.run([step, loss])
    assert sizes(session, step, loss) == [8, None]
    with tf.Graph().as_default():
        x, labels = tf.placeholder(tf.float32, [None, 6]), tf.placeholder(tf.int64, [None])
        loss = network(x, labels)
        step = tf.train.AdamOptimizer(0.1).minimize(loss)
        both, both_labels = np.concatenate([ROWS, ROWS]), np.concatenate([LABELS, LABELS])
        with tf.Session() as other:
            other.run(tf.global_variables_initializer())
            fed = [other.run([step, loss], {x: both[i:i + 8], labels: both_labels[i:i + 8]})[1]
                   for i in range(0, 100, 8)]
    np.testing.assert_array_equal(taken, fed)


def test_a_shape_that_comes_often_gets_a_program(session):
    data = tf.data.Dataset.from_tensor_slices(ROWS).batch(20).repeat()      # 20, 20, 10
    total = tf.reduce_sum(data.make_one_shot_iterator().get_next(), 1)
    for _ in range(3 * element_executable._OFTEN):
        session.run(total)
    assert sizes(session, total) == [20, None]
    assert [len(session.run(total)) for _ in range(3)] == [20, 20, 10]
    assert sizes(session, total) == [20, None, 10]


def test_shapes_that_keep_changing_share_a_program(session):
    lengths = tf.data.Dataset.range(1, 1000).map(
        lambda n: tf.ones([tf.cast(n, tf.int32) % 40 + 1, 2]))
    total = tf.reduce_sum(lengths.make_one_shot_iterator().get_next() * 2)
    for n in range(1, 600):
        assert session.run(total) == 4 * (n % 40 + 1)
    assert len(sizes(session, total)) == element_executable._SPECIAL + 1


def test_elements_may_be_strings_scalars_and_fetched(session):
    data = tf.data.Dataset.from_tensor_slices((['a', 'bc', 'd'], [1, 2, 3], ROWS[:3]))
    data = data.map(lambda text, n, row: (text, n, row[:tf.cast(n, tf.int32)]))
    text, number, row = data.make_one_shot_iterator().get_next()
    fetches = [tf.strings.length(text), tf.strings.join([text, '!']), number * 2, text, number,
               tf.reduce_sum(row), row, row.op]
    for n, word in enumerate([b'a', b'bc', b'd'], 1):
        length, joined, double, *same, total, part, nothing = session.run(fetches)
        assert [length, joined, double, *same] == [len(word), word + b'!', 2 * n, word, n]
        assert isinstance(double, np.int32) and isinstance(same[0], bytes) and nothing is None
        np.testing.assert_array_equal(part, ROWS[n - 1][:n])
        np.testing.assert_allclose(total, part.sum(), rtol=1e-6)
        part[:] = 0                                     # it is the caller's
    np.testing.assert_array_equal(data.make_one_shot_iterator().output_shapes[2].ndims, 1)


def test_two_iterators_and_feeds(session):
    first, second = batches(8)[0], batches(8, epochs=2)[0]
    scale = tf.placeholder(tf.float32, [])
    total = tf.reduce_sum(first + second * scale)
    for i in range(3):
        rows = ROWS[8 * i:8 * i + 8]
        np.testing.assert_allclose(session.run(total, {scale: i}), (1 + i) * rows.sum(), rtol=1e-5)


def test_the_string_handle_of_an_iterator_is_fed(session):
    train, test = [tf.data.Dataset.from_tensor_slices(ROWS[:n]).batch(n).repeat()
                   .make_one_shot_iterator() for n in (20, 10)]
    handle = tf.placeholder(tf.string, [])
    iterator = tf.data.Iterator.from_string_handle(handle, train.output_types, train.output_shapes)
    total = tf.reduce_sum(iterator.get_next())
    handles = session.run([train.string_handle(), test.string_handle()])
    for number, n in [(0, 20), (1, 10), (0, 20), (1, 10)]:
        np.testing.assert_allclose(session.run(total, {handle: handles[number]}), ROWS[:n].sum(),
                                   rtol=1e-5)
    assert type(executable_of(session, [total])) is ElementExecutable


def test_programs_that_take_elements_in_an_order_of_their_own_are_one(session):
    data = tf.data.Dataset.range(10).batch(4)
    iterator = data.make_initializable_iterator()
    counter = tf.Variable(0)
    with tf.control_dependencies([counter.assign_add(1, use_locking=True)]):
        late = iterator.get_next() * 2
    element = iterator.get_next()
    again = element + 1
    for fetches in ([late], [again, iterator.initializer], [element],
                    [tf.reduce_sum(batches(drop_remainder=True)[0])]):
        assert split_elements(graph_to_program(fetches, [])) is None
    assert split_elements(graph_to_program([again], [])) is not None
    session.run(counter.initializer)
    np.testing.assert_array_equal(session.run([iterator.initializer, again])[1], [1, 2, 3, 4])
    np.testing.assert_array_equal(session.run(late), [8, 10, 12, 14])
    assert session.run(counter) == 1


def test_a_constant_that_both_parts_use(session):
    name = tf.constant('x')
    with tf.control_dependencies([name]):
        element = tf.data.Dataset.range(3).batch(2).make_one_shot_iterator().get_next()
    joined = tf.strings.join([tf.as_string(element), tf.fill([tf.size(element)], name)])
    assert session.run(joined).tolist() == [b'0x', b'1x']


def test_errors_name_the_node_and_the_line(session):
    x, labels = batches()
    total = tf.matmul(x, tf.placeholder_with_default(np.ones([5, 2], np.float32), None))
    with pytest.raises(tf.errors.InvalidArgumentError, match='MatMul') as raised:
        session.run(total)
    assert raised.value.op is total.op
    last = tf.reduce_sum(tf.data.Dataset.range(3).batch(2).make_one_shot_iterator().get_next())
    assert [session.run(last), session.run(last)] == [1, 2]
    with pytest.raises(tf.errors.OutOfRangeError) as raised:
        session.run(last)
    assert raised.value.op.type == 'IteratorGetNext'


def test_other_ways_to_run(session):
    """With a limit of time, traced, profiled, checked for NaN, explained."""
    x, labels = batches(epochs=None)
    loss = network(x, labels)
    session.run(tf.global_variables_initializer())
    session.run(loss)
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, timeout_in_ms=60_000)
    metadata = tf.RunMetadata()
    values = [session.run(loss, options=options, run_metadata=metadata),
              session.run(loss, options=tf.RunOptions(timeout_in_ms=60_000)),
              session.run(loss, options=tf.RunOptions(trace_level=3), run_metadata=metadata)]
    assert 'IteratorGetNext' in {n.node_name for n in metadata.step_stats.dev_stats[0].node_stats}
    profile = session.profile(loss, runs=3)
    assert {'IteratorGetNext', 'net/a/MatMul'} <= {name for name, _, _ in profile.by_node()}
    assert max(size for _, size in profile.memory_curve()) > 0
    shown = explain(loss, runs=2)
    assert 'take  IteratorGetNext:0 [8, 6]' in str(shown) and '[8, 5]' in shown.source
    assert explain(loss, runs=0).source == shown.source
    with tf.Session(graph=session.graph, nan_check=True) as checked:
        checked.run(tf.global_variables_initializer())
        checked.run(loss)
        assert type(executable_of(checked, [loss])) is not ElementExecutable
        checked_values = [checked.run(loss) for _ in range(3)]
    np.testing.assert_allclose(values, checked_values, rtol=1e-6)


def test_threads_take_each_element_once(session):
    element = tf.data.Dataset.range(400).batch(3).make_one_shot_iterator().get_next()
    doubled = element * 2
    found, lock = [], threading.Lock()

    def work():
        while True:
            try:
                part = session.run(doubled)
            except tf.errors.OutOfRangeError:
                return
            with lock:
                found.extend(part.tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(0, 800, 2))


@pytest.mark.slow
def test_loops_over_elements_are_unrolled(session, monkeypatch):
    """Their length is known with the shape of an element."""
    monkeypatch.setattr(loop_executable, '_UNROLL_ONE', 0)
    sentences = tf.data.Dataset.from_tensor_slices(np.ones([12, 5, 3], np.float32)).batch(4)
    sentences = sentences.map(lambda s: s[:, :tf.random.uniform([], 5, 6, tf.int32)]).repeat()
    x = sentences.make_one_shot_iterator().get_next()
    outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), x, dtype=tf.float32)
    assert outputs.shape.as_list() == [None, None, 2]
    session.run(tf.global_variables_initializer())
    for _ in range(34):
        session.run(outputs)
    executable, = executable_of(session, [outputs]).rest.executables.values()
    assert 'While' not in executable.program.types


def test_shapes_of_fed_arrays_and_of_elements_vary(session):
    """... more than have programs of their own."""
    sizes = np.random.RandomState(0).randint(1, 9, 60)
    data = tf.data.Dataset.from_generator(
        lambda: (np.full((n, 3), i, np.float32) for i, n in enumerate(sizes)), tf.float32,
        tf.TensorShape([None, 3]))
    x, fed = data.make_one_shot_iterator().get_next(), tf.placeholder(tf.float32, [None])
    fetches = [tf.reduce_sum(x), tf.shape(fed), tf.reduce_sum(fed), tf.shape(x * 2)]
    for i, n in enumerate(sizes):
        total, length, sum_fed, shape = session.run(fetches, {fed: np.ones(i % 30)})
        assert (total, length, sum_fed) == (3 * n * i, i % 30, i % 30)
        assert shape.tolist() == [n, 3]


def test_a_check_that_comes_before_takes_no_element(session):
    allowed = tf.placeholder(tf.bool, [])
    check = tf.Assert(allowed, ['not now'])
    doubled = tf.data.Dataset.range(9).batch(2).make_one_shot_iterator().get_next() * 2
    for allow in (True, False, False, True):
        if allow:
            last = session.run([doubled, check], {allowed: True})[0].tolist()
        else:
            with pytest.raises(tf.errors.InvalidArgumentError, match='not now'):
                session.run([doubled, check], {allowed: False})
    assert last == [4, 6]


def test_an_error_changes_nothing(session):
    """The first batch does not fit; the second is the first with a program."""
    data = tf.data.Dataset.from_tensor_slices(ROWS).batch(20).repeat(2)
    weights = tf.placeholder(tf.float32, [20])
    total = tf.reduce_sum(data.make_one_shot_iterator().get_next() * weights[:, None])
    first = session.run(total, {weights: np.ones(20)})
    session.run(total, {weights: np.ones(20)})
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(total, {weights: np.ones(20)})              # 10 rows
    assert session.run(total, {weights: np.ones(20)}) == first
