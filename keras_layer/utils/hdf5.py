"""HDF5 files, opened for reading by the optional package h5py."""
from __future__ import annotations

import os

from tinyflow.graph.support.errors import DataLossError, misuse

__all__ = ['load_h5py', 'open_hdf5']


def load_h5py():
    """The package h5py, which HDF5 needs."""
    try:
        import h5py  # optional package
    except ImportError:
        raise misuse(ImportError('Saving and loading HDF5 files needs the package h5py.\n  Hint: '
                                 'pip install "tinyflow-graph[keras]".')) from None
    return h5py


def open_hdf5(path, description):
    """The HDF5 file, opened for reading. OSError or DataLossError if it cannot be read."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise misuse(OSError(f'There is no {description} at {path!r}.'))
    try:
        return load_h5py().File(path, 'r')
    except OSError as error:
        raise DataLossError(None, None, f'{path!r} is not an HDF5 file, or is damaged: {error}') \
            from None
