"""The programs of docs/eager.md and docs/tensorflow2.md print what is below them."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / 'docs'
PROGRAMS = [pair for name in ('eager.md', 'tensorflow2.md') for pair in re.findall(
    r'```python\n(.*?)```\n\n```text\n(.*?)```', (DOCS / name).read_text(encoding='utf-8'), re.S)]


@pytest.mark.slow
@pytest.mark.parametrize('program, printed', PROGRAMS)
def test_program(tmp_path, program, printed):
    (tmp_path / 'program.py').write_text(program, encoding='utf-8')
    run = subprocess.run([sys.executable, tmp_path / 'program.py'], capture_output=True, text=True)
    assert run.stdout == printed, run.stderr


@pytest.mark.slow
def test_programs_that_build_graphs_load_nothing_of_it():
    run = subprocess.run([sys.executable, '-c', (
        'import sys, tinyflow as tf; tf.train.AdamOptimizer().minimize(tf.Variable(1.)); '
        'print([m for m in sys.modules if "eager" in m and m != "tinyflow.graph.eager_mode"])')],
        capture_output=True, text=True)
    assert run.stdout == '[]\n', run.stderr
