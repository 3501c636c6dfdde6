"""In a notebook: errors end at the user's cell, and lines of the program are named by cells."""
import importlib.util
import linecache
import os
import subprocess
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace

import pytest

import tinyflow as tf
from tinyflow.graph.support import notebook

ROOT = Path(__file__).resolve().parents[2]

with_ipython = pytest.mark.skipif(
    importlib.util.find_spec('IPython') is None, reason='IPython is not installed')

BEGIN = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors='NoColor')
def cell(text):
    shell.run_cell(text, store_history=True)
cell('import tinyflow as tf\\nx = tf.placeholder(tf.float32, [None, 3], name="x")')
"""


def shown(tmp_path, program, **environment):
    """The output of cells in a separate IPython, without warnings of IPython itself."""
    done = subprocess.run(
        [sys.executable, '-c', BEGIN + program], cwd=tmp_path, capture_output=True, text=True,
        timeout=60, env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(ROOT), *sys.path]),
                         'IPYTHONDIR': str(tmp_path), **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@with_ipython
def test_an_error_ends_at_the_users_cell(tmp_path):
    output = shown(tmp_path, "cell('with tf.Session() as session:\\n    session.run(x * 2.0)')")
    assert 'Cell In[2], line 2' in output and 'InvalidArgumentError' in output
    assert 'session.py' not in output and 'During handling' not in output
    assert 'built at cell In[1], line 2: x = tf.placeholder' in output


@pytest.mark.slow
@with_ipython
def test_functions_of_the_user_stay_in_the_traceback(tmp_path):
    output = shown(tmp_path, "cell('def ask():\\n    tf.nn.relu(\"text\")')\ncell('ask()')")
    assert 'Cell In[3], line 1' in output and 'Cell In[2], line 2' in output
    assert str(ROOT) not in output


@pytest.mark.slow
@with_ipython
def test_the_full_traceback_is_shown_on_request(tmp_path):
    output = shown(tmp_path, "cell('tf.nn.relu(\"text\")')", TINYFLOW_FULL_TRACEBACK='1')
    assert 'activations.py' in output


@pytest.mark.slow
@with_ipython
def test_other_errors_are_shown_as_ever(tmp_path):
    output = shown(tmp_path, "cell('len(3)')")
    assert 'Cell In[2], line 1' in output and 'TypeError' in output


@pytest.mark.slow
@with_ipython
def test_generated_programs_name_cells(tmp_path):
    output = shown(tmp_path, "cell('print(tf.explain(x * 2.0, {x: [[1.0, 2.0, 3.0]]}, runs=0))')")
    assert '@ cell In[2], line 1' in output


# ---- without IPython: a stand-in for its shell -----------------------------------------------

CELL = '/tmp/ipykernel_7/123.py'


class Shell:
    """The parts of IPython's shell that tinyflow uses."""

    def __init__(self):
        self.seen = []
        self.messages = []
        self.compile = SimpleNamespace(
            _filename_map={CELL: 2}, format_code_name=lambda name: ('Cell', 'In[2]'))
        self.events = SimpleNamespace(register=lambda *_: None)

    def showtraceback(self, exc_tuple=None, tb_offset=None):
        _, error, trace = exc_tuple or sys.exc_info()
        self.messages.append(str(error))
        self.seen.append(([f.filename for f in traceback.extract_tb(trace)],
                          error.__suppress_context__))

    def run(self, text, **names):
        lines = text.splitlines(keepends=True)
        linecache.cache[CELL] = (len(text), None, lines, CELL)
        try:
            exec(compile(text, CELL, 'exec'), {'tf': tf, **names})
        except Exception:
            self.showtraceback(tb_offset=1)


@pytest.fixture
def shell(monkeypatch, graph):
    shell = Shell()
    monkeypatch.setitem(sys.modules, 'IPython', SimpleNamespace(get_ipython=lambda: shell))
    notebook.install()
    notebook.install()              # a second time changes nothing
    yield shell
    linecache.cache.pop(CELL, None)


def test_frames_of_tinyflow_are_left_out(shell):
    shell.run('tf.Session().run(tf.placeholder(tf.float32))')
    assert shell.seen == [([__file__, CELL], True)]


def test_frames_of_other_errors_stay(shell):
    shell.run('raise KeyError(3)')
    shell.run('join(3)', join=os.path.join)
    (first, suppressed), (second, _) = shell.seen
    assert first == [__file__, CELL] and not suppressed and len(second) > 2


def test_an_unknown_keyword_argument_is_answered(shell):
    shell.run('tf.placeholder(tf.float32, shap=[3])')
    shell.run('tf.Variable(3.0, trainble=False)')
    first, second = shell.messages
    assert first.endswith(' placeholder takes: dtype, shape, name.')
    assert '\n  Hint: ' in second and shell.seen[1] == ([__file__, CELL], True)

def test_a_line_is_named_by_its_cell(shell):
    names = {}
    shell.run('\nnames["x"] = tf.placeholder(tf.float32)', names=names)
    assert str(names['x'].op.site) == 'cell In[2], line 2: names["x"] = tf.placeholder(tf.float32)'


def test_without_a_notebook_a_line_is_named_by_its_file(graph):
    assert str(tf.constant(1.0).op.site).startswith('test_notebook.py:')
