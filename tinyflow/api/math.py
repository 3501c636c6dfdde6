"""tf.math: mathematical functions of tensors."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.array.ranking import argmax, argmin, in_top_k, top_k
from tinyflow.ops.array.unique import invert_permutation
from tinyflow.ops.checks.monotonic import is_non_decreasing, is_strictly_increasing
from tinyflow.ops.math.arithmetic import (
    abs,
    accumulate_n,
    add,
    add_n,
    ceil,
    divide,
    divide_no_nan,
    floor,
    floordiv,
    floormod,
    maximum,
    minimum,
    mod,
    multiply,
    multiply_no_nan,
    negative,
    polyval,
    pow,
    reciprocal,
    reciprocal_no_nan,
    rint,
    round,
    rsqrt,
    scalar_mul,
    sign,
    sqrt,
    square,
    squared_difference,
    subtract,
    truediv,
)
from tinyflow.ops.math.complex_numbers import angle, conj, imag, real
from tinyflow.ops.math.composed_reductions import (
    count_nonzero,
    reduce_logsumexp,
    reduce_std,
    reduce_variance,
)
from tinyflow.ops.math.confusion import confusion_matrix
from tinyflow.ops.math.cumulative_logsumexp import cumulative_logsumexp
from tinyflow.ops.math.logic import (
    equal,
    greater,
    greater_equal,
    is_finite,
    is_inf,
    is_nan,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
)
from tinyflow.ops.math.reduction import (
    reduce_all,
    reduce_any,
    reduce_euclidean_norm,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from tinyflow.ops.math.scans import cumprod, cumsum
from tinyflow.ops.math.segments import (
    bincount,
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
    unsorted_segment_sum,
)
from tinyflow.ops.math.special import digamma, erf, erfc, lbeta, lgamma, polygamma, zeta
from tinyflow.ops.math.special_incomplete import (
    bessel_i0,
    bessel_i0e,
    bessel_i1,
    bessel_i1e,
    betainc,
    igamma,
    igammac,
    nextafter,
)
from tinyflow.ops.math.unary import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    exp,
    expm1,
    log,
    log1p,
    log_sigmoid,
    sigmoid,
    sin,
    sinh,
    tan,
    tanh,
    xdivy,
    xlogy,
)
from tinyflow.ops.nn.activations import softplus, softsign
from tinyflow.ops.nn.dropout import zero_fraction
from tinyflow.ops.nn.normalization import l2_normalize
from tinyflow.ops.nn.softmax import log_softmax, softmax

__all__ = [
    'abs', 'accumulate_n', 'acos', 'acosh', 'add', 'add_n', 'angle', 'argmax', 'argmin', 'asin',
    'asinh', 'atan', 'atan2', 'atanh', 'bessel_i0', 'bessel_i0e', 'bessel_i1', 'bessel_i1e',
    'betainc', 'bincount', 'ceil', 'confusion_matrix', 'conj', 'cos', 'cosh', 'count_nonzero',
    'cumprod', 'cumsum', 'cumulative_logsumexp', 'digamma', 'divide', 'divide_no_nan', 'equal',
    'erf', 'erfc', 'exp', 'expm1', 'floor', 'floordiv', 'floormod', 'greater', 'greater_equal',
    'igamma', 'igammac', 'imag', 'in_top_k', 'invert_permutation', 'is_finite', 'is_inf', 'is_nan',
    'is_non_decreasing', 'is_strictly_increasing', 'l2_normalize', 'lbeta', 'less', 'less_equal',
    'lgamma', 'log', 'log1p', 'log_sigmoid', 'log_softmax', 'logical_and', 'logical_not',
    'logical_or', 'logical_xor', 'maximum', 'minimum', 'mod', 'multiply', 'multiply_no_nan',
    'negative', 'nextafter', 'not_equal', 'polygamma', 'polyval', 'pow', 'real', 'reciprocal',
    'reciprocal_no_nan', 'reduce_all', 'reduce_any', 'reduce_euclidean_norm', 'reduce_logsumexp',
    'reduce_max', 'reduce_mean', 'reduce_min', 'reduce_prod', 'reduce_std', 'reduce_sum',
    'reduce_variance', 'rint', 'round', 'rsqrt', 'scalar_mul', 'segment_max', 'segment_mean',
    'segment_min', 'segment_prod', 'segment_sum', 'sigmoid', 'sign', 'sin', 'sinh', 'softmax',
    'softplus', 'softsign', 'sqrt', 'square', 'squared_difference', 'subtract', 'tan', 'tanh',
    'top_k', 'truediv', 'unsorted_segment_max', 'unsorted_segment_mean', 'unsorted_segment_min',
    'unsorted_segment_prod', 'unsorted_segment_sqrt_n', 'unsorted_segment_sum', 'xdivy', 'xlogy',
    'zero_fraction', 'zeta',
]

__getattr__ = _explain_missing(__name__, __all__)
