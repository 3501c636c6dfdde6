"""Safe reader of data sets, .npz and pickled: arrays and builtin types only, no code is run.

A pickle may name any function of any module. Here the only accepted names are those of the parts
of a NumPy array, mapped to classes of this file that take plain values; every other name raises.
NumPy's own unpickling is not used either, since a forged dtype could mislead it.
"""
from __future__ import annotations

import math
import pickle
import re
import zipfile

import numpy as np

from keras_layer.utils.hdf5 import naming
from tinyflow.graph.support.errors import misuse

__all__ = ['load_npz', 'load_pickle']

_PLAIN_DTYPE = re.compile(r'[biufcSU]\d+$|[O?]8?$')


def load_pickle(file, encoding='ASCII'):
    """The dicts, lists, numbers, texts and arrays in an open file. ValueError for anything else."""
    try:
        return _PlainUnpickler(file, encoding=encoding).load()
    except (pickle.UnpicklingError, EOFError, AttributeError, IndexError, TypeError, KeyError,
            UnicodeError, OverflowError, MemoryError) as error:
        raise misuse(ValueError(f'{getattr(file, "name", "The file")} is not a pickle of plain '
                                f'arrays: {error}')) from None


def load_npz(path):
    """The arrays of an .npz file by name; arrays of Python objects may hold plain values only.

    DataLossError, which names the file, if it is damaged.
    """
    found = {}
    with naming(path, 'it'), zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            with archive.open(name) as file:
                found[name.removesuffix('.npy')] = _array(file)
    return found


def _array(file):
    version = np.lib.format.read_magic(file)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else \
        np.lib.format.read_array_header_2_0
    shape, fortran, dtype = header(file)
    if dtype.hasobject:
        return np.asarray(load_pickle(file))
    data = file.read(math.prod(shape) * dtype.itemsize)
    return np.frombuffer(data, dtype).reshape(shape, order='F' if fortran else 'C').copy()


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        found = _KNOWN.get((module.replace('numpy._core', 'numpy.core'), name))
        if found is None:
            raise misuse(ValueError(f'The file requests {module}.{name}. It is not read: only '
                                    'arrays, texts, numbers, lists and dicts are.'))
        return found


class _Dtype:
    """A dtype of a pickle: a plain kind, size and byte order."""

    def __init__(self, code, *_):
        code = code.decode('ascii') if isinstance(code, bytes) else code
        if not isinstance(code, str) or not _PLAIN_DTYPE.match(code):
            raise pickle.UnpicklingError(f'an array of kind {code!r}')
        self.value = np.dtype('O' if code[0] == 'O' else code)

    def __setstate__(self, state):
        order, subtype, names, fields = state[1:5]
        order = order.decode('ascii') if isinstance(order, bytes) else order
        if subtype is not None or names is not None or fields is not None \
                or order not in ('<', '>', '|', '='):
            raise pickle.UnpicklingError('an array of records')
        if order in '<>':
            self.value = self.value.newbyteorder(order)


class _Array(np.ndarray):
    """An array in a pickle, filled after its parts have been checked."""

    def __setstate__(self, state):
        _, shape, dtype, fortran, data = state
        if not isinstance(dtype, _Dtype) or not all(
                isinstance(n, int) and n >= 0 for n in shape):
            raise pickle.UnpicklingError('an array without a plain dtype and shape')
        kind = dtype.value
        if kind.hasobject:
            fits = isinstance(data, list) and len(data) == math.prod(shape)
        else:
            data = data.encode('latin1') if isinstance(data, str) else data
            fits = isinstance(data, bytes) and len(data) == math.prod(shape) * kind.itemsize
        if not fits:
            raise pickle.UnpicklingError('an array whose data do not match its shape')
        super().__setstate__((1, shape, kind, bool(fortran), data))


def _begun(*_):
    """NumPy creates an empty array first; its state follows."""
    return np.ndarray.__new__(_Array, (0,), 'b')


def _scalar(dtype, data):
    if not isinstance(dtype, _Dtype) or dtype.value.hasobject or \
            not isinstance(data, bytes) or len(data) != dtype.value.itemsize:
        raise pickle.UnpicklingError('an invalid number')
    return np.frombuffer(data, dtype.value)[0]


def _latin1(text, encoding='latin1'):
    """Bytes as Python 3 pickles them for Python 2."""
    if not isinstance(text, str) or encoding != 'latin1':
        raise pickle.UnpicklingError('an encoded text')
    return text.encode('latin1')


def _empty():
    return b''


_KNOWN = {('numpy.core.multiarray', '_reconstruct'): _begun, ('numpy', 'ndarray'): _Array,
          ('numpy', 'dtype'): _Dtype, ('numpy.core.multiarray', 'scalar'): _scalar,
          ('_codecs', 'encode'): _latin1, ('__builtin__', 'bytes'): _empty,
          ('builtins', 'bytes'): _empty}
