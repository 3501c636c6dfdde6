"""How many nodes TF1 would have made so far: the op seed where only the graph has a seed.

The counts and numbers are those of TensorFlow 1.15.5. Programs with conds and loops of the user's
own are in golden/programs/node_counts.py.
"""
import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture(autouse=True)
def seeded(graph):
    tf.set_random_seed(42)


def nodes():
    return tf.get_seed(None)[1]


def values(variable):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(variable)


def global_step():
    return tf.train.get_or_create_global_step()


def resource(dtype=tf.int64):
    return tf.get_variable('s', [], dtype, tf.zeros_initializer(), use_resource=True,
                           trainable=False)


# ---- learning rates that fall ----------------------------------------------------------------

STEPS = {
    'ref': global_step,
    'resource': resource,
    'resource, int32': lambda: resource(tf.int32),
    'int32': lambda: tf.Variable(0, trainable=False),
    'tensor': lambda: tf.placeholder(tf.int64, []),
    'unknown rank': lambda: tf.placeholder(tf.int64),
    'number': lambda: 3,
}
PIECES = [
    ('ref', [5], 45), ('ref', [5, 10], 62), ('ref', [5, 6, 7, 8], 102),
    ('resource', [5, 10], 65), ('resource, int32', [5], 47), ('resource, int32', [5, 10], 63),
    ('int32', [5, 10], 60), ('int32', [5, 6, 7, 8], 98), ('tensor', [5, 10], 59),
    ('unknown rank', [5], 45), ('unknown rank', [5, 6, 7, 8], 102), ('number', [5, 10], 58),
]


@pytest.mark.parametrize('kind, boundaries, count', PIECES)
def test_piecewise_constant(kind, boundaries, count):
    values = [1.0, 0.5, 0.1, 0.2, 0.3]
    tf.train.piecewise_constant(STEPS[kind](), boundaries, values[:len(boundaries) + 1])
    assert nodes() == count


def test_piecewise_constant_of_floats():
    tf.train.piecewise_constant(tf.placeholder(tf.float32, []), [5.0, 6.0], [1.0, 0.5, 0.1])
    assert nodes() == 57


@pytest.mark.parametrize('kind, count', [('ref', 30), ('resource', 32), ('tensor', 27),
                                         ('number', 27)])
def test_polynomial_decay_in_cycles(kind, count):
    tf.train.polynomial_decay(0.1, STEPS[kind](), 10, cycle=True)
    assert nodes() == count


@pytest.mark.parametrize('kind, count', [('ref', 57), ('resource', 59), ('tensor', 54)])
@pytest.mark.parametrize('t_mul', [1.0, 1.5, 2.0])
def test_cosine_decay_restarts(kind, t_mul, count):
    tf.train.cosine_decay_restarts(0.1, STEPS[kind](), 10, t_mul=t_mul, m_mul=0.9, alpha=0.1)
    assert nodes() == count


def test_piecewise_constant_in_a_branch():
    step = resource()
    tf.cond(step > 3, lambda: tf.train.piecewise_constant(step, [5, 10], [1.0, 0.5, 0.1]),
            lambda: tf.constant(0.1))
    assert nodes() == 75


def test_weights_after_a_learning_rate():
    tf.train.piecewise_constant(global_step(), [5, 10], [1.0, 0.5, 0.1])
    w = tf.get_variable('w', [3])
    assert values(w) == pytest.approx([0.9425, 0.3348, 0.4371], abs=1e-4)


# ---- initial values that depend on Variables -------------------------------------------------

def test_initialized_value():
    w = tf.Variable(tf.random_normal([3]))
    tf.Variable(w.initialized_value())
    third = tf.Variable(tf.random_normal([3]))
    assert values(third) == pytest.approx([-1.209, 0.683, -0.497], abs=1e-3)


def test_initialized_values_of_initialized_values():
    w = tf.Variable(1.0)
    v = tf.Variable(w.initialized_value() * 2)
    assert nodes() == 31
    tf.Variable(w.initialized_value() + v.initialized_value())
    assert nodes() == 83


def test_initialized_value_with_dependencies():
    w = tf.Variable(tf.random_normal([3]))
    v = tf.Variable(w * 2)
    assert nodes() == 25
    u = tf.Variable(v + w)
    assert nodes() == 50
    tf.Variable(u.initialized_value())
    assert nodes() == 96


def test_reads_of_resource_variables_are_unchanged_in_initial_values():
    w = tf.get_variable('w', [3], use_resource=True)
    v = tf.Variable(w * 2, use_resource=True)
    assert nodes() == 18
    u = tf.Variable(v + w)
    assert nodes() == 24
    assert values([w * 3, u])[0] == pytest.approx(values(u), abs=1e-6)


# ---- moving averages -------------------------------------------------------------------------

@pytest.mark.parametrize('zero_debias', [False, True])
@pytest.mark.parametrize('use_resource, counts', [(False, [14, 74, 81]),
                                                  (True, [16, 62, 72])])
def test_moving_averages(use_resource, counts, zero_debias):
    w = tf.get_variable('w', [3], use_resource=use_resource)
    b = tf.get_variable('b', [2], initializer=tf.zeros_initializer(), use_resource=use_resource)
    averages = tf.train.ExponentialMovingAverage(0.9, zero_debias=zero_debias)
    found = [nodes()]
    averages.apply([w, b])
    found.append(nodes())
    averages.apply([w])
    found.append(nodes())
    assert found == counts


def test_weights_after_moving_averages():
    v = tf.Variable(1.0)
    tf.train.ExponentialMovingAverage(0.9).apply([v])
    assert values(tf.get_variable('w', [3])) == pytest.approx(
        [-0.2187, -0.4770, 0.9684], abs=1e-4)


# ---- losses of layers ------------------------------------------------------------------------

def test_losses_of_a_layer_are_recreated():
    x = tf.placeholder(tf.float32, [None, 4])
    layer = tf.layers.Dense(3, kernel_regularizer=lambda w: tf.reduce_sum(w * w))
    layer(x)
    assert nodes() == 20
    assert layer.losses == tf.losses.get_regularization_losses()
    assert nodes() == 23
    assert layer.get_losses_for(x) == []
    assert nodes() == 26


# ---- shapes of unknown rank ------------------------------------------------------------------

def floats(*shape):
    return tf.placeholder(tf.float32, shape or None)


def integers(*shape):
    return tf.placeholder(tf.int32, shape or None)


SHAPES = {
    'sparse_softmax_cross_entropy_with_logits': (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=integers(),
                                                               logits=floats(None, 3)), [None]),
    'in_top_k': (lambda: tf.nn.in_top_k(floats(), integers(), 1), [None]),
    'reverse_sequence': (lambda: tf.reverse_sequence(floats(4, 6), integers(), 1, 0), [4, 6]),
    'linspace': (lambda: tf.linspace(floats(), floats(), 5), [5]),
    'matrix_solve, matrix': (lambda: tf.matrix_solve(floats(), floats(3, 2)), [3, 2]),
    'matrix_solve, rhs': (lambda: tf.matrix_solve(floats(3, 3), floats()), [3, None]),
    'matrix_set_diag, input': (lambda: tf.matrix_set_diag(floats(), floats(2, 3)),
                               [2, None, None]),
    'matrix_set_diag, diagonal': (lambda: tf.matrix_set_diag(floats(2, 3, 3), floats()),
                                  [2, 3, 3]),
    'cross': (lambda: tf.cross(floats(), floats(None, 3)), [None, 3]),
    'unique': (lambda: tf.unique(integers())[0], [None]),
    'unique_with_counts': (lambda: tf.unique_with_counts(integers())[2], [None]),
    'setdiff1d': (lambda: tf.setdiff1d(integers(), integers())[1], [None]),
    'dynamic_stitch': (lambda: tf.dynamic_stitch([integers(), integers(None)],
                                                 [floats(None, 3), floats(None, 3)]), [None, 3]),
    'bincount': (lambda: tf.bincount(integers()), [None]),
    'broadcast_to': (lambda: tf.broadcast_to(floats(1, 3), integers(2)), [None, 3]),
    'invert_permutation': (lambda: tf.invert_permutation(integers()), [None]),
    'space_to_depth': (lambda: tf.space_to_depth(floats(), 2), [None] * 4),
    'depth_to_space': (lambda: tf.depth_to_space(floats(), 2), [None] * 4),
    'string_join': (lambda: tf.string_join([tf.placeholder(tf.string),
                                            tf.placeholder(tf.string, [None])]), [None]),
    'scatter_update': (lambda: tf.scatter_update(tf.Variable(tf.zeros([3, 2])), integers(),
                                                 floats()), [3, 2]),
    'scatter_nd_update': (lambda: tf.scatter_nd_update(tf.Variable(tf.zeros([3, 2])), integers(),
                                                       floats()), [3, 2]),
    'roll': (lambda: tf.roll(floats(None, 3), integers(), 0), [None, 3]),
    'broadcast_dynamic_shape': (lambda: tf.broadcast_dynamic_shape(integers(), integers(2)),
                                [None]),
    'random_uniform': (lambda: tf.random_uniform([2], 0, integers(), dtype=tf.int32), [2]),
    'stateless_uniform': (lambda: tf.random.stateless_uniform([2], integers()), [2]),
    'expand_dims': (lambda: tf.expand_dims(floats(2, 3), integers()), None),
}


@pytest.mark.parametrize('name', SHAPES)
def test_inference_next_to_an_unknown_rank(name):
    make, expected = SHAPES[name]
    shape = make().shape
    assert (shape.as_list() if shape.ndims is not None else None) == expected


@pytest.mark.parametrize('sizes, expected', [
    (([2, 3], [2, 3]), [2]), (([2, 3, 4], [3, 3, 1]), [3, 3]), ((None, [2, 3]), None)])
def test_edit_distance_has_a_shape_where_both_sizes_are_constant(sizes, expected):
    one, other = [tf.SparseTensor(tf.placeholder(tf.int64, [None, None]), integers(None),
                                  tf.placeholder(tf.int64, [2]) if size is None else size)
                  for size in sizes]
    shape = tf.edit_distance(one, other).shape
    assert (shape.as_list() if shape.ndims is not None else None) == expected


def test_mean_of_losses_with_labels_of_unknown_rank():
    tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=integers(),
                                                                  logits=floats(None, 3)))
    assert nodes() == 6


@pytest.mark.parametrize('make, message', [
    (lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.cast(x, tf.int32), logits=tf.zeros([2, 3])), 'rank'),
    (lambda x: tf.linspace(x, 2.0, 3), 'start must be a scalar'),
    (lambda x: tf.dynamic_stitch([0, [5]], [x, [[1.0, 2.0, 3.0]]]), 'shape|rank'),
])
def test_a_wrong_rank_is_refused_while_running(make, message):
    x = floats()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(make(x), {x: np.ones([2, 1])})
