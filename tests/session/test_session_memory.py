"""Where results live, and when their memory is given up."""
import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tinyflow as tf
from tinyflow.compiler.memory.arena_offsets import Block, pack
from tinyflow.session import malloc_trim

BLOCKS = st.lists(
    st.tuples(st.sampled_from([0, 4, 64, 65, 4000, 4096, 5000, 8192, 100_000, 100_001]),
              st.integers(0, 30), st.integers(0, 12)),
    max_size=40)

pytestmark = pytest.mark.usefixtures('graph')


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(BLOCKS)
def test_blocks_that_are_needed_in_the_same_step_share_no_byte(rows):
    blocks = [Block(nbytes, first, first + steps)
              for nbytes, first, steps in sorted(rows, key=lambda row: row[1])]
    size = pack(blocks)
    for n, a in enumerate(blocks):
        assert a.offset % 64 == 0
        assert a.offset + a.nbytes <= size
        for b in blocks[:n]:
            if a.first <= b.last and b.first <= a.last:
                assert a.offset + a.nbytes <= b.offset or b.offset + b.nbytes <= a.offset


@st.composite
def filled_blocks(draw):
    """Blocks, some of which are filled little by little in rows of equal length."""
    blocks = []
    for nbytes, first, steps in sorted(draw(BLOCKS), key=lambda row: row[1]):
        block = Block(nbytes, first, first + steps)
        rows = draw(st.integers(0, 4))
        row = nbytes // max(rows, 1)
        for n in range(rows if row else 0):
            block.stretches[n * row, (n + 1) * row] = first + draw(st.integers(0, steps))
        if block.stretches:
            block.stretches[0, nbytes] = block.last
        blocks.append(block)
    return blocks


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(filled_blocks())
def test_bytes_that_are_not_yet_filled_may_be_others(blocks):
    size = pack(blocks)
    for n, a in enumerate(blocks):
        assert a.offset % 64 == 0
        assert a.offset + a.nbytes <= size
        for (begin, end), first in a.needs().items():
            for b in blocks[:n]:
                for (b_begin, b_end), b_first in b.needs().items():
                    if first <= b.last and b_first <= a.last:
                        assert a.offset + end <= b.offset + b_begin \
                            or b.offset + b_end <= a.offset + begin


def test_a_block_ends_where_a_larger_one_is_not_yet_filled():
    stack = Block(4 * 8192, 0, 9)
    stack.stretches = {(n * 8192, (n + 1) * 8192): 9 - n for n in range(4)}
    steps = [Block(8192, 0, 8 - n) for n in range(4)]
    assert pack([stack, *steps]) == 4 * 8192


@pytest.mark.slow
def test_gradients_of_steps_lie_where_the_steps_lay():
    """The stack of all steps' gradients takes no memory in addition to the steps."""
    x = tf.placeholder(tf.float32, [64, 20, 8])
    outputs, _ = tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(64), tf.unstack(x, axis=1),
                                  dtype=tf.float32)
    gradients = tf.gradients(tf.reduce_sum(outputs[-1]), tf.trainable_variables())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        plan = tf.explain(gradients, {x: np.zeros([64, 20, 8], np.float32)}, session).memory
    cell = 64 * 64 * 4                      # bytes of one gate
    joined = 20 * 64 * (8 + 64 + 1) * 4     # what weights multiply
    assert plan.arena_bytes < joined + 20 * 6 * cell + 16 * cell


def test_a_block_takes_the_gap_that_several_smaller_ones_leave():
    halves = [Block(8192, 0, 1), Block(8192, 0, 1)]
    whole = [Block(16384, 2, 3)]
    assert pack(halves + whole) == 16384


@pytest.mark.slow
def test_a_convolutional_network_needs_no_more_than_what_is_alive_at_once():
    """The arena is as small as the sum of what some single step needs."""
    x = tf.placeholder(tf.float32, [8, 28, 28, 1])
    hidden = tf.layers.conv2d(x, 32, 5, padding='same', activation=tf.nn.relu)
    hidden = tf.layers.max_pooling2d(hidden, 2, 2)
    hidden = tf.layers.conv2d(hidden, 64, 5, padding='same', activation=tf.nn.relu)
    logits = tf.layers.dense(tf.layers.flatten(tf.layers.max_pooling2d(hidden, 2, 2)), 10)
    train = tf.train.AdamOptimizer().minimize(tf.reduce_mean(logits ** 2))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        plan = tf.explain(train, {x: np.zeros([8, 28, 28, 1], np.float32)}, session).memory
    needed = np.zeros(len(plan.program.instructions) + 1)
    steps = {instruction: n for n, instruction in enumerate(plan.program.instructions)}
    births, ends = {}, {}
    for instruction, n in steps.items():
        for value in instruction.inputs + instruction.outputs:
            root = plan.roots[value]
            while plan.locations[root].overwrites is not None:
                root = plan.locations[root].overwrites
            births.setdefault(root, n)
            ends[root] = n
    for root, first in births.items():
        if plan.locations[root].kind == 'buffer':
            needed[first:ends[root] + 1] += Block(
                int(np.prod(root.sizes)) * root.dtype.size, 0, 0).nbytes
    assert needed.max() <= plan.arena_bytes <= 1.02 * needed.max()


@pytest.mark.slow
def test_a_growing_arena_frees_the_smaller_block_at_once():
    x = tf.placeholder(tf.float32, [None, 1000])
    y = tf.reduce_sum(tf.sin(x) * tf.cos(x))
    gc.collect()
    gc.disable()
    try:
        with tf.Session() as session:
            session.run(y, {x: np.ones([10, 1000], np.float32)})
            arena, = session._programs.runtime.free_arenas
            first = weakref.ref(arena.memory.base)
            session.run(y, {x: np.ones([100, 1000], np.float32)})
            assert first() is None
            second = weakref.ref(arena.memory.base)
            np.testing.assert_allclose(             # the program for ten rows is bound again
                session.run(y, {x: np.ones([10, 1000], np.float32)}), 4546.487, rtol=1e-5)
            assert second() is not None
            del arena
        assert second() is None                     # closed
    finally:
        gc.enable()


@pytest.fixture
def trims(monkeypatch):
    calls = []
    monkeypatch.setattr(malloc_trim, '_malloc_trim', lambda: calls.append)
    monkeypatch.setattr(malloc_trim, '_pending', False)
    return calls


def _run(rows, close):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [rows, 1000])
        y = tf.sin(x) * tf.cos(x)
        session = tf.Session()
        session.run(tf.reduce_sum(y), {x: np.ones([rows, 1000], np.float32)})
        if close:
            session.close()


def test_closing_a_large_session_gives_its_memory_back(trims):
    _run(3000, close=True)
    assert trims == [0]
    tf.Session().close()
    assert trims == [0]


@pytest.mark.slow
def test_an_unclosed_large_session_is_freed_before_the_next(trims):
    _run(3000, close=False)
    gc.collect()
    assert trims == []
    tf.Session().close()
    assert trims == [0]


@pytest.mark.slow
def test_small_sessions_do_not_pay_for_it(trims):
    _run(3, close=True)
    _run(3, close=False)
    gc.collect()
    tf.Session().close()
    assert trims == []


def test_two_sessions_do_not_share_values():
    """Each Session has its own variables, and closing one leaves the other alone."""
    v = tf.Variable(1.0, name='v')
    up = v.assign_add(1.0)
    first, second = tf.Session(), tf.Session()
    for session in (first, second):
        session.run(v.initializer)
    first.run(up.op)
    first.run(up.op)
    assert (first.run(v), second.run(v)) == (3.0, 1.0)
    second.close()
    assert first.run(v) == 3.0
    first.close()


def test_a_fetched_array_is_the_callers_own():
    """Changing what a run returned changes no variable, constant or later result."""
    v = tf.Variable(np.zeros(3), name='v')
    c = tf.constant(np.ones(3))
    with tf.Session() as session:
        session.run(v.initializer)
        value, constant, total = session.run([v, c, c + v])
        for array in (value, constant, total):
            array[...] = 99.0
        again = session.run([v, c, c + v])
    assert [a.tolist() for a in again] == [[0.0] * 3, [1.0] * 3, [1.0] * 3]


def test_an_earlier_result_is_not_changed_by_a_later_run():
    x = tf.placeholder(tf.float64, [3], name='x')
    y = tf.exp(x)
    with tf.Session() as session:
        first = session.run(y, {x: [0.0, 0.0, 0.0]})
        session.run(y, {x: [5.0, 5.0, 5.0]})
    assert first.tolist() == [1.0, 1.0, 1.0]


def test_arrays_that_fit_are_fed_without_a_copy():
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.reduce_sum(x)
    fitting = np.ones((4, 3), np.float32)
    with tf.Session() as sess:
        call = sess._new_call(y, {x: fitting})
        assert call.arrays([fitting])[0] is fitting
        assert call.arrays([np.ones((4, 3))])[0].dtype == np.float32       # has to be converted
