"""The passes that were made for recurrent cells: products that share factors, turned matrices."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.compile import Options, graph_to_program, optimise
from tinyflow.compiler.passes import EXACT, PASSES
from tinyflow.session.program_cache import ProgramCache

pytestmark = pytest.mark.usefixtures('graph')

RANDOM = np.random.default_rng(5)


def _program(fetches, feeds, passes=None):
    options = Options() if passes is None else Options(passes=passes)
    program = optimise(graph_to_program(tuple(fetches), tuple(feeds)),
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


def test_the_gradient_of_a_gate_uses_that_of_its_operand():
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
    assert _note(_program(fetches, feeds), 'factor_reuse').startswith('0 ')


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
    assert _note(program, 'factor_reuse').startswith('1 ')
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
    assert _note(program, 'pretranspose').startswith(f'{turned} ')
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
    assert _note(_program(small, feeds), 'pretranspose').startswith('0 ')
    wide = tf.Variable(np.ones([64, 64], 'f'))
    x = tf.placeholder(tf.float32, [2000, 64])
    tall = [tf.matmul(x + n, wide, transpose_b=True) for n in range(20)]
    feeds = {x: np.ones([2000, 64], 'f')}
    assert _note(_program(tall, feeds), 'pretranspose').startswith('0 ')


# ---- biases ------------------------------------------------------------------------------

def _recurrent(steps, cell, units=5, batch=16, features=3):
    """What a network gives after so many steps, its placeholder, and what is fed."""
    x = tf.placeholder(tf.float32, [batch, steps, features])
    outputs, _ = tf.nn.static_rnn(cell(units), tf.unstack(x, axis=1), dtype=tf.float32)
    return outputs[-1], {x: RANDOM.normal(size=(batch, steps, features)).astype('f')}


def _initial_values():
    return {v: RANDOM.normal(size=v.shape.as_list()).astype('f') / 2
            for v in tf.trainable_variables()}


def _run(fetches, feeds, values, passes):
    with tf.Session() as session:
        session._programs = ProgramCache(session._store, Options(passes=passes))
        for variable, value in values.items():
            variable.load(value, session)
        return session.run(fetches, feeds)


@pytest.mark.slow
@pytest.mark.parametrize('cell, sums', [(tf.nn.rnn_cell.BasicLSTMCell, 1),
                                        (tf.nn.rnn_cell.LSTMCell, 1),
                                        (tf.nn.rnn_cell.GRUCell, 2),
                                        (tf.nn.rnn_cell.BasicRNNCell, 1)])
def test_biases_of_a_recurrent_network_and_their_gradients_come_from_its_products(cell, sums):
    last, feeds = _recurrent(12, cell)
    gradients = tf.gradients(tf.reduce_sum(tf.sin(last)), tf.trainable_variables())
    values = _initial_values()
    program = _program([last, *gradients], feeds)
    assert _note(program, 'rnn_bias').startswith(f'{sums} ')
    assert not _count(program, 'BiasAdd')
    assert not _count(program, 'BiasAddGrad')
    plain = _run([last, *gradients], feeds, values, ())
    for _ in range(2):
        for a, b in zip(_run([last, *gradients], feeds, values, tuple(PASSES)), plain):
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


def test_a_network_that_is_only_run_forwards_adds_its_biases_in_products_too():
    last, feeds = _recurrent(12, tf.nn.rnn_cell.BasicLSTMCell)
    values = _initial_values()
    assert _note(_program([last], feeds), 'rnn_bias').startswith('1 ')
    np.testing.assert_allclose(_run(last, feeds, values, tuple(PASSES)),
                               _run(last, feeds, values, ()), rtol=1e-5, atol=1e-6)


def test_training_follows_the_plain_program():
    last, feeds = _recurrent(12, tf.nn.rnn_cell.BasicLSTMCell)
    loss = tf.reduce_mean((last - 0.5) ** 2)
    train = tf.train.AdamOptimizer(0.02).minimize(loss)
    values = _initial_values()
    curves = []
    for passes in ((), tuple(PASSES)):
        with tf.Session() as session:
            session._programs = ProgramCache(session._store, Options(passes=passes))
            session.run(tf.global_variables_initializer())
            for variable, value in values.items():
                variable.load(value, session)
            curves.append([session.run([loss, train], feeds)[0] for _ in range(15)])
    assert curves[0][-1] < curves[0][0] / 2
    np.testing.assert_allclose(*curves, rtol=1e-4)


@pytest.mark.parametrize('case', ['few steps', 'few rows', 'a sum fetched', 'a join fetched',
                                  'one gradient more', 'weights that change'])
def test_biases_stay_where_folding_would_not_help_or_not_be_right(case):
    steps = 9 if case == 'few steps' else 12
    batch = 1 if case == 'few rows' else 16
    w = tf.Variable(RANDOM.normal(size=(8, 5)).astype('f'))
    b = tf.Variable(RANDOM.normal(size=5).astype('f'))
    x = tf.placeholder(tf.float32, [batch, 3])
    h, more, sums = tf.zeros([batch, 5]), [], []
    for step in range(steps):
        joined = tf.concat([x, h], 1)
        product = tf.matmul(joined, w)
        if case == 'a sum fetched' and step == 4:
            more.append(product)
        if case == 'a join fetched' and step == 4:
            more.append(joined)
        if case == 'one gradient more' and step == 4:
            more.append(tf.reduce_sum(tf.sin(joined)))
        sums.append(tf.nn.bias_add(product, b))
        h = tf.tanh(sums[-1])
        if case == 'weights that change' and step == 5:
            with tf.control_dependencies([h]):
                change = tf.assign(b, -b)
            with tf.control_dependencies([change]):
                h = tf.identity(h)
                w, b = tf.identity(w), tf.identity(b)
    fetches = [h, *tf.gradients(tf.reduce_sum(h), tf.trainable_variables()), *more]
    feeds = {x: RANDOM.normal(size=(batch, 3)).astype('f')}
    values = _initial_values()
    program = _program(fetches, feeds)
    if case == 'weights that change':
        assert _note(program, 'rnn_bias').startswith('0 ')
    else:
        assert _count(program, 'BiasAdd') >= steps - 1
    for a, c in zip(_run(fetches, feeds, values, tuple(PASSES)), _run(fetches, feeds, values, ())):
        np.testing.assert_allclose(a, c, rtol=2e-4, atol=2e-5)


def test_weights_that_change_between_product_and_bias_are_read_before():
    w = tf.Variable(np.eye(4, dtype='f'))
    b = tf.Variable(np.ones(4, 'f'))
    x = tf.placeholder(tf.float32, [16, 2])
    joined = [tf.concat([x, x * n], 1) for n in range(12)]
    products = [tf.matmul(j, w) for j in joined]
    with tf.control_dependencies(products):
        change = tf.assign(w, -w)
    with tf.control_dependencies([change]):
        sums = [tf.nn.bias_add(p, b) for p in products]
    feeds = {x: RANDOM.normal(size=(16, 2)).astype('f')}
    fed, = feeds.values()
    with tf.Session() as session:
        session.run([w.initializer, b.initializer])
        *found, _ = session.run([*sums, change], feeds)
    for n, value in enumerate(found):
        np.testing.assert_allclose(value, np.concatenate([fed, fed * n], 1) + 1, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize('order', ['part first', 'constant first'])
def test_the_forget_bias_is_added_to_the_biases_once(order):
    last, feeds = _recurrent(12, tf.nn.rnn_cell.BasicLSTMCell)
    if order == 'constant first':
        with tf.variable_scope('other'):
            x, = feeds
            last = tf.concat([last, _cells(tf.unstack(x, axis=1), 6)], 1)
    fetches = [last, *tf.gradients(tf.reduce_sum(tf.sin(last)), tf.trainable_variables())]
    values = _initial_values()
    program = _program(fetches, feeds)
    plain = _program(fetches, feeds, tuple(p for p in PASSES if p in EXACT))
    networks = 1 if order == 'part first' else 2
    assert _note(program, 'rnn_bias').startswith(f'{networks} ')
    count = [sum(i.type in ('Add', 'AddV2') and any(
        v.array is not None for v in i.inputs) for i in p.instructions) for p in (program, plain)]
    assert count[1] >= 12 * networks and count[0] <= count[1] - 11 * networks
    for a, b in zip(_run(fetches, feeds, values, tuple(PASSES)), _run(fetches, feeds, values, ())):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


def _cells(steps, units, shifts=(2.0,) * 100, fetched=()):
    """The last state of a small recurrent network that adds a number to its second gate."""
    w = tf.get_variable('w', [steps[0].shape[1].value + units, 2 * units])
    b = tf.get_variable('b', [2 * units])
    h = tf.zeros([steps[0].shape[0].value, units])
    for n, (x, shift) in enumerate(zip(steps, shifts)):
        new, gate = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), w), b), 2, 1)
        opened = shift + gate
        if n in fetched:
            tf.add_to_collection('fetched', gate)
            tf.add_to_collection('fetched', opened)
        h = tf.tanh(new) * tf.sigmoid(opened)
    return h


@pytest.mark.slow
@pytest.mark.parametrize('case', ['unequal shifts', 'a gate fetched', 'a sum fetched'])
def test_gates_that_differ_or_are_looked_at(case):
    x = tf.placeholder(tf.float32, [16, 12, 3])
    shifts = [1.0 + n for n in range(12)] if case == 'unequal shifts' else [2.0] * 12
    last = _cells(tf.unstack(x, axis=1), 5, shifts, () if case == 'unequal shifts' else (4,))
    gates = tf.get_collection('fetched')
    fetches = [last, *({'a gate fetched': gates[:1], 'a sum fetched': gates[1:]}.get(case, []))]
    fetches += tf.gradients(tf.reduce_sum(tf.sin(last)), tf.trainable_variables())
    feeds = {x: RANDOM.normal(size=(16, 12, 3)).astype('f')}
    values = _initial_values()
    adds = [i for i in _program(fetches, feeds).instructions
            if i.type in ('Add', 'AddV2') and 'add' in i.name]
    assert len(adds) == (0 if case == 'a sum fetched' else 12)
    for a, b in zip(_run(fetches, feeds, values, tuple(PASSES)), _run(fetches, feeds, values, ())):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


# ---- unstacked ---------------------------------------------------------------------------

@pytest.mark.parametrize('axis', [0, 1, -1])
def test_steps_that_are_only_joined_are_read_where_they_are(axis):
    x, y = tf.placeholder(tf.float32, [4, 4, 4]), tf.placeholder(tf.float32, [4, 4])
    sums = [tf.reduce_sum(tf.sin(tf.concat([part, y], 1))) for part in tf.unstack(x, axis=axis)]
    feeds = {x: RANDOM.normal(size=(4, 4, 4)).astype('f'),
             y: RANDOM.normal(size=(4, 4)).astype('f')}
    program = _program(sums, feeds)
    assert _note(program, 'unstack_slices').startswith('1 ')
    assert not _count(program, 'Unpack')
    a, b = feeds.values()
    for n, found in enumerate(_run(sums, feeds, {}, tuple(PASSES))):
        expected = np.sin(np.concatenate([np.moveaxis(a, axis, 0)[n], b], 1)).sum()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize('case', ['used elsewhere', 'fetched', 'a vector', 'a Variable'])
def test_steps_are_unstacked(case):
    v = tf.Variable(tf.zeros([4, 3]))
    x = tf.placeholder(tf.float32, [4] if case == 'a vector' else [4, 3])
    parts = tf.unstack(v if case == 'a Variable' else x)
    if case == 'a vector':
        fetches = [tf.reduce_sum(tf.concat([[p], [1.0]], 0)) for p in parts]
    else:
        fetches = [tf.reduce_sum(tf.sin(tf.concat([p, p], 0))) for p in parts]
    if case == 'used elsewhere':
        fetches.append(tf.reduce_sum(parts[1]))
    if case == 'fetched':
        fetches.append(parts[2])
    feeds = {x: RANDOM.normal(size=x.shape.as_list()).astype('f')}
    program = _program(fetches, feeds)
    assert _note(program, 'unstack_slices').startswith('0 ')
    assert _count(program, 'Unpack')
    for a, b in zip(_run(fetches, feeds, {v: np.eye(4, 3)}, tuple(PASSES)),
                    _run(fetches, feeds, {v: np.eye(4, 3)}, ())):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_a_wrong_number_of_parts_is_said_by_the_run():
    x = tf.placeholder(tf.float32, [None, None, 3])
    joined = tf.concat(tf.unstack(x, 2, axis=1), 1)
    with tf.Session() as session:
        assert session.run(joined, {x: np.ones((2, 2, 3))}).shape == (2, 6)
        with pytest.raises(tf.errors.InvalidArgumentError, match='axis 1 has size 3, not 2'):
            session.run(joined, {x: np.ones((2, 3, 3))})
