"""tf.debugging: tests for values that are not finite."""
from tinyflow.absent import absent as _absent
from tinyflow.ops.identities import check_numerics
from tinyflow.ops.logic import is_finite, is_inf, is_nan

__all__ = ['check_numerics', 'is_finite', 'is_inf', 'is_nan']

__getattr__ = _absent(__name__, __all__)
