"""Generates the .pyi stubs of namespaces whose names are imported lazily.

    python docs/write_stubs.py

A type checker does not run `tinyflow/__init__.py`, so it cannot see what its `__getattr__` finds:
`tf.keras` would be Any. A stub lists every public name with the module that defines it. Stubs are
derived from the packages as they are; tests/project/test_stubs.py fails when they differ.
"""
from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
import textwrap
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ('tinyflow', 'keras_layer', 'estimator_layer')
_HEAD = '''# For type checkers, written by docs/write_stubs.py: every public name, and its module.
'''


class Bound(NamedTuple):
    """What the text of a module binds at its top level, without running it."""

    imported: dict[str, tuple[str, str]]        # name -> (module, name there)
    defined: set[str]                           # def, class, and assignments to a plain name


@cache
def bound(module_name: str) -> Bound:
    """The names that a type checker sees in a module of ours."""
    path = getattr(sys.modules[module_name], '__file__', None)
    found = Bound({}, set())
    if path and not path.endswith('_pb2.py'):       # their classes are made while they are loaded
        _collect(ast.parse(Path(path).read_text(encoding='utf-8')).body, found)
    return found


def _collect(body: list[ast.stmt], found: Bound) -> None:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.defined.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.module and node.names[0].name != '*':
            found.imported.update({alias.asname or alias.name: (node.module, alias.name)
                                   for alias in node.names})
        elif isinstance(node, ast.ImportFrom) and node.module:
            importlib.import_module(node.module)
            names = getattr(sys.modules[node.module], '__all__', ())
            found.imported.update({name: (node.module, name) for name in names})
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.defined.update(target.id for target in targets if isinstance(target, ast.Name))
        elif isinstance(node, (ast.If, ast.Try)):
            _collect(node.body, found)
            _collect(node.orelse, found)


def public_names(module: ModuleType) -> list[str]:
    """The public names of a namespace, those that are still to be imported among them.

    A namespace without a list of its names has those that it imports from the modules below it.
    """
    if '__dir__' in vars(module):
        names = module.__dir__()
    elif hasattr(module, '__all__'):
        names = module.__all__
    else:
        names = [name for name, (home, _) in bound(module.__name__).imported.items()
                 if home.startswith(module.__name__ + '.')]
    return sorted({name for name in names if not name.startswith('_')})


def needs_stub(module: ModuleType) -> bool:
    """Is this a namespace that only lists names, some of which a type checker cannot see?

    In a typed package an imported name is public only if `__all__` says so. A module with functions
    or classes that it defines itself gets no stub, which would hide them.
    """
    own = bound(module.__name__)
    if any(not name.startswith('_') and callable(vars(module).get(name)) for name in own.defined):
        return False
    seen = own.defined | (own.imported.keys() if hasattr(module, '__all__') else set())
    return any(name not in seen for name in public_names(module))


def namespaces() -> list[ModuleType]:
    """All modules that a program reaches by attributes from tf, tf.keras and tf.estimator."""
    found: dict[str, ModuleType] = {}

    def visit(module: ModuleType) -> None:
        if module.__name__ in found or module.__name__.partition('.')[0] not in PACKAGES:
            return
        found[module.__name__] = module
        for name in public_names(module):
            value = getattr(module, name)
            if isinstance(value, ModuleType):
                visit(value)

    for package in PACKAGES:
        visit(importlib.import_module(package))
    return [found[name] for name in sorted(found)]


def _declared(module: ModuleType, name: str) -> tuple[str, str] | str:
    """Where a type checker finds one name, as (module, name there), or a line that declares it."""
    value = getattr(module, name)
    if isinstance(value, ModuleType):
        parent, _, last = value.__name__.rpartition('.')
        return (parent, last) if parent else f'import {last} as {name}'
    home = _home(module, name, value)
    if home is not None:
        return home
    simple = value is None or isinstance(value, (str, int, float))
    return f'{name}: {type(value).__name__ if value is not None else None}' if simple else \
        f'{name}: Any'


def _home(module: ModuleType, name: str, value: object) -> tuple[str, str] | None:
    """The module, and the name there, where a type checker sees what `value` is."""
    here = bound(module.__name__).imported
    if name in here and not here[name][0].endswith('_pb2'):
        return here[name]
    if isinstance(value, (str, int, float, type(None))):
        return None
    own = getattr(value, '__name__', name)
    first = getattr(value, '__module__', None)
    for candidate in (first, *sorted(sys.modules)):
        if candidate is None or candidate.partition('.')[0] not in PACKAGES \
                or candidate == module.__name__ or candidate not in sys.modules:
            continue
        for there in (own, name):
            if there in bound(candidate).defined and \
                    vars(sys.modules[candidate]).get(there) is value:
                return candidate, there
    return None


def stub(module: ModuleType) -> str:
    """The text of a module's stub."""
    names = public_names(module)
    names += ['__version__'] if '__version__' in vars(module) else []
    imported: dict[str, list[str]] = {}
    lines = []
    for name in names:
        found = _declared(module, name)
        if isinstance(found, str):
            lines.append(found)
        else:
            home, there = found
            imported.setdefault(home, []).append(there if there == name else f'{there} as {name}')
    if any(line.endswith(': Any') for line in lines):
        imported['typing'] = ['Any']
    imports = [_filled(f'from {home} import (', sorted(imported[home])) for home in imported]
    imports += [line for line in lines if line.startswith('import')]
    rest = [line for line in lines if not line.startswith('import')]
    listed = _filled('__all__ = [', [repr(name) for name in names])
    return '\n'.join([_HEAD, *sorted(imports), *sorted(rest), '', listed]) + '\n'


def _filled(begin: str, items: list[str]) -> str:
    """`begin` and the items, in lines of at most 100 characters, one where they fit."""
    end = {'(': ')', '[': ']'}[begin[-1]]
    if end == ')' and len(begin) + len(', '.join(items)) < 100:
        return begin[:-1] + ', '.join(items)
    text = textwrap.fill(', '.join(items), 96, break_long_words=False, break_on_hyphens=False)
    return f'{begin}\n{textwrap.indent(text, "    ")},\n{end}'


def stubs() -> dict[Path, str]:
    """Path of each stub -> its text."""
    for package in PACKAGES:        # a class is looked for in all modules
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__,
                                           package + '.'):
            if not found.name.endswith('.__main__'):
                importlib.import_module(found.name)
    return {Path(str(module.__file__)).with_suffix('.pyi'): stub(module)
            for module in namespaces() if needs_stub(module)}


def main() -> None:
    sys.path.insert(0, str(ROOT))
    wanted = stubs()
    for package in PACKAGES:
        for path in (ROOT / package).rglob('*.pyi'):
            if path not in wanted:
                path.unlink()
                print(f'{path.relative_to(ROOT)}: removed')
    for path, text in wanted.items():
        path.write_text(text, encoding='utf-8')
        print(f'{path.relative_to(ROOT)}: {text.count(chr(10))} lines')


if __name__ == '__main__':
    main()
