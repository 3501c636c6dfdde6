"""Functions of NumPy and math whose arguments or results have changed, as they were."""
from __future__ import annotations

import collections.abc
import functools
import math
import os

import numpy as np

from tinyflow.api.old_numpy.given import note
from tinyflow.api.old_numpy.meaning import number_of, wrapped
from tinyflow.api.old_numpy.promotion import agreed
from tinyflow.graph.support.errors import misuse

PICKLE_SETTING = 'TINYFLOW_ALLOW_PICKLE'


def _is_ragged(error):
    return 'inhomogeneous' in str(error)


def _ragged(value):
    """A list of lists as the array of objects that np.array made of it."""
    if not isinstance(value, (list, tuple)):
        return value
    try:
        np.asarray(value)
    except ValueError as error:
        if _is_ragged(error):
            note('ragged')
            return np.array(value, dtype=object)
    return value


def _with_ragged(function):
    """`function`, which also takes lists of different lengths, as an array of objects."""
    @functools.wraps(function)
    def old(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except ValueError as error:
            if not _is_ragged(error):
                raise
        return function(*map(_ragged, args), **kwargs)
    return old


def _numbers(value, dtype):
    """An array of `dtype` from nested lists in which numbers may be arrays of one element."""
    objects = np.array(value, dtype=object)
    numbers = [number_of(item, 'ragged') for item in objects.flat]
    return np.array(numbers, dtype=dtype).reshape(objects.shape)


def _array_function(function):
    @functools.wraps(function)
    def old(value, *args, **kwargs):
        if kwargs.get('copy') is False:
            note('copy')
            kwargs['copy'] = None
        try:
            return function(value, *args, **kwargs)
        except ValueError as error:
            if not _is_ragged(error):
                raise
            dtype = args[0] if args else kwargs.get('dtype')
            if dtype is None:
                return _ragged(value)
            try:
                return function(_numbers(value, dtype), *args, **kwargs)
            except (TypeError, ValueError):
                raise error from None
        except OverflowError:
            return wrapped(value, args[0] if args else kwargs.get('dtype'))
    return old


def _stacking(function):
    """`function`, which takes its arrays from a generator too."""
    @functools.wraps(function)
    def old(arrays, *args, **kwargs):
        if isinstance(arrays, collections.abc.Iterator):
            note('generator')
            arrays = list(arrays)
        return function(arrays, *args, **kwargs)
    return _with_ragged(old)


def _sum(a, *args, **kwargs):
    if isinstance(a, collections.abc.Iterator):
        note('generator')
        return sum(a)
    return np.sum(a, *args, **kwargs)


def _renamed(function, old_name, new_name, keep=lambda value: True):
    """`function` with the argument `old_name`, which is called `new_name` today."""
    @functools.wraps(function)
    def old(*args, **kwargs):
        if old_name in kwargs:
            note(f'np.{function.__name__}({old_name}=...)')
            value = kwargs.pop(old_name)
            if keep(value):
                kwargs[new_name] = value
        return function(*args, **kwargs)
    return old


def _fromstring(string, dtype=float, count=-1, sep=''):
    if sep:
        return np.fromstring(string, dtype, count, sep=sep)
    note('np.fromstring of bytes')
    data = string.encode('latin1') if isinstance(string, str) else string
    return np.frombuffer(data, dtype, count).copy()


def _arange(*args, **kwargs):
    return np.arange(*[number_of(value, 'arange') for value in args], **kwargs)


def _full(shape, fill_value, dtype=None, **kwargs):
    try:
        return np.full(shape, fill_value, dtype, **kwargs)
    except OverflowError:
        return np.full(shape, wrapped(fill_value, dtype), dtype, **kwargs)


def _where(condition, *values):
    return np.where(condition, *(agreed(*values) if len(values) == 2 else values))


def _clip(a, a_min=None, a_max=None, out=None, **kwargs):
    limits = [limit if limit is None else agreed(a, limit)[1] for limit in (a_min, a_max)]
    return np.clip(a, *limits, out=out, **kwargs)


def _nonzero(a):
    return np.nonzero(np.atleast_1d(a))


def _delete(arr, obj, axis=None):
    if isinstance(obj, (list, tuple)) and np.asarray(obj).dtype.kind in 'bf':
        note('np.delete of positions that are no integers')
        obj = np.asarray(obj).astype(int)
    return np.delete(arr, obj, axis)


def _unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    found = np.unique(ar, return_index, return_inverse, return_counts, axis)
    if return_inverse and axis is None and np.ndim(ar) > 1:
        note('np.unique, whose positions are one row')
        found = list(found)
        found[1 + bool(return_index)] = found[1 + bool(return_index)].reshape(-1)
        return tuple(found)
    return found


def _issubdtype(arg1, arg2):
    general = {float: np.floating, 'float': np.floating, int: np.integer, 'int': np.integer,
               complex: np.complexfloating}
    if isinstance(arg2, (type, str)) and arg2 in general:
        note('np.issubdtype(..., float), which holds for all sizes')
        arg2 = general[arg2]
    return np.issubdtype(arg1, arg2)


def _load(file, mmap_mode=None, allow_pickle=None, *args, **kwargs):
    allowed = os.environ.get(PICKLE_SETTING) == '1' if allow_pickle is None else allow_pickle
    try:
        return np.load(file, mmap_mode, allowed, *args, **kwargs)
    except ValueError as error:
        if allow_pickle is not None or 'allow_pickle' not in str(error):
            raise
        raise misuse(ValueError(
            f'{error}: NumPy before 1.16.3 loaded Python objects from {file!r} without being '
            'asked, and such a file can run any code.\n  Hint: if you trust it, set '
            f'{PICKLE_SETTING}=1, or write allow_pickle=True.')) from None


def _solve(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if b.ndim == a.ndim - 1 and b.ndim > 1:
        note('np.linalg.solve for a stack of vectors')
        return np.linalg.solve(a, b[..., None])[..., 0]
    return np.linalg.solve(a, b)


def _lstsq(a, b, rcond=-1):
    return np.linalg.lstsq(a, b, -1 if rcond == 'warn' else rcond)


class _Ufunc:
    """A function of two arrays such as np.maximum, with the types of results as they were."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self._ufunc = ufunc
        self.__name__, self.__doc__ = ufunc.__name__, ufunc.__doc__

    def __call__(self, left, right, *args, **kwargs):
        if 'dtype' not in kwargs:
            left, right = agreed(left, right)
        return self._ufunc(left, right, *args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._ufunc, name)

    def __repr__(self):
        return repr(self._ufunc)


_UFUNCS = ('add', 'subtract', 'multiply', 'divide', 'true_divide', 'floor_divide', 'power', 'mod',
           'remainder', 'maximum', 'minimum', 'fmax', 'fmin', 'hypot', 'arctan2', 'less',
           'less_equal', 'greater', 'greater_equal', 'equal', 'not_equal')
_STACKING = ('vstack', 'hstack', 'dstack', 'column_stack', 'stack')
_TAKING_RAGGED = ('concatenate', 'shape', 'size', 'ndim', 'max', 'min', 'amax', 'amin', 'save',
                  'argsort', 'ravel', 'copy', 'append', 'array_split', 'split', 'repeat', 'tile',
                  'take')

CHANGED = {
    'numpy': {
        **{name: _array_function(getattr(np, name)) for name in (
            'array', 'asarray', 'asanyarray', 'ascontiguousarray')},
        **{name: _Ufunc(getattr(np, name)) for name in _UFUNCS},
        **{name: _stacking(getattr(np, name)) for name in _STACKING},
        **{name: _with_ragged(getattr(np, name)) for name in _TAKING_RAGGED},
        'arange': _arange, 'clip': _clip, 'delete': _delete, 'fromstring': _fromstring,
        'full': _full, 'issubdtype': _issubdtype, 'load': _load, 'nonzero': _nonzero,
        'histogram': _renamed(np.histogram, 'normed', 'density'),
        'percentile': _renamed(np.percentile, 'interpolation', 'method'),
        'quantile': _renamed(np.quantile, 'interpolation', 'method'),
        'reshape': _renamed(np.reshape, 'newshape', 'shape'),
        'sum': _with_ragged(_sum), 'unique': _unique, 'where': _where,
    },
    'numpy.linalg': {'lstsq': _lstsq, 'solve': _solve},
    'numpy.random': {name: _with_ragged(getattr(np.random, name)) for name in (
        'choice', 'permutation', 'shuffle')},
    'math': {name: (lambda function: functools.wraps(function)(
        lambda *args: function(*[number_of(value, 'math') for value in args])))(value)
        for name, value in vars(math).items()
        if callable(value) and name not in ('fsum', 'prod', 'dist', 'isclose', 'sumprod')},
}
