"""tf.gfile and tf.io.gfile: files and directories, with TF's exceptions."""
from __future__ import annotations

import errno
import glob as _glob
import os
import shutil
from collections import namedtuple
from contextlib import contextmanager

from tinyflow.graph.support import errors

FileStatistics = namedtuple('FileStatistics', ['length', 'mtime_nsec', 'is_directory'])

_MODES = ('r', 'w', 'a', 'r+', 'w+', 'a+')
_KINDS = {errno.ENOENT: errors.NotFoundError, errno.EEXIST: errors.AlreadyExistsError,
          errno.EACCES: errors.PermissionDeniedError, errno.EPERM: errors.PermissionDeniedError,
          errno.ENOSPC: errors.ResourceExhaustedError,
          errno.ENOTDIR: errors.FailedPreconditionError,
          errno.EISDIR: errors.FailedPreconditionError,
          errno.ENOTEMPTY: errors.FailedPreconditionError}


def _path(name):
    """A path as a string, without a leading file://."""
    path = os.fspath(name)
    path = os.fsdecode(path) if isinstance(path, bytes) else path
    return path.removeprefix('file://')


@contextmanager
def _tf_errors(path):
    """Converts OSErrors to TF's exceptions, which name the path."""
    try:
        yield
    except OSError as error:
        kind = _KINDS.get(error.errno, errors.UnknownError)
        raise kind(None, None, f'{path}; {error.strerror or error}') from None


class GFile:
    """A file, opened when it is first read or written. UTF-8 text, or bytes with a 'b' mode.

    Raises InvalidArgumentError for an invalid mode; NotFoundError and related errors while reading
    and writing.
    """

    def __init__(self, name, mode='r'):
        self.__name = name
        self.__mode = mode
        self._binary = 'b' in mode
        plain = mode.replace('b', '')
        if plain not in _MODES:
            raise errors.InvalidArgumentError(
                None, None, f"mode is not {' or '.join(map(repr, _MODES))}: {mode!r}")
        self._plain = plain
        self._file = None

    @property
    def name(self):
        return self.__name

    @property
    def mode(self):
        return self.__mode

    def _open(self):
        if self._file is None:
            path = _path(self.__name)
            with _tf_errors(path):
                self._file = open(path, self._plain + 'b')
        return self._file

    def _readable(self):
        if self._plain not in ('r', 'r+', 'w+', 'a+'):
            raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
        return self._open()

    def _writable(self):
        if self._plain == 'r':
            raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
        return self._open()

    def _given(self, data):
        return data if self._binary else data.decode('utf-8')

    def size(self):
        """The number of bytes in the file."""
        if self._file is not None and self._plain != 'r':
            self._file.flush()
        return stat(self.__name).length

    def read(self, n=-1):
        """The rest of the file, or its next n bytes (text is read to the end of a character)."""
        file = self._readable()
        with _tf_errors(self.__name):
            data = file.read(-1 if n is None else n)
            while n is not None and n >= 0 and not self._binary and _ends_inside(data):
                more = file.read(1)
                if not more:
                    break
                data += more
        return self._given(data)

    def readline(self):
        """The next line with its line break; '' at the end."""
        file = self._readable()
        with _tf_errors(self.__name):
            return self._given(file.readline())

    def readlines(self):
        """The remaining lines, with their line breaks."""
        return list(self)

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def write(self, file_content):
        """Appends text or bytes."""
        file = self._writable()
        if not isinstance(file_content, (str, bytes)):
            raise TypeError(f'Expected binary or unicode string, got {file_content!r}')
        data = file_content.encode('utf-8') if isinstance(file_content, str) else file_content
        with _tf_errors(self.__name):
            file.write(data)

    def seek(self, offset=None, whence=0, position=None):
        """Moves to a byte offset, from the start (0), the current position (1) or the end (2)."""
        offset = position if offset is None else offset
        if offset is None:
            raise TypeError('seek(): offset argument required')
        if whence not in (0, 1, 2):
            raise errors.InvalidArgumentError(
                None, None, f'Invalid whence argument: {whence}. Valid values are 0, 1, or 2.')
        self._readable().seek(offset, whence)

    def tell(self):
        """The current position in bytes."""
        return self._readable().tell()

    def flush(self):
        """Flushes written data to the operating system."""
        if self._file is not None:
            with _tf_errors(self.__name):
                self._file.flush()

    def close(self):
        """Closes the file."""
        if self._file is not None:
            with _tf_errors(self.__name):
                self._file.close()
            self._file = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __del__(self):
        if getattr(self, '_file', None) is not None:
            self._file.close()


def _ends_inside(data):
    """True if the last character of a UTF-8 text is incomplete."""
    for i in range(1, min(4, len(data)) + 1):
        byte = data[-i]
        if byte & 0xC0 != 0x80:                 # move back to the first byte of a character
            return byte >= 0xC0 and i < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4)
    return False


def exists(path):
    """True if there is a file or directory of that name."""
    return os.path.exists(_path(path))


def isdir(path):
    """True if the path is a directory."""
    return os.path.isdir(_path(path))


def listdir(path):
    """The names in a directory, sorted. NotFoundError if it is not a directory."""
    if not isdir(path):
        raise errors.NotFoundError(None, None, f'Could not find directory {_path(path)}')
    with _tf_errors(path):
        return sorted(os.listdir(_path(path)))


def mkdir(path):
    """Creates a directory unless it exists; its parent must exist. '' is the working directory."""
    with _tf_errors(path):
        if _path(path) and not isdir(path):
            os.mkdir(_path(path))


def makedirs(path):
    """Creates a directory and its parents, unless they exist. '' is the working directory."""
    if not _path(path):                     # as os.path.dirname('model.ckpt') gives it
        return
    with _tf_errors(path):
        try:
            os.makedirs(_path(path), exist_ok=True)
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None


def glob(pattern):
    """The paths that match a pattern with *, ? and [...] (or one of several), sorted.

    As in TF, the results of a pattern without a directory begin with './'.
    """
    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike)) else pattern
    return [found if os.path.dirname(found) else os.path.join('.', found)
            for one in patterns for found in sorted(_glob.glob(_path(one)))]


def _check_free(path, overwrite):
    if not overwrite and exists(path):
        raise errors.AlreadyExistsError(
            None, None, f'file already exists: {_path(path)}\n  Hint: overwrite=True replaces it.')


def copy(src, dst, overwrite=False):
    """Copies a file. AlreadyExistsError if there is one already, unless `overwrite`."""
    with _tf_errors(src):
        if not exists(src):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        _check_free(dst, overwrite)
        shutil.copyfile(_path(src), _path(dst))


def rename(src, dst, overwrite=False):
    """Moves a file or directory. AlreadyExistsError if there is one already, unless `overwrite`."""
    with _tf_errors(src):
        if not exists(src):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        _check_free(dst, overwrite)
        os.replace(_path(src), _path(dst))


def remove(path):
    """Deletes a file. NotFoundError if it does not exist."""
    with _tf_errors(path):
        os.remove(_path(path))


def rmtree(path):
    """Deletes a directory with its contents. NotFoundError if it does not exist."""
    if not exists(path):
        raise errors.NotFoundError(None, None, f'{_path(path)} not found')
    with _tf_errors(path):
        shutil.rmtree(_path(path))


def stat(path):
    """Length in bytes, modification time in nanoseconds, and whether it is a directory."""
    with _tf_errors(path):
        status = os.stat(_path(path))
    return FileStatistics(status.st_size, status.st_mtime_ns, isdir(path))


def walk(top, topdown=True, onerror=None):
    """(directory, [directories in it], [files in it]) of a directory and its subdirectories."""
    for here, inside, files in os.walk(_path(top), topdown):
        inside.sort()
        yield here, inside, sorted(files)


__all__ = ['FileStatistics', 'GFile', 'copy', 'exists', 'glob', 'isdir', 'listdir', 'makedirs',
           'mkdir', 'remove', 'rename', 'rmtree', 'stat', 'walk']


def __dir__():
    return __all__
