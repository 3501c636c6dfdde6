"""The public API is a list: a change of it is a change of tests/golden/api.txt."""
import difflib
import importlib
import pkgutil
import types
from pathlib import Path

import pytest

import tinyflow as tf
from tests.golden.api import FILE, listing, public_values

ROOT = Path(__file__).resolve().parents[2]

NAMESPACES = ['app', 'autograph', 'bitwise', 'compat', 'config', 'contrib', 'data', 'data_sets',
              'debugging', 'distribute', 'distributions', 'dtypes', 'errors', 'examples',
              'feature_column', 'flags', 'gfile', 'graph_util', 'image', 'initializers', 'io',
              'layers', 'linalg', 'logging', 'lookup', 'losses', 'manip', 'math', 'metrics',
              'nest', 'nn', 'python_io', 'queue', 'ragged', 'random', 'resource_loader',
              'saved_model', 'sets', 'signal', 'sparse', 'spectral', 'strings', 'summary',
              'sysconfig', 'test', 'testing', 'train', 'version', 'viz']
HIGHER_FLOORS = ['estimator', 'keras']


@pytest.mark.slow
def test_the_api_is_as_recorded():
    recorded = FILE.read_text(encoding='utf-8').splitlines()
    difference = list(difflib.unified_diff(recorded, listing(tf), 'tests/golden/api.txt',
                                           'tinyflow', lineterm='', n=0))
    assert not difference, '\n'.join(
        ['The public API differs. If that is meant: python -m tests.golden.api', *difference])


# Functions in the `__all__` of an op module that serve the layers above, not users.
NOT_PUBLIC = {'add_reduce', 'assert_broadcastable', 'broadcast_weights', 'choose',
              'deserialize_sparse', 'drop', 'get_partitioned', 'is_product',
              'is_resource_variable', 'keep', 'make_variable', 'parts_of', 'prevent_gradient',
              'unigram_weights'}


def test_every_function_of_an_op_family_is_public():
    # Some functions have a wrapper once tf.ragged is used.
    public = {id(f) for _, value in public_values(tf, 'tf')
              for f in (value, getattr(value, '__wrapped__', value))}
    ops = importlib.import_module('tinyflow.ops')
    missing = []
    for found in pkgutil.walk_packages(ops.__path__, 'tinyflow.ops.'):
        module = importlib.import_module(found.name)
        missing += [f'{found.name}.{name} is in no namespace: import it in {_home_of(name)}'
                    for name in getattr(module, '__all__', ()) if name not in NOT_PUBLIC
                    and isinstance(value := getattr(module, name), types.FunctionType)
                    and id(value) not in public]
    assert not missing, '\n'.join(missing)


def _home_of(name):
    """The files where TensorFlow's names of a function are listed."""
    names = (ROOT / 'tinyflow/graph/support/tf1_names.txt').read_text(encoding='utf-8').split()
    spaces = sorted({full.rpartition('.')[0] for full in names if full.rpartition('.')[2] == name})
    files = [f'tinyflow/api/{space}.py' if space else 'tinyflow/__init__.py' for space in spaces]
    return ', '.join(files) or 'a module of tinyflow/api/'


def test_namespaces_do_not_show_the_modules_that_they_import():
    inside = {full: value.__name__ for full, value in public_values(tf, 'tf')
              if isinstance(value, types.ModuleType)
              and value.__name__.startswith(('tinyflow.ops.', 'tinyflow.graph.'))}
    meant = ('errors', 'gfile', 'graph_util', 'initializers', 'logging', 'nest', 'version')
    assert not {full: name for full, name in inside.items() if not full.endswith(meant)}


def test_dir_shows_public_names_only():
    modules = [name for name in dir(tf) if isinstance(getattr(tf, name), types.ModuleType)]
    assert modules == sorted(NAMESPACES + HIGHER_FLOORS)
    assert not [name for name in dir(tf) if name.startswith('_') and name != '__version__']
    assert not {'aliases', 'graph', 'np', 'ops'} & set(dir(tf))


@pytest.mark.parametrize('name', NAMESPACES)
def test_namespaces_hide_what_they_import(name):
    namespace = getattr(tf, name)
    shown = [n for n in dir(namespace) if not n.startswith('_')]
    assert not {'explain_missing', 'annotations', 'np', 'os', 'sys', 'misuse'} & set(shown)
    assert set(getattr(namespace, '__all__', shown)) <= set(shown)


def test_star_import_brings_no_modules_of_the_engine():
    names = {}
    exec('from tinyflow import *', names)
    assert names['placeholder'] is tf.placeholder
    assert 'aliases' not in names and 'session' not in names


def test_missing_names_suggest_public_ones():
    with pytest.raises(AttributeError) as info:
        _ = tf.graphs
    assert 'tf.Graph' in str(info.value) and 'tf.graph,' not in str(info.value)
    assert not str(info.value).endswith('tf.graph.')
    with pytest.raises(AttributeError, match=r'there is no tf\.debugging\.assert_finite'):
        _ = tf.debugging.assert_finite


@pytest.mark.parametrize('path', [
    'dtypes.cast', 'dtypes.saturate_cast', 'dtypes.as_dtype', 'dtypes.complex', 'dtypes.float32',
    'dtypes.DType', 'debugging.check_numerics', 'debugging.is_finite', 'nn.depth_to_space',
    'nn.space_to_batch', 'nn.space_to_depth', 'math.confusion_matrix',
])
def test_one_function_under_two_names(path):
    namespace, name = path.split('.')
    assert getattr(getattr(tf, namespace), name) is getattr(tf, name)


def test_versions():
    assert tf.version.VERSION == tf.VERSION == tf.__version__ == '1.15.5'
