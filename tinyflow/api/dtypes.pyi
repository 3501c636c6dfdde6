# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from tinyflow.graph.dtypes import (
    DType, as_dtype, bool, complex128, complex64, double, float16, float32, float64, half, int16,
    int32, int64, int8, resource, string, uint16, uint32, uint64, uint8, variant,
)
from tinyflow.ops.array.identity_and_cast import cast, saturate_cast
from tinyflow.ops.math.complex_numbers import complex
from tinyflow.ops.strings.as_string import as_string

__all__ = [
    'DType', 'as_dtype', 'as_string', 'bool', 'cast', 'complex', 'complex128', 'complex64',
    'double', 'float16', 'float32', 'float64', 'half', 'int16', 'int32', 'int64', 'int8',
    'resource', 'saturate_cast', 'string', 'uint16', 'uint32', 'uint64', 'uint8', 'variant',
]
