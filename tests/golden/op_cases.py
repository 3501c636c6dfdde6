"""Calls of single public functions: `CASES` maps 'path: what it shows' to an `OpCase`.

`path` is looked up in the framework module ('nn.relu'), except 'operator.*', which is Python's
own operator module (a tensor operator). NumPy arrays in `inputs` (also inside lists) become fed
placeholders of full static shape; any other argument is passed as it is; keyword arguments
likewise, in alphabetical order. `dtype` arguments are spelled as text, so that the table needs no
framework. The recorded gradient is that of sum(output * weights) over all float outputs, for each
float input.
"""
import sys
from collections import OrderedDict, namedtuple

import numpy as np

from . import op_inputs as given

OpCase = namedtuple('OpCase', 'path inputs kwargs')
CASES = OrderedDict()
FAMILIES = {}           # key of a case -> the module of golden/cases it stands in, or 'op_cases'
A = slice(None)


def weights(np, shape, dtype):
    """Fixed weights of the gradient's scalar: small, exact in every float type, never zero,
    varied in sign."""
    size = int(np.prod(shape, dtype=np.int64))
    return ((np.arange(size) * 7 % 11 - 4.5) / 4).reshape(shape).astype(dtype)


def case(path, what, *inputs, **kwargs):
    key = '%s: %s' % (path, what)
    if key in CASES:
        raise ValueError('two op cases are called %r' % key)
    CASES[key] = OpCase(path, inputs, kwargs)
    FAMILIES[key] = _calling_module()


def _calling_module():
    """The first module up the stack that is not this one, if it is one of golden/cases."""
    frame = sys._getframe(1)
    while frame.f_globals['__name__'] == __name__ and frame.f_back is not None:
        frame = frame.f_back
    package, _, module = frame.f_globals['__name__'].rpartition('.')
    return module if package.endswith('cases') else 'op_cases'


def f32(values):
    return np.array(values, np.float32)


def f64(values):
    return np.array(values, np.float64)


def i32(values):
    return np.array(values, np.int32)


def i64(values):
    return np.array(values, np.int64)


def table(paths, what, *inputs, **kwargs):
    for path in paths.split():
        case(path, what, *inputs, **kwargs)


# --- arithmetic
BINARY = 'add subtract multiply divide div truediv floordiv mod maximum minimum squared_difference'
table(BINARY, 'float signs', f32([7, -7, 7, -7, 0]), f32([2, 2, -2, -2, 3]))
table(BINARY + ' truncatediv truncatemod', 'int signs', i32([7, -7, 7, -7, 0]),
      i32([2, 2, -2, -2, 3]))
table('add subtract multiply divide floordiv mod maximum minimum pow', 'inf, nan and zeros',
      f32([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, np.inf]),
      f32([1.0, np.inf, 1.0, 0.0, 5.0, np.nan, -1.0]))
table('add multiply divide floordiv mod pow', 'broadcasts both ways', f32([[1], [2], [3]]),
      f32([[4, 0.5]]))
table('add multiply maximum', 'float64 broadcasts a scalar', f64([[1, 2], [3, 4]]), f64(2.5))
table('add multiply', 'empty', f32(np.zeros([0, 3])), f32([1, 2, 3]))
table('operator.add operator.sub operator.mul operator.truediv operator.floordiv operator.mod '
      'operator.pow', 'array and number', f32([1.5, -2.5, 3]), 2)
table('operator.truediv operator.floordiv operator.mod', 'ints by a number', i32([7, -7, 5]), -3)
case('add', 'int32 wraps', i32([2 ** 31 - 1]), i32([1]))
case('multiply', 'uint8 wraps', np.array([200, 3], np.uint8), np.array([2, 100], np.uint8))
case('pow', 'float', f32([2, 0.5, 4, 0, 0]), f32([3, 2, -0.5, 0, 2]))
case('pow', 'negative base', f32([-2, -2, -1]), f32([3, 2, 0.5]))
case('pow', 'int', i32([2, -3, 5, 0]), i32([10, 3, 0, 0]))
case('pow', 'int64 by a number', i64([3, -1]), 5)
case('div_no_nan', 'zero divisors', f32([1, 0, 3]), f32([0, 0, 2]))
case('atan2', 'quadrants', f32([1, -1, 1, -1, 0]), f32([1, 1, -1, -1, -1]))
case('add_n', 'three', [given.matrix(2, 3), given.matrix(2, 3, 1), given.matrix(2, 3, 2)])
case('accumulate_n', 'two', [f32([1, 2]), f32([3, 4])])
table('negative abs sign', 'ints', i32([-3, 0, 4, -2 ** 31]))
table('operator.neg operator.abs', 'floats', f32([-1.5, 0.0, 2]))
table('negative abs sign square', 'zeros and infinities',
      f32([-0.0, 0.0, np.inf, -np.inf, np.nan, -2]))
table('round floor ceil rint', 'half to even',
      f32([-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, 0.49999997, 8388609]))
case('round', 'ints are untouched', i32([1, -2]))
table('exp expm1 log log1p sqrt rsqrt reciprocal sin cos tan atan sinh cosh tanh asinh erf '
      'erfc lgamma digamma', 'positive', f32([0.1, 0.5, 1, 2, 3.7]))
table('exp log sqrt rsqrt tanh sigmoid reciprocal erf', 'extremes',
      f32([0, -0.0, np.inf, -np.inf, np.nan, 100, -100]))
table('asin acos atanh', 'inside and ends', f32([-1, -0.5, 0, 0.5, 1]))
case('acosh', 'from one', f32([1, 1.5, 10]))
table('exp tanh log', 'float64', f64([0.25, 1, 3]))
table('is_nan is_inf is_finite', 'all kinds', f32([1, np.nan, np.inf, -np.inf]))
table('exp sqrt', 'float16', np.array([0.5, 2, 11], np.float16))
table('math.xdivy math.xlogy math.multiply_no_nan', 'zeros win over nan and infinity',
      f32([0, 0, 0, 2, -1.5, 3]), f32([0, np.nan, np.inf, 4, 2, 0]))
table('math.xdivy math.xlogy math.multiply_no_nan', 'no number times zero',
      f32([np.nan, np.inf, -np.inf, 2]), f32([0, 0, 3, 0]))
table('math.xdivy math.xlogy', 'broadcasts both ways', f32([[1], [0], [3]]), f32([[4, 0.5]]))
case('math.zeta', 'above one', f32([1.5, 2, 3, 10, 4]), f32([1, 0.5, 4, 2.5, 20]))
case('math.zeta', 'float64', f64([2, 3.5]), f64([[1], [0.25]]))
case('angle', 'quadrants', np.array([1, 1j, -1, -1j, 1 + 2j, -3 - 0.5j, 0], np.complex64))
case('angle', 'reals', f32([1.5, -2, 0]))
case('check_numerics', 'finite', f32([1, -2.5]), 'no numbers')
case('check_numerics', 'nan', f32([1, np.nan]), 'no numbers')
case('check_numerics', 'infinity', f32([1, -np.inf]), 'no numbers')
case('guarantee_const', 'floats', f32([1, -2.5]))

# --- comparisons and logic
table('equal not_equal less less_equal greater greater_equal', 'nan and zeros',
      f32([1, np.nan, 0.0, 2, np.inf]), f32([1, np.nan, -0.0, 1, np.inf]))
table('operator.lt operator.le operator.gt operator.ge', 'ints', i32([1, 2, 3]), 2)
table('logical_and logical_or logical_xor operator.and_ operator.or_ operator.xor', 'truth table',
      np.array([True, True, False, False]), np.array([True, False, True, False]))
table('logical_not operator.invert', 'both', np.array([True, False]))
case('bitwise.bitwise_and', 'ints', i32([12, -1]), i32([10, 7]))
table('bitwise.bitwise_or bitwise.bitwise_xor', 'ints', i32([12, -1, 5]), i32([10, 7, -8]))
table('bitwise.left_shift bitwise.right_shift', 'ints', i32([12, -8, 5]), i32([1, 2, 30]))
table('bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift', 'uint8',
      np.array([200, 3, 1], np.uint8), np.array([1, 6, 7], np.uint8))
case('bitwise.invert', 'ints', i32([0, -1, 12]))
case('bitwise.invert', 'uint8', np.array([0, 255, 12], np.uint8))

# --- reductions
REDUCE = 'reduce_sum reduce_mean reduce_max reduce_min reduce_prod'
table(REDUCE + ' reduce_logsumexp', 'all', given.matrix(3, 4))
table(REDUCE + ' reduce_logsumexp', 'axis 1', given.matrix(3, 4), 1)
table(REDUCE, 'axes kept', given.cube(2, 3, 4), axis=[0, -1], keepdims=True)
table(REDUCE, 'ints', i32([[7, -2], [4, 0]]), axis=0)
table(REDUCE, 'empty', f32(np.zeros([0, 2])), axis=0)
table('reduce_max reduce_min', 'ties', f32([[1, 3, 3], [0, 0, 5]]), axis=1)
table('reduce_max reduce_min reduce_sum', 'nan', f32([[1, np.nan, 3], [np.inf, 0, -np.inf]]),
      axis=1)
case('reduce_prod', 'zeros', f32([[1, 0, 3], [0, 0, 5]]), 1)
case('reduce_logsumexp', 'large and minus infinity',
     f32([[1000, 1000], [-np.inf, -np.inf], [-np.inf, 0]]), 1)
table('reduce_any reduce_all', 'axis 0', np.array([[True, False], [True, True]]), 0)
table('reduce_any reduce_all', 'empty', np.zeros([0], bool))
table('math.reduce_euclidean_norm math.reduce_std math.reduce_variance', 'axis 1',
      given.matrix(3, 4), axis=1)
case('count_nonzero', 'floats', f32([[0, 1, -0.0], [2, np.nan, 0]]), axis=1)
table('argmax argmin', 'ties take the first', f32([[1, 3, 3], [0, 0, 5]]), 1)
case('argmax', 'nan', f32([[1, np.nan, 3], [np.nan, 0, 5]]), 1)
case('argmax', 'default axis and int32', f32([[1, 3], [2, 0]]), output_type='int32')
table('cumsum cumprod', 'plain', given.matrix(2, 4), 1)
for _exclusive in (False, True):
    for _reverse in (False, True):
        table('cumsum cumprod', 'exclusive %s reverse %s' % (_exclusive, _reverse),
              f32([1, 2, 3, 4]),
              exclusive=_exclusive, reverse=_reverse)
case('cumsum', 'ints', i32([[1, 2], [3, 4]]), axis=0)
case('cumprod', 'zero inside', f32([2, 0, 3]))
table('segment_sum segment_mean segment_max', 'gap', f32([[1, 2], [3, 4], [5, 6]]), i32([0, 0, 2]))
table('segment_min segment_prod', 'gap', f32([[1, 2], [3, -4], [5, 0]]), i32([0, 0, 2]))
table('segment_min segment_prod', 'ties, zeros and ints', i32([3, 3, 0, 5]), i64([0, 0, 1, 1]))
case('segment_min', 'ties share the gradient', f32([3, 3, 1]), i32([0, 0, 0]))
table('unsorted_segment_min unsorted_segment_prod', 'gap and negative id',
      f32([4, 9, -3, 4]), i32([2, -1, 0, 2]), 4)
table('unsorted_segment_min unsorted_segment_prod', 'rows of ints',
      i32([[4, 9], [-3, 4], [0, 7]]), i32([1, 0, 1]), 3)
case('unsorted_segment_prod', 'zeros', f32([0, 2, 3, 0, 0]), i32([0, 0, 0, 1, 1]), 2)
case('unsorted_segment_sum', 'negative id is dropped', f32([1, 2, 3]), i32([1, -1, 1]), 3)

# --- linear algebra
case('matmul', 'plain', given.matrix(2, 3), given.matrix(3, 4, 1))
case('matmul', 'transpose_a', given.matrix(3, 2), given.matrix(3, 4, 1), transpose_a=True)
case('matmul', 'transpose_b', given.matrix(2, 3), given.matrix(4, 3, 1), transpose_b=True)
case('matmul', 'both transposed', given.matrix(3, 2), given.matrix(4, 3, 1), transpose_a=True,
     transpose_b=True)
case('matmul', 'batch', given.cube(2, 3, 4), given.cube(2, 4, 2, 1))
case('matmul', 'batch adjoint', given.cube(2, 3, 4), given.cube(2, 2, 4, 1), adjoint_b=True)
case('matmul', 'batch broadcasts', given.cube(2, 3, 4), given.matrix(4, 2, 1))
case('matmul', 'ints', i32([[1, 2]]), i32([[3], [4]]))
case('matmul', 'nothing to sum', f32(np.zeros([2, 0])), f32(np.zeros([0, 3])))
case('matmul', 'complex adjoint', np.array([[1 + 2j, 3]], np.complex64),
     np.array([[1j, 2]], np.complex64), adjoint_b=True)
case('operator.matmul', 'plain', given.matrix(2, 3), given.matrix(3, 2, 1))
case('linalg.matvec', 'plain', given.matrix(2, 3), f32([1, 0, -1]))
case('tensordot', 'one axis', given.cube(2, 3, 4), given.matrix(4, 2), 1)
case('tensordot', 'axis lists', given.cube(2, 3, 4), given.cube(4, 3, 2, 1), [[1, 2], [1, 0]])
case('tensordot', 'outer', f32([1, 2]), f32([3, 4, 5]), 0)
for _equation in ['ij,jk->ik', 'ij,jk->ki', 'ij,jk']:
    case('einsum', _equation, _equation, given.matrix(2, 3), given.matrix(3, 2, 1))
for _equation in ['ij->ji', 'ij->i', 'ij->']:
    case('einsum', _equation, _equation, given.matrix(2, 3))
case('einsum', 'bij,bjk->bik', 'bij,bjk->bik', given.cube(2, 3, 4), given.cube(2, 4, 2, 1))
case('einsum', 'bhqd,bhkd->bhqk', 'bhqd,bhkd->bhqk', given.cube(2, 3, 4)[None],
     given.cube(2, 2, 4, 1)[None])
table('diag diag_part matrix_diag_part trace', 'square', given.matrix(3, 3))
table('matrix_diag_part trace', 'batch', given.cube(2, 3, 3))
case('diag', 'vector', f32([1, 2, 3]))
case('matrix_diag', 'rows', given.matrix(2, 3))
case('matrix_set_diag', 'square', given.matrix(3, 3), f32([9, 8, 7]))
case('matrix_band_part', 'upper', given.matrix(3, 4), 0, -1)
case('matrix_band_part', 'one below', given.matrix(3, 4), 1, 0)
table('matrix_determinant matrix_inverse cholesky', 'positive definite', given.SPD)
table('matrix_determinant matrix_inverse cholesky', 'batch float64',
      np.stack([given.SPD, 2 * given.SPD]).astype(np.float64))
case('matrix_solve', 'square', given.SPD, given.matrix(3, 2))
case('matrix_solve', 'adjoint', given.matrix(3, 3) + 3 * np.eye(3, dtype=np.float32),
     given.matrix(3, 2), adjoint=True)
case('matrix_triangular_solve', 'lower', given.SPD, given.matrix(3, 2))
case('cholesky_solve', 'spd', f64(np.linalg.cholesky([[4.0, 2], [2, 3]]).round(6)), f64([[1], [2]]))
case('self_adjoint_eigvals', 'spd', given.SPD)
case('linalg.slogdet', 'positive and negative', np.stack([given.SPD, given.SPD[::-1]]))
case('linalg.slogdet', 'singular', f64([[1, 2], [2, 4]]))
case('linalg.logdet', 'spd', given.SPD)
table('norm', 'whole', given.matrix(2, 3))
for _order in ['euclidean', 1, 2, 3, np.inf]:
    case('norm', 'order %s by rows' % _order, given.matrix(2, 3), ord=_order, axis=1)
case('norm', 'of zeros', f32([0, 0]))
case('eye', 'rectangle', 2, 3, dtype='float64')
case('cross', 'rows', given.matrix(2, 3), given.matrix(2, 3, 1))

# --- shape
case('reshape', 'infers', given.cube(2, 3, 4), [4, -1])
case('reshape', 'to a scalar', f32([[5]]), [])
case('reshape', 'empty', f32(np.zeros([0, 4])), [0, 2, 2])
case('transpose', 'default', given.cube(2, 3, 4))
case('transpose', 'perm', given.cube(2, 3, 4), [1, 2, 0])
case('transpose', 'vector', f32([1, 2]))
case('transpose', 'conjugate', np.array([[1 + 2j, 3], [1j, -2j]], np.complex64), conjugate=True)
case('linalg.adjoint', 'batch', np.array([[[1 + 2j, 3], [1j, -2j]]], np.complex128))
case('matrix_transpose', 'batch', given.cube(2, 3, 4))
case('concat', 'axis 0', [given.matrix(2, 3), given.matrix(1, 3, 1)], 0)
case('concat', 'axis -1', [given.matrix(2, 3), given.matrix(2, 1, 1), given.matrix(2, 2, 2)], -1)
case('concat', 'with empty', [f32(np.zeros([0, 2])), f32([[1, 2]])], 0)
case('stack', 'axis 0', [f32([1, 2]), f32([3, 4])])
case('stack', 'axis -1', [f32([1, 2]), f32([3, 4])], axis=-1)
case('unstack', 'axis 1', given.matrix(2, 3), axis=1)
case('split', 'equal', given.matrix(2, 6), 3, axis=1)
case('split', 'sizes', given.matrix(2, 6), [1, 2, 3], axis=1)
case('tile', 'two axes', given.matrix(2, 2), [2, 3])
case('tile', 'zero times', given.matrix(2, 2), [0, 1])
case('repeat', 'axis 1', given.matrix(2, 2), [1, 3], axis=1)
for _mode in ['CONSTANT', 'REFLECT', 'SYMMETRIC']:
    case('pad', _mode, given.matrix(2, 3), [[1, 0], [2, 1]], mode=_mode)
case('pad', 'constant value', i32([[1, 2]]), [[0, 1], [1, 0]], constant_values=-1)
case('expand_dims', 'middle', given.matrix(2, 3), 1)
case('squeeze', 'all', f32([[[1], [2]]]))
case('squeeze', 'one axis', f32([[[1], [2]]]), [0])
case('reverse', 'two axes', given.cube(2, 3, 2), [0, -1])
case('reverse_sequence', 'rows', given.matrix(2, 3), [2, 3], seq_axis=1)
case('roll', 'two axes', given.matrix(3, 3), [1, -1], [0, 1])
case('broadcast_to', 'new axis', f32([[1], [2]]), [3, 2, 2])
case('meshgrid', 'xy', f32([1, 2, 3]), f32([4, 5]))
table('shape size rank zeros_like ones_like identity stop_gradient', 'cube', given.cube(2, 3, 4))
case('space_to_depth', 'two', given.cube(1, 4, 4)[..., None], 2)
case('space_to_batch_nd', 'padded', given.cube(1, 3, 4)[..., None], [2, 2], [[1, 0], [0, 2]])
case('space_to_batch_nd', 'one axis', given.matrix(2, 6), [3], [[0, 0]])
case('batch_to_space_nd', 'cropped', given.cube(8, 2, 2)[..., None], [2, 2], [[1, 0], [0, 1]])
case('batch_to_space_nd', 'one axis', given.matrix(6, 2), [3], [[1, 2]])
case('sequence_mask', 'lengths', i32([1, 0, 3]))
case('range', 'ints', 3, 18, 4)
case('range', 'floats', 0.0, 1.0, 0.3)
case('linspace', 'floats', -1.0, 2.0, 7)
case('linspace', 'one', 5.0, 9.0, 1)
case('fill', 'matrix', [2, 2], 1.5)

# --- indexing
M = given.matrix(3, 4)
for _what, _key in [('integer', 1), ('negative', -1), ('pair', (1, 2)), ('rows', slice(1, None)),
                    ('column', (A, 1)),
                    ('strides', (slice(None, None, 2), slice(None, None, -1))),
                    ('newaxis', (None, A)),
                    ('ellipsis', (Ellipsis, 0)),
                    ('mixed', (slice(0, 2), None, Ellipsis, slice(3, 0, -2))),
                    ('out of range slice', slice(2, 99)), ('empty slice', slice(2, 1))]:
    case('operator.getitem', _what, M, _key)
case('operator.getitem', 'tensor index', M, np.array(2, np.int32))
case('slice', 'to the end', M, [1, 1], [-1, 2])
case('strided_slice', 'masks', M, [0, 0], [0, 3], [1, 2], end_mask=1)
case('gather', 'rows', M, i32([2, 0, 2]))
case('gather', 'columns', M, i32([[0, 3], [1, 1]]), axis=1)
case('gather_nd', 'cells', M, i32([[0, 1], [2, 3], [0, 1]]))
case('gather_nd', 'rows', M, i32([[1], [1]]))
case('batch_gather', 'rows', M, i32([[0], [3], [1]]))
case('scatter_nd', 'adds repeats', i32([[1], [3], [1]]), f32([9, 10, 11]), [5])
case('scatter_nd', 'rows', i32([[1]]), f32([[1, 2]]), [2, 2])
case('tensor_scatter_update', 'cells', f32([1, 2, 3]), i32([[1]]), f32([9]))
table('tensor_scatter_add tensor_scatter_sub', 'repeats', f32([1, 2, 3]), i32([[1], [0], [1]]),
      f32([9, 10, 11]))
table('tensor_scatter_add tensor_scatter_sub', 'rows', M, i64([[2], [0]]), given.matrix(2, 4, 1))
case('boolean_mask', 'rows', M, np.array([True, False, True]))
case('boolean_mask', 'cells', f32([[1, 2], [3, 4]]), np.array([[True, False], [False, True]]))
case('where', 'three tensors', np.array([True, False, True]), f32([1, 2, 3]), f32([-1, -2, -3]))
case('where', 'rows by a vector', np.array([True, False]), f32([[1, 2], [3, 4]]),
     f32([[5, 6], [7, 8]]))
case('where', 'positions', np.array([[True, False], [True, True]]))
case('where', 'nan in the other branch', np.array([True, False]), f32([1, np.nan]),
     f32([np.inf, 2]))
case('one_hot', 'outside the range', i32([0, 2, -1, 3]), 3)
case('one_hot', 'values and axis', i64([1, 0]), 2, on_value=5.0, off_value=-1.0, axis=0)
case('unique', 'order of appearance', i32([4, 4, 1, 2, 1]))
case('unique_with_counts', 'floats', f32([2, 1, 2]))
case('nn.top_k', 'ties take the lower index', f32([[3, 1, 3, 2], [0, 9, 2, 9]]), 3)
case('nn.top_k', 'ints', i32([5, 1, 9]), 2)
case('nn.in_top_k', 'ties count as in', f32([[1, 2, 2], [3, 1, 0]]), i32([1, 2]), 1)
case('sort', 'descending', f32([[3, 1, 2], [9, 7, 8]]), direction='DESCENDING')
case('argsort', 'ties', i32([2, 1, 2, 1]))
for _side in ['left', 'right']:
    case('searchsorted', _side, f32([1, 2, 2, 4]), f32([0, 2, 3, 4, 5]), side=_side)
    case('searchsorted', _side + ' by rows to int64', i32([[1, 3, 5], [2, 2, 9]]),
         i32([[3, 0], [2, 9]]), side=_side, out_type='int64')
case('invert_permutation', 'three', i32([2, 0, 1]))
case('bincount', 'gaps', i32([1, 1, 3]))
case('dynamic_partition', 'two', f32([1, 2, 3]), i32([1, 0, 1]), 2)
case('dynamic_stitch', 'overlap takes the last', [i32([0, 1]), i32([1, 2])],
     [f32([1, 2]), f32([3, 4])])
case('confusion_matrix', 'three', i32([0, 1, 2, 1]), i32([0, 2, 2, 1]))

# --- casts
CAST = f32([-1.9, -0.5, 0.5, 1.9, 200.7])
for _dtype in ['int32', 'int64', 'float64', 'float16', 'bool']:
    case('cast', 'float32 to ' + _dtype, CAST, _dtype)
case('cast', 'int64 to int32 wraps', i64([2 ** 32 + 5, -1]), 'int32')
case('cast', 'int to uint8 wraps', i32([-1, 256, 300]), 'uint8')
case('cast', 'bool to float', np.array([True, False]), 'float32')
case('cast', 'float64 to float32 overflows', f64([1e300, 0.1]), 'float32')
case('saturate_cast', 'to uint8', f32([-5, 10.4, 300]), 'uint8')
case('bitcast', 'float32 to int32', f32([1, -0.0, np.inf]), 'int32')
case('bitcast', 'int64 to uint8', i64([1, -2]), 'uint8')
case('bitcast', 'pairs of int32 to float64', i32([[0, 1072693248], [0, -1074790400]]), 'float64')
case('to_int32', 'floats', CAST)
case('as_string', 'floats', f32([1.5, -2]))

# --- nn
ACTIVATIONS = ('nn.relu nn.relu6 nn.elu nn.selu nn.softplus nn.softsign nn.sigmoid nn.tanh '
               'nn.leaky_relu nn.swish nn.crelu log_sigmoid')
table(ACTIVATIONS, 'usual', f32([-3, -0.5, 0, 0.5, 7]))
table(ACTIVATIONS, 'extremes', f32([-1000, -100, -20, 20, 100, 1000]))
table('nn.relu nn.relu6 nn.elu nn.softplus nn.sigmoid nn.tanh', 'nan, infinities, zeros',
      f32([np.nan, np.inf, -np.inf, 0.0, -0.0]))
table('nn.softplus nn.sigmoid nn.elu', 'float64', f64([-40, -1, 0, 40]))
case('nn.relu', 'ints', i32([-1, 2]))
table('nn.softmax nn.log_softmax', 'rows', given.matrix(2, 3))
table('nn.softmax nn.log_softmax', 'large logits',
      f32([[1000, 1000, 0], [-1000, 0, 1000], [3e38, -3e38, 0]]))
table('nn.softmax nn.log_softmax', 'axis 0', given.matrix(2, 3), axis=0)
table('nn.softmax nn.log_softmax', 'cube', given.cube(2, 2, 3))
table('nn.softmax nn.log_softmax', 'minus infinity masks', f32([[0, -np.inf, 1]]))
CROSS_ENTROPY = 'nn.softmax_cross_entropy_with_logits nn.softmax_cross_entropy_with_logits_v2'
table(CROSS_ENTROPY, 'soft labels', labels=f32([[0.2, 0.8], [1, 0]]),
      logits=f32([[1, 2], [50, -50]]))
table(CROSS_ENTROPY, 'labels of any sum', labels=f32([[1, 0.5, 1], [0, 0.25, 0.125]]),
      logits=f32([[1, 2, -1], [0.5, -3, 2]]))
table(CROSS_ENTROPY, 'large logits', labels=f32([[1, 0], [0, 1]]),
      logits=f32([[-1000, 1000], [3e38, -3e38]]))
case('nn.sparse_softmax_cross_entropy_with_logits', 'rows', labels=i32([2, 0]),
     logits=given.matrix(2, 3))
case('nn.sparse_softmax_cross_entropy_with_logits', 'cube', labels=i64([[0, 1]]),
     logits=given.cube(1, 2, 3))
case('nn.sigmoid_cross_entropy_with_logits', 'extremes', labels=f32([0, 1, 0.5, 1]),
     logits=f32([-1000, -1000, 0, 50]))
case('nn.weighted_cross_entropy_with_logits', 'weight 3', targets=f32([0, 1, 0.5]),
     logits=f32([-2, -100, 3]),
     pos_weight=3.0)
table('nn.l2_loss nn.zero_fraction', 'matrix', f32([[3, 4], [0, 0]]))
case('nn.l2_normalize', 'rows, one of zeros', f32([[3, 4], [0, 0]]), 1)
case('nn.moments', 'axis 0', given.matrix(3, 2), [0])
case('nn.moments', 'all, kept', given.cube(2, 3, 2), [0, 1, 2], keep_dims=True)
case('nn.batch_normalization', 'vector statistics', given.matrix(3, 2), f32([0.5, 1]), f32([1, 4]),
     f32([0.1, 0.2]),
     f32([2, 3]), 1e-3)
case('nn.bias_add', 'matrix', given.matrix(2, 3), f32([1, 2, 3]))
case('nn.bias_add', 'images', given.cube(2, 3, 2)[None], f32([10, 20]))
case('nn.xw_plus_b', 'plain', given.matrix(2, 3), given.matrix(3, 2, 1), f32([1, 2]))
case('nn.embedding_lookup', 'repeats', given.matrix(4, 2), i32([[3, 0], [3, 1]]))
case('nn.embedding_lookup', 'two shards by mod', [given.matrix(2, 2), given.matrix(2, 2, 1)],
     i32([0, 3, 2]))
case('nn.lrn', 'images', given.cube(1, 2, 5)[:, :, None], depth_radius=2, bias=1.0, alpha=0.5,
     beta=0.75)
IMAGE, KERNEL = given.cube(1, 5, 4)[..., None], given.cube(2, 2, 3, 1)[:, :, None]
for _padding in ['SAME', 'VALID']:
    for _stride in [1, 2]:
        _what, _strides = '%s stride %d' % (_padding, _stride), [1, _stride, _stride, 1]
        case('nn.conv2d', _what, IMAGE, KERNEL, _strides, _padding)
        for _pool in ['nn.max_pool', 'nn.avg_pool']:
            case(_pool, _what, IMAGE, [1, 2, 3, 1], _strides, _padding)
case('nn.depthwise_conv2d', 'two channels', given.cube(3, 3, 2)[None],
     given.cube(2, 2, 2, 1)[..., None], [1, 1, 1, 1], 'SAME')

# --- clipping and loss pieces
case('clip_by_value', 'ends and nan', f32([-5, -1, 0.5, 1, 9, np.nan]), -1.0, 1.0)
table('clip_by_norm', 'long', f32([3, 4]), 1.0)
table('clip_by_norm', 'short and zero', f32([[0.3, 0.4], [0, 0]]), 1.0, axes=[1])
case('clip_by_average_norm', 'long', f32([3, 4]), 0.5)
case('clip_by_global_norm', 'two', [f32([3]), f32([[4]])], 1.0)
case('clip_by_global_norm', 'infinite', [f32([3]), f32([np.inf])], 1.0)
case('global_norm', 'two', [f32([3]), f32([[4]])])

# --- seeded by their arguments alone
table('random.stateless_uniform random.stateless_normal random.stateless_truncated_normal',
      'float32', [7], seed=[1, 2])
table('random.stateless_uniform random.stateless_normal', 'float64', [5], seed=[-3, 4],
      dtype='float64')
case('random.stateless_uniform', 'int32', [5], seed=[1, 2], minval=-3, maxval=4, dtype='int32')
table('random.stateless_categorical random.stateless_multinomial', 'two rows',
      np.log(f32([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])), 9, seed=[1, 2])
case('random.stateless_categorical', 'int32', f32([[0, 1, -1, 2]]), 6, dtype='int32', seed=[-3, 4])
