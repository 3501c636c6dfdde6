"""Structure of keras_layer: imports point down, a light start."""
import pathlib
import subprocess
import sys

import pytest

from benchmarks import structure

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / 'keras_layer').rglob('*.py'))

# Each floor may import from itself and from those above it in this list. `engine` is the graph of
# layers; what trains and saves a model is above them, in the same folder.
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
    {'applications', 'estimator', 'experimental', 'models', 'private_names', 'wrappers'},
    {'keras2'},
    {'__init__'},
]
HEAVY = ['h5py', 'yaml', 'PIL', 'simplejpeg', 'pandas', 'sklearn', 'scipy', 'matplotlib',
         'multiprocessing', 'concurrent.futures', 'google.protobuf', 'pygraphviz', 'tarfile']


def _part(module):
    """'engine.model' for keras_layer.engine.model, 'layers' for keras_layer.layers.core."""
    parts = module.split('.')[1:]
    inner = '.'.join(parts[:2])
    return inner if inner in _MODELS else parts[0] if parts else '__init__'


def _module(path):
    return structure.module_name(ROOT, path)


@pytest.fixture(scope='module')
def imports():
    return structure.read_imports(ROOT, 'keras_layer')


def _floor(part):
    for level, names in enumerate(FLOORS):
        if part in names:
            return level
    raise AssertionError(f'keras_layer/{part} is not in any layer of this list')


def test_imports_point_down(imports):
    wrong = [f'{name}:{line} imports {other}' for name, found in imports.items()
             for other, line in found.all
             if other.startswith('keras_layer') and _floor(_part(other)) > _floor(_part(name))]
    assert not wrong, '\n'.join(wrong)


def test_estimators_are_not_imported():
    """tf.keras.estimator.model_to_estimator is the only one above, and is looked up by its name."""
    for path in FILES:
        if path.name != 'estimator.py':
            assert 'estimator_layer' not in path.read_text(encoding='utf-8'), path


def test_modules_imported_by_name_are_the_known_ones():
    """import_module hides an import from the tests above."""
    found = {_module(path) for path in FILES
             if 'import_module(' in path.read_text(encoding='utf-8')}
    assert found == {
        'keras_layer', 'keras_layer.estimator', 'keras_layer.keras2', 'keras_layer.keras2.fallback',
            'keras_layer.layers',
        'keras_layer.engine.registry',
        'keras_layer.optimizers.schedules', 'keras_layer.preprocessing.image.image_io'}


def test_only_the_backend_uses_ops_by_type():
    """`backend` is the interface to the graph of ops: no other module finds ops by type."""
    for path in FILES:
        if _part(_module(path)) != 'backend':
            assert 'Op.registry' not in path.read_text(encoding='utf-8'), path


def test_files_are_short():
    for path in FILES:
        assert len(path.read_text(encoding='utf-8').splitlines()) <= 400, path


@pytest.mark.slow
def test_importing_is_light():
    code = ('import sys, tinyflow as tf\n'
            'tf.keras.layers, tf.keras.models, tf.keras.callbacks, tf.keras.optimizers\n'
            'tf.keras.preprocessing.image, tf.keras.utils, tf.keras.wrappers.scikit_learn\n'
            f'print([m for m in {HEAVY!r} if m in sys.modules])')
    result = subprocess.run([sys.executable, '-W', 'error', '-c', code], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    assert result.stdout.strip() == '[]', result.stderr
