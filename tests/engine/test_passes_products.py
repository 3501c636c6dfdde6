"""The passes that were made for recurrent cells: products that share factors, turned matrices."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.nested import plan_program
from tinyflow.compiler.passes import EXACT, PASSES
from tinyflow.compiler.pipeline import Options, optimise

RANDOM = np.random.default_rng(5)


def _program(fetches, feeds, passes=None):
    options = Options() if passes is None else Options(passes=passes)
    program = optimise(plan_program(tuple(fetches), tuple(feeds)),
                       [np.shape(v) for v in feeds.values()], options)
    program.check()
    return program


def _note(program, name):
    return next(note.text for note in program.notes if note.name == name)


def _count(program, op_type):
    return sum(i.type == op_type for i in program.instructions)


# ---- shared ------------------------------------------------------------------------------

def _gate(shape=(3, 4)):
    """A sigmoid gate, its gradients by what it scales and by its input, and what is fed."""
    x, v = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, shape)
    scaled = tf.sigmoid(x) * v
    gradients = tf.gradients(tf.reduce_sum(tf.sin(scaled)), [x, v])
    return gradients, {x: RANDOM.normal(size=(3, 4)).astype('f'),
                       v: RANDOM.normal(size=(3, 4)).astype('f')}


def test_the_gradient_of_a_gate_uses_that_of_what_it_scales():
    gradients, feeds = _gate()
    before = _program(gradients, feeds, tuple(p for p in PASSES if p in EXACT))
    after = _program(gradients, feeds)
    assert _count(after, 'Mul') == _count(before, 'Mul') - 1
    with tf.Session() as session:
        by_x, by_v = session.run(gradients, feeds)
    x, v = [array.astype('d') for array in feeds.values()]
    y = 1 / (1 + np.exp(-x))
    np.testing.assert_allclose(by_x, np.cos(y * v) * v * y * (1 - y), rtol=1e-5)
    np.testing.assert_allclose(by_v, np.cos(y * v) * y, rtol=1e-5)


@pytest.mark.parametrize('case', ['another shape', 'used elsewhere', 'fetched', 'may be large'])
def test_a_product_keeps_its_factors(case):
    a = tf.placeholder(tf.float32, [1, 4] if case == 'another shape' else [3, 4])
    b, c = tf.placeholder(tf.float32, [3, 4]), tf.placeholder(tf.float32, [3, 4])
    y = tf.exp(c) if case == 'may be large' else tf.tanh(c)
    known, product = a * y, a * b
    fetches = [known - 1, product * y]
    fetches += {'used elsewhere': [product - 1], 'fetched': [product]}.get(case, [])
    feeds = {p: RANDOM.uniform(1, 2, p.shape.as_list()).astype('f') for p in (a, b, c)}
    assert _note(_program(fetches, feeds), 'shared').startswith('0 ')


def test_a_product_that_stays_finite_does_so_still():
    big, small = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2])
    other = tf.exp(small + 80)
    fetches = [big * other, (big * small) * other]
    with tf.Session() as session:
        found = session.run(fetches, {big: [1e30, 1e30], small: [1e-30, 1e-30]})
    assert np.isinf(found[0]).all() and np.isfinite(found[1]).all()


@pytest.mark.parametrize('swap', range(8))
def test_factors_are_found_on_either_side(swap):
    a, b, c = [tf.placeholder(tf.float64, [5]) for _ in range(3)]
    y = tf.sigmoid(c)
    known = y * a if swap & 1 else a * y
    inner = b * a if swap & 2 else a * b
    outer = y * inner if swap & 4 else inner * y
    feeds = {p: RANDOM.normal(size=5) for p in (a, b, c)}
    fetches = [known + 1, outer]
    program = _program(fetches, feeds)
    assert _note(program, 'shared').startswith('1 ')
    assert _count(program, 'Mul') == 2
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(fetches, feeds)[1],
                                   feeds[a] * feeds[b] / (1 + np.exp(-feeds[c])))


def test_factors_that_an_assignment_changes_are_read_where_the_graph_says():
    v = tf.Variable(np.full(4, 2.0))
    x = tf.placeholder(tf.float64, [4])
    y = tf.sigmoid(x)
    before = v * y
    with tf.control_dependencies([before]):
        assign = v.assign(np.full(4, 5.0))
    with tf.control_dependencies([assign]):
        after = (tf.identity(v) * x) * y
    with tf.Session() as session:
        session.run(v.initializer)
        found = session.run([before, after], {x: np.full(4, 3.0)})
    gate = 1 / (1 + np.exp(-3.0))
    np.testing.assert_allclose(found, [np.full(4, 2 * gate), np.full(4, 15 * gate)])


# ---- turned ------------------------------------------------------------------------------

def _steps(count, matrix):
    """x times the matrix's transpose, `count` times over, with something between."""
    x = tf.placeholder(tf.float32, [7, 64])
    value = x
    for _ in range(count):
        value = tf.tanh(tf.matmul(value, matrix, transpose_b=True))
    return value, {x: RANDOM.normal(size=(7, 64)).astype('f')}


def _expected(value, matrix, count):
    for _ in range(count):
        value = np.tanh(value @ matrix.T)
    return value


@pytest.mark.parametrize('count, turned', [(9, 0), (10, 1), (30, 1)])
def test_a_matrix_that_many_products_read_as_its_transpose_is_turned_once(count, turned):
    weights = RANDOM.normal(size=(64, 64)).astype('f') / 8
    matrix = tf.Variable(weights)
    value, feeds = _steps(count, matrix)
    program = _program([value], feeds)
    assert _note(program, 'turned').startswith(f'{turned} ')
    assert sum(i.attrs['transpose_b'] for i in program.instructions
               if i.type == 'MatMul') == (0 if turned else count)
    with tf.Session() as session:
        session.run(matrix.initializer)
        for _ in range(2):
            np.testing.assert_allclose(session.run(value, feeds),
                                       _expected(*feeds.values(), weights, count), atol=1e-5)


def test_a_matrix_that_changes_between_products_is_turned_again():
    weights = RANDOM.normal(size=(64, 64)).astype('f') / 8
    matrix = tf.Variable(weights)
    first, feeds = _steps(12, matrix)
    with tf.control_dependencies([first]):
        assign = matrix.assign(2 * matrix)
    value = first
    with tf.control_dependencies([assign]):
        twice = tf.identity(matrix)
        for _ in range(12):
            value = tf.tanh(tf.matmul(value, twice, transpose_b=True))
    with tf.Session() as session:
        session.run(matrix.initializer)
        before, after = session.run([first, value], feeds)
    x, = feeds.values()
    np.testing.assert_allclose(before, _expected(x, weights, 12), atol=1e-5)
    np.testing.assert_allclose(after, _expected(before, 2 * weights, 12), atol=2e-5)


def test_small_and_tall_products_stay_as_they_are():
    matrix = tf.Variable(np.ones([8, 8], 'f'))
    x = tf.placeholder(tf.float32, [7, 8])
    small = [tf.matmul(x + n, matrix, transpose_b=True) for n in range(20)]
    feeds = {x: np.ones([7, 8], 'f')}
    assert _note(_program(small, feeds), 'turned').startswith('0 ')
    wide = tf.Variable(np.ones([64, 64], 'f'))
    x = tf.placeholder(tf.float32, [2000, 64])
    tall = [tf.matmul(x + n, wide, transpose_b=True) for n in range(20)]
    feeds = {x: np.ones([2000, 64], 'f')}
    assert _note(_program(tall, feeds), 'turned').startswith('0 ')
