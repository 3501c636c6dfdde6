"""tf.bitwise: operations on the bits of integers."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.math.logic import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    invert,
    left_shift,
    right_shift,
)

__all__ = ['bitwise_and', 'bitwise_or', 'bitwise_xor', 'invert', 'left_shift', 'right_shift']

__getattr__ = _explain_missing(__name__, __all__)
