"""What type checkers see: the stubs of lazy namespaces, and what is installed at run time."""
import ast
import importlib.util
import inspect
from pathlib import Path

import pytest

import tinyflow as tf
from tinyflow.graph import tensor_operators
from tinyflow.graph.tensor_operators import TensorOperators
from tinyflow.ops.math.operators import OPERATORS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope='module')
def write_stubs():
    path = ROOT / 'docs' / 'write_stubs.py'
    if not path.exists():
        pytest.skip('docs/ is not part of an installed package')
    spec = importlib.util.spec_from_file_location('write_stubs', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def declared(module, class_name):
    """The methods under `if TYPE_CHECKING:` in a class."""
    tree = ast.parse(Path(module.__file__).read_text(encoding='utf-8'))
    body = next(node for node in tree.body
                if isinstance(node, ast.ClassDef) and node.name == class_name).body
    return {method.name for block in body if isinstance(block, ast.If)
            and getattr(block.test, 'id', '') == 'TYPE_CHECKING' for method in block.body}


@pytest.mark.slow
def test_stubs_are_up_to_date(write_stubs):
    stubs = write_stubs.stubs()
    present = {path for package in write_stubs.PACKAGES for path in (ROOT / package).rglob('*.pyi')}
    advice = 'run `python docs/write_stubs.py`'
    assert present == set(stubs), advice
    for path, text in stubs.items():
        assert path.read_text(encoding='utf-8') == text, f'{path.relative_to(ROOT)}: {advice}'


def test_stubs_know_the_higher_levels(write_stubs):
    stub = write_stubs.stub(tf)
    assert 'import keras_layer as keras' in stub and 'import estimator_layer as estimator' in stub
    assert "'import_graph_def'" in stub and "'FIFOQueue'" in stub


def test_a_module_with_functions_of_its_own_gets_no_stub(write_stubs):
    from tinyflow.api import test
    assert not write_stubs.needs_stub(test)
    assert write_stubs.needs_stub(tf)


def test_all_operators_of_tensors_are_declared():
    assert declared(tensor_operators, 'TensorOperators') == {
        *OPERATORS, '__getitem__', 'numpy'}
    assert issubclass(tf.Tensor, TensorOperators) and issubclass(tf.Variable, TensorOperators)


def test_methods_that_are_installed_on_a_graph_are_declared():
    module = inspect.getmodule(tf.Graph)
    assert declared(module, 'Graph') == {'as_graph_def', 'graph_def_versions'}
    assert callable(tf.Graph.as_graph_def)
