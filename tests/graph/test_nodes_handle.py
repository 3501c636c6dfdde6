"""`nodes`: the op types that gradient rules name exist, and are declared before they are needed."""
import ast
import subprocess
import sys

import pytest

import tinyflow as tf
from benchmarks import structure
from tests.project.test_architecture import ROOT
from tinyflow.graph.op import Op, nodes
from tinyflow.ops.support.registry_loading import load_every_op


def _used(path):
    """(line, op type) of every `nodes.X` in a file that imports the handle."""
    text = path.read_text(encoding='utf-8')
    if 'nodes.' not in text:
        return []
    tree = ast.parse(text)
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)
               and n.module in ('tinyflow.graph.op', 'tinyflow.graph.op_registry')]
    if not any(alias.name == 'nodes' for n in imports for alias in n.names):
        return []
    return [(n.lineno, n.attr) for n in ast.walk(tree) if isinstance(n, ast.Attribute)
            and isinstance(n.value, ast.Name) and n.value.id == 'nodes']


@pytest.fixture(scope='module')
def uses():
    """Module -> its (line, op type) pairs."""
    found = {name: _used(path) for name, path in structure.python_files(ROOT).items()}
    return {name: pairs for name, pairs in found.items() if pairs}


@pytest.mark.slow
def test_every_type_that_is_named_is_declared(uses):
    load_every_op()
    assert sum(map(len, uses.values())) > 100
    unknown = [f'{module}:{line} nodes.{op_type}' for module, pairs in uses.items()
               for line, op_type in pairs if op_type not in Op.registry]
    assert not unknown, '\n'.join(unknown)


@pytest.mark.slow
def test_a_type_is_declared_before_a_rule_needs_it(uses):
    """By `import tinyflow`, or by a module that the rule's own module imports."""
    load_every_op()
    code = ('import tinyflow; from tinyflow.graph.op_registry import registry; '
            'print(*registry)')
    at_start = set(subprocess.run([sys.executable, '-c', code], cwd=ROOT, capture_output=True,
                                  text=True, check=True).stdout.split())
    imports = structure.read_imports(ROOT)
    late = [f'{module}:{line} nodes.{op_type} is declared in {Op.registry[op_type].__module__}'
            for module, pairs in uses.items() for line, op_type in pairs
            if op_type not in at_start
            and Op.registry[op_type].__module__ not in structure.loaded_with(imports, module)]
    assert not late, '\n'.join(late)


def test_nodes_are_made_through_the_handle():
    """No rule looks up a type in the registry itself."""
    for name, path in structure.python_files(ROOT).items():
        if name.startswith(('tinyflow.ops', 'tinyflow.gradients', 'tinyflow.train')):
            for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
                assert "Op.registry['" not in line, f'{name}:{number}'


def test_the_handle_makes_nodes(graph):
    total = nodes.AddN([tf.constant(1.0), tf.constant(2.0)], name='total')
    assert total.op.type == 'AddN' and total.name == 'total:0'
    assert 'MatMul' in dir(nodes)


def test_a_wrong_type_suggests_similar_ones():
    with pytest.raises(AttributeError, match='MatMull') as info:
        _ = nodes.MatMull
    assert 'MatMul' in str(info.value).partition('similar types')[2]
