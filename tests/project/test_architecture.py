"""Layers: imports point down, and nothing heavy is imported before it is used."""
import ast
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
             for other, line in found.at_load + found.in_functions if _floor(other) > _floor(name)]
    assert not wrong, '\n'.join(wrong)


def test_no_import_circles(imports):
    """Neither at module level nor hidden inside functions."""
    circles = structure.circles(imports, with_lazy=True)
    assert not circles, '\n'.join(map(' '.join, circles))


LOW = ('tinyflow.graph', 'tinyflow.ops', 'tinyflow.gradients')


def test_an_import_inside_a_function_says_why(imports):
    """It is for start-up time only: a comment stands on its line."""
    files = structure.python_files(ROOT)
    silent = []
    for name, found in imports.items():
        if name.startswith(LOW) and found.in_functions:
            lines = files[name].read_text(encoding='utf-8').splitlines()
            silent += [f'{name}:{line} imports {other}' for other, line in found.in_functions
                       if '#' not in lines[line - 1]]
    assert not silent, '\n'.join(silent)


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
