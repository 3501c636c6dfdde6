"""Finds the functions of NumPy's OpenBLAS that read and set its number of threads."""
from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ['find_openblas']

# As NumPy's wheels name them, with 64 and 32 bit integers, and as other builds do.
_NAMES = 'scipy_openblas_{}64_', 'scipy_openblas_{}', 'openblas_{}64_', 'openblas_{}'


def find_openblas() -> tuple[Callable[[], int], Callable[[int], Any]] | None:
    """(get_num_threads, set_num_threads) of the OpenBLAS that NumPy has loaded, or None."""
    for path in _loaded():
        try:
            # PyDLL keeps the interpreter lock: the calls take less time than giving it away.
            library = ctypes.PyDLL(path, getattr(os, 'RTLD_NOLOAD', 0) | ctypes.DEFAULT_MODE)
        except OSError:
            continue
        for name in _NAMES:
            get = getattr(library, name.format('get_num_threads'), None)
            change = getattr(library, name.format('set_num_threads'), None)
            if get is not None and change is not None:
                get.argtypes, get.restype = [], ctypes.c_int
                change.argtypes, change.restype = [ctypes.c_int], None
                return get, change
    return None


def _loaded() -> Iterator[str]:
    """The paths of OpenBLAS libraries that NumPy may have loaded: its own, then the system's."""
    package = Path(np.__file__).parent
    for folder in (package.parent / 'numpy.libs', package / '.dylibs'):
        yield from map(str, sorted(folder.glob('*openblas*')))
    if sys.platform == 'linux':
        maps = Path('/proc/self/maps').read_text(encoding='utf-8', errors='replace')
        paths = {line.split(maxsplit=5)[-1] for line in maps.splitlines() if 'openblas' in line}
        yield from sorted(path for path in paths if 'scipy.libs' not in path)
