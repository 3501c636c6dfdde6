"""The programs of README.md and of the tutorials pass mypy, as a user's programs should."""
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = sorted((ROOT / 'tutorials').glob('*.py'))

pytestmark = [pytest.mark.slow, pytest.mark.skipif(
    importlib.util.find_spec('mypy') is None, reason='mypy is not installed')]


def problems(folder):
    """What mypy says of the programs in `folder`; the packages are read, not judged."""
    (folder / 'mypy.ini').write_text('[mypy]\n')
    programs = sorted(path.name for path in folder.glob('*.py'))
    found = subprocess.run(
        [sys.executable, '-m', 'mypy', '--follow-imports=silent', '--ignore-missing-imports',
         '--no-error-summary', '--cache-dir', str(ROOT / '.mypy_cache' / 'programs'),
         *programs],
        cwd=folder, env={**os.environ, 'MYPYPATH': str(ROOT)}, capture_output=True, text=True)
    lines = (found.stdout + found.stderr).splitlines()
    return '\n'.join(line for line in lines if 'annotation-unchecked' not in line)


@pytest.fixture
def refresh_readme():
    spec = importlib.util.spec_from_file_location(
        'refresh_readme', ROOT / 'docs' / 'refresh_readme.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_readme_and_tutorials_pass_mypy(tmp_path, refresh_readme):
    assert TUTORIALS
    text = refresh_readme.DOCUMENTS[0].read_text(encoding='utf-8')
    blocks = [match['code'] for match in refresh_readme._BLOCK.finditer(text)]
    (tmp_path / 'readme.py').write_text(''.join(blocks), encoding='utf-8')
    for path in TUTORIALS:
        shutil.copy(path, tmp_path)
    assert problems(tmp_path) == ''


@pytest.mark.slow
def test_mypy_sees_lazily_imported_names(tmp_path):
    (tmp_path / 'program.py').write_text(
        'import tinyflow as tf\n'
        'reveal_type(tf.keras.Sequential)\n'
        'reveal_type(tf.Variable(1.0) * 2.0)\n'
        'reveal_type(tf.import_graph_def)\n'
        'tf.placeholdr\n', encoding='utf-8')
    output = problems(tmp_path)
    assert 'Sequential' in output and 'Tensor"' in output and 'graph_def' in output
    assert 'has no attribute "placeholdr"' in output
