"""Loops of known length as straight-line code: which become it, and that nothing else changes."""
from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tinyflow as tf
from tinyflow.compiler.compile import Options, graph_to_program, optimise
from tinyflow.compiler.functions.unrolling import unrolling_cost
from tinyflow.compiler.passes import EXACT, PASSES
from tinyflow.graph.support.background import TURN
from tinyflow.session import loop_executable
from tinyflow.session.program_cache import ProgramCache

pytestmark = pytest.mark.usefixtures('graph')
EXACT_PASSES = tuple(name for name in PASSES if name in EXACT)


def types(fetches, feeds=(), shapes=(), **options):
    program = optimise(graph_to_program(tuple(fetches), tuple(feeds)), tuple(shapes),
                       Options(**options))
    program.check()
    return [i.type for i in program.instructions]


def values(fetches, feeds, **options):
    with tf.Session() as session:
        session._programs = ProgramCache(session._store, Options(**options))
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def same(fetches, feeds):
    """The same numbers; sums of differently laid out arrays may differ in the last bit."""
    plain = values(fetches, feeds, unroll=None, passes=EXACT_PASSES)
    for a, b in zip(plain, values(fetches, feeds, unroll=0, passes=EXACT_PASSES)):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)
    for a, b in zip(plain, values(fetches, feeds, unroll=0)):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def with_gradients(loss):
    return [loss, *tf.gradients(loss, tf.trainable_variables())]


CELLS = {
    'lstm': lambda: tf.nn.rnn_cell.BasicLSTMCell(4), 'gru': lambda: tf.nn.rnn_cell.GRUCell(4),
    'peepholes': lambda: tf.nn.rnn_cell.LSTMCell(4, use_peepholes=True, num_proj=3),
    'two': lambda: tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(3),
                                                tf.nn.rnn_cell.BasicRNNCell(4)])}


@pytest.mark.slow
@pytest.mark.parametrize('name', sorted(CELLS))
@pytest.mark.parametrize('last', [True, False])
@pytest.mark.parametrize('lengths', [None, [5, 0, 2]])
def test_recurrent_networks(name, last, lengths):
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [None, 5, 2])
    outputs, state = tf.nn.dynamic_rnn(CELLS[name](), x, lengths, dtype=tf.float32)
    chosen = outputs[:, -1] if last else outputs * tf.range(20.0 if not last else 1)[:5, None]
    loss = tf.reduce_sum(chosen) + tf.reduce_sum(tf.nest.flatten(state)[0])
    fetches = [*with_gradients(loss), outputs, tf.gradients(loss, x)[0]]
    assert 'While' not in types(fetches, [x], [(3, 5, 2)])
    same(fetches, {x: np.random.RandomState(0).rand(3, 5, 2)})


def test_the_gradient_of_a_weight_is_one_product():
    x = tf.placeholder(tf.float32, [4, 6, 2])
    outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(3), x, dtype=tf.float32)
    gradients = with_gradients(tf.reduce_sum(outputs[:, -1]))
    found = types(gradients, [x], [(4, 6, 2)])
    assert not {'While', 'TensorListPushBack', 'TensorListStack', 'Pack', 'StridedSliceGrad'} \
        & set(found)
    static_outputs, _ = tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(3, name='s'),
                                         tf.unstack(x, axis=1), dtype=tf.float32)
    loss = tf.reduce_sum(static_outputs[-1])
    static = types([loss, *tf.gradients(loss, tf.trainable_variables()[2:])], [x], [(4, 6, 2)])
    assert found.count('MatMul') == static.count('MatMul')


def powers(steps, body=None, **settings):
    """[3, 3] matrix multiplied by itself so often."""
    m = tf.placeholder(tf.float32, [3, 3])
    w = tf.get_variable('w', initializer=np.eye(3, dtype=np.float32) * 0.5)
    body = body or (lambda i, y: (i + 1, tf.matmul(y, w) + 1.0))
    _, y = tf.while_loop(lambda i, y: i < steps, body, [0, m], **settings)
    return m, y


FED = np.arange(9, dtype=np.float32).reshape(3, 3) / 5


def test_a_loop_with_products():
    m, y = powers(6)
    fetches = [y, *tf.gradients(tf.reduce_sum(y), [m, *tf.trainable_variables()])]
    assert 'While' not in types(fetches, [m], [(3, 3)])
    same(fetches, {m: FED})


def test_nested_loops_and_conds_are_unchanged():
    def inner(i, y):
        _, z = tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, tf.matmul(z, z) * 0.1),
                             [0, y])
        return i + 1, tf.matmul(z, z) * 0.1

    def chosen(i, y):
        return i + 1, tf.cond(i < 2, lambda: tf.matmul(y, y), lambda: y)

    for body in (inner, chosen):
        with tf.variable_scope(None, 'v'):
            m, y = powers(3, body)
        assert 'While' in types([y], [m], [(3, 3)])
        same([y, tf.gradients(y, m)[0]], {m: FED})


@pytest.mark.parametrize('body', [
    lambda i, y: (i + 1, tf.matmul(y, tf.random_uniform([3, 3]))),
    lambda i, y: (i + 1, tf.Print(tf.matmul(y, y), [i])),
    lambda i, y: (i + 1, tf.py_func(lambda a: a, [tf.matmul(y, y)], tf.float32)),
    lambda i, y: (i + tf.cast(tf.reduce_sum(y) < 9e9, tf.int32), tf.matmul(y, y)),
    lambda i, y: (i + 1, y * 2.0),
], ids=['random', 'prints', 'python', 'depends on data', 'no product'])
def test_loops_that_are_not_unrolled(body):
    m = tf.placeholder(tf.float32, [3, 3])
    _, y = tf.while_loop(lambda i, y: i < 3, body, [0, m], shape_invariants=[
        tf.TensorShape([]), tf.TensorShape(None)])
    assert 'While' in types([y], [m], [(3, 3)])


def test_many_steps_stay_a_loop():
    m, y = powers(65)
    assert 'While' in types([y], [m], [(3, 3)])
    with tf.variable_scope('other'):
        m, y = powers(64)
    assert 'While' not in types([y], [m], [(3, 3)])


def test_the_number_of_steps_may_depend_on_a_fed_shape():
    x = tf.placeholder(tf.float32, [None, None, 2])
    outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicRNNCell(3), x, dtype=tf.float32)
    assert 'While' not in types([outputs], [x], [(2, 4, 2)])
    assert 'While' in types([outputs], [x], [(2, None, 2)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for steps in (4, 1, 7, 4):
            assert session.run(outputs, {x: np.ones([2, steps, 2])}).shape == (2, steps, 3)


@pytest.mark.slow
@pytest.mark.parametrize('layer', ['LSTM', 'GRU'])
def test_parts_of_weights_are_summed_first(layer):
    """The gates of Keras' cells use parts of one kernel; each has one product for all steps."""
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [4, 6, 2])
    cells = getattr(tf.keras.layers, layer)(5)
    fetches = with_gradients(tf.reduce_sum(cells(x)))
    found = types(fetches, [x], [(4, 6, 2)])
    gates = {'LSTM': 4, 'GRU': 3}[layer]
    per_step = gates * 2 * 6 * 2 - gates        # forward, and to the inputs; none before step 1
    assert 'While' not in found and found.count('MatMul') <= per_step + gates * 2
    assert found.count('StridedSliceGrad') <= 3 * gates
    same(fetches, {x: np.random.RandomState(0).rand(4, 6, 2)})


def test_only_parts_of_the_same_place_are_summed_first():
    x = tf.placeholder(tf.float32, [6, 4])
    parts = [tf.sin(x[:, :2] * float(i)) for i in range(4)] \
        + [tf.sin(x[:, 1:3] * float(i)) for i in range(2)] + [tf.sin(x)]
    total = tf.add_n([tf.reduce_sum(part) for part in parts])
    gradient = tf.gradients(total, x)[0]
    assert types([gradient], [x], [(6, 4)]).count('StridedSliceGrad') == 3      # of six
    same([total, gradient], {x: np.random.RandomState(0).rand(6, 4)})


@pytest.mark.parametrize('resource', [False, True])
def test_parts_that_are_variables_are_read_before_they_are_assigned_to(resource):
    v = tf.get_variable('v', initializer=np.ones([1, 2], np.float32), use_resource=resource)
    x = tf.placeholder(tf.float32, [1, 2])
    terms = [tf.concat([v, x * float(i)], 1) for i in range(3)]
    with tf.control_dependencies(terms):
        changed = v.assign_add(x * 100.0)
    with tf.control_dependencies([changed]):
        total = tf.add_n(terms)
    assert values([total], {x: [[1, 1]]})[0].tolist() == [[3, 3, 3, 3]]


def test_unrolling_costs():
    """For small arrays the interpreter decides, for large ones arithmetic."""
    small, large = [unrolling_cost(graph_to_program((y,), (m,)), [(size, size)], True)
                    for size in (3, 300) for m, y in [powers_of(size, 4)]]
    assert small.instructions == large.instructions and large.seconds > 10 * small.seconds
    m, y = powers_of(3, 8)
    twice = unrolling_cost(graph_to_program((y,), (m,)), [(3, 3)], True)
    assert twice.instructions == 2 * small.instructions
    n = tf.placeholder(tf.int32, [])
    m, y = powers_of(3, n)
    assert unrolling_cost(graph_to_program((y,), (m, n)), [(3, 3), ()], True) is None


def powers_of(size, steps):
    m = tf.placeholder(tf.float32, [size, size])
    return m, tf.while_loop(lambda i, y: i < steps,
                            lambda i, y: (i + 1, tf.matmul(y, y) + tf.cast(i, tf.float32)),
                            [0, m])[1]


@pytest.mark.parametrize('instruction', [0.0, 1e-6, 1e-5])
def test_a_program_waits_for_as_many_runs_as_unrolling_takes(instruction, monkeypatch):
    """But for no fewer than asked for; it begins at a quarter of these."""
    monkeypatch.setattr(loop_executable, '_UNROLL_ONE', instruction)
    m, y = powers(4)
    cost = unrolling_cost(graph_to_program((y,), (m,)), [(3, 3)], True)
    wanted = max(8, 2 + math.ceil(instruction * cost.instructions / (TURN * cost.seconds)))
    with tf.Session() as session:
        session._programs = ProgramCache(session._store, Options(unroll=8))
        session.run(tf.global_variables_initializer())
        types_run(session, y, m)
        executable, = session._programs.entry((y,), (m,)).executables.values()
        announced, runs = executable.replaced_after, 1
        while runs < 50 and 'While' in types_run(session, y, m):
            runs += 1
        assert runs == wanted == announced


def types_run(session, y, m):
    """The types of the instructions of a run."""
    session.run(y, {m: FED})
    executable, = session._programs.entry((y,), (m,)).executables.values()
    return executable.program.types


def test_a_program_is_written_out_once_it_has_run_so_often(monkeypatch):
    monkeypatch.setattr(loop_executable, '_UNROLL_ONE', 0)
    m, y = powers(4)
    with tf.Session() as session:
        session._programs = ProgramCache(session._store, Options(unroll=3))
        session.run(tf.global_variables_initializer())
        call, found = session.make_callable(y, [m]), []
        for _ in range(6):
            found.append(call(FED))
            entry = session._programs.entry((y,), (m,))
            types_now = [i.type for e in entry.executables.values()
                         for i in e.program.instructions]
            assert ('While' in types_now) == (len(found) < 4)
        for value in found[1:]:
            np.testing.assert_allclose(value, found[0], rtol=1e-6)


def test_a_variable_that_comes_out_of_a_loop_is_as_it_was():
    v = tf.get_variable('v', initializer=np.ones([2, 2], np.float32))
    _, kept, y = tf.while_loop(lambda i, k, y: i < 2,
                               lambda i, k, y: (i + 1, v, tf.matmul(y, v)),
                               [0, tf.zeros([2, 2]), tf.ones([2, 2])])
    with tf.control_dependencies([kept]):
        changed = tf.assign(v, v * 5.0)
    with tf.Session() as session:
        session.run(v.initializer)
        found = session.run([kept, y, changed])
    assert found[0].tolist() == [[1, 1], [1, 1]] and found[2].tolist() == [[5, 5], [5, 5]]


@pytest.mark.slow
def test_a_training_step_reads_weights_before_it_changes_them():
    tf.set_random_seed(3)
    x = tf.placeholder(tf.float32, [2, 3, 2])
    outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), x, dtype=tf.float32)
    loss = tf.reduce_sum(tf.square(outputs[:, -1] - 1.0))
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    fed = np.random.RandomState(1).rand(2, 3, 2)

    def losses(**options):
        with tf.Session() as session:
            session._programs = ProgramCache(session._store, Options(**options))
            session.run(tf.global_variables_initializer())
            return [session.run([loss, train], {x: fed})[0] for _ in range(6)]

    wanted = losses(unroll=None)
    np.testing.assert_allclose(losses(unroll=0), wanted, rtol=1e-5)
    np.testing.assert_allclose(losses(unroll=3), wanted, rtol=1e-5)      # changed on the way


def test_lists_that_are_only_partly_set_fail_as_ever():
    array = tf.TensorArray(tf.float32, 3)
    _, array = tf.while_loop(
        lambda i, a: i < 2, lambda i, a: (i + 1, a.write(i, tf.matmul([[1.0]], [[2.0]]))),
        [0, array])
    with tf.Session() as session:
        assert session.run(array.read(1)).tolist() == [[2.0]]
        for options in ({'unroll': 0}, {'unroll': None}):
            assert values([array.stack()], {}, **options)[0].shape == (3, 1, 1)


def test_the_first_nan_is_still_found():
    m, y = powers(3, lambda i, y: (i + 1, tf.log(tf.matmul(y, y) - 1.0, name='logarithm')))
    with tf.Session(nan_check=True) as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match='logarithm'):
            session.run(y, {m: np.zeros([3, 3])})


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_random_loops(data):
    """Bodies of random ops over a few variables and an array, with gradients."""
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        steps = data.draw(st.integers(0, 5))
        x = tf.placeholder(tf.float32, [2, 2])
        w = tf.get_variable('w', [2, 2], initializer=tf.random_normal_initializer())
        count = data.draw(st.integers(1, 3))
        plan = [[data.draw(st.sampled_from(['dot', 'add', 'mul', 'tanh', 'same', 'row', 'other']))
                 for _ in range(2)] for _ in range(count)]

        def change(kind, i, values, y):
            return {'dot': lambda: tf.matmul(y, w) * 0.5, 'add': lambda: y + values[0],
                    'mul': lambda: y * 0.7, 'tanh': lambda: tf.tanh(y), 'same': lambda: y,
                    'row': lambda: y + tf.cast(i, tf.float32), 'other': lambda: values[-1]}[kind]()

        def body(i, array, *values):
            new = []
            for kinds, y in zip(plan, values):
                for kind in kinds:
                    y = change(kind, i, values, y)
                new.append(y)
            return (i + 1, array.write(i, tf.matmul(new[0], w)), *new)

        array = tf.TensorArray(tf.float32, steps, element_shape=[2, 2])
        results = tf.while_loop(lambda i, *_: i < steps, body,
                                [0, array, *[x * (k + 1.0) for k in range(count)]])
        fetches = [results[0], *results[2:]]
        if steps:
            fetches.append(results[1].stack())
        loss = tf.add_n([tf.reduce_sum(tf.square(f)) for f in fetches[1:]])
        fetches += [g for g in tf.gradients(loss, [x, w]) if g is not None]
        same(fetches, {x: [[0.3, -0.2], [0.1, 0.4]]})


@pytest.mark.parametrize('resource', [True, False])
def test_a_value_read_in_an_unrolled_loop_stays_as_it_was(resource):
    """An unrolled loop returns a Variable's value, not its storage."""
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable('w', initializer=np.ones((2, 2), 'f'), use_resource=resource)
        *_, read = tf.while_loop(lambda i, a, b: i < 3,
                                 lambda i, a, b: (i + 1, tf.matmul(a, w), tf.identity(w)),
                                 [0, tf.ones([1, 2]), tf.zeros([2, 2])])
        with tf.control_dependencies([read]):
            longer = w.assign_add(tf.ones([2, 2]))
        with tf.control_dependencies([longer]):
            later = read * 1.
        session.run(tf.global_variables_initializer())
        found = session.run([later, read])
        session.run(longer)
    np.testing.assert_array_equal(found, np.ones((2, 2, 2)))
