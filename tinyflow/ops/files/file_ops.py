"""File ops: tf.read_file, tf.write_file, tf.matching_files."""
from __future__ import annotations

import errno
import fnmatch
import os
import re
from contextlib import contextmanager

import numpy as np

from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure
from tinyflow.graph.support.keywords import close_matches

__all__ = ['matching_files', 'read_file', 'write_file']

_KINDS = {errno.ENOENT: errors.NotFoundError, errno.EACCES: errors.PermissionDeniedError,
          errno.EPERM: errors.PermissionDeniedError, errno.EISDIR: errors.FailedPreconditionError,
          errno.ENOTDIR: errors.FailedPreconditionError,
          errno.EEXIST: errors.AlreadyExistsError, errno.ENOSPC: errors.ResourceExhaustedError}


@contextmanager
def explained(path):
    """Turns an OSError about `path` into TF's error for it."""
    try:
        yield
    except OSError as error:
        kind = _KINDS.get(error.errno, errors.UnknownError)
        hint = _missing_file_hint(path) if kind is errors.NotFoundError else None
        raise errors.op_error(kind, f'{path}; {error.strerror or error}', hint) from error


def _missing_file_hint(path):
    """A hint for a missing file: a missing directory, or files with similar names."""
    folder, name = os.path.split(path)
    where = '' if os.path.isabs(path) else f' (the working directory is {os.getcwd()})'
    if folder and not os.path.isdir(folder):
        return f'there is no directory {folder}{where}.'
    there = {other.lower(): other for other in os.listdir(folder or '.')}
    near = [there[n] for n in close_matches(name.lower(), there, n=3)]
    if near:
        return f'the directory has {", ".join(near)}{where}.'
    return f'the directory {folder or "."} has no such file{where}.'


def path_of(value):
    """A path as str, from the bytes of a string tensor."""
    return os.fsdecode(value.item() if isinstance(value, np.ndarray) else value)


def _must_be_scalar(what, shape):
    if shape:
        raise OpFailure(f'Shape must be rank 0 but is rank {len(shape)}: the {what} is one string',
                        'tf.map_fn handles a vector of them.')


class ReadFile(Op):
    """The bytes of a file; read in every run."""

    signature = 'filename: string -> contents: string'
    pure = False
    gradient = NOT_DIFFERENTIABLE

    def shape(filename):
        _must_be_scalar('file name', filename)
        return ()

    partial_rank = True

    def kernel(filename):
        _must_be_scalar('file name', filename.shape)
        path = path_of(filename)
        with explained(path), open(path, 'rb') as file:
            return boxed(file.read())


class WriteFile(Op):
    """Writes a file, and creates missing directories."""

    signature = 'filename: string, contents: string ->'
    pure = False
    gradient = NOT_DIFFERENTIABLE

    def shape(filename, contents):
        _must_be_scalar('file name', filename)
        _must_be_scalar('content', contents)

    partial_rank = True

    def kernel(filename, contents):
        _must_be_scalar('file name', filename.shape)
        _must_be_scalar('content', contents.shape)
        path = path_of(filename)
        with explained(path):
            os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
            with open(path, 'wb') as file:
                file.write(contents.item())


class MatchingFiles(Op):
    """The names of files that match one of some patterns, sorted."""

    signature = 'pattern: string -> filenames: string'
    pure = False
    gradient = NOT_DIFFERENTIABLE

    def shape(pattern):
        if pattern is not None and len(pattern) > 1:
            raise ValueError(f'Shape must be at most rank 1 but is rank {len(pattern)}: patterns '
                             'are one string or a vector of them')
        return (None,)

    partial_rank = True

    def kernel(pattern):
        found = [name for p in pattern.reshape(-1) for name in matching(path_of(p))]
        names = np.empty(len(found), object)
        names[:] = sorted(map(os.fsencode, found))
        return names


_WILD = re.compile(r'[*?\[\\]')


def matching(pattern):
    """Files and directories that match a pattern of *, ?, [...]; none of these matches a '/'.

    As in TF1 a name without a directory comes with './' in front, and NotFoundError is raised if
    the directory that the pattern begins with is missing.
    """
    wild = _WILD.search(pattern)
    fixed = os.path.dirname(pattern[:wild.start()] if wild else pattern)
    base = fixed or '.'
    with explained(base):
        os.listdir(base)
    found = [base]
    for part in pattern[len(fixed):].lstrip('/').split('/') if fixed != '/' \
            else pattern[1:].split('/'):
        # A backslash escapes the next character, as a set of one does.
        fits = re.compile(fnmatch.translate(re.sub(r'\\(.)', r'[\1]', part))).match
        found = [os.path.join(directory, name) for directory in found
                 if os.path.isdir(directory) for name in os.listdir(directory) if fits(name)]
    return found


def read_file(filename, name=None):
    """The contents of a file.

    Shapes: filename [] -> []. NotFoundError or another OpError if it cannot be read.
    """
    return ReadFile.apply(filename, name=name)


def write_file(filename, contents, name=None):
    """An Operation that writes `contents` to a file, making directories as needed.

    Shapes: filename [], contents []. PermissionDeniedError or another
    OpError if it cannot be written.
    """
    return WriteFile.apply(filename, contents, name=name)


def matching_files(pattern, name=None):
    """The sorted names of the files that match `pattern`; '*' does not match '/'.

    Shapes: pattern [] or [patterns] -> [files].
    """
    return MatchingFiles.apply(pattern, name=name)
