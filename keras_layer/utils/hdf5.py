"""HDF5 files, read by the optional package h5py.

A file may come from strangers. Every error names it; data in other files are refused (external
storage, external links, virtual data sets); and a file from which the HDF5 library would not
return is an error, too: `hdf5_layout` looks at the layout first, which takes 0.06 ms for each
layer. Damage that it finds is an error at once. A file that has what Keras does not write, such as
compressed data or soft links, is read in another process before, within a time limit.
"""
from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import traceback
import zipfile

import numpy as np

from keras_layer.utils import hdf5_layout
from tinyflow.graph.support import users_files
from tinyflow.graph.support.errors import DataLossError, OpError, misuse

__all__ = ['SavedGroup', 'load_h5py', 'lost', 'naming', 'of_users_code', 'open_hdf5']

_PROBE = os.path.join(os.path.dirname(__file__), 'hdf5_probe.py')
_SECONDS = 10                       # for a small file, in the other process
_BYTES_PER_SECOND = 10 << 20        # that a slow disk gives
_INFLATION = 1100                   # more than deflate can make of a byte
_LINKS = 16                         # soft links that lead to soft links


def load_h5py():
    """The package h5py, which HDF5 needs."""
    try:
        import h5py  # optional package
    except ImportError:
        raise misuse(ImportError('Saving and loading HDF5 files needs the package h5py.\n  Hint: '
                                 'pip install "tinyflow-graph[keras]".')) from None
    return h5py


def open_hdf5(path, description, small=True):
    """The HDF5 file, opened for reading. OSError or DataLossError if it cannot be read.

    All of it is checked before; without `small`, for a large file of which the caller reads pieces,
    its values are not.
    """
    path = os.fspath(path)
    if not os.path.exists(path):
        raise misuse(OSError(f'There is no {description} at {path!r}.'))
    h5py = load_h5py()
    try:
        if h5py.is_hdf5(path):
            _check(path, small)
        return h5py.File(path, 'r')
    except OSError as error:
        if zipfile.is_zipfile(path):
            raise misuse(ValueError(
                f'{path!r} is a zip archive, which Keras of TensorFlow 2.12 and newer writes for '
                "names that end in .keras; it is not supported.\n  Hint: model.save('model.h5') "
                'there, and load that.')) from None
        raise lost(path, f'is not an HDF5 file, or is damaged: {error}') from None


def lost(path, problem):
    """The DataLossError of a file."""
    return DataLossError(None, None, f'{os.fspath(path)!r} {problem}')


@contextlib.contextmanager
def naming(path, what):
    """Adds the file to errors of what was read from it, such as the configuration of a model.

    Errors without a message of tinyflow's become a DataLossError; those of the user's own classes
    stay as they are.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, OpError) or getattr(error, 'raised_by_tinyflow', False):
            _add_file(error, path)
            raise
        if of_users_code(error):
            raise
        raise lost(path, f'is damaged: {what} cannot be used ({type(error).__name__}: '
                         f'{error}).') from error


def of_users_code(error):
    """True for an error that passed through functions of the user, such as a layer of his.

    Call it from the function that catches the error, at the first line that may raise it.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return any(users_files.is_program(frame.filename) for frame in frames)


def _add_file(error, path):
    """Puts the file into the error's message, before its hint."""
    path = os.fspath(path)
    text = str(error.args[0]) if error.args else ''
    if path not in text:
        problem, hint, rest = text.partition('\n  Hint:')
        text = f'{problem}\n  file: {path!r}{hint}{rest}'
        error.args = (text, *error.args[1:])
        if isinstance(error, OpError):
            error.message = text


def _check(path, values):
    """DataLossError if the file is damaged so that the HDF5 library would not return."""
    try:
        hdf5_layout.check(path)
    except hdf5_layout.Damaged as error:
        raise lost(path, f'is damaged: {error}.') from None
    except (hdf5_layout.Unfamiliar, RecursionError):
        _read_elsewhere(path, values)


def _read_elsewhere(path, values):
    """Reads the file in another process. DataLossError if that does not end, or crashes."""
    if not sys.executable:
        return
    seconds = _SECONDS + (os.path.getsize(path) / _BYTES_PER_SECOND if values else 0)
    part = 'values' if values else 'structure'
    try:
        done = subprocess.run([sys.executable, '-I', _PROBE, os.path.abspath(path), part],
                              input=json.dumps(sys.path).encode(), timeout=seconds,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise lost(path, f'is damaged: the HDF5 library did not return from reading it in '
                         f'{seconds:.0f} s.') from None
    if done.returncode:
        why = 'it needs too much memory' if done.returncode == 3 else 'the HDF5 library crashed'
        raise lost(path, f'is damaged: {why}.')


class SavedGroup:
    """A group of an open HDF5 file; errors name `path`, the file.

    Whatever h5py raises for a damaged file (OSError, KeyError, RuntimeError, ValueError and
    others) is a DataLossError; data in another file are refused with a ValueError.
    """

    def __init__(self, group, path=None):
        self.group = group
        self.path = group.file.filename if path is None else path

    @contextlib.contextmanager
    def _naming(self, what):
        """Turns errors of the HDF5 library while `what` is read into one that names the file."""
        try:
            yield
        except Exception as error:
            if isinstance(error, DataLossError) or getattr(error, 'raised_by_tinyflow', False):
                raise
            reason = str(error.args[0] if error.args else error) or type(error).__name__
            raise lost(self.path, f'is damaged: {what} cannot be read ({reason}).') from None

    def __contains__(self, name):
        with self._naming(f'{name!r}'):
            return name in self.group

    def has(self, name):
        """True if there is an attribute of that name."""
        with self._naming(f'the attribute {name!r}'):
            return name in self.group.attrs

    def text(self, name, default=None):
        """An attribute that is a text; `default` without it."""
        if not self.has(name):
            return default
        with self._naming(f'the attribute {name!r}'):
            value = self.group.attrs[name]
            value = value.decode('utf8') if isinstance(value, bytes) else value
            if not isinstance(value, str):
                raise TypeError(f'it is no text, but {type(value).__name__}')
            return str(value)

    def texts(self, name):
        """An attribute that is a list of texts, which may be in several pieces."""
        with self._naming(f'the attribute {name!r}'):
            if name in self.group.attrs:
                found = self.group.attrs[name]
            else:
                found = []
                while f'{name}{len(found)}' in self.group.attrs:
                    found.append(self.group.attrs[f'{name}{len(found)}'])
                found = np.concatenate(found) if found else []
            return [n.decode('utf8') if isinstance(n, bytes) else str(n) for n in found]

    def inside(self, name):
        """The group of that name in this one."""
        with self._naming(f'the group {name!r}'):
            found = self._opened(self.group, name)
            if not hasattr(found, 'keys'):
                raise TypeError('it is a data set')
            return SavedGroup(found, self.path)

    def dataset(self, name):
        """A data set whose values are in this file."""
        with self._naming(f'the data set {name!r}'):
            found = self._opened(self.group, name)
            if not hasattr(found, 'shape'):
                raise TypeError('it is a group')
            self._refuse_other_files(found, name)
            return found

    def names(self):
        """The names of what is in the group."""
        with self._naming('the list of its contents'):
            return list(self.group)

    def reader(self, name):
        """A function that reads rows of a data set; its errors name the file."""
        dataset = self.dataset(name)

        def read(rows):
            with self._naming(f'the data set {name!r}'):
                return dataset[rows]
        return read

    def array(self, name):
        """The values of a data set."""
        found = self.dataset(name)
        with self._naming(f'the data set {name!r}'):
            stored = found.id.get_storage_size()
            if found.nbytes > _INFLATION * stored:
                raise ValueError(f'{found.nbytes} bytes are said to be in {stored}')
            value = np.asarray(found)
            if value.dtype.kind not in 'biufc':
                raise TypeError(f'it has no numbers, but {value.dtype}')
            return value

    def arrays(self):
        """The weights of a layer or an optimizer, in order."""
        return [self.array(name) for name in self.texts('weight_names')]

    def _opened(self, group, name, depth=0):
        """The object that a path leads to, through links inside the file only."""
        h5py = load_h5py()
        found = group.file['/'] if name.startswith('/') else group
        for part in filter(None, name.split('/')):
            link = found.get(part, getlink=True)
            if isinstance(link, h5py.ExternalLink):
                raise self._elsewhere(name, link.filename)
            if isinstance(link, h5py.SoftLink):
                if depth == _LINKS:
                    raise ValueError('too many soft links')
                found = self._opened(found, link.path, depth + 1)
            else:
                found = found[part]
        return found

    def _refuse_other_files(self, dataset, name):
        if dataset.external:
            raise self._elsewhere(name, dataset.external[0][0])
        if dataset.is_virtual:
            sources = [source.file_name for source in dataset.virtual_sources()]
            raise self._elsewhere(name, sources[0] if sources else 'other data sets')

    def _elsewhere(self, name, other):
        return misuse(ValueError(
            f'{self.path!r}: the values of {name!r} are not in it, but in {os.fsdecode(other)!r}, '
            'and a file of weights may not read other files.\n  Hint: if you trust it, copy its '
            'values into one file with h5py.'))
