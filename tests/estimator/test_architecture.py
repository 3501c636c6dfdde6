"""Imports of estimator_layer: no circles, a reason for each lazy import, Keras only lazily."""
from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = 'estimator_layer'

# The modules that need Keras: model_to_estimator and the public heads, whose metrics are Keras
# metrics. Users import them through lazy names only.
NEED_KERAS = {
    'estimator_layer.model_to_estimator', 'estimator_layer.heads.base',
    'estimator_layer.heads.classification', 'estimator_layer.heads.regression',
    'estimator_layer.heads.multi_head'}


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


MODULES = {module_name(path): path for path in sorted((ROOT / PACKAGE).rglob('*.py'))}


def imports_of(node):
    """The modules that an import statement names; None for other statements."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        names = [f'{node.module}.{alias.name}' for alias in node.names]
        return [name if name in MODULES else node.module for name in names]
    return None


def lazy_imports(tree):
    """The import statements inside of functions."""
    functions = [node for node in ast.walk(tree)
                 if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))]
    return {node for function in functions for node in ast.walk(function)
            if isinstance(node, (ast.Import, ast.ImportFrom))}


def graph_of(lazy):
    """{module: modules of estimator_layer that it imports}, with or without lazy imports."""
    graph = {}
    for name, path in MODULES.items():
        tree = ast.parse(path.read_text())
        inside = lazy_imports(tree)
        graph[name] = {target for node in ast.walk(tree) if lazy or node not in inside
                       for target in imports_of(node) or () if target in MODULES}
    return graph


def circle_in(graph):
    """A list of modules that import each other in a circle, or []."""
    done = set()

    def visit(module, path):
        if module in path:
            return [*path[path.index(module):], module]
        if module in done:
            return []
        for target in sorted(graph[module]):
            circle = visit(target, [*path, module])
            if circle:
                return circle
        done.add(module)
        return []

    for module in graph:
        circle = visit(module, [])
        if circle:
            return circle
    return []


def test_circle_in_finds_a_circle():
    assert circle_in({'a': {'b'}, 'b': {'c'}, 'c': {'b'}}) == ['b', 'c', 'b']
    assert circle_in({'a': {'b', 'c'}, 'b': {'c'}, 'c': set()}) == []


def test_modules_have_no_import_circle():
    assert circle_in(graph_of(lazy=False)) == []


def test_lazy_imports_hide_no_circle():
    assert circle_in(graph_of(lazy=True)) == []


def test_lazy_imports_state_a_reason():
    """A comment on the line of the import, or on the line before, mentions the start-up time."""
    silent = []
    for name, path in MODULES.items():
        lines = path.read_text().splitlines()
        nodes = sorted(lazy_imports(ast.parse('\n'.join(lines))), key=lambda node: node.lineno)
        explained = 0               # a comment explains the imports that follow each other
        for node in nodes:
            comments = lines[node.lineno - 2:node.end_lineno]
            if any('start-up time' in line.lower() for line in comments) or \
                    node.lineno - 1 == explained:
                explained = node.end_lineno
            else:
                silent.append(f'{name}:{node.lineno}')
    assert not silent


def test_only_the_modules_that_need_keras_import_it():
    users = {name for name, path in MODULES.items()
             for node in ast.walk(ast.parse(path.read_text()))
             for target in imports_of(node) or () if target.split('.')[0] == 'keras_layer'}
    assert users == NEED_KERAS


def test_canned_estimators_do_not_load_keras():
    program = ('import sys, tinyflow as tf\n'
               'tf.estimator.DNNClassifier, tf.estimator.LinearRegressor\n'
               'tf.estimator.BoostedTreesClassifier, tf.estimator.train_and_evaluate\n'
               'print([name for name in sys.modules if name.startswith("keras_layer")])')
    process = subprocess.run([sys.executable, '-c', program], cwd=ROOT, capture_output=True,
                             text=True, check=True)
    assert process.stdout.strip() == '[]'
