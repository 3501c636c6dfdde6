"""What each rewrite does, and what it must leave alone."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.compile import Options, graph_to_program, optimise
from tinyflow.compiler.passes import EXACT, PASSES
from tinyflow.compiler.rewrites import REWRITES
from tinyflow.session.program_cache import ProgramCache

pytestmark = pytest.mark.usefixtures('graph')


def types(fetches, feeds=(), shapes=(), passes=tuple(PASSES), fold=True):
    """The op types left after some passes, in order."""
    program = graph_to_program(tuple(fetches), tuple(feeds))
    program = optimise(program, tuple(shapes), Options(fold, tuple(passes)))
    program.check()
    return [i.type for i in program.instructions]


def values(fetches, feeds, options):
    with tf.Session() as session:
        session._programs = ProgramCache(session._store, options)
        variables = tf.global_variables()
        if variables:
            session.run([v.initializer for v in variables])
        return session.run(fetches, feeds)


def same_bits(fetches, feeds, passes):
    """Asserts that passes change no bit of the fetched values."""
    plain = values(fetches, feeds, Options(False, ()))
    for fold in (False, True):
        for a, b in zip(plain, values(fetches, feeds, Options(fold, passes))):
            assert a.dtype == b.dtype and a.tobytes() == b.tobytes()


EDGES = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, 3e38], np.float32)


# ---- infer and fold ------------------------------------------------------------------------

def test_shapes_are_constants_once_the_feeds_are_known():
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.reshape(x, [tf.shape(x)[0] * 2, -1]) * tf.cast(tf.size(x), tf.float32)
    assert types([y], [x], [(3, 4)]) == ['Reshape', 'Mul']
    assert 'Shape' in types([y], [x], [(None, 4)])


def test_folding_stops_at_what_is_random_or_written():
    v = tf.Variable(1.0)
    noise = tf.random_uniform([2]) * 2.0
    kept = types([noise, tf.assign(v, 1.0 + tf.constant(2.0)).op])
    assert kept.count('RandomUniform') == 1 and 'Assign' in kept and 'AddV2' not in kept


def test_an_error_in_a_constant_is_raised_by_the_run():
    bad = tf.constant([1, 2]) // tf.constant([1, 0])
    with tf.Session() as session:
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(bad)
        assert session.run(tf.constant(1)) == 1


def test_an_error_in_an_unused_op_is_not_raised():
    tf.constant([1, 2]) // tf.constant([1, 0])
    with tf.Session() as session:
        assert session.run(tf.constant(5.0) + 1.0) == 6.0


def test_a_check_is_made_in_every_run():
    """A check that hands its input on must not be decided while compiling, or only once."""
    x = tf.placeholder(tf.float32, [3])
    checks = [tf.check_numerics(x, 'bad'), tf.check_numerics(tf.exp(x), 'bad'),
              tf.check_numerics(tf.reshape(tf.log(x), [3, 1]), 'bad')]
    with tf.Session() as session:
        for check in checks:
            for fetch in (check, check * 2.0):
                for good, value in [(True, 1.0), (False, np.nan), (True, 1.0), (False, -np.inf),
                                    (True, 2.0)]:
                    if good or (value == -np.inf and fetch is not checks[0] and 'Exp'
                                in check.op.inputs[0].op.type):
                        session.run(fetch, {x: [value] * 3})
                    else:
                        with pytest.raises(tf.errors.InvalidArgumentError, match='bad'):
                            session.run(fetch, {x: [value] * 3})


def test_ensure_shape_is_checked_in_every_run():
    x = tf.placeholder(tf.float32)
    y = tf.ensure_shape(x, [None, 2])
    with tf.Session() as session:
        for fetch in (y, y + 1.0):
            session.run(fetch, {x: np.ones([3, 2])})
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(fetch, {x: np.ones([2, 3])})


# ---- identities ----------------------------------------------------------------------------

@pytest.mark.parametrize('make', [
    lambda x: tf.reshape(x, [tf.shape(x)[0], 4]), lambda x: tf.reshape(x, [-1, 4]),
    lambda x: tf.reshape(x, tf.stack([tf.shape(x)[0], tf.constant(4)]))])
def test_a_reshape_to_the_shape_it_has_is_dropped_for_any_batch(make):
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.negative(make(x))
    assert types([y], [x], [(None, 4)]) == ['Neg']
    with tf.Session() as session:
        assert session.run(y, {x: np.zeros([3, 4])}).shape == (3, 4)


def test_times_a_scalar_one_is_dropped_for_any_batch():
    x = tf.placeholder(tf.float32, [None, 4])
    assert types([tf.negative(x * 1.)], [x], [(None, 4)]) == ['Neg']
    assert types([tf.negative(x * tf.ones([4]))], [x], [(None, 4)]) == ['Mul', 'Neg']


@pytest.mark.parametrize('make', [
    lambda x, n: tf.reshape(x, [n, 4]), lambda x, n: tf.reshape(x, [tf.shape(x)[1] // 2, 4]),
    lambda x, n: tf.reshape(x, [tf.shape(tf.abs(x)[1:])[0], 4])])
def test_a_reshape_that_may_fail_is_kept(make):
    x, n = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [])
    assert 'Reshape' in types([tf.negative(make(x, n))], [x, n], [(None, 4), ()])


@pytest.mark.parametrize('make', [
    tf.identity, tf.stop_gradient, lambda x: x * 1.0, lambda x: 1.0 * x,
    lambda x: tf.reshape(x, [9]), lambda x: tf.reshape(x, [-1]), lambda x: tf.transpose(x, [0]),
    lambda x: tf.cast(x, tf.float32), lambda x: tf.slice(x, [0], [9]), lambda x: tf.add_n([x]),
    lambda x: tf.broadcast_to(x, [9]), lambda x: tf.tile(x, [1]), lambda x: tf.pad(x, [[0, 0]]),
    lambda x: x * tf.ones([9]), lambda x: tf.reduce_sum(x, [])])
def test_identities_are_dropped(make):
    x = tf.placeholder(tf.float32, [9])
    y = tf.negative(make(tf.negative(x)))
    assert types([y], [x], [(9,)], ['identities']) == ['Neg', 'Neg']
    same_bits([y, make(x)], {x: EDGES}, ('identities',))


@pytest.mark.parametrize('make', [
    lambda x: x + 0.0, lambda x: x - 0.0, lambda x: x * 0.0, lambda x: x / 1.0,
    lambda x: 0.0 - x, lambda x: x[::-1], lambda x: tf.reverse(x, [0]), lambda x: x ** 1.0,
    lambda x: tf.maximum(x, -np.inf), lambda x: tf.tile(x, [2])])
def test_rewrites_that_change_a_bit_are_not_applied(make):
    """-0.0 + 0.0 is 0.0; NaN * 0.0 is NaN."""
    x = tf.placeholder(tf.float32, [9])
    same_bits([make(x)], {x: EDGES}, tuple(PASSES))


def test_one_times_a_smaller_array_still_grows():
    x = tf.placeholder(tf.float32, [1, 2])
    y = x * tf.ones([3, 2])
    assert types([y + 1.0], [x], [(1, 2)])[0] == 'Mul'
    same_bits([y], {x: [[5.0, 6.0]]}, tuple(PASSES))


def test_integer_times_one():
    x = tf.placeholder(tf.int32, [3])
    same_bits([x * 1, x * [1, 1, 1], x * [1, 2, 1]], {x: [1, 2, 3]}, tuple(PASSES))


# ---- merge ---------------------------------------------------------------------------------

def test_equal_expressions_are_computed_once():
    x = tf.placeholder(tf.float32, [3])
    y = [tf.exp(x) + 1.0, tf.exp(x) + 1.0, 1.0 + tf.exp(x)]
    assert types(y[:2], [x], [(3,)]).count('Exp') == 1
    a, b, c = values(y, {x: [1.0, 2.0, 3.0]}, Options())
    assert a.tolist() == b.tolist() == c.tolist() and a is not b
    assert not np.shares_memory(a, b)


def test_attributes_keep_expressions_apart():
    a = tf.placeholder(tf.float32, [2, 2])
    products = [tf.matmul(a, a), tf.matmul(a, a, True), tf.matmul(a, a, False, True)]
    sums = [tf.reduce_sum(a, 0), tf.reduce_sum(a, 1), tf.reduce_sum(a, 0, keepdims=True)]
    leaks = [tf.nn.leaky_relu(-a, 0.1), tf.nn.leaky_relu(-a, 0.2)]
    casts = [tf.cast(a, tf.int32), tf.cast(a, tf.int64), tf.cast(a, tf.float64)]
    ranks = [tf.argmax(a, 0), tf.argmax(a, 1), tf.argmax(a, 0, output_type=tf.int32)]
    same_bits(products + sums + leaks + casts + ranks, {a: [[1.0, 2.0], [3.0, 4.5]]}, ('merge',))


def test_zeros_of_both_signs_are_different_constants():
    x = tf.placeholder(tf.float32, [2])
    y = [tf.atan2(tf.constant(0.0), x), tf.atan2(tf.constant(-0.0), x)]
    same_bits(y, {x: [-1.0, 1.0]}, tuple(PASSES))


def test_one_and_true_are_different_constants():
    same_bits([tf.constant(1), tf.constant(True), tf.constant(1.0), tf.constant(1, tf.int64)], {},
              tuple(PASSES))


def test_random_nodes_are_never_merged():
    a, b = tf.random_uniform([4]), tf.random_uniform([4])
    x, y = values([a, b], {}, Options())
    assert x.tolist() != y.tolist()
    assert types([a, b]).count('RandomUniform') == 2


def test_reads_on_both_sides_of_a_write_are_not_merged():
    v = tf.Variable([1.0, 2.0])
    before = tf.negative(v.read_value())
    with tf.control_dependencies([before]):
        add = tf.assign_add(v, [1.0, 1.0])
    with tf.control_dependencies([add]):
        after = tf.negative(v.read_value())
    a, b = values([before, after], {}, Options())
    assert a.tolist() == [-1.0, -2.0] and b.tolist() == [-2.0, -3.0]


def test_assignments_are_never_merged():
    v = tf.Variable(0.0)
    first = tf.assign_add(v, 1.0)
    with tf.control_dependencies([first]):
        second = tf.assign_add(v, 1.0)
    assert values(second, {}, Options()) == 2.0


# ---- broadcasts ----------------------------------------------------------------------------

@pytest.mark.parametrize('spread', [
    lambda s: tf.broadcast_to(s, [4, 3]), lambda s: tf.fill([4, 3], s),
    lambda s: tf.tile(tf.reshape(s, [1, 1]), [4, 3])])
@pytest.mark.parametrize('combine', [
    lambda x, s: x * s, lambda x, s: s - x, lambda x, s: tf.maximum(x, s), lambda x, s: s / x,
    lambda x, s: tf.squared_difference(x, s), lambda x, s: x ** s])
def test_spread_copies_are_not_made(spread, combine):
    x, s = tf.placeholder(tf.float32, [4, 3]), tf.placeholder(tf.float32, [])
    y = combine(x, spread(s))
    left = types([y], [x, s], [(4, 3), ()])
    assert not set(left) & {'BroadcastTo', 'Fill', 'Tile'}
    value = np.linspace(0.5, 2.5, 12).reshape(4, 3).astype('f')
    same_bits([y], {x: value, s: 1.7}, tuple(n for n in PASSES if n in EXACT))


def test_two_spread_inputs_keep_their_shape():
    s, t = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [3])
    y = tf.fill([4, 3], s) * tf.broadcast_to(t, [4, 3])
    same_bits([y, tf.shape(y)], {s: 2.0, t: [1.0, 2.0, 3.0]}, tuple(PASSES))


def test_a_select_needs_inputs_of_its_own_shape():
    """TF1's Select takes a vector as choosing rows, which is no broadcasting."""
    c, x = tf.placeholder(tf.bool, [2]), tf.placeholder(tf.float32, [2, 2])
    y = [tf.where(c, x, tf.zeros([2, 2])), tf.where(c, tf.ones([2, 2]) * 3.0, x),
         tf.where(tf.fill([2, 2], True), x, -x)]
    same_bits(y, {c: [True, False], x: [[1.0, 2.0], [3.0, 4.0]]}, tuple(PASSES))


def test_tiles_that_repeat_are_kept():
    x, t = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [2])
    same_bits([x * tf.tile(t, [2])], {x: np.ones(4), t: [1.0, 2.0]}, tuple(PASSES))


# ---- transposes ----------------------------------------------------------------------------

@pytest.mark.parametrize('flags', [(a, b) for a in (False, True) for b in (False, True)])
def test_transposes_are_folded_into_products(flags):
    a, b = tf.placeholder(tf.float32, [3, 3]), tf.placeholder(tf.float32, [3, 3])
    y = [tf.matmul(tf.transpose(a), b, *flags), tf.matmul(a, tf.transpose(b), *flags),
         tf.matmul(tf.transpose(a), tf.transpose(b), *flags)]
    for fetch in y:
        assert types([fetch], [a, b], [(3, 3)] * 2) == ['MatMul']
    rng = np.random.default_rng(0)
    feeds = {a: rng.normal(size=(3, 3)), b: rng.normal(size=(3, 3))}
    for one, two in zip(values(y, feeds, Options(False, ())), values(y, feeds, Options())):
        np.testing.assert_allclose(one, two, rtol=1e-5)


def test_a_transpose_of_a_variable_that_changes_is_not_folded():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    turned = tf.transpose(v)
    with tf.control_dependencies([tf.assign(v, tf.zeros([2, 2]) + tf.reduce_sum(turned) * 0.0)]):
        late = tf.identity(tf.constant([[1.0, 0.0], [0.0, 1.0]]))
    y = tf.matmul(turned, late)
    got = values(y, {}, Options())
    assert got.tolist() == [[1.0, 3.0], [2.0, 4.0]]


# ---- unused --------------------------------------------------------------------------------

def test_fetched_values_are_kept():
    v = tf.Variable(0.0)
    add = tf.assign_add(v, 1.0)
    assert types([add.op]) == ['AssignAdd']
    assert types([tf.group(add)]) == ['AssignAdd']
    with tf.Session() as session:
        session.run(v.initializer)
        session.run([tf.negative(v).op, tf.group(add), tf.no_op()])
        assert session.run(v) == 1.0


def test_partly_used_outputs():
    x = tf.placeholder(tf.float32, [4])
    left, _ = tf.split(x, 2)
    assert types([left + 1.0], [x], [(4,)]) == ['Split', 'AddV2']


def test_notes_report_the_changes():
    x = tf.placeholder(tf.float32, [3])
    y = tf.identity(tf.exp(x)) + tf.exp(x)
    program = optimise(graph_to_program((y,), (x,)), ((3,),), Options())
    notes = {note.name: note for note in program.notes}
    assert set(PASSES) <= set(notes)
    assert notes['identities'].before - notes['identities'].after == 1
    assert notes['merge'].before - notes['merge'].after == 1


# ---- columns -----------------------------------------------------------------------------

FACTORS = np.random.default_rng(3).normal(size=(2, 6, 6)).astype('f')


def _part(take, transpose_a, transpose_b, more=lambda product: []):
    """(fetches, feeds, what NumPy gives) for a part of a product of two placeholders."""
    a, b = tf.placeholder(tf.float32, [6, 6]), tf.placeholder(tf.float32, [6, 6])
    product = tf.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)
    whole = (FACTORS[0].T if transpose_a else FACTORS[0]) @ \
        (FACTORS[1].T if transpose_b else FACTORS[1])
    return [take(product) * 2.0, *more(product)], {a: FACTORS[0], b: FACTORS[1]}, whole


@pytest.mark.parametrize('transpose_a', [False, True])
@pytest.mark.parametrize('transpose_b', [False, True])
@pytest.mark.parametrize('take, part', [
    (lambda p: tf.slice(p, [0, 2], [6, 3]), np.s_[:, 2:5]),
    (lambda p: tf.slice(p, [1, 2], [4, -1]), np.s_[1:5, 2:]),
    (lambda p: tf.slice(p, [4, 0], [2, 6]), np.s_[4:]),
    (lambda p: tf.split(p, [1, 2, 3], 1)[1], np.s_[:, 1:3]),
    (lambda p: tf.split(p, [1, 2, 3], -1)[2], np.s_[:, 3:]),
    (lambda p: tf.split(p, 3, 0)[2], np.s_[4:]),
], ids=['columns', 'both', 'rows', 'sizes', 'last axis', 'equal parts'])
def test_only_the_used_part_of_a_product_is_computed(take, part, transpose_a, transpose_b):
    fetches, feeds, whole = _part(take, transpose_a, transpose_b)
    program = optimise(graph_to_program(tuple(fetches), tuple(feeds)), [(6, 6), (6, 6)], Options())
    program.check()
    product, = (i for i in program.instructions if i.type == 'MatMul')
    assert product.outputs[0].sizes == whole[part].shape
    assert not any(i.type.startswith('Split') for i in program.instructions)
    result, = values(fetches, feeds, Options())
    np.testing.assert_allclose(result, whole[part] * 2, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('take, more', [
    (lambda p: tf.split(p, 2, 1)[0], lambda p: [p]),
    (lambda p: tf.split(p, 2, 1)[0], lambda p: [tf.reduce_sum(p)]),
    (lambda p: tf.add(*tf.split(p, 2, 1)), lambda p: []),
    (lambda p: tf.slice(p, [0, 0], [6, 0]), lambda p: []),
], ids=['fetched', 'used twice', 'all parts', 'nothing'])
def test_a_product_is_not_split_where_all_of_it_is_used(take, more):
    fetches, feeds, _ = _part(take, False, False, more)
    program = optimise(graph_to_program(tuple(fetches), tuple(feeds)), [(6, 6), (6, 6)], Options())
    assert [i.outputs[0].sizes for i in program.instructions if i.type == 'MatMul'] == [(6, 6)]
    plain = values(fetches, feeds, Options(False, ()))
    for a, b in zip(values(fetches, feeds, Options()), plain):
        np.testing.assert_array_equal(a, b)


def test_a_part_of_a_variable_is_that_before_and_after_its_change():
    w = tf.Variable(FACTORS[1])
    x = tf.placeholder(tf.float32, [6, 6])
    before = tf.slice(tf.matmul(x, w), [0, 2], [6, 2]) + 1.0
    again = tf.slice(tf.matmul(x * 2.0, w), [0, 2], [6, 2]) + 1.0
    with tf.control_dependencies([before, again]):
        change = tf.assign(w, -FACTORS[1])
    with tf.control_dependencies([change]):
        after = tf.slice(tf.matmul(x, w), [0, 2], [6, 2]) + 1.0
    expected = (FACTORS[0] @ FACTORS[1])[:, 2:4]
    found = values([before, again, after], {x: FACTORS[0]}, Options())
    for result, sign in zip(found, (1, 2, -1)):
        np.testing.assert_allclose(result, sign * expected + 1, rtol=1e-5, atol=1e-5)
    program = optimise(graph_to_program((before, again), (x,)), [(6, 6)], Options())
    assert [i.type for i in program.instructions].count('Slice') == 1


# ---- steps ------------------------------------------------------------------------

def _one_layer(rate, width=512, fetch_gradient=False):
    """(fetches, feeds, weights) of one step of gradient descent on a matrix."""
    rng = np.random.default_rng(0)
    x = tf.placeholder(tf.float32, [None, 256], name='x')
    y = tf.placeholder(tf.float32, [None, width], name='y')
    w = tf.Variable(rng.normal(size=(256, width)).astype('f') * 0.1)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    optimizer = tf.train.GradientDescentOptimizer(rate)
    (gradient, _), = pairs = optimizer.compute_gradients(loss)
    train = optimizer.apply_gradients(pairs)
    feeds = {x: rng.normal(size=(16, 256)), y: rng.normal(size=(16, width))}
    return [train, gradient] if fetch_gradient else [train], feeds, w


def _types_and_weights(fetches, feeds, w, passes):
    with tf.Session() as session:
        session._programs = ProgramCache(session._store, Options(True, passes))
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(fetches, feeds)
        entry = next(e for e in session._programs.entries.values() if e.feeds)
        executable, = entry.executables.values()
        return [i.type for i in executable.program.instructions], session.run(w)


def test_the_rate_goes_into_the_small_factor():
    fetches, feeds, w = _one_layer(0.5)
    types, stepped = _types_and_weights(fetches, feeds, w, tuple(PASSES))
    assert 'AssignSub' in types and 'ApplyGradientDescent' not in types
    plain_types, plain = _types_and_weights(fetches, feeds, w, tuple(EXACT))
    assert 'ApplyGradientDescent' in plain_types
    np.testing.assert_allclose(stepped, plain, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize('case', ['gradient fetched', 'small'])
def test_the_rate_stays_where_that_would_not_help(case):
    fetches, feeds, w = _one_layer(0.5, 64 if case == 'small' else 512,
                                   case == 'gradient fetched')
    types, _ = _types_and_weights(fetches, feeds, w, tuple(PASSES))
    assert 'ApplyGradientDescent' in types and 'AssignSub' not in types


def test_a_rate_that_is_computed_in_the_run_is_right_either_way():
    step = tf.placeholder(tf.float32, [], name='step')
    fetches, feeds, w = _one_layer(0.5 / (1.0 + step))
    feeds[step] = 3.0
    _, stepped = _types_and_weights(fetches, feeds, w, tuple(PASSES))
    _, plain = _types_and_weights(fetches, feeds, w, ())
    np.testing.assert_allclose(stepped, plain, rtol=1e-5, atol=1e-7)


# ---- pools ---------------------------------------------------------------------------------

def _network(ksize, strides, bias_add=False):
    """(fetches: gradients at the input, filter and bias; the gradient that pooling spreads)."""
    x = tf.constant(np.random.RandomState(0).randn(2, 6, 6, 3).astype(np.float32))
    w = tf.constant(np.random.RandomState(1).randn(3, 3, 3, 4).astype(np.float32))
    b = tf.constant(np.linspace(-1, 1, 4).astype(np.float32))
    h = tf.nn.conv2d(x, w, [1, 1, 1, 1], 'SAME')
    h = tf.nn.relu(tf.nn.bias_add(h, b) if bias_add else h + b)
    y = tf.nn.max_pool(h, ksize, strides, 'SAME')
    weights = tf.constant(np.random.RandomState(2).randn(*y.shape.as_list()).astype(np.float32))
    return tf.gradients(tf.reduce_sum(y * weights), [x, w, b, h])


@pytest.mark.parametrize('ksize, strides', [(2, 2), (3, 2), (2, 3), ([1, 2, 3, 1], [1, 1, 2, 1])])
@pytest.mark.parametrize('bias_add', [False, True])
def test_masks_and_sums_come_before_the_gradient_of_max_pooling(ksize, strides, bias_add):
    def by(x):
        return [1, x, x, 1] if isinstance(x, int) else x
    fetches = _network(by(ksize), by(strides), bias_add=bias_add)[:3]
    left = types(fetches, fold=False)
    assert left.index('ReluGrad') < left.index('MaxPoolGrad')
    plain = values(fetches, {}, Options(False, ()))
    rewritten = values(fetches, {}, Options(False, ('pool_gradients',)))
    for a, b in zip(plain[:2], rewritten):
        assert a.tobytes() == b.tobytes()       # only the sum is added up in another order
    np.testing.assert_allclose(plain[2], rewritten[2], rtol=1e-5, atol=1e-6)
    assert np.any(plain[2])


def test_pooling_gradients_can_still_be_fetched():
    fetches = _network([1, 2, 2, 1], [1, 2, 2, 1])
    left = types(fetches, fold=False)
    assert left.index('MaxPoolGrad') < left.index('ReluGrad')


def test_a_mask_of_something_else_stays_behind_max_pooling():
    h = tf.constant(np.random.RandomState(0).randn(1, 4, 4, 1).astype(np.float32))
    positive = tf.nn.relu(h)
    y = tf.nn.max_pool(positive, 2, 2, 'VALID')
    spread, = tf.gradients(y, positive)
    other = tf.nn.relu(-h)
    masked, = tf.gradients(other, h, spread)
    left = types([masked], fold=False)
    assert left.index('MaxPoolGrad') < left.index('ReluGrad')


@pytest.mark.parametrize('view', [
    lambda v: tf.tile(tf.transpose(v, [1, 0]), [1, 1]), lambda v: tf.tile(v[:, ::-1], [1, 1]),
    lambda v: tf.tile(v[None], [1, 1, 1]), lambda v: tf.pad(tf.transpose(v, [1, 0]), [[0, 0]] * 2),
], ids=['transposed', 'reversed', 'expanded', 'padded'])
def test_a_view_of_a_variable_is_read_before_it_is_assigned(view):
    """An instruction that copies a view is not removed as an identity."""
    variable = tf.Variable(np.arange(8.).reshape(2, 4).astype('f'))
    result = view(variable.value())
    change = tf.assign(variable, variable.value() - 9.).op
    with tf.Session() as session:
        session.run(variable.initializer)
        before = session.run(result)
        np.testing.assert_array_equal(session.run([result, change])[0], before)


@pytest.mark.parametrize('changes', [False, True])
def test_a_learning_rate_in_a_variable_scales_the_small_factor(changes):
    """Keras keeps the rate in a Variable; where the run assigns it, the step waits for nothing."""
    x = tf.placeholder(tf.float32, [4, 300])
    w = tf.get_variable('w', [300, 400], initializer=tf.ones_initializer(), use_resource=True)
    rate = tf.get_variable('rate', [], initializer=tf.constant_initializer(0.5),
                           use_resource=True)
    step = tf.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(tf.matmul(x, w)))
    fetches = [step, rate.assign(0.25).op] if changes else [step]
    fed = np.linspace(0, 1, 1200).reshape(4, 300).astype('f')
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(fetches, {x: fed})
        wanted = 1 - 0.5 * np.repeat(fed.sum(0)[:, None], 400, axis=1)
        np.testing.assert_allclose(session.run(w), wanted, rtol=1e-5)
        text = str(tf.explain(fetches, {x: fed}, session=session, runs=0))
    assert ('1 updates scale' in text) is not changes


# ---- op types ------------------------------------------------------------------------------

def test_each_pass_knows_the_op_types_that_are_left():
    x = tf.placeholder(tf.float32, [2, 3])
    dead = tf.identity(x)
    y = tf.matmul(x * 1.0, tf.transpose(tf.nn.relu(dead))) + tf.matmul(x, x, transpose_b=True)
    program = optimise(graph_to_program((tf.add_n([y, y, y]),), (x,)), ((2, 3),),
                       Options(True, ()))
    for name, apply in PASSES.items():
        program = apply(program)
        assert program.types == {i.type for i in program.instructions}, name
        assert program.notes[-1].name == name


def test_a_rewrite_without_its_ops_makes_no_new_list():
    x = tf.placeholder(tf.float32, [2])
    program = optimise(graph_to_program((tf.sin(tf.exp(x)),), (x,)), ((2,),), Options(True, ()))
    for name, apply in REWRITES.items():
        assert apply(program).instructions is program.instructions, name
