"""Python operators on tensors, and the functions they stand for."""
from .registry import program, run


@program
def float_operators(tf, np):
    a = tf.placeholder(tf.float32, [3], name='a')
    b = tf.placeholder(tf.float32, [3], name='b')
    fetches = [a + b, a - b, a * b, a / b, a // b, a % b, a ** b, -a, abs(a)]
    return [run(fetches, {a: [1.5, -7.0, 4.0], b: [2.0, 2.0, -3.0]})]


@program
def int_operators(tf, np):
    a = tf.placeholder(tf.int32, [4], name='a')
    b = tf.placeholder(tf.int32, [4], name='b')
    fetches = [a + b, a - b, a * b, a / b, a // b, a % b, -a, abs(a)]
    return [run(fetches, {a: [7, -7, 7, -7], b: [2, 2, -2, -2]})]


@program
def int_power(tf, np):
    a = tf.constant([2, -3, 5])
    return [run([a ** 2, a ** [0, 1, 3], 2 ** tf.constant([0, 3])])]


@program
def reflected_float_operators(tf, np):
    a = tf.placeholder(tf.float32, [2], name='a')
    fetches = [1 + a, 1 - a, 2 * a, 1 / a, 7 // a, 7 % a, 2 ** a]
    return [run(fetches, {a: [2.0, -3.0]})]


@program
def reflected_int_operators(tf, np):
    a = tf.constant([2, -3], name='a')
    return [run([1 + a, 1 - a, 2 * a, 1 / a, 7 // a, 7 % a])]


@program
def right_hand_constants(tf, np):
    a = tf.placeholder(tf.float32, [None, 2], name='a')
    fetches = [a + 1, a - 0.5, a * 2, a / 4, a // 2, a % 2, a ** 2, a + [10.0, 20.0],
               a * np.float32([[1], [2]])]
    return [run(fetches, {a: [[1, -2]]})]


@program
def left_hand_numpy_array(tf, np):
    a = tf.constant([1.0, 2.0])
    return [run([np.float32([10, 20]) - a, np.float32([3, 5]) * a])]


@program
def float_comparisons(tf, np):
    a = tf.placeholder(tf.float32, [3])
    b = tf.placeholder(tf.float32, [3])
    fetches = [a < b, a <= b, a > b, a >= b, a < 2.0, 2.0 < a, tf.equal(a, b), tf.not_equal(a, b),
               tf.less(a, 1.0), tf.greater_equal(a, b, name='at_least')]
    return [run(fetches, {a: [1, 2, 3], b: [3, 2, 1]})]


@program
def double_equals_is_identity(tf, np):
    a = tf.constant(1)
    b = tf.constant(1)
    table = {a: 10, b: 20}
    return [run([tf.constant(a == b), tf.constant(a != b), tf.constant(table[b])])]


@program
def logical_operators(tf, np):
    p = tf.constant([True, True, False, False])
    q = tf.constant([True, False, True, False])
    fetches = [p & q, p | q, p ^ q, ~p, tf.logical_and(p, q), tf.logical_or(p, q),
               tf.logical_not(p),
               tf.logical_xor(p, q), True & p]
    return [run(fetches)]


@program
def matmul_operator(tf, np):
    a = tf.placeholder(tf.float32, [None, 2], name='a')
    w = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], name='w')
    b = tf.ones([2, 2, 3])
    return [run([a @ w, tf.ones([2, 4, 2]) @ b], {a: [[1, 1], [2, 0]]})]


@program
def named_arithmetic_functions(tf, np):
    a = tf.constant([7.0, -7.0])
    b = tf.constant([2.0, 2.0])
    fetches = [tf.add(a, b), tf.subtract(a, b), tf.multiply(a, b), tf.divide(a, b), tf.div(a, b),
               tf.truediv(a, b), tf.floordiv(a, b), tf.mod(a, b), tf.floormod(a, b), tf.pow(a, b),
               tf.negative(a), tf.abs(a), tf.realdiv(a, b), tf.div_no_nan(a, [0.0, 2.0])]
    return [run(fetches)]


@program
def integer_division_family(tf, np):
    a = tf.constant([7, -7, 7, -7])
    b = tf.constant([2, 2, -2, -2])
    fetches = [tf.div(a, b), tf.truediv(a, b), tf.floordiv(a, b), tf.mod(a, b),
               tf.truncatediv(a, b),
               tf.truncatemod(a, b), tf.floor_div(a, b)]
    return [run(fetches)]


@program
def uint8_and_int64_arithmetic(tf, np):
    a = tf.constant([200, 100], tf.uint8)
    b = tf.constant([2 ** 40, -1], tf.int64)
    return [run([a + a, a // 3, a / 2, b * 2, b / 2, b // 3, b % 7])]


@program
def broadcasting(tf, np):
    row = tf.placeholder(tf.float32, [1, None])
    col = tf.placeholder(tf.float32, [None, 1])
    cube = tf.ones([2, 1, 1])
    fetches = [row + col, row * cube, cube - col, tf.broadcast_to(row, [2, 3]),
               tf.broadcast_dynamic_shape(tf.shape(row), tf.shape(col))]
    return [run(fetches, {row: [[1, 2, 3]], col: [[10], [20]]})]


@program
def elementary_functions(tf, np):
    x = tf.constant([0.5, 1.0, 2.0])
    fetches = [tf.exp(x), tf.log(x), tf.log1p(x), tf.expm1(x), tf.sqrt(x), tf.rsqrt(x),
               tf.square(x),
               tf.reciprocal(x), tf.sin(x), tf.cos(x), tf.tan(x), tf.sinh(x), tf.cosh(x),
               tf.tanh(x),
               tf.atan(x), tf.asinh(x), tf.acosh(x + 1.0), tf.erf(x), tf.erfc(x), tf.lgamma(x),
               tf.digamma(x)]
    return [run(fetches)]


@program
def inverse_trigonometric(tf, np):
    x = tf.constant([-0.5, 0.0, 0.5])
    return [run([tf.asin(x), tf.acos(x), tf.atanh(x), tf.atan2(x, [1.0, -1.0, -1.0])])]


@program
def rounding(tf, np):
    x = tf.constant([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.7])
    return [run([tf.round(x), tf.floor(x), tf.ceil(x), tf.rint(x), tf.sign(x),
                 tf.sign([-3, 0, 2])])]


@program
def minimum_maximum(tf, np):
    a = tf.constant([1.0, 5.0, 3.0])
    fetches = [tf.maximum(a, 2.0), tf.minimum(a, [0.0, 9.0, 3.0]), tf.maximum(0.0, a),
               tf.squared_difference(a, 2.0), tf.maximum([1, 2], [2, 1])]
    return [run(fetches)]


@program
def predicates(tf, np):
    x = tf.constant([1.0, float('nan'), float('inf'), -float('inf')])
    return [run([tf.is_nan(x), tf.is_inf(x), tf.is_finite(x)])]


@program
def add_n_and_accumulate(tf, np):
    a = tf.constant([1.0, 2.0])
    return [run([tf.add_n([a, a, a]), tf.add_n([a]), tf.add_n([a, 2 * a], name='total'),
                 tf.scalar_mul(3.0, a)])]


@program
def products_where_zero_wins(tf, np):
    x = tf.placeholder(tf.float32, [3], name='x')
    fetches = [tf.math.xdivy(x, 2.0), tf.math.xlogy(x, x),
               tf.math.xlogy(2.0, x + 1.0, name='named')]
    return [run(fetches, {x: [0, 1, 2]})]
