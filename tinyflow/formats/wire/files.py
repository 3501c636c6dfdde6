"""Atomic file writes: under another name, flushed to disk, then renamed.

A reader of the final name sees the old bytes or all of the new ones, even if the process dies
in between. A file left behind by such a process has `.tempstate` in its name, and the process, so
that a later one can remove it.
"""
from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import zlib
from contextlib import contextmanager, suppress
from functools import lru_cache

from tinyflow.graph.support import errors

try:
    import fcntl
except ImportError:                         # Windows
    fcntl = None

_MARK = '.tempstate'


def temporary_name(path):
    """A name in the same directory (renaming works inside one file system only)."""
    return f'{path}{_MARK}{_host()}_{os.getpid()}_{secrets.randbits(32)}'


@lru_cache(maxsize=1)
def _host():
    """A number for what a process number belongs to.

    Containers may share a host name: on Linux it includes the boot and the namespace of processes.
    """
    parts = [socket.gethostname()]
    with suppress(OSError), open('/proc/sys/kernel/random/boot_id', encoding='ascii') as file:
        parts.append(file.read().strip())
    with suppress(OSError):
        parts.append(os.readlink('/proc/self/ns/pid'))
    return zlib.crc32('\n'.join(parts).encode())


def is_temporary(path):
    """True for a name that `temporary_name` made."""
    return _MARK in os.path.basename(path)


def remove_abandoned(directory):
    """Removes the temporary files and folders of processes of this computer that have ended."""
    own = re.compile(rf'{re.escape(_MARK)}{_host()}_(\d+)_\d+\Z')
    try:
        names = os.listdir(directory or '.')
    except OSError:                         # it may be writable only
        return
    for name in names:
        process = own.search(name)
        if process and not _is_alive(int(process[1])):
            path = os.path.join(directory, name)
            with suppress(OSError):         # those of another user stay
                shutil.rmtree(path) if os.path.isdir(path) else remove(path)


def _is_alive(process):
    if process == os.getpid() or os.name != 'posix':
        return True                         # elsewhere os.kill would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


@contextmanager
def opened_for(path):
    """Opens `path` for writing bytes; OSError becomes the TF error that names the file."""
    with explained(path), open(path, 'wb', buffering=0) as file:
        yield file


@contextmanager
def explained(path):
    """Turns an OSError about `path` into TF's error classes, with a hint."""
    try:
        yield
    except FileNotFoundError as error:
        there = os.path.isdir(os.path.dirname(os.path.abspath(path)))
        hint = 'is the name right' if there else \
            'the directory must exist: os.makedirs(directory, exist_ok=True)'
        raise errors.NotFoundError(None, None, errors.report(
            f'{path}: {error.strerror}',
            hint=f'{hint}; is the working directory the expected one?')) from error
    except PermissionError as error:
        raise errors.PermissionDeniedError(None, None, f'{path}: {error.strerror}') from error
    except IsADirectoryError as error:
        raise errors.FailedPreconditionError(None, None, f'{path}: {error.strerror}') from error
    except OSError as error:
        kind = errors.ResourceExhaustedError if error.errno in (28, 122) else errors.UnknownError
        raise kind(None, None, f'{path}: {error.strerror or error}') from error


def flush(file):
    """Makes the bytes of an open file survive a crash of the machine."""
    file.flush()
    os.fsync(file.fileno())


def put_in_place(temporary, path):
    """Gives a finished temporary file its name, replacing an existing file."""
    with explained(path):
        os.replace(temporary, path)


def flush_directory(path):
    """Makes the renames in the directory of `path` survive a crash of the machine."""
    if os.name != 'posix':
        return                              # elsewhere a directory cannot be opened
    number = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError:                         # some network file systems refuse
        pass
    finally:
        os.close(number)


@contextmanager
def alone_in(directory):
    """Other processes that enter the same block for `directory` wait; needs no file of its own.

    Where the system or the file system has no such locks, there is no waiting.
    """
    number = None
    with suppress(OSError):
        if fcntl is not None:
            number = os.open(directory or '.', os.O_RDONLY)
            fcntl.flock(number, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if number is not None:
            with suppress(OSError):
                fcntl.flock(number, fcntl.LOCK_UN)      # a child made by fork has it, too
            os.close(number)


def remove(path):
    """Removes a file if it exists."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


@contextmanager
def replacing(path):
    """A file to write bytes to that becomes `path` when the block ends without an error."""
    temporary = temporary_name(path)
    try:
        with opened_for(temporary) as file:
            yield file
            with explained(path):
                flush(file)
        put_in_place(temporary, path)
    except BaseException:
        remove(temporary)
        raise


def write_atomically(path, data):
    """Writes bytes (or text, as UTF-8) to `path` atomically."""
    with replacing(path) as file, explained(path):
        write_all(file, data.encode() if isinstance(data, str) else data)


def write_all(file, data):
    """Writes all of a buffer: an unbuffered file may write less than requested."""
    view = memoryview(data)
    while len(view):
        view = view[file.write(view):]
