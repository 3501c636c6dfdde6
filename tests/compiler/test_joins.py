"""Concatenating and splitting without copying, and sums of products as products of stacks."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tinyflow as tf
from tests.ops.test_ops import run_both
from tinyflow.compiler.compile import Options, graph_to_program, optimise
from tinyflow.compiler.memory import arena_offsets as packing
from tinyflow.graph.op import Op

pytestmark = pytest.mark.usefixtures('graph')


def source(fetches, feed):
    return tf.explain(fetches, feed).source


X = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_a_concatenation_is_made_in_place():
    x = tf.placeholder(tf.float32, [3, 4])
    joined = tf.concat([tf.exp(x), x, tf.tanh(x)], 1)
    y = tf.reduce_sum(joined * joined, 1)
    text = source(y, {x: X})
    assert 'ConcatV2' not in text and '[:, 4:8] = x0' in text
    run_both(x.graph, [y], {x: X})


def test_along_the_first_axis_a_matrix_product_is_made_in_place_too():
    x = tf.placeholder(tf.float32, [3, 4])
    w = tf.constant(np.ones((4, 4), np.float32))
    rows = tf.concat([tf.matmul(x, w), tf.exp(x)], 0)
    columns = tf.concat([tf.matmul(x, w) * 2., tf.matmul(tf.exp(x), w)], 1)
    fetches = [tf.reduce_sum(tf.sin(rows)), tf.reduce_sum(tf.sin(columns))]
    text = source(fetches, {x: X})
    assert text.count('ConcatV2') == 0 and text.count('] = ') == 1     # a product has no gaps
    run_both(x.graph, fetches, {x: X})


def test_one_value_twice_or_fetched_is_copied():
    x = tf.placeholder(tf.float32, [3, 4])
    twice, seen = tf.exp(x), tf.tanh(x)
    fetches = [tf.reduce_sum(tf.concat([twice, twice], 1)), tf.reduce_sum(
        tf.concat([seen, twice], 0)), seen]
    run_both(x.graph, fetches, {x: X})


def test_a_split_buffer_is_looked_at():
    x = tf.placeholder(tf.float32, [3, 4])
    a, b = tf.split(tf.exp(x), 2, 1)
    c, d = tf.split(tf.tanh(x), [1, 3], 1)
    y = tf.reduce_sum(a * b) + tf.reduce_sum(c) * tf.reduce_sum(d)
    assert 'Split' not in source(y, {x: X})
    run_both(x.graph, [y], {x: X})


def test_fetched_parts_of_a_split_belong_to_the_caller():
    x = tf.placeholder(tf.float32, [3, 4])
    e = tf.exp(x)
    a, b = tf.split(e, 2, 1)
    with tf.Session() as sess:
        first = sess.run([a, b, e], {x: X})
        first[0][:] = 0
        assert first[2].min() > 0
        sess.run([a, b, e], {x: X + 1})
        np.testing.assert_allclose(first[1], np.exp(X)[:, 2:], rtol=1e-6)


def test_a_variable_that_is_split_and_then_changed():
    v = tf.Variable(X)
    a, b = tf.split(v, 2, 1)
    with tf.control_dependencies([a, b]):
        step = tf.assign(v, v * 0.)
    with tf.control_dependencies([step]):
        y = a + b
    with tf.Session() as sess:
        sess.run(v.initializer)
        np.testing.assert_allclose(sess.run(y), X[:, :2] + X[:, 2:])


def test_sums_of_products_are_stacked():
    xs = [tf.placeholder(tf.float32, [5, 3]) for _ in range(4)]
    w = tf.placeholder(tf.float32, [3, 2])
    loss = tf.add_n([tf.reduce_sum(tf.tanh(tf.matmul(x, w))) for x in xs])
    gradient, = tf.gradients(loss, w)
    rng = np.random.RandomState(0)
    feed = {x: rng.randn(5, 3).astype('f') for x in xs}
    feed[w] = rng.randn(3, 2).astype('f')
    program = optimise(graph_to_program((gradient,), tuple(feed)),
                       tuple(a.shape for a in feed.values()), Options())
    transposed = [i for i in program.instructions if i.type == 'MatMul' and
                  i.attrs['transpose_a']]
    assert [i.inputs[0].raw_shape for i in transposed] == [(20, 3)]
    run_both(w.graph, [gradient], feed)


STEPS = {
    'concat0': lambda a, b: tf.concat([a, b], 0)[:4],
    'concat1': lambda a, b: tf.concat([tf.sin(a), b], 1)[:, :4],
    'whole': lambda a, b: tf.reduce_sum(tf.reshape(tf.concat([a, tf.cos(b)], 1), [4, 2, 4]), 1),
    'split': lambda a, b: tf.concat(tf.split(a * 2., 2, 1)[::-1], 1) + b,
    'splitv': lambda a, b: tf.concat(tf.split(a - b, [1, 3], 0), 0) * .5,
    'nested': lambda a, b: tf.concat([tf.concat([a[:2] * 2., b[:2] + 1.], 1),
                                      tf.concat([tf.tanh(a[2:]), b[2:]], 1)], 0)[:, 2:6],
    'product': lambda a, b: tf.matmul(tf.concat([a[:, :2] * 1., b[:, 2:]], 1), a * .1),
    'add': lambda a, b: a + b,
    'view': lambda a, b: tf.transpose(tf.concat([a[:2] * 1., b[2:] * 2.], 0)),
    'pieces': lambda a, b: tf.reshape(tf.concat([tf.reshape(p, [-1])
                                                 for p in tf.split(tf.exp(-a * a), 2, 1)], 0),
                                      [4, 4]) - b,
}


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 9), st.integers(0, 9)),
                min_size=1, max_size=9), st.booleans(), st.sampled_from([0, 4096]))
def test_random_joins_and_splits(steps, with_gradient, small):
    with tf.Graph().as_default() as graph, pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, '_SMALL', small)     # bytes; larger blocks may share stretches
        x = tf.placeholder(tf.float64, [4, 4])
        values = [x, tf.sin(x)]
        for name, i, j in steps:
            values.append(STEPS[name](values[i % len(values)], values[j % len(values)]))
        fetches = [tf.reduce_sum(tf.tanh(values[-1])), values[len(values) // 2]]
        if with_gradient:
            fetches += tf.gradients(fetches[0], x)
        fetches = [f for f in fetches if f is not None]
        run_both(graph, fetches, {x: np.linspace(-1., 1., 16).reshape(4, 4)})


def test_elementwise_kernels_write_into_arrays_with_gaps():
    """What joins.py relies on, for every op that it relies on it for."""
    rng = np.random.default_rng(0)
    tried = 0
    for definition in Op.registry.values():
        if not definition.elementwise or not definition.kernel_has_out or definition.has_lists \
                or definition.static_positions or definition.state is not None:
            continue
        count = len(definition.inputs)
        for dtype in (np.float32, np.int32, np.bool_):
            arrays = [(rng.random((3, 4)) * 2).astype(dtype) for _ in range(count)]
            attrs = {k: v for k, v in definition.attrs.items() if k in definition.kernel_attrs}
            try:
                with np.errstate(all='ignore'):
                    want = np.asarray(definition.kernel(*arrays, **attrs))
            except Exception:                           # noqa: BLE001, S112 - not for this dtype
                continue
            if want.shape != (3, 4):
                continue
            room = np.zeros((3, 9), want.dtype)
            with np.errstate(all='ignore'):
                definition.kernel(*arrays, **attrs, out=room[:, 2:6])
            np.testing.assert_array_equal(room[:, 2:6], want, err_msg=definition.type)
            assert not room[:, :2].any() and not room[:, 6:].any(), definition.type
            tried += 1
    assert tried > 80


def test_viewed_values_are_not_made_inside_a_concatenation_with_gaps():
    x = tf.placeholder(tf.float32, [3, 4])
    e = tf.exp(x)
    inner = tf.concat([e, tf.tanh(x)], 0)               # written into columns of the outer one
    outer = tf.concat([inner, tf.sin(inner)], 1)
    fetches = [tf.reduce_sum(tf.reshape(e, [12]) * tf.constant(np.arange(12.), tf.float32)),
               tf.reduce_sum(outer * outer)]
    run_both(x.graph, fetches, {x: X})
    with tf.Session() as sess:
        for value in (X, X + 1):
            np.testing.assert_allclose(sess.run(fetches[0], {x: value}),
                                       np.sum(np.exp(value).ravel() * np.arange(12)), rtol=1e-5)


@pytest.mark.parametrize('fetch_one, transpose_b', [(True, False), (False, True)])
def test_products_that_are_used_elsewhere_or_transposed_otherwise_are_not_stacked(
        fetch_one, transpose_b):
    x = tf.placeholder(tf.float32, [3, 4])
    other = (4, 3) if transpose_b else (3, 4)
    products = [tf.matmul(tf.exp(x + i), tf.reshape(tf.tanh(x * i), other), transpose_a=True,
                          transpose_b=transpose_b) for i in (1., 2., 3.)]
    fetches = [tf.add_n(products), *products[:fetch_one]]
    run_both(x.graph, fetches, {x: X})
    with tf.Session() as sess:
        expected = sum(np.exp(X + i).T @ (np.tanh(X * i).reshape(other).T if transpose_b
                                          else np.tanh(X * i)) for i in (1, 2, 3))
        np.testing.assert_allclose(sess.run(fetches, {x: X})[0], expected, rtol=1e-4)
