"""Optimizers: slots, rows, constraints, errors. Trajectories: tests/golden/test_programs.py."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.api.private import gen_ops
from tinyflow.graph.support import processors
from tinyflow.graph.support.tiles import TILE
from tinyflow.ops.updates import base as updating

OPTIMIZERS = {
    'GradientDescent': lambda: tf.train.GradientDescentOptimizer(0.1),
    'Momentum': lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    'Nesterov': lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    'Adagrad': lambda: tf.train.AdagradOptimizer(0.1),
    'AdagradDA': lambda: tf.train.AdagradDAOptimizer(
        0.1, tf.train.get_or_create_global_step(), l1_regularization_strength=0.01),
    'Adadelta': lambda: tf.train.AdadeltaOptimizer(0.5, epsilon=1e-2),
    'Adam': lambda: tf.train.AdamOptimizer(0.1),
    'RMSProp': lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
    'CenteredRMSProp': lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    'Ftrl': lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    'FtrlShrinkage': lambda: tf.train.FtrlOptimizer(
        0.1, l2_shrinkage_regularization_strength=0.1),
    'ProximalGradientDescent': lambda: tf.train.ProximalGradientDescentOptimizer(
        0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.1),
    'ProximalAdagrad': lambda: tf.train.ProximalAdagradOptimizer(
        0.1, l1_regularization_strength=0.01),
}
SLOT_NAMES = {
    'GradientDescent': [], 'ProximalGradientDescent': [],
    'Momentum': ['momentum'], 'Nesterov': ['momentum'],
    'Adagrad': ['accumulator'], 'ProximalAdagrad': ['accumulator'],
    'AdagradDA': ['gradient_accumulator', 'gradient_squared_accumulator'],
    'Adadelta': ['accum', 'accum_update'], 'Adam': ['m', 'v'],
    'RMSProp': ['momentum', 'rms'], 'CenteredRMSProp': ['mg', 'momentum', 'rms'],
    'Ftrl': ['accum', 'linear'], 'FtrlShrinkage': ['accum', 'linear'],
}
EVERY = pytest.mark.parametrize('kind', OPTIMIZERS)


pytestmark = pytest.mark.usefixtures('graph')


def started():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def trajectory(optimizer, gradient, start, feeds=({},) * 4, slots=True):
    """The Variable and its slots after each of some steps."""
    w = tf.Variable(start, name='w')
    train = optimizer.apply_gradients([(gradient(w), w)])
    watched = [w, *[optimizer.get_slot(w, n) for n in optimizer.get_slot_names()]]
    with started() as session:
        result = []
        for feed in feeds:
            session.run(train, feed)
            result.append(session.run(watched if slots else w))
        return result


# ---- large arrays ----------------------------------------------------------------------------

@pytest.mark.slow
@EVERY
@pytest.mark.parametrize('cpus', [1, 3])
def test_large_arrays_are_updated_like_small_ones(kind, cpus, monkeypatch):
    """Tiles and threads give the very numbers that an untiled array gets."""
    monkeypatch.setattr(processors, 'most_threads', lambda: cpus)
    rng = np.random.default_rng(5)
    start = rng.standard_normal((5 * TILE + 77,)).astype(np.float32)
    gradient = rng.standard_normal((4, start.size)).astype(np.float32)
    x = tf.placeholder(tf.float32, start.shape)
    tiled = trajectory(OPTIMIZERS[kind](), lambda w: x, start, [{x: g} for g in gradient])
    monkeypatch.setattr(updating, 'SMALL', start.size)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, start.shape)
        whole = trajectory(OPTIMIZERS[kind](), lambda w: x, start, [{x: g} for g in gradient])
    np.testing.assert_array_equal(np.array(tiled), np.array(whole))
    assert not np.array_equal(tiled[-1][0], start)


@EVERY
@pytest.mark.parametrize('size', [5, 3 * TILE + 1])
def test_gradient_that_is_the_variable_itself(kind, size):
    """d(w^2/2) = w: a gradient may be a view of what the update writes."""
    start = np.linspace(-2.0, 3.0, size).astype(np.float32)
    alias = trajectory(OPTIMIZERS[kind](), lambda w: w, start)
    with tf.Graph().as_default():
        apart = trajectory(OPTIMIZERS[kind](), lambda w: w * 1.0, start)
    np.testing.assert_array_equal(np.array(alias), np.array(apart))


def test_gradient_that_is_transposed():
    start = np.arange(200.0 * 400.0, dtype=np.float32).reshape(200, 400)
    x = tf.placeholder(tf.float32, [400, 200])
    feed = {x: np.random.default_rng(1).standard_normal((400, 200)).astype(np.float32)}
    (w,), = trajectory(tf.train.GradientDescentOptimizer(0.5), lambda w: tf.transpose(x), start,
                       [feed])
    np.testing.assert_allclose(w, start - 0.5 * feed[x].T, rtol=1e-6)


@EVERY
def test_scalar_variable_is_updated_like_an_element(kind):
    alone = trajectory(OPTIMIZERS[kind](), lambda w: w * 3.0, np.float32(1.5))
    with tf.Graph().as_default():
        vector = trajectory(OPTIMIZERS[kind](), lambda w: w * 3.0, np.float32([1.5, 2.0]))
    np.testing.assert_array_equal(np.array(alone), np.array(vector)[..., 0])


# ---- rows ------------------------------------------------------------------------------------

TABLE = np.linspace(-1.0, 1.0, 15).reshape(5, 3).astype(np.float32)


def rows(indices, values):
    return tf.IndexedSlices(tf.constant(np.float32(values)), tf.constant(indices),
                            tf.constant([5, 3]))


@EVERY
def test_rows_that_occur_twice_count_as_their_sum(kind):
    """With a gradient for every row, sparse and dense updates are the same."""
    rng = np.random.default_rng(0)
    indices = [3, 0, 1, 4, 3, 2, 0]
    values = rng.standard_normal((7, 3)).astype(np.float32)
    dense = np.zeros((5, 3), np.float32)
    np.add.at(dense, indices, values)
    sparse = trajectory(OPTIMIZERS[kind](), lambda w: rows(indices, values), TABLE)
    with tf.Graph().as_default():
        whole = trajectory(OPTIMIZERS[kind](), lambda w: tf.constant(dense), TABLE)
    np.testing.assert_allclose(np.array(sparse), np.array(whole), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize('kind', sorted(set(OPTIMIZERS) - {'Adam'}))
def test_rows_without_a_gradient_stay(kind):
    optimizer = OPTIMIZERS[kind]()
    w = tf.Variable(TABLE)
    optimizer.apply_gradients([(tf.ones([5, 3]), w)])       # slots that are not all equal
    train = optimizer.apply_gradients([(rows([4, 1, 4], np.ones((3, 3))), w)])
    watched = [w, *[optimizer.get_slot(w, n) for n in optimizer.get_slot_names()]]
    with started() as session:
        before = session.run(watched)
        session.run(train)
        after = session.run(watched)
    for old, new in zip(before, after):
        np.testing.assert_array_equal(old[[0, 2, 3]], new[[0, 2, 3]])
    assert (before[0][[1, 4]] != after[0][[1, 4]]).all()


def test_adam_moves_all_rows_along_their_means():
    w = tf.Variable(TABLE)
    optimizer = tf.train.AdamOptimizer(0.1)
    first = optimizer.apply_gradients([(tf.ones([5, 3]), w)])
    second = optimizer.apply_gradients([(rows([1], np.ones((1, 3))), w)])
    with started() as session:
        session.run(first)
        before = session.run(w)
        session.run(second)
        assert (session.run(w) < before).all()


def test_embedding_lookup_reaches_its_rows_only():
    table = tf.Variable(TABLE)
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, [1, 3, 1])))
    train = tf.train.AdagradOptimizer(0.1).minimize(loss)
    with started() as session:
        session.run(train)
        moved = (session.run(table) != TABLE).any(axis=1)
    assert moved.tolist() == [False, True, False, True, False]


# ---- slots -----------------------------------------------------------------------------------

@EVERY
def test_slots(kind):
    optimizer = OPTIMIZERS[kind]()
    a, b = tf.Variable([1.0, 2.0], name='a'), tf.Variable([[3.0]], name='b')
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), a), (tf.constant([[1.0]]), b)])
    assert optimizer.get_slot_names() == SLOT_NAMES[kind]
    slots = [optimizer.get_slot(v, n) for v in (a, b) for n in SLOT_NAMES[kind]]
    assert [s.shape for s in slots] == [v.shape for v in (a, b) for _ in SLOT_NAMES[kind]]
    name = optimizer.get_name()
    assert all(s.name.startswith((f'a/{name}', f'b/{name}')) for s in slots)
    assert not set(slots) & set(tf.trainable_variables())
    extra = {'Adam': ['beta1_power:0', 'beta2_power:0']}.get(kind, [])
    assert [v.name for v in optimizer.variables()] == sorted([s.name for s in slots] + extra)
    assert optimizer.get_slot(a, 'no such slot') is None
    assert optimizer.get_slot(tf.Variable(1.0), (SLOT_NAMES[kind] or ['m'])[0]) is None


def test_slots_are_shared_by_all_updates_of_one_optimizer():
    optimizer = tf.train.AdamOptimizer()
    w = tf.Variable([1.0])
    optimizer.minimize(w * w)
    count = len(tf.global_variables())
    optimizer.minimize(w * w * w)
    assert len(tf.global_variables()) == count == 5


def test_one_optimizer_in_two_graphs():
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    names = []
    for _ in range(2):
        with tf.Graph().as_default():
            w = tf.Variable(1.0, name='w')
            optimizer.minimize(w * w)
            names.append([v.name for v in optimizer.variables()])
    assert names == [['w/Momentum:0'], ['w/Momentum:0']]
    assert optimizer.variables() == []


@pytest.mark.parametrize('kind', ['Momentum', 'Adagrad', 'RMSProp', 'Adam'])
def test_slots_of_a_variable_without_a_static_shape(kind):
    w = tf.Variable(tf.placeholder_with_default([1.0, 2.0], [None]), validate_shape=False)
    train = OPTIMIZERS[kind]().apply_gradients([(tf.constant([1.0, -1.0]), w)])
    with started() as session:
        session.run(train)
        moved = session.run(w)
    assert moved[0] < 1.0 and moved[1] > 2.0


def test_decaying_values_become_zero():
    """Slots of a unit without gradient: exactly 0 before their arithmetic gets slow."""
    x = tf.placeholder(tf.float32, [3])
    w = tf.Variable([1.0, 1.0, 1.0])
    optimizer = tf.train.AdamOptimizer(0.01, beta1=0.5, beta2=0.5)
    train = optimizer.apply_gradients([(x, w)])
    m, v = optimizer.get_slot(w, 'm'), optimizer.get_slot(w, 'v')
    tiny = np.finfo(np.float32).tiny
    with started() as session:
        session.run(train, {x: [1.0, 1e-3, 1.0]})
        for _ in range(200):
            session.run(train, {x: [0.0, 0.0, 1.0]})
            values = np.abs(session.run([m, v]))
            assert ((values == 0) | (values >= tiny)).all()
        assert values[:, :2].max() == 0.0
        np.testing.assert_allclose(values[:, 2], 1.0, rtol=1e-5)


# ---- minimize, step by step ------------------------------------------------------------------

@EVERY
def test_loss_falls(kind):
    rng = np.random.default_rng(3)
    x = tf.constant(rng.standard_normal((20, 4)), tf.float32)
    target = tf.matmul(x, tf.constant([[1.0], [-2.0], [0.5], [0.0]]))
    w = tf.Variable(tf.zeros([4, 1]) + 0.1)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - target))
    step = tf.train.get_or_create_global_step()
    train = OPTIMIZERS[kind]().minimize(loss, global_step=step)
    with started() as session:
        before = session.run(loss)
        for _ in range(100):
            session.run(train)
        assert session.run(loss) < 0.5 * before
        assert tf.train.global_step(session, step) == 100


def test_variables_of_a_dict():
    w = tf.Variable(1.)
    train = tf.train.GradientDescentOptimizer(.25).minimize(w * w, var_list={'w': w}.values())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run(w) == .5


def test_train_op():
    w = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, name='go')
    assert isinstance(train, tf.Operation) and train.name == 'go'
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == [train]


@pytest.mark.parametrize('rate', [0.25, lambda: 0.25, np.float32(0.25)])
def test_learning_rate_may_be_a_function(rate):
    (w,), = trajectory(tf.train.GradientDescentOptimizer(rate), lambda w: tf.constant(1.0),
                       np.float32(1.0), [{}])
    assert w == 0.75


def test_gates_and_weights_of_gradients():
    w = tf.Variable(2.0)
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    for gate in (optimizer.GATE_NONE, optimizer.GATE_OP, optimizer.GATE_GRAPH):
        (grad, var), = optimizer.compute_gradients(w * w, gate_gradients=gate, grad_loss=3.0
                                                   * tf.ones([]))
        assert var is w
        with started() as session:
            assert session.run(grad) == 12.0


def test_constraint_is_applied_after_the_update():
    w = tf.Variable([1.0, -1.0], constraint=lambda v: tf.clip_by_value(v, -1.5, 1.5))
    train = tf.train.GradientDescentOptimizer(1.0).apply_gradients([(tf.constant([0.2, 7.0]), w)])
    with started() as session:
        session.run(train)
        np.testing.assert_allclose(session.run(w), [0.8, -1.5])


def test_no_constraint_on_rows():
    w = tf.Variable(TABLE, constraint=tf.abs)
    with pytest.raises(RuntimeError, match='constraint function on a sparse variable'):
        tf.train.GradientDescentOptimizer(1.0).apply_gradients([(rows([0], np.ones((1, 3))), w)])


class SignDescent(tf.train.Optimizer):
    """A user's own optimizer, by TF1's protocol."""

    def __init__(self, rate):
        super().__init__(False, 'SignDescent')
        self.rate = rate

    def _create_slots(self, var_list):
        for var in var_list:
            self._zeros_slot(var, 'count', 'Count')

    def _prepare(self):
        self.rate_tensor = tf.convert_to_tensor(self.rate, name='rate')

    def _apply_dense(self, grad, var):
        count = self.get_slot(var, 'count')
        return tf.group(tf.assign_sub(var, self.rate_tensor * tf.sign(grad)),
                        tf.assign_add(count, tf.ones_like(count)))


def test_users_own_optimizer():
    optimizer = SignDescent(0.5)
    w = tf.Variable([3.0, -4.0], name='w')
    train = optimizer.minimize(tf.reduce_sum(w * w))
    assert [v.name for v in optimizer.variables()] == ['w/Count:0']
    with started() as session:
        session.run(train)
        session.run(train)
        np.testing.assert_array_equal(session.run(w), [2.0, -3.0])
        np.testing.assert_array_equal(session.run(optimizer.get_slot(w, 'count')), [2.0, 2.0])
    with pytest.raises(NotImplementedError, match='SignDescent has no _apply_sparse'):
        optimizer.minimize(tf.reduce_sum(tf.gather(w, [0])))


# ---- errors ----------------------------------------------------------------------------------

class ResourceDescent(tf.train.Optimizer):
    """Has rules for resource Variables alone, as optimizers of TensorFlow 1's last years."""

    def __init__(self):
        super().__init__(False, 'Descent')

    def _resource_apply_dense(self, grad, var):
        return gen_ops.resource_apply_gradient_descent(var.handle, .1, grad)

    def _resource_apply_sparse(self, grad, var, indices):
        return self._resource_scatter_add(var, indices, -grad)


class FasterAdam(tf.train.AdamOptimizer):
    def _resource_apply_dense(self, grad, var):
        return super()._resource_apply_dense(grad * 2, var)

    def _resource_apply_sparse_duplicate_indices(self, grad, var, indices):
        return super()._resource_apply_sparse_duplicate_indices(grad * 3, var, indices)


@pytest.mark.parametrize('make, steps, rows, vector', [     # the numbers are TensorFlow's
    (ResourceDescent, 1, [-3., 1., -1.], [.9, 1.9]),
    (lambda: FasterAdam(.1), 2, [.8, 1., .8], [.8, 1.8])])
def test_rules_for_resource_variables(make, steps, rows, vector):
    table = tf.get_variable('table', initializer=np.ones((3, 1), 'f'), use_resource=True)
    w = tf.get_variable('w', initializer=[1., 2.], use_resource=True)
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [0, 2, 0]) * 2.) + tf.reduce_sum(w)
    step = make().minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            sess.run(step)
        np.testing.assert_allclose(sess.run(table).ravel(), rows, rtol=1e-5)
        np.testing.assert_allclose(sess.run(w), vector, rtol=1e-5)


def test_no_gradient_names_the_op_that_cuts_the_path():
    x = tf.constant([[1.0, 2.0]])
    logits = tf.matmul(x, tf.Variable(tf.ones([2, 3]), name='weights'))
    loss = tf.reduce_mean(tf.to_float(tf.argmax(logits, 1)))
    with pytest.raises(ValueError, match='No gradients provided for any variable') as caught:
        tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    assert "'weights:0'" in str(caught.value)
    assert 'ArgMax' in str(caught.value) and 'logits' in str(caught.value)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss)
    with pytest.raises(ValueError, match='ArgMax'):
        optimizer.apply_gradients(pairs)


def test_no_gradient_where_the_loss_does_not_depend_on_the_variables():
    tf.Variable(1.0, name='lonely')
    with pytest.raises(ValueError, match="does not depend on 'lonely:0'"):
        tf.train.AdamOptimizer().minimize(tf.constant(1.0))


def test_errors_of_minimize():
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match='No variables to optimize'):
        optimizer.minimize(tf.constant(1.0))
    w = tf.Variable(1.0)
    with pytest.raises(ValueError, match='Invalid type tf.int32'):
        optimizer.minimize(tf.constant(1))
    with pytest.raises(ValueError, match='gate_gradients must be one of'):
        optimizer.minimize(w * w, gate_gradients=7)
    with pytest.raises(NotImplementedError, match='Trying to update a Tensor'):
        optimizer.minimize(w * w, var_list=[w * 1.0])
    with pytest.raises(NotImplementedError, match='unsupported type'):
        optimizer.minimize(w * w, var_list=['w'])
    with pytest.raises(ValueError, match='No variables provided'):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match='No gradients provided for any variable'):
        optimizer.apply_gradients([(None, w)])
    with pytest.raises(TypeError, match='Gradient must be convertible'):
        optimizer.apply_gradients([(object(), w)])


def test_gradient_of_another_shape():
    w = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match='must have'):
        tf.train.AdamOptimizer().apply_gradients([(tf.constant([1.0, 2.0, 3.0]), w)])


@pytest.mark.parametrize('make', [
    lambda: tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.0),
    lambda: tf.train.ProximalAdagradOptimizer(0.1, initial_accumulator_value=-1.0),
    lambda: tf.train.AdagradDAOptimizer(0.1, None, -1.0),
    lambda: tf.train.FtrlOptimizer(0.1, learning_rate_power=0.5),
    lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-0.5),
    lambda: tf.train.Optimizer(False, ''),
])
def test_settings_that_cannot_be(make):
    with pytest.raises(ValueError):
        make()


def test_update_without_initialized_slots_raises():
    w = tf.Variable(1.0, name='w')
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        train = tf.train.AdamOptimizer().minimize(w * w)
        with pytest.raises(tf.errors.FailedPreconditionError, match='w/Adam'):
            session.run(train)


# ---- the global step -------------------------------------------------------------------------

def test_global_step():
    assert tf.train.get_global_step() is None
    step = tf.train.create_global_step()
    assert (step.name, step.dtype.base_dtype, step.shape) == ('global_step:0', tf.int64, ())
    assert tf.train.get_global_step() is step is tf.train.get_or_create_global_step()
    assert not step.trainable
    with pytest.raises(ValueError, match='already exists'):
        tf.train.create_global_step()


def test_global_step_by_name_and_of_another_graph(graph):
    variable = tf.Variable(3, trainable=False, name='global_step')
    found = tf.train.get_global_step()
    with started() as session:
        assert tf.train.global_step(session, found) == 3
    assert found.name == variable.name
    with tf.Graph().as_default():
        assert tf.train.get_global_step(graph) is found
        with tf.name_scope('inner'):
            assert tf.train.create_global_step().op.name == 'global_step'


def test_invalid_global_steps():
    for bad in (3, tf.constant(1.0), tf.constant([1])):
        with pytest.raises(TypeError, match='Existing "global_step"'):
            tf.train.assert_global_step(bad)


def test_names_that_are_not_implemented_yet():
    assert not hasattr(tf.train, 'NoSuchOptimizer')
    with pytest.raises(AttributeError, match='AdamOptimizer'):
        getattr(tf.train, 'AdamOptimiser')  # noqa: B009 - a name that is not there


def test_a_gradient_that_is_a_view_of_its_variable():
    """Tile by tile, the reversed gradient would be read where the Variable has changed already."""
    start = np.arange(200_000, dtype=np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(start)
        train = tf.train.GradientDescentOptimizer(0.5).apply_gradients([(v[::-1], v)])
        session.run(v.initializer)
        session.run(train)
        np.testing.assert_array_equal(session.run(v), start - np.float32(0.5) * start[::-1])


def test_rows_of_a_resource_variable_change_by_a_rate_that_is_a_function():
    rows = tf.get_variable('rows', initializer=[[1., 2.], [3., 4.]], use_resource=True)
    step = tf.train.GradientDescentOptimizer(lambda: 0.5).minimize(
        tf.reduce_sum(tf.gather(rows, [0, 0])))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert session.run(rows).tolist() == [[0., 1.], [3., 4.]]


def test_weights_that_vanish_are_not_minus_zero():
    w = tf.Variable([0.01, -0.01, 0.0])
    train = tf.train.FtrlOptimizer(0.1, l1_regularization_strength=1.0).minimize(
        tf.reduce_sum(tf.square(w)))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        values = session.run(w)
    assert not values.any() and not np.signbit(values).any()
