"""Arithmetic, elementary and special functions, complex numbers, comparisons, bits."""
import math

import numpy as np
import scipy.special

from tests.ops.rows import row
from tinyflow.graph.op import Op

SIGNS = np.array([7, -7, 7, -7, 0, 6]), np.array([2, 2, -2, -2, 3, -3])
FLOAT_SIGNS = (np.array([7.5, -7.5, 7.5, -7.5, 1.0]), np.array([2.0, 2.0, -2.0, -2.0, 3.0]))


def one_by_one(function):
    """An independent reference: Python's own arithmetic on each pair of elements."""
    def ref(*arrays):
        arrays = np.broadcast_arrays(*arrays)
        values = [function(*[a.item() for a in items])
                  for items in zip(*[a.reshape(-1) for a in arrays])]
        return np.array(values).reshape(arrays[0].shape)
    return ref


def binary(op_type, function, ref, shapes=((2, 3), (3,)), **settings):
    """A row of a broadcasting function, which must refuse shapes that do not fit."""
    return row(op_type, lambda tf, x, y: lookup(tf, function)(x, y), shapes,
               ref=one_by_one(ref),
               bad=[lambda tf: lookup(tf, function)(tf.placeholder(tf.float32, [2, 3]),
                                                    tf.placeholder(tf.float32, [2, 2]))],
               **settings)


def unary(op_type, function, ref, low=-1.0, high=1.0, **settings):
    return row(op_type, lambda tf, x: lookup(tf, function)(x), [(3, 4)], ref=one_by_one(ref),
               low=low, high=high, **settings)


def lookup(tf, path):
    for part in path.split('.'):
        tf = getattr(tf, part)
    return tf


def of_constants(op_type, function, ref, x, y, run_bad=(), **settings):
    """A row on concrete arrays, without a gradient."""
    return row(op_type, lambda tf, x, y: lookup(tf, function)(x, y), [x, y], ref=one_by_one(ref),
               grad=False, run_bad=run_bad, **settings)


def by_zero(function):
    return lambda tf: lookup(tf, function)(tf.constant([1, 2]), tf.constant([1, 0]))


def truncated(x, y):
    return int(x / y)


def to_chosen(first):
    """A maximum's or minimum's two inputs must not be close: there the derivative jumps."""
    return np.array([[0.1, 2.0, -1.0], [4.0, 0.3, 0.0]]), np.array([1.0, 0.5, first])


ARITHMETIC = [
    binary('Add', 'add', lambda x, y: x + y),
    row('AddV2', lambda tf, x, y: x + y, [(2, 3), (3,)], ref=one_by_one(lambda x, y: x + y),
        bad=[lambda tf: tf.placeholder(tf.float32, [2]) + tf.placeholder(tf.float32, [3])]),
    binary('Sub', 'subtract', lambda x, y: x - y),
    binary('Mul', 'multiply', lambda x, y: x * y),
    row('Mul', lambda tf, x: x * 3, [(2, 2)], ref=lambda x: np.array([[3 * v for v in r]
                                                                     for r in x.tolist()]),
        name='by a number'),
    row('Mul', lambda tf, x, y: x * y, [(2, 3), (2, 3)], dtype='complex128', name='complex',
        ref=one_by_one(lambda x, y: x * y), grad=False),
    row('MulNoNan', lambda tf, x, y: tf.math.multiply_no_nan(x, y),
        [np.array([1.0, np.inf, np.nan, 4.0]), np.array([2.0, 0.0, 0.0, 5.0])],
        ref=lambda x, y: np.array([2.0, 0.0, 0.0, 20.0]), grad=False),
    binary('MulNoNan', 'math.multiply_no_nan', lambda x, y: x * y, low=0.5),
    row('AddN', lambda tf, *xs: tf.add_n(list(xs)), [(2, 3), (2, 3), (2, 3)],
        ref=lambda *xs: xs[0] + xs[1] + xs[2],
        bad=[lambda tf: tf.add_n([tf.zeros([2, 3]), tf.zeros([2])])]),
    row('AddN', lambda tf, x, y: tf.add_n([x, y]), [(4,), (4,)], ref=lambda x, y: y + x,
        name='of two'),
    row('AccumulateNV2', lambda tf, *xs: tf.accumulate_n(list(xs)), [(2, 3)] * 3,
        ref=lambda *xs: xs[0] + xs[1] + xs[2]),
    binary('RealDiv', 'truediv', lambda x, y: x / y, low=0.5, high=2.0),
    of_constants('RealDiv', 'truediv', lambda x, y: x / y, *SIGNS, name='of integers'),
    of_constants('FloorDiv', 'floordiv', lambda x, y: x // y, *SIGNS,
                 run_bad=[by_zero('floordiv')], name='of integers'),
    of_constants('FloorDiv', 'floordiv', lambda x, y: math.floor(x / y) * 1.0, *FLOAT_SIGNS),
    of_constants('FloorDiv', 'floordiv', lambda x, y: math.floor(x / y) * 1.0,
                 np.array([1.0, 6.0]), np.array([0.1, 0.1]), name='where Python rounds down'),
    of_constants('FloorMod', 'mod', lambda x, y: x % y, *SIGNS, run_bad=[by_zero('mod')],
                 name='of integers'),
    row('FloorMod', lambda tf, x, y: tf.mod(x, y), [np.zeros(0, np.int32), np.int32(0)],
        ref=lambda x, y: np.zeros(0), grad=False, name='nothing by zero'),
    row('FloorMod', lambda tf, x, y: tf.mod(x, y), FLOAT_SIGNS,
        ref=one_by_one(lambda x, y: x - y * math.floor(x / y))),
    of_constants('TruncateMod', 'truncatemod', lambda x, y: math.fmod(x, y), *SIGNS,
                 run_bad=[by_zero('truncatemod')], name='of integers'),
    row('TruncateMod', lambda tf, x, y: tf.truncatemod(x, y), FLOAT_SIGNS,
        ref=one_by_one(lambda x, y: x - y * truncated(x, y))),
    of_constants('TruncateDiv', 'truncatediv', truncated, *SIGNS,
                 run_bad=[by_zero('truncatediv')], name='of integers'),
    of_constants('TruncateDiv', 'truncatediv', lambda x, y: truncated(x, y) * 1.0, *FLOAT_SIGNS),
    binary('DivNoNan', 'div_no_nan', lambda x, y: x / y, low=0.5, high=2.0),
    row('DivNoNan', lambda tf, x, y: tf.div_no_nan(x, y),
        [np.array([1.0, 0.0, 3.0]), np.array([0.0, 0.0, 2.0])],
        ref=lambda x, y: np.array([0.0, 0.0, 1.5]), grad=False),
    binary('Pow', 'pow', lambda x, y: x ** y, low=0.5, high=2.0),
    row('Pow', lambda tf, x: x ** 2, [(2, 3)], ref=one_by_one(lambda x: x * x), name='square'),
    row('Pow', lambda tf, x: x ** 3.0, [(2, 3)], ref=one_by_one(lambda x: x * x * x),
        name='cube'),
    row('Pow', lambda tf, x: x ** 1.0, [(2, 3)], ref=one_by_one(lambda x: x), name='one'),
    of_constants('Pow', 'pow', lambda x, y: x ** y, np.array([2, -3, 5]), np.array([5, 3, 0]),
                 run_bad=[lambda tf: tf.pow(tf.constant([2]), tf.constant([-1]))],
                 name='of integers'),
    binary('SquaredDifference', 'squared_difference', lambda x, y: (x - y) * (x - y)),
    unary('Square', 'square', lambda x: x * x),
    unary('Sqrt', 'sqrt', math.sqrt, low=0.5, high=3.0),
    unary('Rsqrt', 'rsqrt', lambda x: 1 / math.sqrt(x), low=0.5, high=3.0),
    unary('Reciprocal', 'reciprocal', lambda x: 1 / x, low=0.5, high=3.0),
    unary('Neg', 'negative', lambda x: -x),
    unary('Abs', 'abs', lambda x: x if x > 0 else -x, low=0.2),
    row('Abs', lambda tf, x: abs(x), [np.array([-3, 0, 4])], grad=False,
        ref=lambda x: np.array([3, 0, 4]), name='of integers'),
    row('Sign', lambda tf, x: tf.sign(x), [np.array([-3.5, 0.0, 4.0])], grad=False,
        ref=lambda x: np.array([-1.0, 0.0, 1.0])),
    row('Maximum', lambda tf, x, y: tf.maximum(x, y), to_chosen(-3.0),
        ref=one_by_one(lambda x, y: x if x > y else y)),
    row('Minimum', lambda tf, x, y: tf.minimum(x, y), to_chosen(3.0),
        ref=one_by_one(lambda x, y: x if x < y else y)),
    row('Ceil', lambda tf, x: tf.ceil(x), [(3, 4)], low=-4, high=4, grad=False,
        ref=one_by_one(lambda x: float(math.ceil(x)))),
    row('Floor', lambda tf, x: tf.floor(x), [(3, 4)], low=-4, high=4, grad=False,
        ref=one_by_one(lambda x: float(math.floor(x)))),
    row('Round', lambda tf, x: tf.round(x), [np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4])],
        ref=lambda x: np.array([0.0, 2.0, 2.0, 0.0, -2.0, 2.0]), grad=False),
    row('Rint', lambda tf, x: tf.rint(x), [np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4])],
        ref=lambda x: np.array([0.0, 2.0, 2.0, 0.0, -2.0, 2.0]), grad=False),
]

def raw(op_type):
    """An op that no public function makes, as old graphs have it."""
    return lambda tf, *tensors: Op.registry[op_type].apply(*tensors)


OLDER = [
    row('Inv', raw('Inv'), [(2, 3)], low=0.5, high=2.0, ref=one_by_one(lambda x: 1 / x)),
    row('Div', raw('Div'), [(2, 3), (3,)], low=0.5, high=2.0,
        ref=one_by_one(lambda x, y: x / y)),
    row('Div', raw('Div'), SIGNS, grad=False, ref=one_by_one(truncated), name='of integers'),
    row('Mod', raw('Mod'), SIGNS, grad=False, ref=one_by_one(math.fmod)),
]

ELEMENTARY = [
    unary('Exp', 'exp', math.exp), unary('Expm1', 'math.expm1', math.expm1),
    unary('Log', 'log', math.log, low=0.5, high=3.0),
    unary('Log1p', 'log1p', math.log1p, low=-0.5, high=3.0),
    unary('Sin', 'sin', math.sin, low=-4, high=4), unary('Cos', 'cos', math.cos, low=-4, high=4),
    unary('Tan', 'tan', math.tan),
    unary('Asin', 'asin', math.asin, low=-0.8, high=0.8),
    unary('Acos', 'acos', math.acos, low=-0.8, high=0.8),
    unary('Atan', 'atan', math.atan, low=-4, high=4),
    unary('Sinh', 'sinh', math.sinh), unary('Cosh', 'cosh', math.cosh),
    unary('Tanh', 'tanh', math.tanh, low=-3, high=3), unary('Asinh', 'asinh', math.asinh),
    unary('Acosh', 'acosh', math.acosh, low=1.5, high=4.0),
    unary('Atanh', 'atanh', math.atanh, low=-0.8, high=0.8),
    unary('Sigmoid', 'sigmoid', lambda x: 1 / (1 + math.exp(-x)), low=-4, high=4),
    row('Sigmoid', lambda tf, x: tf.sigmoid(x), [np.array([-1000.0, -40.0, 0.0, 40.0, 1000.0])],
        ref=lambda x: np.array([0.0, math.exp(-40), 0.5, 1.0, 1.0]), tol=1e-20, grad=False,
        name='far out'),
    binary('Atan2', 'atan2', math.atan2, low=0.2, high=2.0),
    row('Atan2', lambda tf, y, x: tf.atan2(y, x),
        [np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])],
        ref=lambda y, x: np.array([0.25, 0.75, -0.25, -0.75]) * math.pi, name='quadrants'),
    binary('Xlogy', 'math.xlogy', lambda x, y: x * math.log(y), low=0.5, high=2.0),
    row('Xlogy', lambda tf, x, y: tf.math.xlogy(x, y),
        [np.array([0.0, 0.0, 2.0]), np.array([0.0, -1.0, 1.0])],
        ref=lambda x, y: np.zeros(3), grad=False),
    binary('Xdivy', 'math.xdivy', lambda x, y: x / y, low=0.5, high=2.0),
    row('Xdivy', lambda tf, x, y: tf.math.xdivy(x, y),
        [np.array([0.0, 0.0, 2.0]), np.array([0.0, 4.0, 4.0])],
        ref=lambda x, y: np.array([0.0, 0.0, 0.5]), grad=False),
]

WIDE = np.concatenate([np.linspace(-6, 6, 25), [0.5, 1e-8, 20.0, -26.0]])
ERF32 = np.concatenate([np.linspace(-6, 6, 5000), [np.inf, 1e-30, 0.0]]).astype(np.float32)
SPECIAL = [
    row('Erf', lambda tf, x: tf.erf(x), [WIDE], ref=scipy.special.erf, tol=1e-14, grad=False),
    unary('Erf', 'erf', math.erf, low=-2, high=2),
    row('Erf', lambda tf, x: tf.erf(x), [ERF32], ref=one_by_one(math.erf), tol=3e-7, grad=False),
    row('Erfc', lambda tf, x: tf.erfc(x), [WIDE[WIDE < 20]], tol=1e-14, grad=False,
        ref=one_by_one(math.erfc)),
    unary('Erfc', 'erfc', math.erfc, low=-2, high=2),
    row('Lgamma', lambda tf, x: tf.lgamma(x), [np.concatenate([WIDE + 0.3, [1.0, 2.0, 1e10]])],
        ref=scipy.special.gammaln, tol=1e-13, grad=False),
    unary('Lgamma', 'lgamma', math.lgamma, low=0.3, high=4.0),
    row('Digamma', lambda tf, x: tf.digamma(x), [np.concatenate([WIDE + 0.3, [1.0, 1e10]])],
        ref=scipy.special.digamma, tol=1e-12, grad=False),
    unary('Digamma', 'digamma', lambda x: scipy.special.digamma(x), low=0.4, high=4.0),
    row('Zeta', lambda tf, x, q: tf.zeta(x, q), [np.array([1.5, 2.0, 8.0, 20.0]),
                                                 np.array([0.3, 1.0, 3.5, 10.0])],
        ref=scipy.special.zeta, grad=(1,), tol=1e-6),
    row('Polygamma', lambda tf, a, x: tf.polygamma(a, x), [np.array([0.0, 1.0, 2.0, 3.0]),
                                                           np.array([0.5, 1.5, 2.5, 9.0])],
        ref=lambda a, x: np.array([scipy.special.polygamma(int(n), v) for n, v in zip(a, x)]),
        grad=(1,)),
]


def complex_row(op_type, function, ref, **settings):
    return row(op_type, lambda tf, x: lookup(tf, function)(x), [(3, 2)], dtype='complex128',
               ref=one_by_one(ref), grad=False, **settings)


def through_complex(function):
    """A real function of two real inputs by way of complex numbers, for the gradients."""
    return lambda tf, x, y: lookup(tf, function)(tf.complex(x, y))


COMPLEX = [
    complex_row('ComplexAbs', 'abs', abs), complex_row('Real', 'real', lambda z: z.real),
    complex_row('Imag', 'imag', lambda z: z.imag),
    complex_row('Conj', 'conj', lambda z: z.conjugate()),
    complex_row('Angle', 'angle', lambda z: math.atan2(z.imag, z.real)),
    row('ComplexAbs', through_complex('abs'), [(2, 3), (2, 3)], low=0.3, second=False,
        ref=one_by_one(math.hypot), name='gradient'),
    row('Angle', through_complex('angle'), [(2, 3), (2, 3)], low=0.3, second=False,
        ref=one_by_one(lambda x, y: math.atan2(y, x)), name='gradient'),
    row('Complex', lambda tf, x, y: tf.real(tf.square(tf.complex(x, y))), [(2, 3), (2, 3)],
        ref=lambda x, y: x * x - y * y),
    row('Imag', lambda tf, x, y: tf.imag(tf.conj(tf.complex(x, y)) * tf.complex(y, x)),
        [(2, 3), (2, 3)], ref=lambda x, y: x * x - y * y, name='gradient'),
]


def relation(op_type, function, ref):
    return row(op_type, lambda tf, x, y: getattr(tf, function)(x, y),
               [np.array([[1, 2, 3], [4, 2, 0]]), np.array([1, 2, 2])],
               ref=one_by_one(ref), grad=False,
               bad=[lambda tf: getattr(tf, function)(tf.zeros([2, 3]), tf.zeros([2, 2])),
                    lambda tf: getattr(tf, function)(tf.constant([1]), tf.constant([1.0]))])


def logical(op_type, function, ref):
    return row(op_type, lambda tf, x, y: getattr(tf, function)(x, y), [(3, 4), (4,)],
               dtype='bool', ref=one_by_one(ref), grad=False,
               bad=[lambda tf: getattr(tf, function)(tf.constant([1]), tf.constant([True]))])


ODD = np.array([1.0, np.nan, np.inf, -np.inf, 0.0])
LOGIC = [
    relation('Equal', 'equal', lambda x, y: x == y),
    relation('NotEqual', 'not_equal', lambda x, y: x != y),
    relation('Less', 'less', lambda x, y: x < y),
    relation('LessEqual', 'less_equal', lambda x, y: x <= y),
    relation('Greater', 'greater', lambda x, y: x > y),
    relation('GreaterEqual', 'greater_equal', lambda x, y: x >= y),
    row('Equal', lambda tf: tf.equal(tf.constant(['a', 'b']), tf.constant(['a', 'c'])), grad=False,
        ref=lambda: np.array([True, False]), name='of strings'),
    row('NotEqual', lambda tf: tf.not_equal(tf.constant(['a', 'b']), tf.constant('a')),
        ref=lambda: np.array([False, True]), grad=False, name='of strings'),
    row('ApproximateEqual', lambda tf, x, y: tf.approximate_equal(x, y, tolerance=0.1),
        [np.array([1.0, 2.0]), np.array([1.05, 2.5])], ref=lambda x, y: np.array([True, False]),
        grad=False, bad=[lambda tf: tf.approximate_equal(tf.zeros([2]), tf.zeros([3]))]),
    logical('LogicalAnd', 'logical_and', lambda x, y: x and y),
    logical('LogicalOr', 'logical_or', lambda x, y: x or y),
    row('LogicalAnd', lambda tf, x, y: x ^ y, [(3, 4), (4,)], dtype='bool', grad=False,
        ref=one_by_one(lambda x, y: x is not y), name='exclusive or'),
    row('LogicalNot', lambda tf, x: ~x, [(3, 4)], dtype='bool', grad=False,
        ref=one_by_one(lambda x: not x)),
    row('IsNan', lambda tf, x: tf.is_nan(x), [ODD], grad=False, ref=one_by_one(math.isnan)),
    row('IsInf', lambda tf, x: tf.is_inf(x), [ODD], grad=False, ref=one_by_one(math.isinf)),
    row('IsFinite', lambda tf, x: tf.is_finite(x), [ODD], grad=False,
        ref=one_by_one(math.isfinite)),
]

BITS = [
    of_constants(op_type, f'bitwise.{function}', ref, np.array([12, 7, 255, 1]),
                 np.array([1, 3, 2, 0]))
    for op_type, function, ref in (
        ('BitwiseAnd', 'bitwise_and', lambda x, y: x & y),
        ('BitwiseOr', 'bitwise_or', lambda x, y: x | y),
        ('BitwiseXor', 'bitwise_xor', lambda x, y: x ^ y),
        ('LeftShift', 'left_shift', lambda x, y: x << y),
        ('RightShift', 'right_shift', lambda x, y: x >> y))
] + [row('Invert', lambda tf, x: tf.bitwise.invert(x), [np.array([0, 1, -5])], grad=False,
         ref=lambda x: np.array([-1, -2, 4]))]

ROWS = ARITHMETIC + OLDER + ELEMENTARY + SPECIAL + COMPLEX + LOGIC + BITS
