"""Checks of values, shapes and dtypes: tf.Assert and all that is built of it."""
from .registry import functional, program, run


@functional
def assert_with_floats(tf, np):
    x = tf.placeholder(tf.float32, [2], name='x')
    check = tf.Assert(tf.reduce_all(x > 0), ['x is', x], summarize=2, name='positive')
    with tf.control_dependencies([check]):
        y = tf.identity(x, name='y')
    return [run(y, {x: [1.0, 2.0]}), run(check, {x: [1.0, 2.0]})]


@program
def assert_with_ints_and_text(tf, np):
    x = tf.placeholder(tf.int32, [2], name='x')
    check = tf.Assert(tf.reduce_all(x > 0), ['x is', x])
    with tf.control_dependencies([check]):
        y = tf.identity(x, name='y')
    return [run(y, {x: [1, 2]})]


@functional
def binary_assertions(tf, np):
    x = tf.placeholder(tf.float32, [2], name='x')
    n = tf.placeholder(tf.int32, [2], name='n')
    checks = [
        tf.assert_equal(n, [1, 2]), tf.assert_none_equal(n, [2, 3], message='differ'),
        tf.assert_less(x, [9.0, 9.0], summarize=5), tf.assert_less_equal(x, x, name='named'),
        tf.assert_greater(n, 0, data=['mine', n]), tf.assert_greater_equal(x, 1.0),
        tf.assert_near(x, [1.0, 2.0]), tf.assert_near(x, [1.5, 2.0], rtol=0.5, atol=0.1),
        tf.assert_equal([1, 2], [1, 2]), tf.assert_equal(x, x)]
    with tf.control_dependencies(checks):
        total = tf.reduce_sum(x)
    return [run(total, {x: [1.0, 2.0], n: [1, 2]})]


@functional
def unary_assertions(tf, np):
    x = tf.placeholder(tf.float32, [2], name='x')
    n = tf.placeholder(tf.int32, [2], name='n')
    checks = [tf.assert_positive(x, message='m'), tf.assert_negative(-n),
              tf.assert_non_negative(n, name='nn'), tf.assert_non_positive(-x)]
    with tf.control_dependencies(checks):
        total = tf.reduce_sum(x)
    return [run(total, {x: [1.0, 2.0], n: [1, 2]})]


@program
def rank_assertions(tf, np):
    x = tf.placeholder(tf.float32, [2, 3], name='x')
    u = tf.placeholder(tf.float32, name='u')
    r = tf.placeholder(tf.int32, name='r')
    checks = [tf.assert_rank(x, 2), tf.assert_rank(u, 1), tf.assert_rank_at_least(x, 1),
              tf.assert_rank_at_least(u, 1, message='m'), tf.assert_rank_in(x, [1, 2]),
              tf.assert_rank_in(u, [1, 3]), tf.assert_rank(x, r)]
    with tf.control_dependencies(checks):
        y = tf.identity(u)
    return [run(y, {x: np.zeros([2, 3], np.float32), u: [5.0], r: 2})]


@program
def static_assertions(tf, np):
    x = tf.constant(3)
    tf.assert_integer(x)
    tf.assert_type(x, tf.int32)
    scalar = tf.assert_scalar(7)
    return [run([x, scalar])]


@functional
def shape_assertions(tf, np):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    y = tf.placeholder(tf.float32, [None], name='y')
    check = tf.debugging.assert_shapes([(x, ('N', 3)), (y, ('N',))])
    return [run(check, {x: np.zeros([2, 3], np.float32), y: [1.0, 2.0]})]


@functional
def monotony(tf, np):
    x = tf.placeholder(tf.float32, [None], name='x')
    results = [tf.is_non_decreasing(x), tf.is_strictly_increasing(x)]
    return [run(results, {x: v}) for v in ([1.0, 1.0, 2.0], [1.0, 2.0], [2.0, 1.0], [3.0], [])]


@program
def finite_checks(tf, np):
    x = tf.placeholder(tf.float32, [2], name='x')
    y = tf.verify_tensor_all_finite(tf.exp(x), 'exp')
    check = tf.add_check_numerics_ops()
    return [run([y, check], {x: [0.0, 1.0]})]
