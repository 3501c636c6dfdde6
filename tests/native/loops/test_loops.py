"""Loops against NumPy: expressions, shapes and gaps, updates, rows, threads, forks, resuming."""
import math
import multiprocessing
import threading
import time
from itertools import count

import numpy as np
import pytest

import tinyflow as tf
from tests.forks import needs_fork
from tests.threads import check_in_threads
from tinyflow.graph.support import processors
from tinyflow.native import loops, rise
from tinyflow.native.loops import calls, groups, machine, updates
from tinyflow.native.loops.kernel import Layout, native_loop
from tinyflow.native.loops.trace import NotTraceable, Traced, Tracer
from tinyflow.native.rise import NativeExecutable
from tinyflow.ops.math import gamma_functions
from tinyflow.ops.updates import update_rules
from tinyflow.session import tiers

pytestmark = pytest.mark.skipif(not loops.found(), reason='needs the extra "fast"')
RNG = np.random.default_rng(5)
TABLE = np.random.default_rng(6).normal(size=(40, 30)).astype('f')


@pytest.fixture(autouse=True)
def small_loops(monkeypatch):
    monkeypatch.setattr(groups, 'LEAST', 1)
    monkeypatch.setattr(updates, '_LEAST', 1)
    monkeypatch.setattr(tiers, '_LEAST', 1)


def looped(function, *arrays):
    """function(*arrays), for arrays of one shape, by a loop."""
    tracer = Tracer()
    inputs = [tracer.input(i, a.dtype) for i, a in enumerate(arrays)]
    result = function(*[Traced(tracer, node, arrays[0].ndim) for node in inputs]).value()
    types = tuple(t.dtype.str[1:] for t in (*inputs, result))
    out = np.empty(arrays[0].shape, result.dtype)
    layout = Layout(('full',) * len(arrays), types, arrays[0].ndim, 1)
    assert native_loop(layout, inputs, [result])(*arrays, out)
    return out


def both(build, feeds, monkeypatch, runs=1):
    """What fetches give with NumPy alone and in the native tier; build(*placeholders)."""
    results = []
    for mode in ('off', 'always'):
        monkeypatch.setenv('TINYFLOW_NATIVE', mode)
        with tf.Graph().as_default(), tf.Session() as session:
            xs = [tf.placeholder(a.dtype, a.shape) for a in feeds]
            fetches = build(*xs)
            session.run(tf.global_variables_initializer())
            for _ in range(runs):
                found = session.run(fetches, dict(zip(xs, feeds)))
            results.append(found)
            native = [e for entry in session._programs.entries.values()
                      for e in entry.executables.values() if isinstance(e, NativeExecutable)]
            assert bool(native) == (mode == 'always')
    return results


def check(build, feeds, monkeypatch, runs=1, rtol=1e-5):
    for a, b in zip(*both(build, feeds, monkeypatch, runs), strict=True):
        if a is not None:
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-6)


# ---- functions ---------------------------------------------------------------------------------

@pytest.mark.parametrize('kind', [np.float32, np.float64])
@pytest.mark.parametrize('name, low, high, ulps', [
    ('exp', -80, 80, 2), ('log', 1e-30, 1e4, 2), ('log1p', -0.9, 5, 4), ('tanh', -9, 9, 6)])
def test_functions_are_right_to_some_last_bits(name, low, high, ulps, kind):
    function = getattr(np, name)
    x = RNG.uniform(low, high, 10_007).astype(kind)
    exact = function(x.astype(np.longdouble)).astype(kind)
    assert np.max(np.abs(looped(function, x) - exact) / np.spacing(np.abs(exact))) <= ulps


@pytest.mark.parametrize('kind', [np.float32, np.float64])
@pytest.mark.parametrize('name', ['exp', 'log', 'log1p', 'tanh', 'sign', 'rint', 'sqrt'])
def test_functions_of_special_values(name, kind):
    x = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-38, -1e-38, -1, 1, 1000, -1000, 0.5, 1.5,
                  np.finfo(kind).tiny / 4, np.finfo(kind).max], kind)
    with np.errstate(all='ignore'):
        expected = getattr(np, name)(x)
    got = looped(getattr(np, name), x)
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    assert (np.signbit(got) == np.signbit(expected))[~np.isnan(expected)].all()


def test_the_error_function():
    x = np.concatenate([RNG.uniform(-6, 6, 10_007), [0, np.inf, -np.inf, np.nan]]).astype('f')
    exact = np.vectorize(math.erf)(x.astype('d'))
    got = looped(gamma_functions.erf, x)
    assert not (np.abs(got - exact) > 6 * np.spacing(np.abs(exact).astype('f'))).any()
    assert np.isnan(got[-1]) and got[-4] == 0


def test_payloads_of_nan_do_not_leak():
    x = np.full(9, 0x7FC12345, np.uint32).view(np.float32)
    assert np.isnan(looped(np.exp, x)).all()


@pytest.mark.parametrize('size', [1, 7, 8, 9, 16, 33])
def test_arithmetic_has_numpys_bits(size):
    x, y = RNG.normal(size=(2, size)).astype('f')

    def expression(x, y):
        return np.sqrt(np.abs(x * y + 3)) / (x - y * 0.3) + np.maximum(x, y) * (x < y)
    assert (looped(expression, x, y) == expression(x, y)).all()


@pytest.mark.parametrize('function', [
    lambda x: x[0], lambda x: np.sum(x), lambda x: x if x > 0 else -x, lambda x: np.arcsin(x)])
def test_what_is_not_done_element_by_element_is_refused(function):
    with pytest.raises(NotTraceable):
        looped(function, np.ones(3, 'f'))


# ---- groups ------------------------------------------------------------------------------------

SHAPES = {
    'equal': [(5, 6), (5, 6)], 'row': [(5, 6), (6,)], 'column': [(5, 6), (5, 1)],
    'scalar': [(5, 6), ()], 'one': [(5, 6), (1, 1)], 'vector': [(7,), (7,)],
    'rows of matrices': [(3, 4, 5), (4, 5)], 'columns of vectors': [(3, 4, 5), (3, 4, 1)],
    'outer': [(5, 1), (1, 6)], 'middle': [(3, 4, 5), (3, 1, 5)], 'row first': [(6,), (5, 6)],
}


@pytest.mark.parametrize('shapes', SHAPES.values(), ids=SHAPES)
def test_broadcasting(shapes, monkeypatch):
    def build(x, y):
        z = tf.tanh(x * y) + x
        return [z, tf.where(z > y * 0.5, z, z - y), *tf.gradients(tf.square(z - y), [x, y])]
    check(build, [RNG.normal(size=s).astype('f') for s in shapes], monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize('kind', ['f4', 'f8', 'i4', 'i8'])
def test_types(kind, monkeypatch):
    x, y = (RNG.normal(size=(2, 40)) * 9).astype(kind)

    def build(x, y):
        chosen = tf.logical_or(x > y, tf.equal(x, tf.constant(2, x.dtype)))
        return [x * y - tf.cast(chosen, x.dtype), tf.cast(x * x, tf.float32) * 0.5, chosen,
                tf.maximum(x, y) + tf.minimum(x, -y), tf.logical_not(chosen)]
    check(build, [x, y], monkeypatch)


def test_nan_is_what_it_is_with_numpy(monkeypatch):
    x, y = np.array([[np.nan, 1, np.nan, -0.0, np.inf], [2, np.nan, np.nan, 0.0, -np.inf]], 'f')

    def build(x, y):
        return [tf.maximum(x, y) * 2, tf.minimum(x, y) * 2, tf.sign(x) + 1, tf.nn.relu(x) + 1,
                tf.nn.elu(x) + 1, tf.nn.relu6(y) * 2, tf.nn.softplus(x)]
    check(build, [x, y], monkeypatch)


def test_arrays_with_gaps(monkeypatch):
    """Parts of a matrix, a transposed one, and a result inside of a concatenation."""
    def build(x):
        left, right = tf.split(x, 2, 1)
        y = tf.tanh(left) * tf.sigmoid(right) + tf.transpose(left[:6, :6] * 1.0)[:6, :1]
        joined = tf.concat([y * 2 + left, tf.exp(right) * y], 1)
        return [joined, tf.reduce_sum(joined, 0), tf.transpose(left) * 2 + 1]
    check(build, [RNG.normal(size=(6, 12)).astype('f')], monkeypatch)


def test_fed_arrays_with_gaps(monkeypatch):
    wide = RNG.normal(size=(8, 3, 20)).astype('f')
    for x in (wide[:, 1, ::2], wide[:, 1], wide[::-1, 0], wide.T):
        check(lambda x: [tf.tanh(x) * x + 1], [x], monkeypatch)


@pytest.mark.parametrize('axis', [0, 1])
def test_what_is_repeated_is_read_where_it_comes_from(axis, monkeypatch):
    """Not as an array without steps along an axis, for which all would be copied."""
    copied = []
    monkeypatch.setattr(calls, '_without_gaps', lambda *arguments: copied.append(arguments))

    def build(x):
        mean = tf.broadcast_to(tf.reduce_mean(x, axis, keepdims=True), [40, 50])
        return [tf.add_n([mean, tf.exp(x), mean * x, x]) * 2]
    check(build, [RNG.normal(size=(40, 50)).astype('f')], monkeypatch)
    assert not copied


@pytest.mark.parametrize('wide', [
    lambda v: tf.broadcast_to(tf.reshape(v, [40, 1]), [40, 50]),
    lambda v: tf.tile(tf.reshape(v, [40, 1]), [1, 50]),
    lambda v: tf.fill([40, 50], tf.reshape(v[:1], []))], ids=['broadcast', 'tile', 'fill'])
def test_what_is_repeated_is_read_before_it_changes(wide, monkeypatch):
    def build(x):
        v = tf.get_variable('v', initializer=np.ones(40, 'f'), use_resource=False)
        repeated = wide(v)
        with tf.control_dependencies([repeated]):
            after = tf.assign_add(v, tf.reduce_sum(x, 1))
        with tf.control_dependencies([after]):
            return [tf.add_n([repeated, tf.exp(x), x]) * 2, after]
    check(build, [RNG.normal(size=(40, 50)).astype('f')], monkeypatch, runs=3, rtol=1e-4)


def test_one_loop_may_read_what_is_repeated_and_another_before_it_is(monkeypatch):
    def build(x, y):
        wide = tf.tile(tf.sin(x), [6, 1, 1])        # [6, 8, 1]: no part of [6, 8, 10] is [1, 8, 1]
        return [tf.exp(wide) * 2 + wide, tf.exp(wide * y + 1)]
    feeds = [RNG.normal(size=shape).astype('f') for shape in ((1, 8, 1), (10,))]
    check(build, feeds, monkeypatch, rtol=1e-4)


def test_a_group_does_not_read_what_an_assignment_writes_later(monkeypatch):
    def build(x):
        v = tf.get_variable('v', initializer=np.ones((4, 4), 'f'), use_resource=False)
        before = tf.tanh(v.read_value() * x) + v
        with tf.control_dependencies([before]):
            after = tf.assign(v, before * 2)
        return [before, tf.exp(after * 0.1) + before, after]
    # Sums near 0 make rounding errors larger, from run to run.
    check(build, [RNG.normal(size=(4, 4)).astype('f')], monkeypatch, runs=3, rtol=1e-4)


def test_chains_of_repeated_layers_share_a_loop(monkeypatch):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    groups._known.clear()
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [4, 4])
        y = x
        for _ in range(5):
            y = tf.matmul(tf.tanh(y) * tf.sigmoid(y), x)
        session.run(y, {x: np.ones((4, 4), 'f')})
    assert len(groups._known) == 1


# ---- updates and rows --------------------------------------------------------------------------

OPTIMIZERS = {
    'sgd': lambda: tf.train.GradientDescentOptimizer(0.1),
    'momentum': lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    'nesterov': lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    'adagrad': lambda: tf.train.AdagradOptimizer(0.1),
    'adam': lambda: tf.train.AdamOptimizer(0.1),
    'adadelta': lambda: tf.train.AdadeltaOptimizer(0.1),
    'ftrl': lambda: tf.train.FtrlOptimizer(0.1),
    'rmsprop': lambda: tf.train.RMSPropOptimizer(0.1),
    'centered': lambda: tf.train.RMSPropOptimizer(0.1, centered=True),
}


@pytest.mark.parametrize('resource', [False, True])
@pytest.mark.parametrize('name', OPTIMIZERS)
def test_updates_have_numpys_bits(name, resource, monkeypatch):
    def build(x):
        v = tf.get_variable('v', initializer=np.linspace(-1, 1, 35, dtype='f').reshape(5, 7),
                            use_resource=resource)
        step = OPTIMIZERS[name]().minimize(tf.reduce_sum(v * x))
        slots = [s for s in tf.global_variables() if s.shape == v.shape]
        with tf.control_dependencies([step]):
            return [slot.read_value() for slot in slots]
    # More steps than `flush` waits for.
    for a, b in zip(*both(build, [RNG.normal(size=(5, 7)).astype('f')], monkeypatch, 20)):
        assert (a == b).all()


def test_an_update_by_a_view_of_the_variable(monkeypatch):
    def build(x):
        v = tf.get_variable('v', initializer=np.arange(16, dtype='f').reshape(4, 4))
        step = tf.train.GradientDescentOptimizer(0.5).apply_gradients([(tf.transpose(v) + 0, v)])
        with tf.control_dependencies([step]):
            return [v.read_value(), tf.tanh(x) * x]
    check(build, [np.ones((4, 4), 'f')], monkeypatch, runs=2)


@pytest.mark.parametrize('kind', ['f4', 'f8'])
@pytest.mark.parametrize('shape', [(3, 1000), (600, 3), (70, 17), (9, 8, 16)])
def test_softmax_and_its_cross_entropies(shape, kind, monkeypatch):
    x = (RNG.normal(size=shape) * 6).astype(kind)
    x.flat[1], x.flat[-1] = -np.inf, 300
    if len(shape) > 2:
        return check(lambda x: [tf.nn.softmax(x), tf.nn.log_softmax(x)], [x], monkeypatch)
    dense = RNG.uniform(size=shape).astype(kind)
    dense[:, 1] = 0

    def build(x, labels, dense):
        y = tf.maximum(x, -50.0)
        losses = [tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x),
                  tf.nn.softmax_cross_entropy_with_logits_v2(labels=dense, logits=y)]
        return [tf.nn.softmax(x), tf.nn.log_softmax(x), *losses, *tf.gradients(losses, x)]
    labels = RNG.integers(2, shape[1], shape[0])
    check(build, [x, labels, dense], monkeypatch, rtol=2e-5)


def test_softmax_of_nan_and_of_nothing_but_minus_infinity(monkeypatch):
    x = np.zeros((40, 16), 'f')
    x[3, 5], x[4, :] = np.nan, -np.inf
    check(lambda x: [tf.nn.softmax(x), tf.nn.log_softmax(x)], [x], monkeypatch)


def test_a_label_that_is_no_class_is_an_error(monkeypatch):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.placeholder(tf.int32, [64])
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=tf.tanh(tf.ones([64, 10]) * tf.random_normal([])))
        with pytest.raises(tf.errors.InvalidArgumentError, match='label value of 10'):
            session.run(loss, {labels: np.full(64, 10)})


# ---- threads, processes, time ------------------------------------------------------------------

def large_step():
    tf.set_random_seed(2)
    v = tf.get_variable('v', [400, 1000], initializer=tf.random_normal_initializer(seed=1))
    x = tf.random_normal([400, 1000], seed=4)
    loss = tf.reduce_sum(tf.nn.softmax(tf.tanh(v) * tf.sigmoid(x) + tf.square(v - x)) * x)
    return v, tf.train.AdamOptimizer(0.01).minimize(loss)


@pytest.mark.slow
def test_bits_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    found = []
    for number in (1, 2):
        with tf.Graph().as_default(), tf.Session() as session, processors.limited_to(number):
            v, step = large_step()
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(step)
            found.append(session.run(v))
    assert (found[0] == found[1]).all()


def test_training_resumes_to_the_bit(monkeypatch, tmp_path):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    with tf.Graph().as_default():
        x = tf.constant(RNG.normal(size=(20, 8)).astype('f'))
        h = tf.layers.dense(x, 16, tf.tanh, kernel_initializer=tf.glorot_uniform_initializer(1))
        loss = tf.reduce_mean(tf.square(tf.layers.dense(
            h, 1, kernel_initializer=tf.glorot_uniform_initializer(2)) - x[:, :1]))
        step = tf.train.AdamOptimizer().minimize(loss)
        saver, init = tf.train.Saver(), tf.global_variables_initializer()
        with tf.Session() as whole:
            whole.run(init)
            for i in range(20):
                if i == 7:
                    path = saver.save(whole, str(tmp_path / 'model'))
                whole.run(step)
            expected = whole.run(tf.global_variables())
        with tf.Session() as resumed:
            saver.restore(resumed, path)
            for _ in range(13):
                resumed.run(step)
            got = resumed.run(tf.global_variables())
    assert all((a == b).all() for a, b in zip(expected, got))


def test_several_threads_share_a_session(monkeypatch):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'auto')
    monkeypatch.setattr(rise, 'runs_to_prepare', lambda program, exact=False: 0)
    arrays = RNG.normal(size=(4, 50, 60)).astype('f')
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [50, 60])
        y = tf.nn.softmax(tf.tanh(x) * x + tf.exp(-x))
        check_in_threads(session, y, x, arrays, runs=30, atol=1e-6)


def run_in_child(queue):
    queue.put(trained_value())


def trained_value():
    with tf.Graph().as_default(), tf.Session() as session:
        v, step = large_step()
        session.run(tf.global_variables_initializer())
        session.run(step)
        return float(session.run(tf.reduce_sum(tf.abs(v) * 1.5)))


@pytest.mark.slow
@needs_fork
def test_a_forked_child_compiles_and_runs_loops(monkeypatch):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    expected = trained_value()
    context = multiprocessing.get_context('fork')
    queue = context.Queue()
    child = context.Process(target=run_in_child, args=(queue,))
    child.start()
    try:
        assert queue.get(timeout=60) == expected
    finally:
        child.join(10)


def test_explain_names_the_loops(monkeypatch, session):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    _, step = large_step()
    session.run(tf.global_variables_initializer())
    session.run(step)
    text = str(tf.explain(step, None, session, runs=2))
    assert 'by loops:' in text
    assert 'Tanh' in text and 'ApplyAdam' in text


def test_without_llvm_numpy_computes(monkeypatch):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    monkeypatch.setattr(machine, 'find_spec', lambda name: None)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [100, 100])
        session.run(tf.tanh(x) * x + 1, {x: np.ones((100, 100))})
        assert not any(isinstance(e, NativeExecutable)
                       for entry in session._programs.entries.values()
                       for e in entry.executables.values())


def test_a_larger_step_waits_for_fewer_runs():
    def runs(size):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [size, size])
            session.run(tf.tanh(tf.matmul(x, x)) * x + 1, {x: np.ones((size, size))})
            executable, = [e for entry in session._programs.entries.values()
                           for e in entry.executables.values()]
            return rise.runs_with_numpy(executable.program)
    assert runs(64) > runs(512) >= 4


def test_rules_equal_their_loops_in_double_precision():
    """Adam's rule itself, traced."""
    arrays = [RNG.uniform(0.1, 1, 11) for _ in range(4)]
    numbers = [np.array(0.5)] * 6

    def last(*values):
        update_rules.adam(update_rules.FRESH, *values, *numbers, False)
        return values[0]
    looped_value = looped(last, *[a.copy() for a in arrays])
    assert (looped_value == last(*[a.copy() for a in arrays])).all()


# ---- rows of tables ----------------------------------------------------------------------------

@pytest.mark.parametrize('resource', [False, True])
@pytest.mark.parametrize('kind, width', [('f4', 33), ('f4', 128), ('f8', 7), ('f8', 64)])
def test_sums_into_rows_have_numpys_bits(kind, width, resource, monkeypatch):
    start = RNG.normal(size=(50, width)).astype(kind)
    indices = RNG.integers(0, 50, (20, 9)).astype('i4')           # many come twice
    rows = RNG.normal(size=(20, 9, width)).astype(kind)

    def build(indices, rows):
        table = tf.Variable(start, use_resource=resource)
        with tf.control_dependencies([tf.scatter_add(table, indices, rows)]):
            with tf.control_dependencies([tf.scatter_sub(table, indices[::-1], rows * 0.3)]):
                return [table.read_value()]
    plain, native = both(build, [indices, rows], monkeypatch, runs=2)
    assert plain[0].tobytes() == native[0].tobytes()


def test_rows_that_are_the_table_itself_are_added_as_they_were(monkeypatch):
    def build(indices):
        table = tf.Variable(TABLE)
        with tf.control_dependencies([tf.scatter_add(table, indices, table)]):
            return [table.read_value()]
    plain, native = both(build, [np.arange(40, dtype='i4')[::-1].copy()], monkeypatch)
    assert plain[0].tobytes() == native[0].tobytes()


def test_rows_outside_of_the_table_are_refused(monkeypatch):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.Variable(TABLE)
        index = tf.placeholder(tf.int32, [40])
        update = tf.scatter_sub(table, index, np.ones((40, 30), 'f'))
        session.run(table.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match='40'):
            session.run(update, {index: np.full(40, 40)})
        assert (session.run(table) == TABLE).all()



@pytest.mark.parametrize('how', [{}, {'align_corners': True}, {'half_pixel_centers': True}])
@pytest.mark.parametrize('old, new', [
    ((2, 13, 17, 3), (11, 14)), ((1, 5, 4, 1), (20, 31)), ((1, 40, 9, 8), (7, 9)),
    ((2, 6, 7, 37), (6, 5)), ((1, 1, 1, 2), (3, 4))])
def test_resizing_has_numpys_bits(old, new, how, monkeypatch):
    images = RNG.normal(size=old).astype('f')
    if images.size:
        images.flat[[0, -1]] = np.nan, np.inf
    bytes_ = RNG.integers(0, 256, size=old).astype(np.uint8)

    def build(x, b):
        return [tf.image.resize_bilinear(v, new, **how) for v in (x, x[:, ::-1], b)]
    for expected, found in zip(*both(build, [images, bytes_], monkeypatch)):
        np.testing.assert_array_equal(expected, found)


def test_a_function_whose_loops_cannot_be_made_goes_on_with_numpy(monkeypatch):
    def broken(program, exact=False):
        raise ValueError('no loop')
    functions, tried, make = [], threading.Event(), rise.RisingFunction._make

    def recorded(function):
        functions.append(function)
        with pytest.raises(ValueError, match='no loop'):       # which the thread would print
            make(function)
        tried.set()
    monkeypatch.setenv('TINYFLOW_NATIVE', 'auto')
    monkeypatch.setattr(rise, 'runs_to_prepare', lambda program, exact=False: 2)
    monkeypatch.setattr(rise.loops, 'raised', broken)
    monkeypatch.setattr(rise.RisingFunction, '_make', recorded)
    images = RNG.normal(size=(6, 8, 9, 3)).astype('f')
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.from_tensor_slices(images)
        dataset = dataset.map(lambda i: tf.image.resize(i, [24, 27], align_corners=True))
        image = dataset.make_one_shot_iterator().get_next()
        found = [session.run(image) for _ in images[1:]]
        assert tried.wait(60)
        found.append(session.run(image))
    np.testing.assert_allclose(np.array(found)[:, ::23, ::26], images[:, ::7, ::8], atol=1e-4)
    assert functions and not functions[0].will_move


def functions_made_soon(monkeypatch):
    """A list of what has been made for functions, which is begun after two calls."""
    monkeypatch.setattr(rise, 'runs_to_prepare', lambda program, exact=False: 2)
    made, make = [], rise.RisingFunction._make

    def recorded(function):
        make(function)
        made.append(function._raised)
    monkeypatch.setattr(rise.RisingFunction, '_make', recorded)
    return made


def test_the_body_of_a_loop_gets_loops_that_change_no_bit(monkeypatch):
    """Its tanh stays with NumPy, because the loops' has other last bits."""
    made = functions_made_soon(monkeypatch)

    def body(i, y):
        gate = tf.clip_by_value(y * 0.3 + 0.5, 0.0, 1.0)
        y = tf.tanh(gate * y + tf.abs(y) / (gate + 0.25))
        return i + 1, tf.where(y > gate, y - tf.sqrt(gate), tf.squared_difference(y, gate))
    array = RNG.normal(size=(40, 50)).astype('f')
    array[:4, 0] = np.nan, np.inf, -np.inf, -0.0
    found = []
    for mode in ('off', 'auto'):
        monkeypatch.setenv('TINYFLOW_NATIVE', mode)
        with tf.Graph().as_default(), tf.Session() as session:
            x, n = tf.placeholder(tf.float32, [40, 50]), tf.placeholder(tf.int32, [])
            y = tf.while_loop(lambda i, y, n=n: i < n, body, [0, x])[1]
            found.append(session.run(y, {x: array, n: 9}))
            end = time.monotonic() + 30
            while mode == 'auto' and not any(made) and time.monotonic() < end:
                found.append(session.run(y, {x: array, n: 9}))
            found.append(session.run(y, {x: array, n: 9}))
    assert len({f.tobytes() for f in found}) == 1
    program = next(m for m in made if m is not None).program
    kept = [i.type for i in program.instructions if not i.type.startswith('native')]
    assert 'Tanh' in kept and len(program.instructions) - len(kept) >= 2
    assert not {'Mul', 'RealDiv', 'Sqrt', 'SelectV2', 'Maximum'} & set(kept)


@pytest.mark.parametrize('sizes', [(8, 9, 3), (None, None, None)])
def test_a_function_of_a_dataset_gets_loops_that_change_no_bit(sizes, monkeypatch):
    made = functions_made_soon(monkeypatch)
    images = RNG.normal(size=(6, 8, 9, 3)).astype('f')
    passes = []
    for mode in ('off', 'auto'):
        monkeypatch.setenv('TINYFLOW_NATIVE', mode)
        with tf.Graph().as_default(), tf.Session() as session:
            dataset = tf.data.Dataset.from_generator(lambda: images, tf.float32, sizes)
            dataset = dataset.map(lambda i: tf.exp(tf.image.resize(i, [21, 33])))
            iterator = tf.data.make_initializable_iterator(dataset.batch(6))
            batch = iterator.get_next()
            end = time.monotonic() + 30
            for passed in count():
                session.run(iterator.initializer)
                passes.append(session.run(batch))
                if passed and (made or mode == 'off' or time.monotonic() > end):
                    break
            session.run(iterator.initializer)
            passes.append(session.run(batch))
            assert [bool(m._functions) for m in made] == [True] * (mode == 'auto')     # was called
    assert all((p == passes[0]).all() for p in passes)
    native = [i.type for i in made[0].program.instructions if i.type.startswith('native')]
    assert len(native) == 1 and 'ResizeBilinear' in native[0]
