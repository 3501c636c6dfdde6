"""The modules that a program's `import numpy` and `import math` give it."""
from __future__ import annotations

import importlib
import types

import numpy as np

from tinyflow.api.old_numpy.functions import CHANGED
from tinyflow.api.old_numpy.given import note
from tinyflow.api.old_numpy.names import FINANCIAL, NEVER_IN_STAR, NEW_IN_STAR, REMOVED
from tinyflow.api.old_numpy.rewrite import OLD
from tinyflow.graph.support.errors import misuse

# Modules in which np.float and the other removed names were too.
_WITH_REMOVED_NAMES = ('numpy', 'numpy.core', 'numpy.core.numeric', 'numpy.core.multiarray',
                       'numpy.core.fromnumeric', 'numpy.lib', 'numpy.lib.function_base',
                       'numpy.matlib')
# Their meaning has changed, and NumPy 2 has the name as well.
_REPLACED = ('bool', 'long')
_ELSEWHERE = {'numpy.lib.function_base': 'numpy', 'numpy.lib.arraysetops': 'numpy',
              'numpy.lib.index_tricks': 'numpy', 'numpy.lib.shape_base': 'numpy'}


class OldModule(types.ModuleType):
    """A module of NumPy or Python as it was: the names of today's, and those that it had."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        real = _ELSEWHERE.get(name, name.replace('numpy.core', 'numpy._core'))
        self.__dict__['_real'] = importlib.import_module(real)
        self.__dict__['_changed'] = CHANGED.get(real, {})
        for attribute in ('__all__', '__doc__', '__file__', '__path__', '__version__'):
            if hasattr(self._real, attribute):
                self.__dict__[attribute] = getattr(self._real, attribute)
        self.__dict__.setdefault('__all__', [
            public for public in dir(self._real) if not public.startswith('_')])

    def __getattr__(self, name):
        value = self._found(name)
        if not isinstance(value, _Removed):
            self.__dict__[name] = value                 # found at once from now on
            return value
        note(f'np.{name}')
        return value.value

    def _found(self, name):
        path = f'{self.__name__}.{name}'
        if name in self._changed:
            return self._changed[name]
        if name in REMOVED and self.__name__ in _WITH_REMOVED_NAMES and (
                name in _REPLACED or not hasattr(self._real, name)):
            return _Removed(REMOVED[name])
        if name in FINANCIAL and self.__name__ == 'numpy':
            raise misuse(AttributeError(
                f'NumPy has no {name!r} since 1.20.\n  Hint: the package numpy_financial has it: '
                f'`import numpy_financial`, then numpy_financial.{name}.'))
        if path == 'numpy.math':
            return importlib.import_module(f'math{OLD}')
        if path in ('numpy.core', 'numpy.matlib'):
            return importlib.import_module(_old(path))
        value = getattr(self._real, name)
        if isinstance(value, types.ModuleType) and value.__name__ in (
                path, path.replace('numpy.core', 'numpy._core')) and path.startswith('numpy.'):
            return importlib.import_module(_old(path))
        return value

    def __dir__(self):
        return sorted({*dir(self._real), *(REMOVED if self.__name__ == 'numpy' else ())})


def everything() -> types.ModuleType:
    """The module behind `from numpy import *`, which had mat, and neither max nor bool."""
    module = types.ModuleType('numpy')
    module.__dict__.update((name, CHANGED['numpy'].get(name, getattr(np, name)))
                           for name in np.__all__ if name not in NEW_IN_STAR)
    module.__dict__.update((name, value) for name, value in REMOVED.items()
                           if name not in NEVER_IN_STAR)
    module.__dict__['math'] = importlib.import_module(f'math{OLD}')
    module.__dict__['__all__'] = [name for name in vars(module) if not name.startswith('__')]
    return module


class _Removed:
    """A name of REMOVED: not kept by the module, so that every program's first use is noted."""

    def __init__(self, value) -> None:
        self.value = value


def _old(path):
    top, dot, rest = path.partition('.')
    return top + OLD + dot + rest
