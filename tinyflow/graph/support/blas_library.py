"""NumPy's OpenBLAS: its functions that read and set its number of threads."""
from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ['find_openblas', 'read_environment_again']

# As NumPy's wheels name them, with 64 and 32 bit integers, and as other builds do.
_NAMES = 'scipy_openblas_{}64_', 'scipy_openblas_{}', 'openblas_{}64_', 'openblas_{}'

# Functions, by module and name, in which threads wait; and the packages of a notebook's kernel,
# whose threads do nothing else.
_WAITING = frozenset({
    ('threading', 'wait'), ('threading', '_wait_for_tstate_lock'), ('selectors', 'select'),
    ('concurrent.futures.thread', '_worker')})
_OF_NOTEBOOKS = frozenset({'ipykernel', 'zmq'})


def find_openblas() -> tuple[Callable[[], int], Callable[[int], Any]] | None:
    """(get_num_threads, set_num_threads) of the OpenBLAS that NumPy has loaded, or None."""
    for library in _libraries():
        for name in _NAMES:
            get = getattr(library, name.format('get_num_threads'), None)
            change = getattr(library, name.format('set_num_threads'), None)
            if get is not None and change is not None:
                get.argtypes, get.restype = [], ctypes.c_int
                change.argtypes, change.restype = [ctypes.c_int], None
                return get, change
    return None


def read_environment_again() -> None:
    """Has OpenBLAS, loaded already, look at its environment variables, and start its threads again.

    Nothing is done while another thread may be computing a product: it would wait for good.
    """
    if sys.platform != 'linux' or not all(map(_waits, _innermost_frames())):
        return
    for library in _libraries():
        read = getattr(library, 'openblas_read_env', None)
        end_threads = getattr(library, 'blas_thread_shutdown_', None)
        if read is not None and end_threads is not None:
            read()
            end_threads()       # the next large product starts them
            return


def _innermost_frames() -> Iterator[Any]:
    """What the other threads do."""
    own = threading.get_ident()
    yield from (frame for number, frame in sys._current_frames().items() if number != own)


def _waits(frame: Any) -> bool:
    """Whether a thread does nothing but wait."""
    module = str(frame.f_globals.get('__name__'))
    return (module, frame.f_code.co_name) in _WAITING or module.partition('.')[0] in _OF_NOTEBOOKS


def _libraries() -> Iterator[ctypes.PyDLL]:
    for path in _loaded():
        try:
            # PyDLL keeps the interpreter lock: the calls take less time than giving it away.
            yield ctypes.PyDLL(path, getattr(os, 'RTLD_NOLOAD', 0) | ctypes.DEFAULT_MODE)
        except OSError:
            continue


def _loaded() -> Iterator[str]:
    """The paths of OpenBLAS libraries that NumPy may have loaded: its own, then the system's."""
    package = os.path.dirname(np.__file__)
    for folder in (os.path.join(os.path.dirname(package), 'numpy.libs'),
                   os.path.join(package, '.dylibs')):
        if os.path.isdir(folder):
            yield from (os.path.join(folder, name) for name in sorted(os.listdir(folder))
                        if 'openblas' in name)
    if sys.platform == 'linux':
        with open('/proc/self/maps', encoding='utf-8', errors='replace') as maps:
            paths = {line.rstrip('\n').split(maxsplit=5)[-1] for line in maps
                     if 'openblas' in line}
        yield from sorted(path for path in paths if 'scipy.libs' not in path)
