"""Initializers, as get_variable uses them; every one seeded by itself or by the graph."""
from .registry import program, run


def _initialized(tf, *variables):
    return [run(tf.global_variables_initializer()), run(list(variables))]


@program
def constant_like_initializers(tf, np):
    a = tf.get_variable('a', [2], initializer=tf.zeros_initializer())
    b = tf.get_variable('b', [2], initializer=tf.ones_initializer())
    c = tf.get_variable('c', [2, 2], initializer=tf.constant_initializer([1.0, 2.0, 3.0, 4.0]))
    d = tf.get_variable('d', [2, 2], initializer=tf.initializers.identity(gain=2.0))
    return _initialized(tf, a, b, c, d)


@program
def random_normal_initializer(tf, np):
    a = tf.get_variable('a', [2, 3], initializer=tf.random_normal_initializer(seed=1))
    b = tf.get_variable('b', [4], initializer=tf.random_normal_initializer(5.0, 0.1, seed=2))
    return _initialized(tf, a, b)


@program
def random_uniform_initializer(tf, np):
    a = tf.get_variable('a', [2, 3], initializer=tf.random_uniform_initializer(seed=1))
    b = tf.get_variable('b', [4], initializer=tf.random_uniform_initializer(-1, 1, seed=2))
    digits = tf.random_uniform_initializer(0, 10, seed=2, dtype=tf.int32)
    c = tf.get_variable('c', [4], tf.int32, digits)
    return _initialized(tf, a, b, c)


@program
def truncated_normal_initializer(tf, np):
    narrow = tf.truncated_normal_initializer(stddev=0.02, seed=1)
    a = tf.get_variable('a', [2, 3], initializer=narrow)
    b = tf.get_variable('b', [9], initializer=tf.truncated_normal_initializer(seed=2))
    return _initialized(tf, a, b)


@program
def glorot_initializers(tf, np):
    a = tf.get_variable('a', [3, 4], initializer=tf.glorot_uniform_initializer(seed=1))
    b = tf.get_variable('b', [3, 4], initializer=tf.glorot_normal_initializer(seed=2))
    c = tf.get_variable('c', [2, 2, 3, 1], initializer=tf.glorot_uniform_initializer(seed=3))
    return _initialized(tf, a, b, c)


@program
def variance_scaling_modes(tf, np):
    made = []
    for mode in ['fan_in', 'fan_out', 'fan_avg']:
        for shape in ['truncated_normal', 'untruncated_normal', 'uniform']:
            init = tf.variance_scaling_initializer(scale=2.0, mode=mode, distribution=shape, seed=7)
            made.append(tf.get_variable('%s_%s' % (mode, shape), [4, 2], initializer=init))
    return _initialized(tf, *made)


@program
def he_and_lecun_initializers(tf, np):
    family = tf.initializers
    made = [tf.get_variable(f.__name__, [4, 3], initializer=f(seed=11))
            for f in [family.he_normal, family.he_uniform, family.lecun_normal,
                      family.lecun_uniform]]
    return _initialized(tf, *made)


@program
def orthogonal_initializer(tf, np):
    a = tf.get_variable('a', [3, 3], initializer=tf.orthogonal_initializer(seed=1))
    b = tf.get_variable('b', [2, 4], initializer=tf.orthogonal_initializer(gain=2.0, seed=2))
    product = tf.matmul(a, a, transpose_b=True)
    return _initialized(tf, a, b) + [run(product)]


@program
def initializer_under_a_graph_seed(tf, np):
    tf.set_random_seed(42)
    with tf.variable_scope('net'):
        a = tf.get_variable('a', [2, 2])
        b = tf.get_variable('b', [2], initializer=tf.random_normal_initializer())
    return _initialized(tf, a, b)


@program
def initializer_called_directly(tf, np):
    init = tf.random_uniform_initializer(-0.1, 0.1, seed=3)
    a = tf.Variable(init([2, 2]), name='a')
    b = tf.Variable(tf.zeros_initializer()([3]), name='b')
    return _initialized(tf, a, b)


@program
def uniform_unit_scaling(tf, np):
    a = tf.get_variable('a', [4, 2], initializer=tf.uniform_unit_scaling_initializer(seed=5))
    return _initialized(tf, a)
