"""The floors of Keras: imports point down, and nothing heavy is imported before it is used."""
import ast
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / 'keras_layer').rglob('*.py'))

# Each floor may import from itself and from those above it in this list. `engine` is the graph of
# layers; what trains a model stands higher, in the same folder.
_TRAINING = {f'engine.{name}' for name in (
    'explanation', 'feeding', 'fitting', 'model', 'own_graph', 'saving_methods', 'sequential',
    'training', 'cloning')}
FLOORS = [
    {'utils'},
    {'backend', 'initializers', 'legacy'},
    {'activations', 'constraints', 'datasets', 'losses', 'regularizers'},
    {'engine'},
    {'callbacks', 'layers', 'metrics', 'optimizers', 'preprocessing', 'saving'},
    _TRAINING,
    {'applications', 'estimator', 'experimental', 'models', 'wrappers'},
    {'__init__'},
]
# What looks upwards, inside a function: where a name in a file or a call becomes a class.
UPWARDS = {('engine', 'layers'), ('engine', 'metrics'), ('layers', 'engine.model'),
           ('layers', 'engine.sequential'), ('utils', 'backend'), ('utils', 'saving')}
HEAVY = ['h5py', 'yaml', 'PIL', 'pandas', 'sklearn', 'scipy', 'matplotlib', 'multiprocessing',
         'concurrent.futures', 'google.protobuf', 'pygraphviz', 'tarfile']


def _part(parts):
    """'engine.model' of keras_layer.engine.model, 'layers' of keras_layer.layers.core."""
    if not parts:
        return '__init__'
    inner = '.'.join(parts[:2])
    return inner if inner in _TRAINING else parts[0]


def _own(path):
    return _part(path.relative_to(ROOT / 'keras_layer').with_suffix('').parts)


def _floor(part):
    for level, names in enumerate(FLOORS):
        if part in names:
            return level
    raise AssertionError(f'keras_layer/{part} stands on no floor of this list')


def _imports(path):
    """(part of keras_layer, line, whether the import is outside of functions)."""
    tree = ast.parse(path.read_text(encoding='utf-8'))
    outside = set(map(id, tree.body))
    for node in ast.walk(tree):
        modules = []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules = [f'{node.module}.{alias.name}' for alias in node.names]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        for module in modules:
            package, *parts = module.split('.')
            if package == 'keras_layer':
                yield _part(parts), node.lineno, id(node) in outside


@pytest.mark.parametrize('path', FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path):
    own = _own(path)
    for part, line, outside in _imports(path):
        up = _floor(part) > _floor(own)
        assert not up or not outside and (own, part) in UPWARDS, \
            f'{path.name}:{line} imports keras_layer.{part}'


def test_the_list_of_what_looks_upwards_has_nothing_too_many():
    found = {(_own(path), part) for path in FILES for part, _, _ in _imports(path)}
    assert UPWARDS <= found


def test_only_the_backend_knows_the_ops_below():
    """`backend` is the door to the graph of ops: nobody else asks for an op by its type."""
    for path in FILES:
        if _own(path) != 'backend':
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
