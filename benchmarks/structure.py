"""Measure the structure of a checkout: folders, import circles, the core, what an import loads.

    python benchmarks/structure.py                  # this checkout
    python benchmarks/structure.py --repo ../old    # another one, for a comparison

Everything is read from the source by Python's `ast`; only the last figures run `import tinyflow`.
"""
from __future__ import annotations

import argparse
import ast
import functools
import pathlib
import subprocess
import sys

import networkx

PACKAGES = ('tinyflow', 'keras_layer', 'estimator_layer')


def module_name(root: pathlib.Path, path: pathlib.Path) -> str:
    """'tinyflow.graph.op' for tinyflow/graph/op.py."""
    parts = path.relative_to(root).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


def python_files(root: pathlib.Path) -> dict[str, pathlib.Path]:
    """Every module of the packages by its dotted name; generated protocol buffers left out."""
    return {module_name(root, path): path for package in PACKAGES
            for path in sorted((root / package).rglob('*.py')) if not path.name.endswith('_pb2.py')}


class Imports(ast.NodeVisitor):
    """The modules of the packages that a file imports: when it is loaded, and inside functions.

    `statements` has every import as written, other packages too: (module, line, in a function).
    """

    def __init__(self, modules: set[str]) -> None:
        self.modules = modules
        self.at_load: list[tuple[str, int]] = []
        self.in_functions: list[tuple[str, int]] = []
        self.statements: list[tuple[str, int, bool]] = []
        self._depth = 0

    def generic_visit(self, node):
        for child in ast.iter_child_nodes(node):        # expressions have no imports inside
            if not isinstance(child, ast.expr):
                self.visit(child)

    def _add(self, name: str, line: int) -> None:
        (self.in_functions if self._depth else self.at_load).append((name, line))

    @property
    def all(self) -> list[tuple[str, int]]:
        return self.at_load + self.in_functions

    def visit_FunctionDef(self, node):
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_If(self, node):
        if ast.unparse(node.test) in ('TYPE_CHECKING', 'typing.TYPE_CHECKING'):
            for other in node.orelse:
                self.visit(other)
        else:
            self.generic_visit(node)

    def visit_Import(self, node):
        for alias in node.names:
            self.statements.append((alias.name, node.lineno, bool(self._depth)))
            if alias.name in self.modules:
                self._add(alias.name, node.lineno)

    def visit_ImportFrom(self, node):
        module = '.' * node.level + (node.module or '')
        self.statements.append((module, node.lineno, bool(self._depth)))
        for alias in node.names:
            for name in (f'{node.module}.{alias.name}', node.module):
                if name in self.modules:
                    self._add(name, node.lineno)
                    break


@functools.cache
def read_imports(root: pathlib.Path, package: str = '') -> dict[str, Imports]:
    """The imports of every module, or of those in one package, by the module's name."""
    files = python_files(root)
    found = {}
    for name, path in files.items():
        if name.startswith(package):
            visitor = found[name] = Imports(set(files))
            visitor.visit(ast.parse(path.read_text(encoding='utf-8')))
    return found


def loaded_with(imports: dict[str, Imports], module: str) -> set[str]:
    """The modules that are loaded with `module`, by the imports that run when they are loaded."""
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [other for other, _ in imports[name].at_load]
            waiting += [name.rpartition('.')[0]] if '.' in name else []
    return found


def circles(imports: dict[str, Imports], with_lazy: bool) -> list[list[str]]:
    """Groups of modules that import one another, largest first."""
    graph = networkx.DiGraph()
    for name, found in imports.items():
        for other, _ in found.all if with_lazy else found.at_load:
            if other != name:
                graph.add_edge(name, other)
    groups = [sorted(g) for g in networkx.strongly_connected_components(graph) if len(g) > 1]
    return sorted(groups, key=lambda g: (-len(g), g))


def count_lines(path: pathlib.Path) -> int:
    return path.read_text(encoding='utf-8').count('\n')


def tour(root: pathlib.Path) -> list[str]:
    """The files that READING.md refers to; none without a READING.md."""
    import re
    path = root / 'READING.md'
    if not path.exists():
        return []
    return re.findall(r'`(tinyflow/[\w/]+\.py)` \(\d+\)', path.read_text(encoding='utf-8'))


LOADED = '''
import sys, pathlib
before = set(sys.modules)
import tinyflow
names = [n for n in sys.modules if n.partition('.')[0] in ('tinyflow', 'keras_layer',
         'estimator_layer') and getattr(sys.modules[n], '__file__', None)]
files = {sys.modules[n].__file__ for n in names}
print(len(files), sum(pathlib.Path(f).read_text(encoding='utf-8').count(chr(10)) for f in files))
'''


def report(root: pathlib.Path) -> None:
    files, imports = python_files(root), read_imports(root)
    tracked = subprocess.run(['git', 'ls-files', 'tinyflow'], cwd=root, capture_output=True,
                             text=True, check=True).stdout.split()
    tops = sorted({path.split('/')[1] for path in tracked})
    tops = [t for t in tops if t not in ('__init__.py', '__main__.py', 'py.typed')]
    print(f'entries at the top of tinyflow/          {len(tops)}   {" ".join(tops[:14])}'
          + (' ...' if tops[14:] else ''))
    sizes: dict[str, int] = {}
    for path in files.values():
        folder = str(path.parent.relative_to(root))
        sizes[folder] = sizes.get(folder, 0) + 1
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:4]
    print('largest folders (Python files)           '
          + ', '.join(f'{name} {count}' for name, count in largest))
    for label, with_lazy in (('when loaded', False), ('with imports inside functions', True)):
        groups = circles(imports, with_lazy)
        print(f'import circles, {label:29}{len(groups)} groups, {sum(map(len, groups))} modules'
              + (f', largest {len(groups[0])}' if groups else ''))
    lazy = [name for name, found in imports.items() if found.in_functions]
    print(f'imports inside functions                 '
          f'{sum(len(f.in_functions) for f in imports.values())} in {len(lazy)} files')
    stops = tour(root)
    if stops:
        print(f'the reading tour                         {len(stops)} files, '
              f'{sum(count_lines(root / s) for s in stops)} lines')
    print(f'all Python lines of the packages         '
          f'{sum(count_lines(p) for p in files.values())} in {len(files)} files')
    loaded = subprocess.run([sys.executable, '-c', LOADED], cwd=root, capture_output=True,
                            text=True, check=True).stdout.split()
    print(f'`import tinyflow` loads                  {loaded[0]} files, {loaded[1]} lines')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--repo', type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[1])
    report(parser.parse_args().repo.resolve())
