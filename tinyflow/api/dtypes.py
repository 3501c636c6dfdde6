"""tf.dtypes: the data types and the conversions between them."""
from tinyflow.graph.dtypes import (
    DType,
    as_dtype,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from tinyflow.graph.support.lazy import importing as _importing
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.array.identity_and_cast import cast, saturate_cast
from tinyflow.ops.math.complex_numbers import complex

__all__ = [
    'DType', 'as_dtype', 'bool', 'cast', 'complex', 'complex128', 'complex64', 'double', 'float16',
    'float32', 'float64', 'half', 'int16', 'int32', 'int64', 'int8', 'resource', 'saturate_cast',
    'string', 'uint16', 'uint32', 'uint64', 'uint8', 'variant',
]

_LATER = {'as_string': 'tinyflow.ops.strings.as_string'}
__getattr__ = _importing(globals(), _LATER, _explain_missing(__name__, [*__all__, *_LATER]))


def __dir__():
    return [*__all__, *_LATER]
