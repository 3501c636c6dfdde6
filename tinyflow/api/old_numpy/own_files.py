"""Which files are the program's own, and how they are loaded: rewritten."""
from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types

from tinyflow.api.old_numpy import meaning
from tinyflow.api.old_numpy.modules import OldModule, everything
from tinyflow.api.old_numpy.rewrite import MEANING, MODULES, OLD, STAR, rewritten

_LIBRARY_FOLDERS = {'site-packages', 'dist-packages'}
_STANDARD_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep


class _OwnLoader(importlib.machinery.SourceFileLoader):
    """Loads a file of the program, without the compiled files that Python keeps."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def source_to_code(self, data, path, *, _optimize=-1):
        return compile(rewritten(data, path), path, 'exec', dont_inherit=True)

    def exec_module(self, module):
        setattr(module, MEANING, meaning)
        super().exec_module(module)


class OwnFiles:
    """The finder of a program's own modules, and of the modules named numpy_of_the_time.

    Own are the files below `folders` and below what the program itself adds to sys.path.
    """

    def __init__(self, folders: list[str]) -> None:
        self._folders = [os.path.abspath(folder) + os.sep for folder in folders]
        self._path_before = {os.path.abspath(folder) for folder in sys.path}

    def find_spec(self, fullname, path=None, target=None):
        top = fullname.partition('.')[0]
        if top.endswith(OLD) and top.removesuffix(OLD) in MODULES:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or \
                not self.is_own(spec.origin):
            return None
        return importlib.util.spec_from_file_location(
            fullname, spec.origin, loader=_OwnLoader(fullname, spec.origin),
            submodule_search_locations=spec.submodule_search_locations)

    def is_own(self, file: str) -> bool:
        """True for a file of the program, false for those of libraries."""
        file = os.path.abspath(file)
        if file.startswith(_STANDARD_LIBRARY) or file.startswith(_ours()) or \
                _LIBRARY_FOLDERS & set(file.split(os.sep)):
            return False
        added = [os.path.abspath(folder) + os.sep for folder in sys.path
                 if isinstance(folder, str) and os.path.abspath(folder) not in self._path_before]
        return file.startswith(tuple(self._folders + added))

    def create_module(self, spec):
        top, _, rest = spec.name.partition('.')
        if rest == STAR:
            return everything()
        return OldModule(top.removesuffix(OLD) + (f'.{rest}' if rest else ''))

    def exec_module(self, module):
        pass                            # OldModule finds its names when they are asked for


def _ours() -> tuple[str, ...]:
    """The folders of tinyflow's packages, which a program next to them must not claim."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__)))))
    return tuple(os.path.join(root, package) + os.sep
                 for package in ('tinyflow', 'keras_layer', 'estimator_layer'))


def run_path(script: str) -> None:
    """Runs a file of the program as __main__, as runpy.run_path does."""
    with open(script, 'rb') as file:
        code = compile(rewritten(file.read(), script), script, 'exec', dont_inherit=True)
    module = types.ModuleType('__main__')
    module.__dict__.update(__file__=script, __cached__=None, __builtins__=__builtins__)
    setattr(module, MEANING, meaning)
    outer, sys.modules['__main__'] = sys.modules['__main__'], module
    try:
        exec(code, module.__dict__)
    finally:
        sys.modules['__main__'] = outer
