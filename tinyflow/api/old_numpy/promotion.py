"""The types of results before NumPy 2: a number's value decides, not only its type.

NumPy 2 (NEP 50) gives float32 for np.float32(3) / 7, and float64 for a float32 array times a
np.float64. Before, two numbers gave the type that holds both types, and a number next to an array
gave way to the array unless it was of a higher kind (bool < integer < float < complex).
"""
from __future__ import annotations

import operator
from functools import lru_cache

import numpy as np

from tinyflow.api.old_numpy.given import note

_KINDS = {'b': 0, 'u': 1, 'i': 1, 'f': 2, 'c': 3}
_PYTHON_DTYPES = {bool: np.dtype(bool), int: np.dtype('int64'), float: np.dtype('float64'),
                  complex: np.dtype('complex128')}
# Types of operands for which the two rules can differ; a set, because operators are frequent.
NUMPY_TYPES = frozenset([np.ndarray] + [
    np.dtype(code).type for code in '?bBhHiIlLqQefdgFDG'])
_promoted = lru_cache(maxsize=None)(np.promote_types)


# (type, type) of two numbers -> the type in which they agree, or None where nothing differs.
_pairs: dict[tuple[type, type], type | None] = {}


def agreed(left, right):
    """Both operands in the type in which NumPy 1 computed; as they are where nothing differs."""
    pair = type(left), type(right)
    if pair not in _pairs:
        return _agreed(left, right, pair)
    known = _pairs[pair]
    if known is None:
        return left, right
    note('digits')
    return known(left), known(right)


def _agreed(left, right, pair):
    left_dtype, left_number = _described(left)
    right_dtype, right_number = _described(right)
    if left_dtype is None or right_dtype is None or left_dtype == right_dtype and \
            int not in pair:
        if left_number and right_number and np.ndarray not in pair:
            _pairs[pair] = None
        return left, right
    if left_number == right_number:
        if not left_number:
            return left, right                          # two arrays: the rule is the same
        old = _promoted(left_dtype, right_dtype)
    elif left_number:
        old = _with_number(right_dtype, left, left_dtype)
    else:
        old = _with_number(left_dtype, right, right_dtype)
    same = old == np.result_type(left, right)
    if np.ndarray not in pair and old.kind == 'f':      # decided by the types alone
        _pairs[pair] = None if same else old.type
    if same:
        return left, right
    note('digits' if old.kind in 'fc' else 'promotion')
    return _as(left, old), _as(right, old)


def _described(operand):
    """(dtype, whether it counts as a number), or (None, False) for what is not concerned."""
    kind = type(operand)
    if kind in _PYTHON_DTYPES:
        if kind is int and not -2**63 <= operand < 2**63:
            return None, False
        return _PYTHON_DTYPES[kind], True
    if kind in NUMPY_TYPES and operand.dtype.kind in _KINDS:
        return operand.dtype, operand.ndim == 0
    return None, False


def _with_number(array_dtype, number, number_dtype):
    """The type of an array of `array_dtype` and a number."""
    if _KINDS[number_dtype.kind] > _KINDS[array_dtype.kind]:
        return _promoted(array_dtype, number_dtype)
    smallest = np.min_scalar_type(number)
    if smallest.kind == 'u' and array_dtype.kind == 'i' and number <= np.iinfo(
            signed := np.dtype(f'i{smallest.itemsize}')).max:
        smallest = signed
    return _promoted(array_dtype, smallest)


def _as(operand, dtype):
    return operand.astype(dtype) if type(operand) is np.ndarray else dtype.type(operand)


def _operator(compute):
    def old(left, right):
        if type(left) in NUMPY_TYPES or type(right) in NUMPY_TYPES:
            left, right = agreed(left, right)
        return compute(left, right)
    return old


def _in_place(compute, in_place):
    def old(left, right):
        if type(left) in NUMPY_TYPES or type(right) in NUMPY_TYPES:
            as_left, as_right = agreed(left, right)
            if as_left is not left or as_right is not right:
                result = compute(as_left, as_right)
                if type(left) is not np.ndarray or left.ndim == 0:
                    return result
                np.copyto(left, result, casting='same_kind')
                return left
        return in_place(left, right)
    return old


# The names of Python's operators in `ast` -> the operator, and the one of `a += b`.
_OPERATORS = {
    'Add': ('add', 'iadd'), 'Sub': ('sub', 'isub'), 'Mult': ('mul', 'imul'),
    'Div': ('truediv', 'itruediv'), 'FloorDiv': ('floordiv', 'ifloordiv'), 'Mod': ('mod', 'imod'),
    'Pow': ('pow', 'ipow'), 'BitAnd': ('and_', 'iand'), 'BitOr': ('or_', 'ior'),
    'BitXor': ('xor', 'ixor'), 'LShift': ('lshift', 'ilshift'), 'RShift': ('rshift', 'irshift')}
OPERATORS = {name: _operator(getattr(operator, plain)) for name, (plain, _) in _OPERATORS.items()}
IN_PLACE = {name: _in_place(getattr(operator, plain), getattr(operator, in_place))
            for name, (plain, in_place) in _OPERATORS.items()}
ORDERS = {name: _operator(getattr(operator, plain)) for name, plain in {
    'Lt': 'lt', 'LtE': 'le', 'Gt': 'gt', 'GtE': 'ge'}.items()}
