"""Structure of keras_layer: imports point down, no import circles, a light start."""
import ast
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / 'keras_layer').rglob('*.py'))

# Each floor may import from itself and from those above it in this list. `engine` is the graph of
# layers; what trains and saves a model stands higher, in the same folder.
_MODELS = {f'engine.{name}' for name in (
    'cloning', 'data_adapter', 'explanation', 'graph_scope', 'model', 'saving_methods',
    'sequential', 'training', 'training_api')}
FLOORS = [
    {'backend', 'legacy'},
    {'utils'},
    {'activations', 'constraints', 'datasets', 'initializers', 'losses', 'regularizers'},
    {'engine'},
    {'callbacks', 'layers', 'metrics', 'optimizers', 'preprocessing', 'saving'},
    _MODELS,
    {'applications', 'estimator', 'experimental', 'models', 'wrappers'},
    {'__init__'},
]
# The only good reasons for an import inside a function; the line says which.
REASONS = ('  # optional package', '  # for start-up time')
HEAVY = ['h5py', 'yaml', 'PIL', 'pandas', 'sklearn', 'scipy', 'matplotlib', 'multiprocessing',
         'concurrent.futures', 'google.protobuf', 'pygraphviz', 'tarfile']


def _part(module):
    """'engine.model' for keras_layer.engine.model, 'layers' for keras_layer.layers.core."""
    parts = module.split('.')[1:]
    inner = '.'.join(parts[:2])
    return inner if inner in _MODELS else parts[0] if parts else '__init__'


def _module(path):
    parts = path.relative_to(ROOT).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


MODULES = {_module(path): path for path in FILES}


def _floor(part):
    for level, names in enumerate(FLOORS):
        if part in names:
            return level
    raise AssertionError(f'keras_layer/{part} stands on no floor of this list')


def _imports(path):
    """(full name of what is imported, line, whether the import is at module level)."""
    tree = ast.parse(path.read_text(encoding='utf-8'))
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f'{path}:{node.lineno} has a relative import'
            names = [f'{node.module}.{alias.name}' for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            yield name, node.lineno, id(node) in top


def _own_module(name):
    """The module of keras_layer that an imported name is, or is in; None for other packages."""
    while name:
        if name in MODULES:
            return name
        name = name.rpartition('.')[0]
    return None


def _graph():
    """module -> the modules of keras_layer that it imports, anywhere in the file."""
    edges = {}
    for module, path in MODULES.items():
        found = {_own_module(name) for name, _, _ in _imports(path)} - {None, module}
        # `from keras_layer import backend` needs the module `backend`, not the package around it.
        edges[module] = found - {'keras_layer'}
    return edges


def _circles(edges):
    """The strongly connected parts of a graph with more than one member (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(module):
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in edges[module]:
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            part = stack[stack.index(module):]
            del stack[stack.index(module):]
            if len(part) > 1:
                found.append(sorted(part))

    for module in edges:
        if module not in index:
            visit(module)
    return found


@pytest.mark.parametrize('path', FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path):
    own = _part(_module(path))
    for name, line, _ in _imports(path):
        if name.split('.')[0] == 'keras_layer':
            part = _part(name)
            assert _floor(part) <= _floor(own), f'{path.name}:{line} imports {name}'


def test_there_are_no_import_circles():
    assert _circles(_graph()) == []


def test_the_search_for_circles_finds_one():
    assert _circles({'a': {'b'}, 'b': {'c'}, 'c': {'a', 'd'}, 'd': set()}) == [['a', 'b', 'c']]


def test_imports_in_functions_say_why():
    for path in FILES:
        lines = path.read_text(encoding='utf-8').splitlines()
        for name, line, top in _imports(path):
            if not top:
                assert lines[line - 1].endswith(REASONS), f'{path.name}:{line} imports {name}'


def test_estimators_are_not_imported():
    """tf.keras.estimator.model_to_estimator alone stands above, and is looked up by its name."""
    for path in FILES:
        assert not any(name.startswith('estimator_layer') for name, _, _ in _imports(path)), path
        if path.name != 'estimator.py':
            assert 'estimator_layer' not in path.read_text(encoding='utf-8'), path


def test_modules_imported_by_name_are_the_known_ones():
    """import_module hides an import from the tests above."""
    found = {_module(path) for path in FILES
             if 'import_module(' in path.read_text(encoding='utf-8')}
    assert found == {
        'keras_layer', 'keras_layer.estimator', 'keras_layer.layers', 'keras_layer.engine.registry',
        'keras_layer.preprocessing.image.image_io'}


def test_lower_floors_have_no_field_of_keras():
    for path in sorted((ROOT / 'tinyflow' / 'graph').rglob('*.py')):
        assert '_keras' not in path.read_text(encoding='utf-8'), path


def test_only_the_backend_uses_ops_by_type():
    """`backend` is the door to the graph of ops: nobody else looks up an op by its type."""
    for path in FILES:
        if _part(_module(path)) != 'backend':
            assert 'Op.registry' not in path.read_text(encoding='utf-8'), path


def test_library_code_has_no_assert_and_short_files():
    for path in FILES:
        source = path.read_text(encoding='utf-8')
        assert not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source))), path
        assert len(source.splitlines()) <= 400, path


def test_importing_is_light():
    code = ('import sys, tinyflow as tf\n'
            'tf.keras.layers, tf.keras.models, tf.keras.callbacks, tf.keras.optimizers\n'
            'tf.keras.preprocessing.image, tf.keras.utils, tf.keras.wrappers.scikit_learn\n'
            f'print([m for m in {HEAVY!r} if m in sys.modules])')
    result = subprocess.run([sys.executable, '-W', 'error', '-c', code], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    assert result.stdout.strip() == '[]', result.stderr
