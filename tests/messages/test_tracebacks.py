"""Tracebacks: the user's lines, without tinyflow's own."""
from __future__ import annotations

import os
import subprocess
import sys

import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def test_the_traceback_shows_the_users_lines_only(tmp_path):
    program = tmp_path / 'program.py'
    program.write_text('import tinyflow as tf\nwith tf.name_scope("my layer"):\n    pass\n')
    root = os.path.dirname(os.path.dirname(tf.__file__))
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                          env={**os.environ, 'PYTHONPATH': root}, timeout=60)
    assert 'program.py' in done.stderr and 'contextlib' not in done.stderr
    assert len(done.stderr.strip().split('\n')) <= 6


CALLED = '''import tinyflow as tf
def parsed(x):
    return missing[x]
def read(path):
    return {call}
missing = {{}}
tf.data.Dataset.from_tensor_slices(['a.txt']).map(read)
'''


def traceback_of(tmp_path, text, **more):
    program = tmp_path / 'program.py'
    program.write_text(text)
    root = os.path.dirname(os.path.dirname(tf.__file__))
    return subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                          env={**os.environ, 'PYTHONPATH': root, **more}, timeout=60).stderr


@pytest.mark.parametrize('call, kind', [('parsed(path)', 'KeyError'), ('open(path)', 'TypeError')])
def test_the_traceback_of_a_function_that_tinyflow_called(tmp_path, call, kind):
    text = CALLED.format(call=call)
    lines = traceback_of(tmp_path, text)
    assert f'\n{kind}' in lines and 'in read' in lines and 'line 7' in lines
    assert f'{os.sep}tinyflow{os.sep}' not in lines
    assert f'{os.sep}tinyflow{os.sep}' in traceback_of(tmp_path, text, TINYFLOW_FULL_TRACEBACK='1')


def test_an_error_inside_tinyflow_shows_all_frames(tmp_path):
    lines = traceback_of(tmp_path, 'import tinyflow.errors\ntinyflow.errors.misuse(None)\n')
    assert 'in misuse' in lines and 'AttributeError' in lines


def test_an_error_of_a_library_that_tinyflow_called_shows_all_frames(tmp_path):
    text = ('import tinyflow as tf, tinyflow.nest, json\n'
            "tinyflow.nest.map_structure(json.loads, ['{'])\n")
    lines = traceback_of(tmp_path, text)
    assert f'{os.sep}nest' in lines and 'JSONDecodeError' in lines
