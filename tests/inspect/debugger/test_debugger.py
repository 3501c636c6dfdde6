"""The debugger: scripts of commands, what they print, and that the runs are what they were."""
from __future__ import annotations

import io
import os
import re
import select
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.inspect.debugger import tf_debug
from tinyflow.inspect.debugger.run import Plan
from tinyflow.inspect.debugger.terminal import PROMPT


class Script:
    """Commands for a debugger; `output` is what it printed, `answers` that text by command."""

    def __init__(self, *commands: str) -> None:
        self.stdin = io.StringIO('\n'.join(commands) + '\n')
        self.stdout = io.StringIO()
        self._commands = commands

    @property
    def output(self) -> str:
        return self.stdout.getvalue()

    @property
    def answers(self) -> list[str]:
        return self.output.split(PROMPT)[1:]

    def debugger(self, *breakpoints: str, **settings) -> tf.Debugger:
        return tf.Debugger(*breakpoints, stdin=self.stdin, stdout=self.stdout, **settings)


@pytest.fixture
def logs(graph):
    """z = sum(log(x * w)), with w = [1, 2]."""
    x = tf.placeholder(tf.float32, [2], name='x')
    w = tf.Variable([1., 2.], name='w')
    return x, w, tf.reduce_sum(tf.log(x * w, name='y'), name='z')


def debugged(script, w, *breakpoints, **settings):
    with tf.Session() as plain:
        plain.run(w.initializer)
        values = plain.run(w)
    debugger = script.debugger(*breakpoints, **settings)
    session = tf.Session(debug=debugger)
    w.load(values, session)
    debugger.runs = 0
    return session


def test_run_then_look(logs):
    x, w, z = logs
    script = Script('c', 'run', 'lt', 'pt y', 'pt y[0]', 'pt -s x:0', 'pf x', 'pf y', 'ri', 'run',
                    'run -n')
    with tf.Session(debug=script.debugger()) as session:
        session.run(w.initializer)
        session._programs.observers[0].plan = Plan(ask=True)
        assert session.run(z, {x: [0., 1.]}) == -np.inf
        assert session.run(z, {x: [.5, 1.]}) == pytest.approx(0.)
    first, listed, y, part, summary, fed, unfed, info, last, _ = script.answers[1:]
    assert 'run 2: fetches z:0; feeds x:0' in script.output
    assert "1 Inf of 2 elements first in 'y:0', made at" in first
    rows = [row.split() for row in listed.splitlines()[1:]]
    assert [row[3] for row in rows] == \
        ['x:0', 'w:0', 'w/read:0', 'mul:0', 'y:0', 'Const:0', 'z:0']
    assert 'Tensor "y:0":' in y and '-inf, 0.6931472' in y
    assert 'Tensor "y:0[0]":' in part and 'array(-inf, dtype=float32)' in part
    assert 'min 0, max 1' in summary and '1 zeros' in summary
    assert 'array([0., 1.], dtype=float32)' in fed
    assert "'y' is not fed in this run; fed: x:0." in unfed
    assert 'x:0  float32 [2]' in info and 'run 3: fetches z:0' in last


def test_breakpoints_and_steps(logs):
    x, w, z = logs
    line = z.op.inputs[0].op.site.line
    script = Script('b', 'step', 'where', 'd 1', f'b test_debugger.py:{line} if name == "z:0"',
                    'c', 'b', 'd', 'd 7', 'b zz', 'c')
    with debugged(script, w, 'mul', 'type:Sum') as session:
        assert session.run(z, {x: [.5, 1.]}) == pytest.approx(0.)
    listed, stepped, where, removed, added, stop, again, gone, unknown, nowhere, _ = script.answers
    assert 'mul (Mul) - breakpoint 1 (mul)' in script.output
    assert '1  mul  1 time(s)' in listed and '2  type:Sum  0 time(s)' in listed
    assert 'y (Log) - step' in stepped and '-0.6931472' in stepped
    assert f'->  {line:3d}' in where and 'tf.log(x * w' in where
    assert '1 is removed.' in removed and 'breakpoint 3' in added
    assert 'z (Sum) - breakpoint 2 (type:Sum), breakpoint 3' in stop
    assert '3  test_debugger.py' in again and 'There is no breakpoint or watch 7.' in unknown
    assert '2 is removed.\n3 is removed.' in gone
    assert 'No node of the graph is there now.' in nowhere


def test_conditions(logs):
    x, w, z = logs
    script = Script('pt', 'c', 'c', 'b', 'c')
    with debugged(script, w, 'if has_inf_or_nan', 'w* if value[5] > 0',
                  'z if np.abs(value) > 1 and name == "z:0"') as session:
        session.run(z, {x: [.5, 1.]})
        assert script.output == ''                  # neither NaN nor a z above 1: no stop
        session.run(z, {x: [0., 1.]})
        session.run(z, {x: [9., 9.]})
    assert 'y (Log) - breakpoint 1 (if has_inf_or_nan)' in script.output
    assert 'Tensor "y:0":' in script.answers[0]
    assert 'z (Sum) - breakpoint 1 (if has_inf_or_nan), breakpoint 3' in script.answers[1]
    assert 'w* if value[5] > 0  0 time(s); the condition failed at w/read:0: IndexError' \
        in script.answers[3]


def test_runs_until_a_filter_passes(logs):
    x, w, z = logs
    script = Script('run -f large -fenn x', 'lt -f large', 'run -f larger', 'run -t 2', 'exit')
    debugger = script.debugger()
    debugger.add_filter('large', lambda datum, tensor:
                        tensor.dtype.kind == 'f' and np.max(np.abs(tensor)) > 50)
    with tf.Session(debug=debugger) as session, pytest.raises(SystemExit):
        debugger.detached = True
        session.run(w.initializer)
        debugger.detached = False
        for k in range(1, 9):
            session.run(z, {x: [k * 10., 1.]})
    assert 'run 5 is over' not in script.output
    assert 'run 6 is over: 2 tensor(s) pass the filter "large"' in script.output
    assert 'x:0' in script.answers[1] and 'mul:0' in script.answers[1]
    assert "There is no filter 'larger'; there are has_inf_or_nan, large." in script.answers[2]
    assert "did you mean 'large'?" in script.answers[2]


def test_times(logs):
    x, w, z = logs
    script = Script('run -t 3', 'run', 'detach')
    debugger = script.debugger('nothing')
    with tf.Session(debug=debugger) as session:
        session.run(w.initializer)
        debugger.runs, debugger.plan = 0, Plan(ask=True)
        found = [session.run(z, {x: [1., float(k)]}) for k in range(1, 7)]
    assert found == pytest.approx(np.log(2 * np.arange(1., 7)), rel=1e-6)
    assert [int(n) for n in re.findall(r'run (\d) is over', script.output)] == [3]
    assert [int(n) for n in re.findall(r'run (\d): fetches', script.output)] == [1, 4]


def test_watch(logs):
    x, w, z = logs
    script = Script('watch y', 'c')
    with debugged(script, w, 'x') as session:
        for k in range(3):
            session._programs.observers[0].breakpoints.pop(k, None)
            session.run(z, {x: [1., 1. + k]})
            session._programs.observers[0].breakpoints.clear()
    assert script.output.count('y (Log)   ') == 3


def test_nodes_and_sources(logs):
    x, w, z = logs
    script = Script('ni y -a -d -t', 'li -r z', 'lo -r x', 'li -t', 'ls', 'ps test_debugger.py',
                    'eval `y`.sum() * 2', '@np.abs(`mul:0`)', 'eval 1 +', 'pt w/rea', 'pt y[9]',
                    'pt y[x]', 'pt Const_9', 'pt z -r 0,1', 'pt -q', 'foo', 'brek', 'help run',
                    'help', 'pt w/initial_value', 'c')
    with debugged(script, w, 'z') as session:
        session.run(z, {x: [1., 1.]})
    (info, inputs, outputs, here, files, source, double, absolute, syntax, near, outside, letters,
     missing, count, usage, foo, close, help_run, help_all, unneeded, _) = script.answers
    assert '[Mul] mul' in info and '[Sum] z' in info and 'y:0  float32 [2] [0' in info \
        and 'was made in' in info
    assert re.findall(r'\(\d\) (\S+)', inputs) == ['y', 'mul', 'x', 'w/read', 'w', 'Const']
    assert re.findall(r'\(\d\) (\S+)', outputs) == ['mul', 'y', 'z']
    assert '[Log] y' in here and '(2)' not in here
    assert __file__ in files and 'nodes' in files
    assert re.search(r"tf\.log\(x \* w.*\n +mul\n +y\n", source)
    assert '1.38629' in double and 'array([1., 2.]' in absolute and 'SyntaxError' in syntax
    assert "There is no node 'w/rea'" in near and "did you mean 'w/read'?" in near
    assert 'cannot be taken of shape (2,)' in outside and 'a slice has numbers' in letters
    assert "There is no node 'Const_9'" in missing and '1 of 1 elements are in [0, 1]' in count
    assert 'usage: pt' in usage and "There is no command 'foo'" in foo
    assert 'did you mean' in close and '-fenn' in help_run
    assert all(name in help_all for name in ('break', 'continue', 'watch', 'ni', 'eval'))
    assert "'w/initial_value' has not been computed yet." in unneeded


def test_inside_of_loops(graph):
    end = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.),
                        [0, 1.], name='loop')[1]
    script = Script('pt', 'c', 'lt -n loop/body', 'pt -n 0 loop/body/mul', 'pt -n 9 loop/body/mul',
                    'c', 'c')
    with tf.Session(debug=script.debugger('loop/body/mul if iteration > 0')) as session:
        assert session.run(end) == 8.
    assert 'loop/body/mul (Mul, iteration 1)' in script.output
    assert 'array(4., dtype=float32)' in script.answers[0]
    assert 'loop/body/mul (Mul, iteration 2)' in script.answers[1]
    assert script.answers[2].count('loop/body/mul:0') == 3
    assert 'array(2., dtype=float32)' in script.answers[3]
    assert '-n takes 0 to 2' in script.answers[4]


def test_a_run_that_fails_is_shown(graph):
    x = tf.placeholder(tf.float32, [None], name='x')
    bad = tf.reshape(x * 2., [2, 2], name='bad')
    script = Script('lt', 'li bad', 'c')
    with tf.Session(debug=script.debugger('nothing')) as session, \
            pytest.raises(tf.errors.InvalidArgumentError):
        session.run(bad, {x: [1., 2., 3.]})
    assert 'run 1 ended with InvalidArgumentError' in script.output
    assert 'mul:0' in script.answers[0] and 'mul' in script.answers[1]


def test_the_end_of_the_input_lets_the_program_go_on(logs):
    x, w, z = logs
    script = Script('step')
    with tf.Session(debug=script.debugger()) as session:
        session.run(w.initializer)
        assert session.run(z, {x: [1., 1.]}) == pytest.approx(np.log(2.))
    assert 'The input for the debugger is at its end: the program goes on without it.' \
        in script.output


def test_wrong_arguments(graph):
    for wrong, error, text in (
            (3, TypeError, 'debug must be True'), ([1], TypeError, 'debug must be True'),
            ('a if (', ValueError, 'is no Python expression'),
            ('a if has_nan', ValueError, "There is no filter 'has_nan'"),
            ('a if ', ValueError, 'condition is missing')):
        with pytest.raises(error, match=re.escape(text)):
            tf.Session(debug=wrong)
    with pytest.raises(TypeError, match='must be callable'):
        tf.Debugger('x').add_filter('f', 3)
    with pytest.raises(ValueError, match='Invalid ui_type'):
        tf_debug.LocalCLIDebugWrapperSession(tf.Session(), ui_type='web')
    with pytest.raises(TypeError, match='Expected type tf.Session'):
        tf_debug.LocalCLIDebugWrapperSession(3)
    for name in ('TensorBoardDebugWrapperSession', 'GrpcDebugHook'):
        with pytest.raises(NotImplementedError, match='LocalCLIDebug(.|\n)*tf.record'):
            getattr(tf_debug, name)(tf.Session(), 'localhost:6064')


def test_other_threads_can_be_left_alone(logs):
    x, w, z = logs
    script = Script('c')
    with debugged(script, w, 'z', threads='MainThread$') as session:
        thread = threading.Thread(target=session.run, args=(z, {x: [1., 1.]}))
        thread.start()
        thread.join()
        assert script.output == ''
        session.run(z, {x: [1., 1.]})
    assert 'z (Sum) - breakpoint' in script.output


def test_values_are_those_of_a_plain_run(graph):
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [None, 3])
    loss = tf.reduce_mean(tf.square(tf.layers.dropout(tf.layers.dense(x, 4), training=True)))
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    found = []
    for debug in (False, tf.Debugger('nothing')):
        with tf.Session(debug=debug) as session:
            session.run(tf.global_variables_initializer())
            found.append([session.run([loss, train], {x: np.eye(3)})[0] for _ in range(4)])
    assert found[0] == found[1]


# ---- TensorFlow's names ----------------------------------------------------------------------


def _feed(monkeypatch, *commands):
    monkeypatch.setattr(sys, 'stdin', io.StringIO('\n'.join(commands) + '\n'))


def test_wrapper_session(logs, monkeypatch, capsys):
    x, w, z = logs
    session = tf.Session()
    session.run(w.initializer)
    session = tf_debug.LocalCLIDebugWrapperSession(session, ui_type='readline')
    session.add_tensor_filter('has_inf_or_nan', tf_debug.has_inf_or_nan)
    assert isinstance(session, tf.Session) and session.graph is tf.get_default_graph()
    _feed(monkeypatch, 'run -f has_inf_or_nan', 'pt y', 'c')
    with session:
        assert z.eval({x: [1., 1.]}) == pytest.approx(np.log(2.))
        assert session.run(z, {x: [0., 1.]}) == -np.inf
    assert 'run 2 is over: 2 tensor(s) pass the filter' in capsys.readouterr().out
    with pytest.raises(RuntimeError, match='closed'):
        session.run(z, {x: [1., 1.]})


def test_wrapper_session_saves(logs, monkeypatch, tmp_path):
    _, w, _ = logs
    _feed(monkeypatch, 'c')
    with tf_debug.LocalCLIDebugWrapperSession(tf.Session(), ui_type='readline') as session:
        session.run(w.initializer)
        path = tf.train.Saver().save(session, str(tmp_path / 'model'))
    assert tf.train.latest_checkpoint(str(tmp_path)) == path


def test_hooks_in_a_monitored_session(logs, monkeypatch, capsys, tmp_path):
    x, _, z = logs
    hook = tf_debug.LocalCLIDebugHook(ui_type='readline')
    hook.add_tensor_filter('low', lambda datum, tensor: np.min(tensor) < -1)
    dumps = tf_debug.DumpingDebugHook(str(tmp_path / 'dumps'))
    _feed(monkeypatch, 'b z', 'c', 'lt -f low', 'c', 'c')
    with tf.train.MonitoredSession(hooks=[hook, dumps]) as session:
        session.run(z, {x: [1., 1.]})
        session.run(z, {x: [.1, 1.]})
    out = capsys.readouterr().out
    assert out.count('z (Sum) - breakpoint 1') == 2 and 'no tensors' in out
    assert len(os.listdir(tmp_path / 'dumps')) == 2


def test_hook_in_an_estimator(monkeypatch, capsys):
    def model_fn(features, labels, mode):
        loss = tf.reduce_mean(tf.square(tf.layers.dense(features['a'], 1) - labels), name='loss')
        step = tf.train.get_global_step()
        return tf.estimator.EstimatorSpec(
            mode, loss=loss,
            train_op=tf.train.GradientDescentOptimizer(.1).minimize(loss, step))
    data = {'a': np.ones((4, 1), np.float32)}, np.ones((4, 1), np.float32)
    hook = tf_debug.LocalCLIDebugHook(ui_type='readline')
    _feed(monkeypatch, 'run', 'pt loss', 'c')
    tf.estimator.Estimator(model_fn).train(
        lambda: tf.data.Dataset.from_tensors(data).repeat(), [hook], steps=2)
    assert 'Tensor "loss:0":' in capsys.readouterr().out


def test_keras(monkeypatch, capsys):
    keras = tf.keras
    keras.backend.clear_session()
    _feed(monkeypatch, 'b dense/MatMul', 'c', 'pt -s', 'detach')
    keras.backend.set_session(
        tf_debug.LocalCLIDebugWrapperSession(tf.Session(), ui_type='readline'))
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,), name='dense')])
    model.compile('sgd', 'mse')
    model.fit(np.ones((4, 3)), np.zeros((4, 2)), verbose=0)
    keras.backend.clear_session()
    assert 'dense/MatMul (MatMul) - breakpoint 1' in capsys.readouterr().out


# ---- in a terminal ---------------------------------------------------------------------------


PROGRAM = '''
    import tinyflow as tf
    x = tf.placeholder(tf.float32, [2], name='x')
    y = tf.log(x, name='logarithm')
    with tf.Session(debug=True) as sess:
        print('first', sess.run(y, {x: [1., 1.]}))
        print('second', sess.run(y, {x: [1., 1.]}))
'''


def test_misspelt_breakpoints():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [], name='x')
        y = tf.while_loop(lambda v: v < 4, lambda v: tf.multiply(v, 2, name='twice'), [x])
        with pytest.raises(ValueError, match="knows no 'valu'.*\n.*did you mean 'value'"):
            tf.Session(debug='x if [v for v in [1]] and valu > 3')
        out = io.StringIO()
        debugger = tf.Debugger('twic', 'twice if value > 99', 'x if value > 99', stdout=out)
        with tf.Session(debug=debugger) as sess:
            assert sess.run([y, y], {x: 1})[0] == 4 and sess.run(y, {x: 1}) == 4
    assert out.getvalue().splitlines() == [
        "The debugger stops at 'twic', where no node of the graph is now.",
        "  Hint: did you mean 'twice'?"]


def _environment():
    return {**os.environ, 'TERM': 'dumb', 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))}


@pytest.mark.slow
def test_without_a_terminal(tmp_path):
    program = tmp_path / 'program.py'
    program.write_text(textwrap.dedent(PROGRAM))
    done = subprocess.run([sys.executable, str(program)], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=True, timeout=60, env=_environment())
    assert 'Hint: start the program in a terminal' in done.stdout
    assert 'second [0. 0.]' in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, 'fork'), reason='Windows has no pseudo-terminals')
def test_in_a_terminal(tmp_path):
    """Completion by the tabulator, Ctrl-C at the prompt, history by the arrow, exit."""
    import pty
    program = tmp_path / 'program.py'
    program.write_text(textwrap.dedent(PROGRAM))
    child, terminal = pty.fork()
    if not child:
        os.execve(sys.executable, [sys.executable, str(program)],
                  _environment())
    shown, read = '', 0             # all that came, and how much of it was expected so far

    def until(text):
        nonlocal shown, read
        while text not in shown[read:]:
            assert select.select([terminal], [], [], 20)[0], f'{text!r} is missing: {shown}'
            shown += os.read(terminal, 4096).decode()
        start, read = read, shown.index(text, read) + len(text)
        return shown[start:read]
    until(PROMPT)
    os.write(terminal, b'b log\t\n')
    assert 'b logarithm' in until('breakpoint 1: logarithm')
    until(PROMPT)
    os.write(terminal, b'\x03')
    time.sleep(0.2)
    os.write(terminal, b'\n')      # Python misses a Ctrl-C while readline sets the terminal up
    until('To end the program type exit')
    until(PROMPT)
    os.write(terminal, b'c\n')
    until('logarithm (Log) - breakpoint 1')
    until(PROMPT)
    os.write(terminal, b'\x1b[A\n')                  # the last command again: c
    until('first [0. 0.]')
    until(PROMPT)
    os.write(terminal, b'exit\n')
    until('The debugger ends the program')
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    os.close(terminal)
