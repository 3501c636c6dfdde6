"""tf.dtypes: the data types and the conversions between them."""
from tinyflow.absent import absent as _absent
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
from tinyflow.ops.complex_numbers import complex
from tinyflow.ops.identities import cast, saturate_cast

__all__ = [
    'DType', 'as_dtype', 'bool', 'cast', 'complex', 'complex128', 'complex64', 'double', 'float16',
    'float32', 'float64', 'half', 'int16', 'int32', 'int64', 'int8', 'resource', 'saturate_cast',
    'string', 'uint16', 'uint32', 'uint64', 'uint8', 'variant',
]

__getattr__ = _absent(__name__, __all__)
