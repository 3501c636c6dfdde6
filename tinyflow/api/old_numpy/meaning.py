"""What the rewritten lines of a program call: operators, int(), items and methods as they were.

rewrite.py puts these calls in; each does what the line says, and more only where NumPy 2 refuses
or computes in another type.
"""
from __future__ import annotations

import builtins
import operator
from functools import partial
from types import SimpleNamespace

import numpy as np

from tinyflow.api.old_numpy.given import note
from tinyflow.api.old_numpy.promotion import IN_PLACE, NUMPY_TYPES, OPERATORS, ORDERS, agreed


def is_single(value) -> bool:
    """True for an array of one element that is no plain number."""
    return isinstance(value, np.ndarray) and value.ndim > 0 and value.size == 1


def number_of(value, reason):
    """The number in an array of one element; any other value as it is."""
    if not is_single(value):
        return value
    note(reason)
    return np.asarray(value).reshape(())[()]           # a matrix keeps two axes


class _Keys:
    """keys[1:2, 0] is the key (slice(1, 2), 0) of an item."""

    def __getitem__(self, key):
        return key


keys = _Keys()


def _add(left, right):
    return OPERATORS['Add'](left, right)


# -- operators ------------------------------------------------------------------------------------

class _Shown:
    """An array of one element in `'%d %s' % ...`: a number for %d and %f, itself for %s."""

    def __init__(self, array) -> None:
        self.array = array

    def __str__(self):
        return str(self.array)

    def __repr__(self):
        return repr(self.array)

    def __float__(self):
        return float(self.array.reshape(()))

    def __int__(self):
        return int(self.array.reshape(()))


def mod(left, right):
    """left % right, which for a string is formatting."""
    if not isinstance(left, str):
        return OPERATORS['Mod'](left, right)
    values = right if isinstance(right, tuple) else (right,)
    if not any(map(is_single, values)):
        return left % right
    try:
        return left % right
    except TypeError:
        text = left % tuple(_Shown(value) if is_single(value) else value for value in values)
        note('format')
        return text


def _equal(unequal, left, right):
    compare = operator.ne if unequal else operator.eq
    if type(left) not in NUMPY_TYPES and type(right) not in NUMPY_TYPES:
        return compare(left, right)
    if isinstance(left, np.ndarray) and isinstance(right, str) and left.dtype.kind in 'biuf' or \
            isinstance(right, np.ndarray) and isinstance(left, str) and right.dtype.kind in 'biuf':
        note('compare')
        return bool(unequal)
    left, right = agreed(left, right)
    try:
        return compare(left, right)
    except ValueError as error:
        if 'broadcast' not in str(error) and 'inhomogeneous' not in str(error):
            raise
        note('compare')
        return bool(unequal)


# operations.Add(a, b) is a + b: under the operators' names in Python's syntax tree.
operations = SimpleNamespace(**{**OPERATORS, **ORDERS, 'Mod': mod, 'Eq': partial(_equal, False),
                                'NotEq': partial(_equal, True)})


def in_place(name, left, right):
    """The new value of left after left += right."""
    if name == 'Mod' and isinstance(left, str):
        return mod(left, right)
    return IN_PLACE[name](left, right)


# -- items ----------------------------------------------------------------------------------------

def set_item(value, array, key):
    """array[key] = value"""
    if type(array) is not np.ndarray:
        array[key] = value
        return
    try:
        array[key] = value
    except OverflowError:
        array[key] = wrapped(value, array.dtype)
    except (TypeError, ValueError):
        if not is_single(value):
            raise
        array[key] = number_of(value, 'item')


def change_item(array, key, name, value):
    """array[key] += value and its like."""
    set_item(in_place(name, array[key], value), array, key)


def wrapped(value, dtype):
    """Integers in `dtype`, of which those too large wrap around."""
    array = np.array(value)
    if array.dtype.kind not in 'iu' or np.dtype(dtype).kind not in 'iu':
        raise OverflowError(f'Python integer {value} out of bounds for {np.dtype(dtype)}')
    note('wrapped')
    return array.astype(dtype)[()]


# -- calls ----------------------------------------------------------------------------------------

def _sum(values, start=0):
    values = list(values) if not isinstance(values, np.ndarray) else values
    if not any(type(value) in NUMPY_TYPES for value in values):
        return sum(values, start)
    for value in values:
        start = _add(start, value)
    return start


def _round(value, ndigits=None):
    if ndigits is None and isinstance(value, np.floating):
        return np.round(value)
    return round(value, ndigits) if ndigits is not None else round(value)


def _bool(value=False):
    return bool(truth(value))


def _number(kind, *args, **kwargs):
    return kind(*[number_of(value, 'number') for value in args], **kwargs)


_BUILTINS = {builtins.int: partial(_number, int), builtins.float: partial(_number, float),
             builtins.complex: partial(_number, complex), builtins.bool: _bool,
             builtins.sum: _sum, builtins.round: _round}


def call(function, *args, **kwargs):
    """function(...) where the program calls what is named int, float, sum or the like."""
    try:
        function = _BUILTINS.get(function, function)
    except TypeError:                                   # the program's own, which has no hash
        pass
    return function(*args, **kwargs)


def cast(kind, *args, **kwargs):
    """np.uint8(300) and its like."""
    try:
        return kind(*args, **kwargs)
    except OverflowError:
        if not (isinstance(kind, type) and issubclass(kind, np.integer)):
            raise
        return wrapped(args[0], kind)


def truth(value):
    """`value` as the condition of `if`."""
    if type(value) is np.ndarray and value.size == 0:
        note('empty')
        return False
    return value


# -- methods of arrays ----------------------------------------------------------------------------

def _itemset(array, *args):
    *key, value = args
    if len(key) == 1 and isinstance(key[0], (int, np.integer)):
        array.flat[key[0]] = value
    else:
        array[tuple(key[0]) if len(key) == 1 else tuple(key)] = value


METHODS = {
    'itemset': _itemset,
    'newbyteorder': lambda array, order='S': array.view(array.dtype.newbyteorder(order)),
    'ptp': np.ptp,
    'tostring': lambda array, order='C': array.tobytes(order),
}


def attribute(value, name):
    """value.tostring and its like, which NumPy 2's arrays no longer have."""
    if isinstance(value, (np.ndarray, np.generic)) and not hasattr(value, name):
        note(f'ndarray.{name}')
        return partial(METHODS[name], value)
    return getattr(value, name)
