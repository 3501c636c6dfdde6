"""SparseRows: sparse data, of which fit and predict take the rows of a batch."""
from __future__ import annotations

import numpy as np

import tinyflow as tf


class SparseRows:
    """Values at `indices` [n, rank], in the order of their rows, of an array of that shape."""

    def __init__(self, indices, values, shape):
        self._indices, self._values, self.shape = indices, values, tuple(int(s) for s in shape)
        self.ndim, self.dtype = len(self.shape), values.dtype

    def __getitem__(self, rows):
        """The rows of a slice, or of a boolean mask or array of numbers."""
        if isinstance(rows, slice) and rows.step in (None, 1):
            start, stop, _ = rows.indices(self.shape[0])
            first, last = np.searchsorted(self._indices[:, 0], [start, max(start, stop)])
            indices = self._indices[first:last].copy()
            indices[:, 0] -= start
            return SparseRows(indices, self._values[first:last],
                              (max(start, stop) - start, *self.shape[1:]))
        return self.take(np.arange(self.shape[0])[rows])

    def take(self, rows, axis=0):
        """These rows, in that order."""
        rows = np.asarray(rows)
        first = np.searchsorted(self._indices[:, 0], rows)
        counts = np.searchsorted(self._indices[:, 0], rows, side='right') - first
        chosen = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        indices = self._indices[chosen]
        indices[:, 0] = np.repeat(np.arange(len(rows)), counts)
        return SparseRows(indices, self._values[chosen], (len(rows), *self.shape[1:]))

    def parts(self):
        """What is fed for the three tensors of a SparseTensor."""
        return self._indices, self._values, np.array(self.shape, np.int64)

    def toarray(self):
        """The dense array; values of one place are added."""
        dense = np.zeros(self.shape, self._values.dtype)
        np.add.at(dense, tuple(self._indices.T), self._values)
        return dense


def sparse_rows(data):
    """SparseRows of a sparse matrix of SciPy or a SparseTensorValue; None for anything else."""
    if isinstance(data, SparseRows):
        return data
    if isinstance(data, tf.SparseTensorValue):
        indices, values, shape = (np.asarray(part) for part in data)
        indices = indices.reshape(-1, len(shape)).astype(np.int64)
    elif hasattr(data, 'tocoo'):
        found = data.tocoo()
        indices = np.stack([found.row, found.col], axis=1).astype(np.int64)
        values, shape = found.data, found.shape
    else:
        return None
    order = np.lexsort(indices.T[::-1])
    return SparseRows(indices[order], values[order], shape)


def fed(values, inputs):
    """The values for the tensors of `inputs`, in parts where an input is sparse."""
    found = []
    for value, tensor in zip(values, inputs):
        if not isinstance(value, SparseRows):
            found.append(value)
        elif isinstance(tensor, tf.SparseTensor):
            found.extend(value.parts())
        else:
            found.append(value.toarray())
    return found
