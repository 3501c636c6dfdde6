"""Compiled loops on disk, so that the next process need not compile them.

A file holds the machine code of a loop after its checksum; its name is a hash of all that the code
follows from. Files appear at once, by renaming, so several processes may share the folder. What
cannot be read or written is compiled as if there were no cache.

The environment variable TINYFLOW_CACHE names the folder, or is 'off'.
"""
from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from stat import S_ISVTX, S_IWGRP, S_IWOTH

__all__ = ['find', 'keep', 'name_of']

_MOST = 4096                # files, of 2 to 4 KB


def name_of(*origins: str) -> str:
    """The name for what follows from these texts."""
    return hashlib.sha256('\0'.join(origins).encode()).hexdigest()


def find(name: str) -> bytes | None:
    """The code kept under this name; None if there is none, or not what was written."""
    folder = _folder()
    if folder is None or not _is_safe(folder):
        return None
    try:
        file = folder / name
        content = file.read_bytes()
    except OSError:
        return None
    with suppress(OSError):                     # a disk to read only
        os.utime(file)                          # the oldest are removed
    checksum, code = content[:32], content[32:]
    return code if hashlib.sha256(code).digest() == checksum else None


def keep(name: str, code: bytes) -> None:
    """Keeps the code for other processes, if that is possible."""
    folder = _folder()
    if folder is None:
        return
    with suppress(OSError):
        folder.parent.mkdir(0o700, parents=True, exist_ok=True)
        folder.mkdir(0o700, exist_ok=True)
        if not _is_safe(folder):
            return
        _make_room(folder)
        temporary = folder / f'{name}.{os.getpid()}.{threading.get_ident()}'
        try:
            temporary.write_bytes(hashlib.sha256(code).digest() + code)
            os.replace(temporary, folder / name)
        finally:
            temporary.unlink(missing_ok=True)


def _folder() -> Path | None:
    """Where the files are; None if they are not wanted."""
    chosen = os.environ.get('TINYFLOW_CACHE', '')
    if chosen.strip().lower() == 'off':
        return None
    if chosen:
        return Path(chosen).expanduser() / 'loops'
    usual = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    return Path(usual) / 'tinyflow' / 'loops' if os.path.isabs(usual) else None


def _is_safe(folder: Path) -> bool:
    """Whether only this user and the system's can put code there.

    That includes replacing the folder, for which anybody may have rights in the one above it.
    """
    try:
        found, above = folder.stat(), folder.parent.stat()
    except OSError:
        return False                            # there is nothing in it
    return {found.st_uid, above.st_uid} <= {0, os.geteuid()} \
        and not found.st_mode & (S_IWGRP | S_IWOTH) \
        and (not above.st_mode & S_IWOTH or bool(above.st_mode & S_ISVTX))


@cache                      # once in a process is often enough
def _make_room(folder: Path) -> None:
    """Removes the older half of too many files."""
    files: Sequence[os.DirEntry[str]] = list(os.scandir(folder))
    if len(files) > _MOST:
        with suppress(OSError):                 # another process may remove them, too
            files = sorted(files, key=lambda file: file.stat().st_mtime)
            for file in files[:len(files) // 2]:
                os.unlink(file)
