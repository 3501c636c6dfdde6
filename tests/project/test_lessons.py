"""The lessons as notebooks: the same text and code as the scripts, with their pictures inside."""
import importlib.util
import re
from pathlib import Path

import pytest

pytest.importorskip('jupytext', reason="needs the extra: pip install 'tinyflow-graph[docs]'")
pytest.importorskip('nbclient', reason="needs the extra: pip install 'tinyflow-graph[docs]'")
ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / 'tutorials').glob('[0-9]*.py'))


@pytest.fixture(scope='module')
def lessons():
    spec = importlib.util.spec_from_file_location('lessons', ROOT / 'docs' / 'lessons.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize('script', SCRIPTS, ids=lambda script: script.stem)
def test_a_notebook_has_the_cells_of_its_script(lessons, script):
    notebook = lessons.notebook_of(script)
    code = [cell.source for cell in notebook.cells if cell.cell_type == 'code']
    text = script.read_text(encoding='utf-8')
    cells = [cell.strip() for cell in re.split(r'^# %%.*\n', text, flags=re.M)[1:]]
    kinds = re.findall(r'^# %%(.*)$', text, re.M)
    assert code == [cell for cell, kind in zip(cells, kinds) if 'markdown' not in kind]
    assert len(notebook.cells) == len(cells)
    assert re.search(r'^\*You need .*\sminutes\.\s+Afterwards\s+you\s+can\s.*\*$',
                     notebook.cells[0].source, re.M | re.S)
    assert '.py)' not in re.sub(r'\[.*?\]\((?!\d\d_)[^)]*\)', '', notebook.cells[-1].source)


@pytest.mark.slow
def test_pictures_and_curves_are_in_the_notebook(lessons, tmp_path, monkeypatch):
    monkeypatch.setenv('PYTHONPATH', str(ROOT))
    (tmp_path / 'helpers.py').write_text((ROOT / 'tutorials' / 'helpers.py').read_text())
    script = ROOT / 'tutorials' / '05_linear_regression.py'
    lessons.run(script, tmp_path)
    notebook = lessons.nbformat.read(tmp_path / f'{script.stem}.ipynb', as_version=4)
    kinds = [kind for cell in notebook.cells for output in cell.get('outputs', ())
             for kind in output.get('data', ()) if kind.startswith('image/')]
    assert kinds.count('image/svg+xml') == 2
    assert kinds.count('image/png') == (3 if importlib.util.find_spec('resvg_py') else 1)
    for cell in notebook.cells:
        cell.outputs = []
    with pytest.raises(ValueError, match='0 of 3 pictures'):
        lessons.check(notebook, script)


def test_asserts_are_explained():
    for script in SCRIPTS:
        lines = script.read_text(encoding='utf-8').splitlines()
        for number, line in enumerate(lines):
            if line.startswith('assert '):
                start = max(n for n in range(number) if lines[n].startswith('# %%'))
                assert any(text.startswith('# ') for text in lines[start + 1:number]), \
                    f'{script.name}:{number + 1}'
