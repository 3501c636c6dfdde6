"""tf.debugging: assertions about values, shapes and dtypes."""
from tinyflow.api.config import get_log_device_placement, set_log_device_placement
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.array.identity_and_cast import check_numerics
from tinyflow.ops.checks.assertions import Assert
from tinyflow.ops.checks.finite_checks import verify_tensor_all_finite as assert_all_finite
from tinyflow.ops.checks.monotonic import is_non_decreasing, is_strictly_increasing
from tinyflow.ops.checks.shape_checks import (
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_scalar,
    assert_shapes,
)
from tinyflow.ops.checks.type_checks import (
    assert_integer,
    assert_proper_iterable,
    assert_same_float_dtype,
    assert_type,
    is_numeric_tensor,
)
from tinyflow.ops.checks.value_checks import (
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
)
from tinyflow.ops.math.logic import is_finite, is_inf, is_nan

__all__ = [
    'Assert', 'assert_all_finite', 'assert_equal', 'assert_greater', 'assert_greater_equal',
    'assert_integer', 'assert_less', 'assert_less_equal', 'assert_near', 'assert_negative',
    'assert_non_negative', 'assert_non_positive', 'assert_none_equal', 'assert_positive',
    'assert_proper_iterable', 'assert_rank', 'assert_rank_at_least', 'assert_rank_in',
    'assert_same_float_dtype', 'assert_scalar', 'assert_shapes', 'assert_type', 'check_numerics',
    'get_log_device_placement', 'is_finite', 'is_inf', 'is_nan', 'is_non_decreasing',
    'is_numeric_tensor', 'is_strictly_increasing', 'set_log_device_placement',
]

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
