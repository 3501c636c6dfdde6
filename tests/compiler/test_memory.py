"""The memory plan: no live value is overwritten, and dead buffers are reused."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.compile import Options, graph_to_program, optimise
from tinyflow.compiler.memory.plan import plan_memory
from tinyflow.session.executable import Executable
from tinyflow.session.runtime import Runtime
from tinyflow.session.store import Store

pytestmark = pytest.mark.usefixtures('graph')


def program_of(fetches, feeds, shapes, options=None):
    program = graph_to_program(tuple(fetches), tuple(feeds))
    return optimise(program, tuple(shapes), options or Options())


def plan_of(fetches, feeds, shapes, options=None):
    return plan_memory(program_of(fetches, feeds, shapes, options))


def deep_network(layers=10, width=64):
    x = tf.placeholder(tf.float32, [None, width])
    y = x
    for _ in range(layers):
        y = tf.nn.relu(tf.matmul(y, tf.Variable(tf.ones([width, width]))) + 1.0)
    return x, y


def lifetimes(plan):
    """{root value of a block: (first step, last step, offset, end)} by an independent count.

    A view keeps alive what it is a view of; a result that overwrites an input takes its block.
    """
    instructions, locations = plan.program.instructions, plan.locations
    owner, born, dies = {}, {}, {}

    def root(value):
        while value in owner:
            value = owner[value]
        return value
    for step, instruction in enumerate(instructions):
        for value in instruction.inputs:
            dies[root(value)] = step
        for value in instruction.outputs:
            if instruction.definition.view and not instruction.copy:
                owner[value] = instruction.inputs[0]
            born.setdefault(root(value), step)
            dies[root(value)] = step
    for value in plan.program.fetches:
        if value is not None:
            dies[root(value)] = len(instructions)
    return {v: (born[v], dies[v], locations[v].offset,
                locations[v].offset + v.dtype.np.itemsize * int(np.prod(v.raw_shape)))
            for v in born if locations[v].kind == 'buffer'}


def check_no_overlap(plan):
    """No two values that are alive at once share memory, unless one overwrites the other."""
    blocks = list(lifetimes(plan).items())
    for i, (a, (a_born, a_dies, a_from, a_to)) in enumerate(blocks):
        for b, (b_born, b_dies, b_from, b_to) in blocks[i + 1:]:
            if a_from < b_to and b_from < a_to:
                first, second = ((a_dies, b_born) if a_born <= b_born else (b_dies, a_born))
                later = b if a_born <= b_born else a
                earlier = a if a_born <= b_born else b
                if plan.locations[later].overwrites is earlier:
                    assert first <= second, (earlier, later)
                else:
                    assert first < second, (earlier, later)


@pytest.mark.parametrize('options', [Options(), Options(False, ()), Options(True, ('merge',))])
def test_nothing_alive_is_overwritten(options):
    x, y = deep_network(5)
    loss = tf.reduce_mean(tf.square(y))
    variables = tf.trainable_variables()
    steps = [tf.assign_sub(v, 0.1 * g) for v, g in zip(variables, tf.gradients(loss, variables))]
    plan = plan_of([s.op for s in steps] + [loss], [x], [(32, 64)], options)
    assert len(lifetimes(plan)) > 10
    check_no_overlap(plan)


def test_views_of_views_keep_their_buffer_alive():
    x = tf.placeholder(tf.float32, [8, 128])
    base = tf.exp(x)
    view = tf.reshape(base, [128, 8])
    for _ in range(6):
        view = tf.transpose(tf.reshape(view, [32, 32]))
    piece = view[3:9, ::2]
    other = x
    for i in range(8):                              # operations that could reuse that buffer
        other = tf.tanh(other) + float(i)
    total = tf.reduce_sum(piece) + tf.reduce_sum(other)
    check_no_overlap(plan_of([total], [x], [(8, 128)]))
    value = np.linspace(-1, 1, 1024).reshape(8, 128).astype('f')
    v = np.exp(value).reshape(128, 8)
    for _ in range(6):
        v = v.reshape(32, 32).T
    wanted = value
    for i in range(8):
        wanted = np.tanh(wanted) + np.float32(i)
    with tf.Session() as session:
        for _ in range(3):
            np.testing.assert_allclose(session.run(total, {x: value}),
                                       v[3:9, ::2].sum() + wanted.sum(), rtol=1e-5)


def test_a_deep_network_needs_the_memory_of_a_layer_or_two():
    x, y = deep_network(layers=20)
    plan = plan_of([tf.reduce_sum(y)], [x], [(100, 64)])
    assert plan.arena_bytes <= 3 * 100 * 64 * 4
    assert plan.unplanned_bytes >= 15 * plan.arena_bytes / 2


def test_a_chain_is_worked_out_in_place():
    x = tf.placeholder(tf.float32, [1000])
    y = tf.exp(x)
    for _ in range(10):
        y = tf.tanh(y) + y
    plan = plan_of([tf.reduce_sum(y)], [x], [(1000,)])
    assert plan.arena_bytes <= 3 * 4096


def test_shapes_that_are_not_known_are_not_planned():
    x = tf.placeholder(tf.float32)
    y = tf.exp(x) * 2.0
    assert plan_of([tf.reduce_sum(y)], [x], [None]).arena_bytes == 0
    assert plan_of([tf.reduce_sum(y)], [x], [(500, 3)]).arena_bytes >= 6000


def test_fetched_values_are_not_in_the_arena():
    x = tf.placeholder(tf.float32, [1000])
    y = tf.exp(x)
    z = tf.tanh(y)
    plan = plan_of([y, z], [x], [(1000,)])
    for value in plan.program.fetches:
        assert plan.locations[value].kind == 'local'


@pytest.mark.parametrize('shape', [(0,), (0, 3), (1,), (3,), (16,), (17,), (5, 1023), (2, 3, 5)])
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64', 'int8', 'int64', 'complex128',
                                   'bool'])
def test_buffers_of_every_size_and_dtype(shape, dtype):
    """Buffers begin at a cache line and hold their dtype, next to others of other dtypes."""
    x = tf.placeholder(dtype, shape)
    y = tf.logical_not(x) if dtype == 'bool' else tf.add(x, x)
    other = tf.cast(tf.exp(tf.zeros(shape) + tf.cast(tf.shape(x)[0] * 0, 'float32')), 'float32')
    with tf.Session() as session:
        value = (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(dtype)
        got, ones = session.run([tf.concat([y, y], 0), other * 2.0], {x: value})
    wanted = ~value if dtype == 'bool' else value + value
    assert got.dtype == wanted.dtype and np.array_equal(got, np.concatenate([wanted, wanted]))
    assert np.array_equal(ones, np.full(shape, 2.0))


def test_the_arena_of_a_smaller_program_grows():
    x = tf.placeholder(tf.float32, [None])
    y = tf.reduce_sum(tf.exp(x) * 2.0 + tf.tanh(x))
    with tf.Session() as session:
        for n in (1, 100, 10, 100_000, 10, 1, 200_000, 100):
            got = session.run(y, {x: np.zeros(n)})
            assert got == 2.0 * n
        assert len(session._programs.runtime.free_arenas) == 1


def test_programs_that_share_an_arena_do_not_remember_it():
    """The content of the arena before a run makes no difference."""
    x = tf.placeholder(tf.float32, [6, 6])
    y = tf.matmul(tf.exp(x), tf.transpose(tf.tanh(x) + 1.0)) - tf.reduce_max(x, 1, keepdims=True)
    executable = Executable(program_of([y], [x], [(6, 6)]), Runtime(Store()))
    value = np.random.default_rng(0).normal(size=(6, 6)).astype('f')
    first, = executable([value])
    arena, = executable._runtime.free_arenas
    for garbage in (0, 255, 127):
        arena.memory.fill(garbage)
        assert np.array_equal(executable([value])[0], first)


def test_an_overwritten_input_is_not_needed_later():
    x = tf.placeholder(tf.float32, [300])
    a = tf.exp(x)
    b = a + 1.0
    c = b * a                                       # b's buffer is free here, a's is not
    d = c + a
    plan = plan_of([tf.reduce_sum(d)], [x], [(300,)])
    check_no_overlap(plan)
    with tf.Session() as session:
        assert session.run(tf.reduce_sum(d), {x: np.zeros(300)}) == 900.0


def test_the_same_input_twice_may_be_overwritten_once():
    x = tf.placeholder(tf.float32, [300])
    a = tf.exp(x)
    for op in (tf.add, tf.multiply, tf.maximum, tf.subtract):
        with tf.Session() as session:
            wanted = op.__name__ != 'subtract' and {'add': 2.0}.get(op.__name__, 1.0) or 0.0
            assert session.run(tf.reduce_mean(op(a, a)), {x: np.zeros(300)}) == wanted
            assert session.run(tf.reduce_mean(op(a, tf.reshape(a, [300]))),
                               {x: np.zeros(300)}) == wanted


def test_a_transposed_view_is_not_overwritten_in_place():
    """matmul(a, a^T) and a + a^T read the buffer in two orders at once."""
    x = tf.placeholder(tf.float32, [30, 30])
    a = tf.exp(x)
    value = np.random.default_rng(0).normal(size=(30, 30)).astype('f')
    e = np.exp(value)
    with tf.Session() as session:
        for fetch, wanted in [(a + tf.transpose(a), e + e.T), (tf.transpose(a) - a, e.T - e),
                              (tf.matmul(a, tf.transpose(a)), e @ e.T),
                              (a[::-1] * a, e[::-1] * e),
                              (a[:, ::-1] + a[::-1], e[:, ::-1] + e[::-1])]:
            np.testing.assert_allclose(session.run(tf.tanh(fetch / 100), {x: value}),
                                       np.tanh(wanted / 100), rtol=1e-5)
