"""tf.math: mathematical functions of tensors.

Modules of ops/math whose every public function belongs here are imported whole: their `__all__` is
the list of names. Of the others the names are listed.
"""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.array.ranking import argmax, argmin, in_top_k, top_k
from tinyflow.ops.array.unique import invert_permutation
from tinyflow.ops.checks.monotonic import is_non_decreasing, is_strictly_increasing
from tinyflow.ops.math import (
    composed_reductions as _composed_reductions,
    cumulative_logsumexp as _cumulative_logsumexp,
    reduction as _reduction,
    scans as _scans,
    segments as _segments,
    special as _special,
    special_incomplete as _special_incomplete,
    unary as _unary,
)
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
from tinyflow.ops.math.composed_reductions import *
from tinyflow.ops.math.confusion import confusion_matrix
from tinyflow.ops.math.cumulative_logsumexp import *
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
from tinyflow.ops.math.reduction import *
from tinyflow.ops.math.scans import *
from tinyflow.ops.math.segments import *
from tinyflow.ops.math.special import *
from tinyflow.ops.math.special_incomplete import *
from tinyflow.ops.math.unary import *
from tinyflow.ops.nn.activations import softplus, softsign
from tinyflow.ops.nn.dropout import zero_fraction
from tinyflow.ops.nn.normalization import l2_normalize
from tinyflow.ops.nn.softmax import log_softmax, softmax

__all__ = [
    'abs', 'accumulate_n', 'add', 'add_n', 'angle', 'argmax', 'argmin', 'ceil',
    'confusion_matrix', 'conj', 'divide', 'divide_no_nan', 'equal', 'floor', 'floordiv',
    'floormod', 'greater', 'greater_equal', 'imag', 'in_top_k', 'invert_permutation',
    'is_finite', 'is_inf', 'is_nan', 'is_non_decreasing', 'is_strictly_increasing',
    'l2_normalize', 'less', 'less_equal', 'log_softmax', 'logical_and', 'logical_not',
    'logical_or', 'logical_xor', 'maximum', 'minimum', 'mod', 'multiply', 'multiply_no_nan',
    'negative', 'not_equal', 'polyval', 'pow', 'real', 'reciprocal', 'reciprocal_no_nan',
    'rint', 'round', 'rsqrt', 'scalar_mul', 'sign', 'softmax', 'softplus', 'softsign', 'sqrt',
    'square', 'squared_difference', 'subtract', 'top_k', 'truediv', 'zero_fraction',
]
__all__ += _composed_reductions.__all__
__all__ += _cumulative_logsumexp.__all__
__all__ += _reduction.__all__
__all__ += _scans.__all__
__all__ += _segments.__all__
__all__ += _special.__all__
__all__ += _special_incomplete.__all__
__all__ += _unary.__all__

__getattr__ = _explain_missing(__name__, __all__)
