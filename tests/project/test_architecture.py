"""Layers: imports point down, and nothing heavy is imported before it is used."""
import ast
import configparser
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import structure

ROOT = Path(__file__).resolve().parents[2]

# A package may import from its own floor and from those above it in this list. A module belongs to
# the longest name here that it begins with.
FLOORS = [
    ['tinyflow.graph.support'],
    ['tinyflow.graph'],
    ['tinyflow.formats.wire', 'tinyflow.formats.protos'],
    ['tinyflow.ops', 'tinyflow.gradients'],
    ['tinyflow.compiler'],
    ['tinyflow.session'],
    ['tinyflow.formats'],
    ['tinyflow.data'],
    ['tinyflow.train'],
    ['tinyflow.layers'],
    ['tinyflow.inspect'],
    ['tinyflow.api'],

    ['tinyflow', 'tinyflow.api.cli', 'tinyflow.api.cli_predict', 'tinyflow.__main__'],
    ['keras_layer'],
    ['estimator_layer'],
]
# The only good reasons for an import inside a function; the line ends with one of them.
START_UP, OPTIONAL = '  # start-up time', '  # optional package'
HEAVY = ['PIL', 'absl', 're2', 'networkx', 'graphviz', 'pygraphviz', 'google', 'google.protobuf',
         'scipy', 'matplotlib', 'concurrent.futures.thread']


def _floor(module):
    found = [(len(name), level) for level, names in enumerate(FLOORS) for name in names
             if module == name or module.startswith(name + '.')]
    return max(found)[1]


@pytest.fixture(scope='module')
def imports():
    return structure.read_imports(ROOT)


def test_imports_point_down(imports):
    wrong = [f'{name}:{line} imports {other}' for name, found in imports.items()
             for other, line in found.all if _floor(other) > _floor(name)]
    assert not wrong, '\n'.join(wrong)


def test_no_import_circles(imports):
    """Neither at module level nor hidden inside functions."""
    circles = structure.circles(imports, with_lazy=True)
    assert not circles, '\n'.join(map(' '.join, circles))


def test_the_search_for_circles_finds_one():
    imports = {}
    for name, others in {'a': 'b', 'b': 'c', 'c': 'ad', 'd': ''}.items():
        imports[name] = structure.Imports(set('abcd'))
        imports[name].at_load = [(other, 1) for other in others]
    assert structure.circles(imports, with_lazy=False) == [['a', 'b', 'c']]
    imports['c'].at_load, imports['c'].in_functions = [], imports['c'].at_load
    assert structure.circles(imports, with_lazy=False) == []
    assert structure.circles(imports, with_lazy=True) == [['a', 'b', 'c']]


def test_imports_are_absolute(imports):
    relative = [f'{name}:{line}' for name, found in imports.items()
                for module, line, _ in found.statements if module.startswith('.')]
    assert not relative


def _lazy(imports):
    """(module, line, what it imports inside a function, the text of the line)."""
    files = structure.python_files(ROOT)
    for name, found in imports.items():
        lines = files[name].read_text(encoding='utf-8').splitlines()
        for module, line, in_function in found.statements:
            if in_function:
                yield name, line, module, lines[line - 1]


def test_an_import_inside_a_function_says_why(imports):
    silent = [f'{name}:{line} imports {module}' for name, line, module, text in _lazy(imports)
              if not text.endswith((START_UP, OPTIONAL))]
    assert not silent, '\n'.join(silent)


def _requirements():
    """The packages that are installed with tinyflow."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / 'setup.cfg')
    names = re.findall(r'^[\w-]+', setup['options']['install_requires'], re.MULTILINE)
    modules = {'absl-py': 'absl', 'protobuf': 'google', 'google-re2': 're2'}
    return {modules.get(name, name.replace('-', '_')) for name in names}


def test_an_optional_package_is_not_installed_with_tinyflow(imports):
    known = _requirements() | sys.stdlib_module_names | set(structure.PACKAGES)
    wrong = [f'{name}:{line}{text}' for name, line, module, text in _lazy(imports)
             if text.endswith(OPTIONAL) == (module.partition('.')[0] in known)]
    assert not wrong, '\n'.join(wrong)


def test_what_import_tinyflow_loads_is_not_imported_inside_functions(imports):
    """It saves no start-up time."""
    early = structure.loaded_with(imports, 'tinyflow')
    early |= {module for name in early for module, _, in_function in imports[name].statements
              if not in_function and module in sys.stdlib_module_names}
    wrong = [f'{name}:{line} imports {module}' for name, line, module, _ in _lazy(imports)
             if module in sys.stdlib_module_names and module in early]
    wrong += [f'{name}:{line} imports {other}' for name, found in imports.items()
              for other, line in found.in_functions if other in early]
    assert not wrong, '\n'.join(wrong)


def test_library_code_has_no_assert():
    for path in structure.python_files(ROOT).values():
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            assert not isinstance(node, ast.Assert), f'{path}:{node.lineno}'


def test_importing_is_light():
    """Heavy packages and thread pools wait until they are used."""
    code = f'import sys, tinyflow; print([m for m in {HEAVY!r} if m in sys.modules])'
    result = subprocess.run([sys.executable, '-W', 'error', '-c', code], cwd=ROOT,
                            capture_output=True, text=True, check=True)
    assert result.stdout.strip() == '[]'
    assert result.stderr == ''
