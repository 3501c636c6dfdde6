"""The generated function: readable source that leads back to the user's lines."""
from __future__ import annotations

import gc
import inspect
import linecache
import os
import traceback

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.codegen import long_programs
from tinyflow.compiler.codegen.program import ProgramSource
from tinyflow.compiler.codegen.tiling import tile_groups
from tinyflow.compiler.compile import Options, graph_to_program, optimise
from tinyflow.compiler.memory.plan import plan_memory
from tinyflow.graph.elementwise import Unary
from tinyflow.graph.op import Op

HERE = os.path.basename(__file__)


pytestmark = pytest.mark.usefixtures('graph')


def source_of(fetches, feeds=(), shapes=()):
    program = optimise(graph_to_program(tuple(fetches), tuple(feeds)), tuple(shapes), Options())
    return ProgramSource(plan_memory(program))


def test_each_line_names_its_node_and_the_users_line():
    x = tf.placeholder(tf.float32, [2, 2])
    y = tf.exp(x, name='growth')
    made = inspect.currentframe().f_lineno - 1
    z = tf.matmul(y, y, name='product')
    source = source_of([z], [x], [(2, 2)])
    line = next(t for t in source.text.splitlines() if 'np.exp' in t)
    assert 'growth' in line and f'{HERE}:{made}' in line and '[2, 2]' in line
    assert any('product' in t for t in source.text.splitlines())


def test_lines_lead_to_instructions():
    x = tf.placeholder(tf.float32, [3])
    source = source_of([tf.tanh(tf.exp(x, name='a'), name='b')], [x], [(3,)])
    by_line = {number: i.name for number, i in source.lines.items()}
    text = source.text.splitlines()
    for number, name in by_line.items():
        assert f'# {name} ' in text[number - 1]
    assert set(by_line.values()) == {'a', 'b'}


@pytest.mark.slow
def test_the_source_is_known_to_linecache_as_long_as_it_lives():
    source = source_of([tf.exp(tf.placeholder_with_default([1.0], [None]))])
    name = source.filename
    assert linecache.getline(name, 1).startswith('def run('), 'a debugger finds no source'
    linecache.checkcache()
    assert linecache.getline(name, 1).startswith('def run(')
    del source
    gc.collect()
    assert name not in linecache.cache


def test_a_traceback_shows_the_generated_line():
    class Broken(Unary):
        pure, overwrites, calls_user_code = False, (), True

        def kernel(x):
            raise RuntimeError('broken')
    try:
        y = Broken.apply(tf.constant([1.0]), name='culprit')
        with tf.Session() as session, pytest.raises(RuntimeError) as caught:
            session.run(y)
    finally:
        del Op.registry['Broken']
    text = ''.join(traceback.format_exception(caught.value))
    assert '<tinyflow> program' in text and 'culprit' in text


def test_the_same_graph_gives_the_same_source():
    def text():
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [None, 4], name='x')
            w = tf.Variable(tf.ones([4, 4]), name='w')
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
            step = tf.assign_sub(w, tf.gradients(loss, w)[0])
            return source_of([step.op, loss], [x], [(8, 4)]).text
    assert len({text() for _ in range(3)}) == 1


@pytest.mark.parametrize('name', [
    'a' * 300, 'with.dots', 'np', 'own', 'x0', 'a/b/c-d_e', 'lambda', 'None'])
def test_any_node_name_is_harmless(name):
    x = tf.placeholder(tf.float32, [2], name=name)
    y = tf.exp(x * 2.0, name=name)
    with tf.Session() as session:
        assert session.run(y, {x: [0.0, 0.0]}).tolist() == [1.0, 1.0]


def test_attributes_of_every_kind_reach_the_kernel():
    x = tf.placeholder(tf.float32, [2, 3])
    value = np.arange(6.0).reshape(2, 3)
    with tf.Session() as session:
        def run(fetch):
            return session.run(fetch, {x: value}).tolist()
        assert run(tf.reduce_sum(x, [0, 1], keepdims=True)) == [[15.0]]
        assert run(tf.transpose(x, (1, 0))) == value.T.tolist()
        assert run(tf.cast(x, tf.int32)) == value.tolist()
        assert run(tf.nn.leaky_relu(-x, 0.5)) == (-value / 2).tolist()
        assert run(tf.reshape(x, [3, -1])) == value.reshape(3, 2).tolist()
        assert run(tf.check_numerics(x, "it's a \"quoted\"\nmessage | with a bar")) == \
            value.tolist()


def test_many_variables_and_many_feeds():
    """More names than one test of the prologue holds, and more arguments than 255."""
    feeds = [tf.placeholder(tf.float32, []) for _ in range(300)]
    variables = [tf.Variable(float(i)) for i in range(40)]
    total = tf.add_n(feeds) + tf.add_n([v * 1.0 for v in variables])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(total, dict.fromkeys(feeds, 1.0)) == 300.0 + sum(range(40))


@pytest.mark.slow
def test_a_program_longer_than_one_function(graph):
    x = tf.placeholder(tf.float32, [3])
    v = tf.Variable([1.0, 1.0, 1.0])
    y, middle = x, None
    for i in range(6000):
        y = tf.negative(y) if i % 3 else y + v
        if i == 2500:
            middle = y
    step = tf.assign_add(v, y * 0.0 + 1.0)
    wanted = half = np.zeros(3)
    for i in range(6000):
        wanted = -wanted if i % 3 else wanted + 1.0
        if i == 2500:
            half = wanted
    with tf.Session() as session:
        feeds = {x: [0.0, 0.0, 0.0]}
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run([y, step], feeds)
        session.run(v.initializer)
        end, mid, _ = session.run([y, middle, step.op], feeds)
        assert end.tolist() == wanted.tolist() and mid.tolist() == half.tolist()
        assert session.run(v).tolist() == [2.0, 2.0, 2.0]
        assert session.run(y, feeds).tolist() == (2 * wanted).tolist()


@pytest.mark.slow
def test_an_error_deep_in_a_long_program_names_its_node():
    x = tf.placeholder(tf.float32)
    y = x
    for i in range(5000):
        y = tf.negative(y)
        if i == 3000:
            y = tf.reshape(y, [2], name='here_it_is')
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match='here_it_is'):
            session.run(y, {x: np.ones(3)})
        assert session.run(y, {x: np.ones(2)}).tolist() == [1.0, 1.0]


@pytest.mark.parametrize('index', [
    np.s_[1], np.s_[-1, :], np.s_[:, 1:3], np.s_[::-1], np.s_[..., 2], np.s_[1, ..., ::2],
    np.s_[:, None, 0], np.s_[5:1:-2, 1:], np.s_[2:100],
    np.s_[6, 4, 2]], ids=str)
def test_indexing_is_written_as_in_numpy(index):
    array = np.arange(105.0).reshape(7, 5, 3)
    x = tf.placeholder(tf.float64, array.shape)
    y = 2 * x[index]
    source = tf.explain(y, {x: array}).source
    assert ' = x0[' in source and 'StridedSlice(' not in source
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y, {x: array}), 2 * array[index])


def test_a_slice_is_written_as_in_numpy():
    array = np.arange(12.0).reshape(3, 4)
    x = tf.placeholder(tf.float64, array.shape)
    y = 2 * tf.slice(x, [1, 0], [-1, 2])
    assert ' = x0[1:3, 0:2]' in tf.explain(y, {x: array}).source
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y, {x: array}), 2 * array[1:3, :2])


@pytest.mark.parametrize('part', [lambda x: x[3], lambda x: tf.slice(x, [1, 0], [3, 1])])
def test_a_part_out_of_range_is_reported_when_the_size_is_known(part):
    x = tf.placeholder(tf.float64, [None, 4])
    y = 2 * part(x)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(y, {x: np.ones((3, 4))})
    assert 'test_codegen.py' in str(caught.value)


def test_no_index_at_all_is_all():
    array = np.ones((2, 3))
    x = tf.placeholder(tf.float64, array.shape)
    y = 2 * tf.strided_slice(x, np.zeros(0, 'i'), np.zeros(0, 'i'), np.zeros(0, 'i'))
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y, {x: array}), 2 * array)


@pytest.mark.slow
def test_a_long_program_is_not_parted_inside_what_runs_tile_by_tile(monkeypatch):
    monkeypatch.setattr(long_programs, '_LONG', 7)
    monkeypatch.setattr(long_programs, '_PART', 7)
    x = y = tf.placeholder(tf.float32, [1 << 18])
    for _ in range(6):
        y = tf.tanh(y) * 1.1
        y = y - tf.reduce_mean(y)
    array = wanted = np.linspace(-1, 1, 1 << 18, dtype=np.float32)
    for _ in range(6):
        wanted = np.tanh(wanted) * 1.1
        wanted = wanted - wanted.mean()
    with tf.Session() as session:
        assert '    def tile' in tf.explain(y, {x: array}, session).source
        np.testing.assert_allclose(session.run(y, {x: array}), wanted, atol=1e-4)


def test_the_result_of_an_update_is_known_in_all_parts_of_a_long_program(monkeypatch):
    monkeypatch.setattr(long_programs, '_LONG', 3)
    monkeypatch.setattr(long_programs, '_PART', 3)
    v = tf.Variable(0)
    y = x = tf.placeholder(tf.int32, [3])
    counted = v.count_up_to(100)
    for _ in range(20):
        y = y + counted
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(y, {x: [1, 2, 3]})
        assert session.run([y, counted], {x: [1, 2, 3]})[0].tolist() == [21, 22, 23]


def test_a_long_chain_on_large_arrays_is_one_group_of_tiles():
    """Finding it takes a time that grows with the length, not with its cube."""
    x = y = tf.placeholder(tf.float32, [1 << 18])
    for _ in range(600):
        y = tf.negative(y)
    plan = plan_memory(optimise(graph_to_program((y,), (x,)), ((1 << 18,),), Options()))
    group, = tile_groups(plan).values()
    assert len(group.instructions) == 600
