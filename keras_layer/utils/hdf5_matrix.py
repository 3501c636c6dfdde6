"""HDF5Matrix: an array in an HDF5 file that is read on demand."""
from __future__ import annotations

import os

import numpy as np

from keras_layer.utils.hdf5 import SavedGroup, open_hdf5
from tinyflow.graph.support.errors import misuse

__all__ = ['HDF5Matrix']


class HDF5Matrix:
    """Rows `start` to `end` of a dataset in an HDF5 file, an argument like an array for `fit` and
    `predict`.

    `normalizer` is called on each piece that is read. shuffle='batch' in `fit` reads contiguous
    rows, shuffle=True single rows. DataLossError, which names the file, if it is damaged.
    """

    refs: dict = {}                         # the open files by path: many matrices, one file

    def __init__(self, datapath, dataset, start=0, end=None, normalizer=None):
        path = os.fspath(datapath)
        if path not in self.refs or not self.refs[path]:
            self.refs[path] = open_hdf5(path, 'HDF5 file', small=False)
        file = SavedGroup(self.refs[path], path)
        if dataset not in file:
            raise misuse(KeyError(f'{path!r} has no dataset {dataset!r}; it has {file.names()}.'))
        self.data = file.dataset(dataset)
        self._rows_of_file = file.reader(dataset)
        self.start = start
        self.end = self.data.shape[0] if end is None else end
        self.normalizer = normalizer

    def __len__(self):
        return self.end - self.start

    def __getitem__(self, key):
        found = self._rows_of_file(self._rows(key))
        return found if self.normalizer is None else self.normalizer(found)

    def _rows(self, key):
        """The rows in the file. IndexError for rows beyond the end."""
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if key.stop is not None and key.stop > len(self):
                raise misuse(IndexError(f'Row {key.stop - 1} of {len(self)}.'))
            return slice(start + self.start, stop + self.start, step)
        rows = np.asarray(key)
        if rows.size and (rows.max() >= len(self) or rows.min() < -len(self)):
            raise misuse(IndexError(f'Row {rows.max()} of {len(self)}.'))
        rows = np.where(rows < 0, rows + len(self), rows) + self.start
        return int(rows) if rows.ndim == 0 else rows.tolist()

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self[:], dtype=dtype)

    @property
    def shape(self):
        """(rows, *the rest)."""
        return (len(self), *self.data.shape[1:])

    @property
    def dtype(self):
        """The NumPy dtype of the values in the file."""
        return self.data.dtype

    @property
    def ndim(self):
        """The number of dimensions."""
        return self.data.ndim

    @property
    def size(self):
        """The number of values."""
        return int(np.prod(self.shape))
