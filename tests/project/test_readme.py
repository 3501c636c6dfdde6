"""README.md and CONTRIBUTING.md: their programs run, and print what is shown below them."""
from __future__ import annotations

import ast
import builtins
import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import tinyflow as tf
from tests.ops.rows import row
from tinyflow.api.testing import check_gradient
from tinyflow.graph.op import Op
from tinyflow.ops.math import unary as elementary

ROOT = Path(__file__).parents[2]
README = (ROOT / 'README.md').read_text(encoding='utf-8')
INSIDE = (ROOT / 'docs' / 'inside.md').read_text(encoding='utf-8')
SCOPE = (ROOT / 'docs' / 'scope.md').read_text(encoding='utf-8')
CONTRIBUTING = (ROOT / 'CONTRIBUTING.md').read_text(encoding='utf-8')


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


refresh_readme = load(ROOT / 'docs' / 'refresh_readme.py')


@pytest.fixture
def own_graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.slow
@pytest.mark.parametrize('text, count', [(README, 3), (INSIDE, 3)], ids=['README', 'inside'])
def test_programs_in_documents_print_the_shown_output(text, count, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = refresh_readme.run_blocks(text)
    assert len(blocks) == count and all(block.output for block in blocks)
    for block in blocks:
        assert block.printed == block.output, 'python docs/refresh_readme.py brings it up to date'
    if text is README:
        assert '<svg' in Path('line.svg').read_text(encoding='utf-8')


def test_each_program_of_the_readme_runs_alone():
    """It imports what it uses, also what an earlier program has imported."""
    programs = re.findall(r'```python\n(.*?)```', README, re.DOTALL)
    assert len(programs) == 3
    for program in programs:
        nodes = list(ast.walk(ast.parse(program)))
        names = {n.id for n in nodes if isinstance(n, ast.Name)}
        bound = {alias.asname or alias.name for n in nodes if isinstance(n, ast.Import)
                 for alias in n.names}
        bound |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        bound |= {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
        bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
        assert names <= bound | set(dir(builtins)), program


def test_the_readme_is_short():
    assert README.count('\n') <= 150


def test_the_readmes_picture_shows_the_readmes_graph():
    picture = (ROOT / 'docs' / 'line.svg').read_text(encoding='utf-8')
    names = set(re.findall(r'>(\w+)</text>', picture))
    assert {'x', 'y', 'w', 'b', 'loss'} <= names


def test_refreshed_programs_are_run_and_written_back(tmp_path, monkeypatch, own_graph):
    monkeypatch.chdir(tmp_path)
    text = ('Text.\n\n```python\na = 1\n```\n\n```python\nprint(a + 1)\n```\n\n'
            '```text\nold\n```\n\n```\nno program\n```\n')
    blocks = refresh_readme.run_blocks(text)
    assert [(b.output, b.printed) for b in blocks] == [('', ''), ('old\n', '2\n')]
    assert refresh_readme.refreshed(text, blocks) == text.replace('old', '2')


@pytest.mark.parametrize('text', [README, CONTRIBUTING], ids=['README', 'CONTRIBUTING'])
def test_paths_and_make_targets_that_are_named_exist(text):
    makefile = (ROOT / 'Makefile').read_text(encoding='utf-8')
    for target in re.findall(r'(?:`|^)make ([a-z]+)\b', text, re.MULTILINE):
        assert re.search(rf'^{target}:', makefile, re.MULTILINE), target
    paths = re.findall(r'\]\(([\w./]+)\)|src="([\w./]+)"', text)
    paths += [(path, '') for path in re.findall(r'`((?:tinyflow|tests|tutorials|benchmarks|docs)'
                                                r'/[\w./]*)`', text)]
    assert paths
    for path in (first or second for first, second in paths):
        assert (ROOT / path).exists(), path


def test_names_documented_as_missing_are_missing():
    missing = SCOPE.partition('Not yet:')[2].partition('Using a missing name')[0]
    names = re.findall(r'`tf\.([\w.]+)`', missing)
    assert len(names) > 8
    for name in names:
        if name in ('keras', 'estimator'):      # the packages are there, and empty
            continue
        found = tf
        with pytest.raises(AttributeError, match='is not in tinyflow yet'):
            for part in name.split('.'):
                found = getattr(found, part)


def test_the_op_in_contributing_works_as_shown(own_graph, monkeypatch):
    declaration, its_row = re.findall(r'```python\n(.*?)```', CONTRIBUTING, re.DOTALL)
    namespace = dict(vars(elementary))
    exec(declaration, namespace)
    try:
        monkeypatch.setattr(tf.math, 'hypot', namespace['hypot'], raising=False)
        sample = eval(its_row, {'row': row})
        arrays = sample.arrays()
        xs = [tf.placeholder(tf.float64, a.shape) for a in arrays]
        feed = dict(zip(xs, arrays))
        z = sample.build(tf, *xs)
        assert z.op.type == sample.op_type == 'Hypot'
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(z, feed), sample.ref(*arrays), rtol=1e-12)
        check_gradient(z, xs, feed)
        [refused] = sample.bad
        with pytest.raises(ValueError, match='Hypot'):
            refused(tf)
    finally:
        del Op.registry['Hypot']
