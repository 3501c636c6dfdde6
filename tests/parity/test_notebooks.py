"""The runner of notebooks: a notebook on this side alone."""
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parity.notebooks.__main__ import shortened

ROOT = Path(__file__).resolve().parents[2]


def test_epochs_are_fewer():
    assert shortened('model.fit(x, epochs=100)\nEPOCHS = 1', 2) == \
        'model.fit(x, epochs=2)\nEPOCHS = 1'


@pytest.mark.slow
def test_cells_run_one_after_another(tmp_path):
    cells = [
        'import tensorflow as tf\n%matplotlib inline\n!ls',
        "path = tf.keras.utils.get_file('train.csv', 'https://example.com/train.csv')\n"
        'print(open(path).readline())',
        '@tf.function\ndef double_until(x):\n    while x < 10:\n        x *= 2\n    return x',
        'double_until(tf.constant(3)).numpy()',
        'double_until(no_such_name)',
        "tf.keras.utils.get_file('a.zip', 'https://example.com/a.zip')"]
    (tmp_path / 'page.ipynb').write_text(json.dumps({'cells': [
        {'cell_type': 'markdown', 'source': ['text']},
        *[{'cell_type': 'code', 'source': c.splitlines(True)} for c in cells]]}), encoding='utf-8')
    done = subprocess.run(
        [sys.executable, '-m', 'tests.parity.notebooks', str(tmp_path / 'page.ipynb'), '--v2',
         '--logs', str(tmp_path)], capture_output=True, text=True, cwd=ROOT, timeout=100,
        check=False)
    assert done.returncode == 1, done.stderr
    assert '| page | 6 | 6 | 4 |' in done.stdout
    assert "page, cell 4: NameError: name 'no_such_name' is not defined" in done.stdout
    assert 'page, cell 5: OSError: no stand-in for https://example.com/a.zip' in done.stdout
    printed = (tmp_path / 'page.here.txt').read_text(encoding='utf-8')
    assert 'survived,sex,age' in printed and '=== cell 3\nnp.int32(12)\n' in printed
