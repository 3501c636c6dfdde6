"""One training at a time in a folder: a second one gets an error that says who holds it.

Two trainings in one `model_dir` would write and delete each other's checkpoints. A session with a
CheckpointSaverHook, and a Supervisor that saves, hold `training.lock` in their folder from before
they restore until they are closed. The file has process, host and time for the message; what
counts is the lock of the operating system on it, which ends with the process: the file of a
training that was killed blocks nothing. Those who only read (evaluation, prediction, TensorBoard)
take no lock. In a folder that cannot be locked (read-only, a network drive without locks) the
training goes on without.

On Unix it is a record lock of fcntl, not flock: children made by fork do not hold it, so that a
worker process which outlives a killed training does not block the next, and NFS passes it on. Such
locks do not work within one process, which therefore counts in `_held`.
"""
from __future__ import annotations

import os
import re
import socket
import sys
import threading
import time
import weakref
from contextlib import suppress

from tinyflow.formats.wire import files
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import FailedPreconditionError, misuse
from tinyflow.train.checkpoints import checkpoint_state

if sys.platform == 'win32':
    import msvcrt
else:
    import fcntl

__all__ = ['LOCK_FILE', 'FolderLock', 'clean_up_after_kill', 'remove_leftovers']

LOCK_FILE = 'training.lock'

_FAR = 1 << 30                      # the locked byte: on Windows the bytes before stay readable
_ATTEMPTS = 20
_guard = threading.RLock()
_held: dict[str, list[int]] = {}        # path -> [process, open file, number of holders]


class _Taken(Exception):
    """Another process has the lock."""


class FolderLock:
    """Holds a folder until `release`, or until the object is no longer used.

    FailedPreconditionError if another process has it. In one process several may hold it, since a
    session that was not closed, as in a notebook, must not block its successor; there is a warning.
    """

    def __init__(self, folder):
        folder = os.path.realpath(os.fspath(folder) or '.')
        path = os.path.join(folder, LOCK_FILE)
        with _guard:
            first = _acquire(path)
        self.is_first = first                   # False if it is shared, or cannot be locked
        self._finalizer = weakref.finalize(self, _release, path, os.getpid()) \
            if first is not None else None

    def release(self):
        """Gives the folder free; the last holder removes the file."""
        if self._finalizer is not None:
            self._finalizer()


def _acquire(path):
    """True for the first holder in this process, False for a further one, None without locks."""
    entry = _held.get(path)
    if entry is not None and entry[0] == os.getpid():
        entry[2] += 1
    # A finalizer may have released the last other holder just before that.
    if entry is not None and entry[0] == os.getpid() and _held.get(path) is entry:
        logging.warning('Another training of this process is open in %s. Both write checkpoints '
                        'there: close the first one, or use another folder.',
                        os.path.dirname(path))
        return False
    try:
        number = _locked(path)
    except _Taken:
        raise misuse(FailedPreconditionError(None, None, _taken(path))) from None
    except OSError as error:
        logging.debug('%s cannot be locked: %s', path, error)
        return None
    _held[path] = [os.getpid(), number, 1]
    return True


def _locked(path):
    """The number of the open file, locked. OSError if locks do not work there."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    for _ in range(_ATTEMPTS):
        number = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(number)
            if _is_open_file(path, number):     # its last holder removes the file
                _write(number)
                return number
        except BaseException:
            os.close(number)
            raise
        os.close(number)
    raise OSError('the file is removed again and again')


def _lock(number):
    if sys.platform == 'win32':
        os.lseek(number, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise _Taken from None
        return
    try:
        fcntl.lockf(number, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _FAR)
    except (BlockingIOError, PermissionError):
        raise _Taken from None


def _is_open_file(path, number):
    if sys.platform == 'win32':
        return True                             # an open file cannot be removed there
    try:
        return os.path.samestat(os.stat(path), os.fstat(number))
    except FileNotFoundError:
        return False


def _write(number):
    since = time.strftime('%Y-%m-%d %H:%M:%S')
    os.ftruncate(number, 0)
    os.lseek(number, 0, os.SEEK_SET)
    os.write(number, f'process {os.getpid()} on {socket.gethostname()}, since {since}\n'.encode())


def _taken(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            holder = file.readline().strip()
    except OSError:
        holder = ''
    folder = os.path.dirname(path)
    return (f'{folder} is in use by another training: {holder or "a process that just started"}.'
            '\n  Hint: wait until it ends or stop it, or train in a folder of its own; two of them '
            'would overwrite each other\'s checkpoints. Evaluation, prediction and TensorBoard may '
            'read there meanwhile. If there is no such process (a computer of a network drive that '
            f'crashed), delete {path}.')


def _release(path, process):
    with _guard:
        if process != os.getpid() or path not in _held:
            return                              # in a child made by fork: its parent holds it
        entry = _held[path]
        entry[2] -= 1
        if entry[2] or _held.pop(path, None) is not entry:
            return
        number = entry[1]
        with suppress(OSError):
            if sys.platform == 'win32':
                os.close(number)
                os.unlink(path)
            else:
                if _is_open_file(path, number):
                    os.unlink(path)             # while it is locked: no other has it
                os.close(number)


# ---- what a killed training left behind --------------------------------------------------------


def clean_up_after_kill(save_path):
    """Removes what a killed training left, where none will follow; nothing if one is running."""
    folder = os.path.dirname(save_path)
    path = os.path.join(os.path.realpath(folder), LOCK_FILE)
    if path in _held or not os.path.exists(path):
        return
    with suppress(FailedPreconditionError):
        lock = FolderLock(folder)
        if lock.is_first:
            remove_leftovers(save_path)
        lock.release()


def remove_leftovers(save_path):
    """Removes unfinished files of checkpoints `save_path`-<step>, of a training that was killed.

    To be called with the lock: no other training is writing them. Complete checkpoints stay, and
    everything does if the state file is damaged.
    """
    folder, name = os.path.split(os.path.realpath(save_path))
    state, problem = checkpoint_state.read_state(folder)
    try:
        there = set(os.listdir(folder))
    except OSError:
        return
    if problem is not None:
        return
    latest = state and os.path.basename(state.model_checkpoint_path)
    own = re.compile(re.escape(name) + r'-\d+(?=[._])')
    for found in sorted(there):
        path, prefix = os.path.join(folder, found), own.match(found)
        if files.is_temporary(path):
            if prefix or found.startswith(('checkpoint.', 'graph.pbtxt.')):
                _remove(path)
        elif prefix and re.match('_temp_[0-9a-f]+\\Z', found[prefix.end():]):
            _remove_folder(path)
        elif prefix and prefix[0] != latest and _PART.match(found, prefix.end()) \
                and not _is_complete(prefix[0], there):
            _remove(path)


_PART = re.compile(r'\.(resume|meta|data-\d{5}-of-\d{5})\Z')


def _is_complete(prefix, names):
    """True for a table of the V2 format, or a file of the V1 format."""
    return f'{prefix}.index' in names or prefix in names or \
        any(name.startswith(f'{prefix}-') for name in names)


def _remove_folder(path):
    with suppress(OSError):
        for name in os.listdir(path):
            _remove(os.path.join(path, name))
        os.rmdir(path)


def _remove(path):
    with suppress(OSError):
        os.unlink(path)
