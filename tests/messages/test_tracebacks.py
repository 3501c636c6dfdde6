"""Tracebacks: the user's lines, without tinyflow's own."""
from __future__ import annotations

import os

import pytest

from tests.messages.support import traceback_of

pytestmark = pytest.mark.usefixtures('graph')


@pytest.mark.slow
def test_the_traceback_shows_the_users_lines_only(tmp_path):
    text = 'import tinyflow as tf\nwith tf.name_scope("my layer"):\n    pass\n'
    lines = traceback_of(tmp_path, text)
    assert 'program.py' in lines and 'contextlib' not in lines
    assert len(lines.strip().split('\n')) <= 6


CALLED = '''import tinyflow as tf
def parsed(x):
    return missing[x]
def read(path):
    return {call}
missing = {{}}
tf.data.Dataset.from_tensor_slices(['a.txt']).map(read)
'''


@pytest.mark.slow
@pytest.mark.parametrize('call, kind', [('parsed(path)', 'KeyError'), ('open(path)', 'TypeError')])
def test_the_traceback_of_a_function_that_tinyflow_called(tmp_path, call, kind):
    text = CALLED.format(call=call)
    lines = traceback_of(tmp_path, text)
    assert f'\n{kind}' in lines and 'in read' in lines and 'line 7' in lines
    assert f'{os.sep}tinyflow{os.sep}' not in lines
    assert f'{os.sep}tinyflow{os.sep}' in traceback_of(tmp_path, text, TINYFLOW_FULL_TRACEBACK='1')


INTERRUPTED = '''import _thread, signal, threading, numpy as np, tinyflow as tf
signal.signal(signal.SIGINT, signal.default_int_handler)    # a background job ignores SIGINT
def interrupt(*_):
    threading.Timer(0.3, _thread.interrupt_main).start()
{program}
'''
LONG_RUNS = {
    'fit': '''model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
model.compile('sgd', 'mse')
interrupt()
model.fit(np.zeros((64, 3)), np.zeros((64, 1)), epochs=10 ** 6, verbose=0)''',
    'run': '''x = tf.placeholder(tf.float32, [200, 200])
y = tf.matmul(x, x)
sess = tf.Session()
interrupt()
while True: sess.run(y, {x: np.zeros((200, 200))})''',
}


@pytest.mark.slow
def test_ctrl_c_in_the_users_code_is_shown_as_python_shows_it(tmp_path):
    lines = traceback_of(tmp_path, """import signal, statistics, tinyflow as tf
class Number(float):
    def __hash__(self):
        signal.raise_signal(signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
tf.Session(graph=tf.Graph())
statistics.mode([Number(1)])
""")
    assert lines.endswith('KeyboardInterrupt\n') and 'interrupts.py' not in lines
    assert 'statistics.py' in lines and lines.count('program.py') == 2


@pytest.mark.slow
@pytest.mark.parametrize('name', LONG_RUNS)
def test_ctrl_c_shows_the_users_line_only(tmp_path, name):
    text = INTERRUPTED.format(program=LONG_RUNS[name])
    lines = traceback_of(tmp_path, text)
    assert lines.endswith('KeyboardInterrupt\n') and 'program.py' in lines, lines
    assert lines.count('File "') == 1, lines
    shown = traceback_of(tmp_path, text, TINYFLOW_FULL_TRACEBACK='1')
    assert shown.count('File "') > 1 or name == 'run'       # which may be between two runs


@pytest.mark.slow
def test_an_error_inside_tinyflow_shows_all_frames(tmp_path):
    lines = traceback_of(tmp_path, 'import tinyflow.errors\ntinyflow.errors.misuse(None)\n')
    assert 'in misuse' in lines and 'AttributeError' in lines


@pytest.mark.slow
def test_an_error_of_a_library_that_tinyflow_called_shows_all_frames(tmp_path):
    text = ('import tinyflow as tf, tinyflow.nest, json\n'
            "tinyflow.nest.map_structure(json.loads, ['{'])\n")
    lines = traceback_of(tmp_path, text)
    assert f'{os.sep}nest' in lines and 'JSONDecodeError' in lines
