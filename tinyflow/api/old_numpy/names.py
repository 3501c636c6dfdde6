"""The names that NumPy has removed, each with its meaning."""
from __future__ import annotations

import ast
import sys
import warnings

import numpy as np
from numpy import exceptions

from tinyflow.api.old_numpy.functions import CHANGED


class _Cast(dict):
    """np.cast['float32'](x)"""

    def __missing__(self, key):
        return lambda value: np.asarray(value).astype(key)


class _Sizes(dict):
    """np.nbytes[np.float32]"""

    def __missing__(self, key):
        return np.dtype(key).itemsize


def _asfarray(a, dtype=np.float64):
    return np.asarray(a, dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def _disp(message, device=None, linefeed=True):
    print(message, file=device or sys.stdout, end='\n' if linefeed else '')


def _maximum_sctype(t):
    kind = np.dtype(t).kind
    return {'i': np.int64, 'u': np.uint64, 'f': np.longdouble, 'c': np.clongdouble}.get(
        kind, np.dtype(t).type)


def _find_common_type(array_types, scalar_types):
    arrays = np.result_type(*array_types) if array_types else None
    scalars = np.result_type(*scalar_types) if scalar_types else None
    if arrays is None or scalars is None:
        return scalars if arrays is None else arrays
    return scalars if 'buifc'.find(scalars.kind) > 'ubifc'.find(arrays.kind) > 0 and \
        scalars.kind not in 'bui' else arrays


def _trapz(y, x=None, dx=1.0, axis=-1):
    return np.trapezoid(y, x, dx, axis)


def _is_kind(arg1, arg2):
    return issubclass(np.dtype(arg1).type, np.dtype(arg2).type)


def _is_class(arg1, arg2):
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def _is_type(rep):
    try:
        return isinstance(rep, (type, np.dtype, str)) and np.dtype(rep) != np.dtype(object)
    except TypeError:
        return False


REMOVED = {
    # Python's own types
    'bool': bool, 'int': int, 'float': float, 'complex': complex, 'object': object, 'str': str,
    'long': int, 'unicode': str,
    # types
    'bool8': np.bool_, 'bytes0': np.bytes_, 'cfloat': np.complex128, 'clongfloat': np.clongdouble,
    'complex_': np.complex128, 'float_': np.float64, 'int0': np.intp, 'longcomplex':
    np.clongdouble, 'longfloat': np.longdouble, 'object0': np.object_, 'singlecomplex':
    np.complex64, 'str0': np.str_, 'string_': np.bytes_, 'uint0': np.uintp, 'unicode_': np.str_,
    'void0': np.void,
    # numbers
    'Inf': np.inf, 'Infinity': np.inf, 'NAN': np.nan, 'NINF': -np.inf, 'NZERO': -0.0,
    'NaN': np.nan, 'PINF': np.inf, 'PZERO': 0.0, 'infty': np.inf,
    # functions
    'alen': lambda a: len(np.atleast_1d(a)), 'alltrue': np.all, 'asfarray': _asfarray,
    'asscalar': lambda a: a.item(),
    'cumproduct': np.cumprod, 'disp': _disp, 'fastCopyAndTranspose': lambda a: a.T.copy(),
    'in1d': lambda ar1, ar2, *args, **kwargs: np.isin(ar1, ar2, *args, **kwargs).reshape(-1),
    'mat': np.asmatrix, 'msort': lambda a: np.sort(a, axis=0), 'product': np.prod,
    'rank': np.ndim, 'round_': np.round, 'row_stack': CHANGED['numpy']['vstack'],
    'safe_eval': ast.literal_eval, 'sometrue': np.any, 'trapz': _trapz,
    # about types
    'cast': _Cast(), 'find_common_type': _find_common_type, 'issctype': _is_type,
    'issubclass_': _is_class, 'issubsctype': _is_kind, 'maximum_sctype': _maximum_sctype,
    'nbytes': _Sizes(), 'obj2sctype': lambda rep, default=None: np.dtype(rep).type,
    'sctype2char': lambda sctype: np.dtype(sctype).char, 'typeDict': np.sctypeDict,
    'sctypes': {'int': [np.int8, np.int16, np.int32, np.int64],
                'uint': [np.uint8, np.uint16, np.uint32, np.uint64],
                'float': [np.float16, np.float32, np.float64, np.longdouble],
                'complex': [np.complex64, np.complex128, np.clongdouble],
                'others': [bool, object, bytes, str, np.void]},
    # errors and modules, and what NumPy still has elsewhere
    **{name: getattr(home, name) for home, names in {
        exceptions: ('AxisError', 'ComplexWarning', 'ModuleDeprecationWarning', 'RankWarning',
                     'TooHardError', 'VisibleDeprecationWarning'),
        np.char: ('chararray', 'compare_chararrays'), np.rec: ('format_parser',),
        np.lib.npyio: ('DataSource',)}.items() for name in names if hasattr(home, name)},
    'sys': sys, 'warnings': warnings,
}
# Removed without a substitute in NumPy.
FINANCIAL = frozenset(['fv', 'ipmt', 'irr', 'mirr', 'nper', 'npv', 'pmt', 'ppmt', 'pv', 'rate'])
# What `from numpy import *` did not give, and what it gives only today.
NEVER_IN_STAR = frozenset(['bool', 'complex', 'float', 'int', 'long', 'object', 'rank', 'str',
                           'sys', 'unicode', 'warnings'])
NEW_IN_STAR = frozenset(['abs', 'bool', 'concat', 'core', 'exceptions', 'f2py', 'lib', 'long',
                         'max', 'min', 'pow', 'round', 'strings', 'test', 'testing', 'typing',
                         'ulong'])
