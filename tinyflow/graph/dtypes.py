"""DType: TensorFlow's data types, their enum numbers and the NumPy dtypes they correspond to.

Every dtype also has a reference type (``float32_ref``), the type of a Variable's own output:
storage that can be assigned to, not only a value. Reading it gives the base dtype.
"""
from __future__ import annotations

import builtins

import numpy as np

from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import close_matches


class DType:
    """The element type of a tensor, such as ``tf.float32``; one object per type: use ``is``."""

    __slots__ = ('name', 'np', 'as_datatype_enum', 'is_ref', 'base_dtype', '_as_ref', 'kind')

    name: str
    np: np.dtype
    base_dtype: DType
    is_ref: builtins.bool
    kind: str

    def __init__(self, name, np_type, enum, base=None):
        self.name = name
        self.np = None if np_type is None else np.dtype(np_type)
        self.as_datatype_enum = enum
        self.is_ref = base is not None
        self.base_dtype = base or self
        self.kind = '' if self.np is None else self.np.kind
        self._as_ref = self if base else DType(name + '_ref', np_type, enum + 100, self)

    @property
    def as_numpy_dtype(self):
        """The NumPy scalar type, e.g. ``np.float32``; strings are stored as Python objects."""
        return self.np.type

    @property
    def real_dtype(self):
        """The dtype of the real part: complex64 -> float32, others unchanged."""
        return {complex64: float32, complex128: float64}.get(self.base_dtype, self.base_dtype)

    @property
    def is_floating(self):
        return self.kind == 'f'

    @property
    def is_integer(self):
        return self.kind in 'iu' and self.kind != ''

    @property
    def is_complex(self):
        return self.kind == 'c'

    @property
    def is_bool(self):
        return self.kind == 'b'

    @property
    def is_unsigned(self):
        return self.kind == 'u'

    @property
    def is_quantized(self):
        return False

    @property
    def is_numpy_compatible(self):
        return self.name not in ('resource', 'variant')

    @property
    def size(self):
        """Bytes per element."""
        return 1 if self.np is None else self.np.itemsize

    @property
    def min(self):
        return self._limits().min

    @property
    def max(self):
        return self._limits().max

    @property
    def limits(self):
        """(min, max) pixel value of an image of this dtype: 0 to 1 for floats."""
        return 0, 1 if self.kind == 'f' else self._limits().max

    def _limits(self):
        if self.kind == 'f':
            return np.finfo(self.np)
        if self.kind in 'iu' and self.kind:
            return np.iinfo(self.np)
        raise misuse(TypeError(f'{self.name} has no smallest and largest value.'))

    def is_compatible_with(self, other):
        return self.base_dtype is as_dtype(other).base_dtype

    # TF1 compares a dtype with anything that can be read as one ('float32', np.float32, ...).
    def __eq__(self, other):
        if other is self:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other):
        return not self == other

    __hash__ = object.__hash__

    def __int__(self):
        return self.as_datatype_enum

    def __str__(self):
        return f"<dtype: '{self.name}'>"

    def __repr__(self):
        return 'tf.' + self.name

    def __reduce__(self):
        return as_dtype, (self.name,)


float32 = DType('float32', np.float32, 1)
float64 = double = DType('float64', np.float64, 2)
int32 = DType('int32', np.int32, 3)
uint8 = DType('uint8', np.uint8, 4)
int16 = DType('int16', np.int16, 5)
int8 = DType('int8', np.int8, 6)
string = DType('string', np.object_, 7)
complex64 = DType('complex64', np.complex64, 8)
int64 = DType('int64', np.int64, 9)
bool = DType('bool', np.bool_, 10)
uint16 = DType('uint16', np.uint16, 17)
complex128 = DType('complex128', np.complex128, 18)
float16 = half = DType('float16', np.float16, 19)
resource = DType('resource', np.object_, 20)
variant = DType('variant', np.object_, 21)
uint32 = DType('uint32', np.uint32, 22)
uint64 = DType('uint64', np.uint64, 23)

ALL = (float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool, uint16,
       complex128, float16, resource, variant, uint32, uint64)
FLOATS = frozenset((float16, float32, float64))
COMPLEX = frozenset((complex64, complex128))
INTEGERS = frozenset((int8, int16, int32, int64, uint8, uint16, uint32, uint64))
INDEX = frozenset((int32, int64))
REAL = FLOATS | INTEGERS
INEXACT = FLOATS | COMPLEX
NUMBERS = REAL | COMPLEX
ANY = frozenset(ALL)
HANDLES = frozenset((resource, variant))        # values that are stateful Python objects

_BY_KEY = {}
for _dtype in ALL:
    for _key in (_dtype.name, _dtype.as_datatype_enum):
        _BY_KEY[_key] = _dtype
    for _key in (_dtype._as_ref.name, _dtype._as_ref.as_datatype_enum):
        _BY_KEY[_key] = _dtype._as_ref
_BY_KEY.update({'double': float64, 'half': float16, 'float': float32, float: float32, int: int64,
                np.bool_: bool, builtins.bool: bool, str: string, bytes: string, object: string})
_BY_NUMPY = {_dtype.np: _dtype for _dtype in ALL if _dtype.is_numpy_compatible}


def as_dtype(value):
    """Converts to a DType: from a name, a NumPy dtype, an enum number or a Python type.

    Raises TypeError for anything else.
    """
    if isinstance(value, DType):
        return value
    try:
        if value is None:                       # NumPy would read it as float64
            raise TypeError
        dtype = _BY_KEY.get(value)
        if dtype is not None:
            return dtype
        numpy_type = np.dtype(value)
        if numpy_type.kind in 'SU':
            return string
        return _BY_NUMPY[numpy_type.newbyteorder('=')]
    except (TypeError, KeyError):
        pass
    raise misuse(TypeError(f'Cannot convert value {value!r} to a TensorFlow DType.'
                           + _hint_for_dtype(value)))


def _hint_for_dtype(value):
    if isinstance(value, str):
        nearest = close_matches(value, [key for key in _BY_KEY if isinstance(key, str)], n=1)
        return f'\n  Hint: tf.{_BY_KEY[nearest[0]].name}.' if nearest else ''
    if isinstance(value, (list, tuple)):
        return '\n  Hint: this looks like a shape; the dtype is the argument before it.'
    return ''
