"""The floors of the house: imports point down, and nothing heavy is imported before it is used."""
import ast
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Each floor may import from itself and from those above it in this list.
FLOORS = [
    {'errors', 'garbage', 'lazy', 'tiles', 'absent', 'behavior', 'compat', 'aliases', 'nest',
     'private_modules', 'files', 'flags', 'blas_waiting'},
    {'graph'},
    {'formats'},
    {'ops', 'config', 'device_settings', 'pipeline', 'replication'},
    {'variables', 'partitioned', 'resource_variable', 'variable_lists', 'variable_scope',
     'variable_store', 'initializers', 'gradients', 'gradient_path', 'gradient_rules',
     'unbroadcast', 'naming', 'control_gradients', 'template', 'gradient_wrappers',
     'gradient_tape'},
    {'compiler'},
    {'profiler', 'fetches', 'feeds', 'growth', 'session', 'timeline'},
    {'explain', 'testing', 'graphdef', 'graph_util', 'saved_model', 'train', 'nn', 'rnn', 'math',
     'linalg', 'bitwise', 'random', 'manip', 'dtypes', 'debugging', 'version', 'app', 'gfile',
     'logging', 'lookup', 'resource_loader', 'sysconfig', 'test', 'strings', 'sparse', 'queue',
     'io', 'python_io', 'tools', 'data_sets', 'examples', 'contrib',
     'layers', 'losses', 'metrics', 'sets', 'data', 'summary', 'doctor', 'image',
     'feature_column', 'distribute'},
    {'viz', 'graph_diff'},
    {'__init__'},
    {'cli', 'cli_predict', '__main__'},
]
HEAVY = ['PIL', 'networkx', 'graphviz', 'pygraphviz', 'google', 'google.protobuf', 'scipy',
         'matplotlib', 'concurrent.futures.thread']


def _floor(name):
    for level, names in enumerate(FLOORS):
        if name in names:
            return level
    raise AssertionError(f'tinyflow/{name} stands on no floor of tests/engine/test_architecture.py')


def _part(path):
    return path.relative_to(ROOT / 'tinyflow').with_suffix('').parts[0]


def _imports(path):
    """Names of tinyflow's parts that a file imports, with the line."""
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module == 'tinyflow':
                for alias in node.names:
                    known = (ROOT / 'tinyflow' / alias.name).exists() or \
                        (ROOT / 'tinyflow' / f'{alias.name}.py').exists()
                    yield (alias.name if known else '__init__'), node.lineno
            elif node.module.startswith('tinyflow.'):
                yield node.module.split('.')[1], node.lineno
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith('tinyflow'):
                    yield (alias.name.split('.') + ['__init__'])[1], node.lineno


def _files(package):
    return sorted((ROOT / package).rglob('*.py'))


@pytest.mark.parametrize('path', _files('tinyflow'), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path):
    own = _floor(_part(path))
    wrong = [f'{path.name}:{line} imports tinyflow.{name}' for name, line in _imports(path)
             if _floor(name) > own]
    assert not wrong, '\n'.join(wrong)


def test_lower_packages_do_not_know_higher_ones():
    for path in _files('tinyflow'):
        if path.name in ('__init__.py', 'aliases.py'):
            continue            # where tf.keras and `import keras` are resolved
        source = path.read_text(encoding='utf-8')
        for package in ('keras_layer', 'estimator_layer'):
            assert f'import {package}' not in source and f'from {package}' not in source, path


def test_library_code_has_no_assert():
    for path in _files('tinyflow'):
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            assert not isinstance(node, ast.Assert), f'{path}:{node.lineno}'


def test_importing_is_light():
    """A17 and DESIGN promise 3: heavy packages and thread pools wait until they are used."""
    code = f'import sys, tinyflow; print([m for m in {HEAVY!r} if m in sys.modules])'
    result = subprocess.run([sys.executable, '-W', 'error', '-c', code], cwd=ROOT,
                            capture_output=True, text=True, check=True)
    assert result.stdout.strip() == '[]'
    assert result.stderr == ''
