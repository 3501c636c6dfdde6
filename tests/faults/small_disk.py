"""Saves and exports on a full disk, a small tmpfs: `python -m tests.faults.small_disk N SEED`.

The commands are those of formats/disks.py, which elsewhere run with a limit of a file's length. A
tmpfs also refuses what such a limit does not: new folders, new files, and the last of many files.
The process mounts it in a namespace of its own (`unshare`); where that is forbidden, nothing is
tried, and the output says so.
"""
from __future__ import annotations

import collections
import os
import random
import subprocess
import sys
import tempfile
import traceback

_MOUNTED = 'SMALL_DISK'
_MEGABYTES, _BLOCK = 2, 4096


class full_disk:                                                # noqa: N801 (used as a function)
    """The disk has only `size` bytes left, in whole blocks; another file fills the rest."""

    def __init__(self, size):
        self._left = size // _BLOCK * _BLOCK
        self._filler = os.path.join(os.environ[_MOUNTED], 'filler')

    def __enter__(self):
        sys.dont_write_bytecode = True
        disk = os.statvfs(os.environ[_MOUNTED])
        with open(self._filler, 'wb') as file:
            file.write(bytes(max(0, disk.f_bavail * disk.f_frsize - self._left)))

    def __exit__(self, *exc):
        os.unlink(self._filler)


def mounted(arguments):
    """Runs this module with a small disk; None if this machine forbids it, else the status."""
    with tempfile.TemporaryDirectory() as folder:
        mount = f'mount -t tmpfs -o size={_MEGABYTES}m tmpfs "$0" || exit 77; exec "$@"'
        command = ['unshare', '--mount', '--map-root-user', 'sh', '-c', mount, folder,
                   sys.executable, '-m', 'tests.faults.small_disk', *arguments]
        try:
            done = subprocess.run(command, env={**os.environ, _MOUNTED: folder},
                                  stderr=subprocess.PIPE, text=True, check=False)
        except FileNotFoundError:
            return None
    if done.returncode == 77 or 'unshare' in done.stderr:
        return None
    print(done.stderr, end='', file=sys.stderr)
    return done.returncode


def fill(number, seed):
    """Runs each command `number` times; the status, 1 if something was lost."""
    from tests.faults.format import FORMATS
    from tests.faults.formats import disks
    from tinyflow.graph.support.errors import OpError
    disks.full_after = full_disk
    status = 0
    for name, one in FORMATS.items():
        if one.read.__self__._read.__module__ != disks.__name__:
            continue
        chance, counts = random.Random(f'{name} {seed}'), collections.Counter()
        for _ in range(number):
            size = chance.randrange(12) * _BLOCK
            try:
                with tempfile.TemporaryDirectory(dir=os.environ[_MOUNTED]) as place:
                    one.read(place, 'size', b'%d' % size)
                counts['done'] += 1
            except (OSError, OpError) as error:
                good = place in str(error)
                counts['refused' if good else 'wrong'] += 1
                if not good:
                    print(f'{name}, {size} bytes: {error!r}')
            except Exception:           # noqa: BLE001 - all of it is a result
                counts['wrong'] += 1
                print(f'{name}, {size} bytes:')
                traceback.print_exc()
        status = status or int(counts['wrong'] > 0)
        print(f'{name:24}', ', '.join(f'{n} {what}' for what, n in sorted(counts.items())))
    return status


def main(arguments):
    if _MOUNTED in os.environ:
        return fill(*map(int, arguments))
    status = mounted(arguments)
    if status is None:
        print('This machine forbids mounting a tmpfs: nothing was tried.')
    return status or 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
