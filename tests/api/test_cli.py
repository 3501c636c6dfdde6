"""`python -m tinyflow run | graph | explain`, on programs written for TensorFlow 1."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import tinyflow as tf
from tests.api.classic.mnist_files import write_mnist_files
from tests.fork_server import run_module

ROOT = Path(__file__).parents[2]
CLASSIC = Path(__file__).parent / 'classic'
NUMBER = re.compile(r'-?\d+\.?\d*(?:e[-+]\d+)?')


CIRCLE = '''
    import tensorflow as tf
    import numpy as np

    radius = tf.placeholder(tf.float32, name='radius')
    with tf.name_scope('circle'):
        area = tf.multiply(np.pi, radius ** 2, name='area')
    wide = tf.get_variable('wide', initializer=2.0)
    grow = tf.train.GradientDescentOptimizer(0.5).minimize(tf.square(wide * 2.0, name='loss'))

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for r in [1.0, 2.0, 3.0]:
            print(r, sess.run([area, wide], feed_dict={radius: r}))
'''
MISTAKE = '''
    import tensorflow as tf

    def ask(sess):
        return sess.run(x * 2.0)

    x = tf.placeholder(tf.float32, [None, 3], name='x')
    with tf.Session() as sess:
        ask(sess)
'''


@pytest.fixture
def cli(tmp_path):
    """cli(command, text of a program, *arguments) -> the finished process, run in tmp_path."""
    def run(command, program, *arguments, before=()):
        if program is not None:
            (tmp_path / 'program.py').write_text(dedent(program).lstrip(), encoding='utf-8')
        return run_module('tinyflow', command, *before, 'program.py', *arguments, cwd=tmp_path)
    return run


# ---- run ---------------------------------------------------------------------------------

@pytest.mark.slow
def test_a_program_for_tensorflow_runs_and_prints_as_in_numpy_1(cli):
    done = cli('run', CIRCLE)
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout == '1.0 [3.1415927, 2.0]\n2.0 [12.566371, 2.0]\n3.0 [28.274334, 2.0]\n'


@pytest.mark.parametrize('head', [
    'import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n',
    'from tensorflow.compat import v1 as tf\ntf.disable_eager_execution()\n',
    'import tensorflow as tf\ntf = tf.compat.v1\n',
    'import tensorflow as tf\nfrom tensorflow.python.framework import ops\n'
    'assert ops.get_default_graph() is tf.get_default_graph()\n',
    'import tensorflow as tf\nfrom tensorflow.python.client import timeline\n'
    'assert timeline.Timeline\n',
    'import tensorflow as tf\nfrom tensorflow.python.ops import array_ops, math_ops, nn_ops\n'
    'assert math_ops.reduce_sum is tf.reduce_sum and nn_ops.relu is tf.nn.relu\n'
    'assert array_ops.reshape is tf.reshape\n',
    'import tensorflow.python.framework.dtypes, tensorflow.python.training.optimizer as o\n'
    'import tensorflow as tf\nassert o.Optimizer is tf.train.Optimizer\n'
    'assert tensorflow.python.framework.dtypes.float32 is tf.float32\n',
])
def test_the_ways_to_import_it(cli, head):
    done = cli('run', head + "print(tf.Session().run(tf.constant(b'TF1')))\n")
    assert (done.returncode, done.stderr, done.stdout) == (0, '', "b'TF1'\n")


@pytest.mark.slow
@pytest.mark.parametrize('name', ['linear_regression', 'xor', 'word_vectors', 'mnist_softmax',
                                  'multilayer_perceptron'])
def test_classic_programs_print_what_tensorflow_printed(name, cli, tmp_path):
    shutil.copy(CLASSIC / f'{name}.py', tmp_path / 'program.py')
    if 'input_data' in (CLASSIC / f'{name}.py').read_text(encoding='utf-8'):
        write_mnist_files(tmp_path / 'MNIST_data')
    done = cli('run', None)
    assert (done.returncode, done.stderr) == (0, '')
    wanted = (CLASSIC / f'{name}.txt').read_text(encoding='utf-8')
    assert NUMBER.sub('#', done.stdout) == NUMBER.sub('#', wanted)
    ours, theirs = ([float(n) for n in NUMBER.findall(text)] for text in (done.stdout, wanted))
    assert ours == pytest.approx(theirs, rel=2e-4, abs=2e-5)


@pytest.mark.slow
def test_input_data_without_mnist_gives_the_shipped_digits_with_a_warning(tmp_path):
    (tmp_path / 'program.py').write_text(
        'from tensorflow.examples.tutorials.mnist import input_data\n'
        'mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)\n'
        'print(mnist.train.images.shape, mnist.test.labels.shape)\n', encoding='utf-8')
    done = subprocess.run(
        [sys.executable, '-m', 'tinyflow', 'run', 'program.py'], cwd=tmp_path,
        capture_output=True, encoding='utf-8', timeout=60,
        env={**os.environ, 'PYTHONPATH': str(ROOT)})
    assert (done.returncode, done.stdout) == (0, '(1375, 784) (297, 10)\n')
    assert 'UCI digits are used instead of MNIST' in done.stderr


def test_the_program_gets_its_arguments_and_its_folder(cli, tmp_path):
    (tmp_path / 'neighbour.py').write_text('import tensorflow as tf\nnine = tf.constant(9)\n')
    done = cli('run', '''
        import sys
        import neighbour
        import tensorflow as tf
        print(__name__, sys.argv, tf.Session().run(neighbour.nine))
    ''', '--steps', '5', '-o', 'x', '--', '-h')
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout == "__main__ ['program.py', '--steps', '5', '-o', 'x', '--', '-h'] 9\n"


@pytest.mark.parametrize('statement, status, error', [
    ('sys.exit()', 0, ''), ('sys.exit(3)', 3, ''), ('sys.exit("no data")', 1, 'no data\n'),
    ('raise SystemExit(0)', 0, ''), ('raise KeyboardInterrupt', 130, 'interrupted\n')])
def test_the_exit_status_is_the_programs(cli, statement, status, error):
    done = cli('run', f'import sys\nprint("before")\n{statement}\n')
    assert (done.returncode, done.stdout, done.stderr) == (status, 'before\n', error)


def test_an_exception_shows_the_users_lines_only(cli):
    done = cli('run', MISTAKE)
    assert done.returncode == 1
    frames = re.findall(r'File "(.*?)", line (\d+)', done.stderr)
    assert frames == [('program.py', '8'), ('program.py', '4')]
    assert "InvalidArgumentError: You must feed a value for placeholder tensor 'x'" in done.stderr
    assert 'built at program.py:6: x = tf.placeholder' in done.stderr
    assert 'feed_dict={x: ...}' in done.stderr


def test_an_exception_of_the_program_is_shown_as_by_python(cli):
    done = cli('run', 'import tensorflow as tf\n\ndef f():\n    return {}["key"]\n\nf()\n')
    assert done.returncode == 1
    assert re.findall(r'File "(.*?)", line (\d+)', done.stderr) == [('program.py', '6'),
                                                                    ('program.py', '4')]
    assert done.stderr.rstrip().endswith("KeyError: 'key'")


@pytest.mark.parametrize('command', ['run', 'graph', 'explain'])
def test_a_syntax_error_is_shown_once_and_without_our_frames(cli, command):
    done = cli(command, 'import tensorflow as tf\n\ndef broken(:\n')
    assert done.returncode == 1
    assert done.stderr.count('SyntaxError: invalid syntax') == 1
    assert 'File "program.py", line 3' in done.stderr
    assert 'runpy' not in done.stderr and 'cli.py' not in done.stderr


@pytest.mark.parametrize('command', ['run', 'graph', 'explain'])
def test_no_such_file(cli, command):
    done = cli(command, None)
    assert (done.returncode, done.stdout) == (2, '')
    assert done.stderr == "tinyflow: there is no file 'program.py'\n"


def test_a_module_that_tinyflow_does_not_have(cli):
    done = cli('run', 'import tensorflow.no_such_part\n')
    assert done.returncode == 1
    assert "No module named 'tensorflow.no_such_part': tinyflow replaces" in done.stderr
    assert re.findall(r'File "(.*?)"', done.stderr) == ['program.py']


# ---- graph -------------------------------------------------------------------------------

@pytest.mark.slow
@pytest.mark.parametrize('name, start', [
    ('g.svg', b'<svg'), ('g.png', b'\x89PNG'), ('g.dot', b'digraph')])
def test_graph_draws(cli, tmp_path, name, start):
    done = cli('graph', CIRCLE, '-o', name)
    assert done.returncode == 0, done.stderr
    assert '3.0 [28.274334, 2.0]' in done.stdout
    assert re.fullmatch(rf'{re.escape(name)}: \d+ nodes\n', done.stderr)
    content = (tmp_path / name).read_bytes()
    assert content.lstrip().startswith(start)
    if name != 'g.png':
        assert b'radius' in content and b'circle' in content


@pytest.mark.slow
def test_graph_takes_its_options_on_both_sides_and_leaves_the_rest(cli, tmp_path):
    program = 'import sys\n' + dedent(CIRCLE) + 'print(sys.argv[1:])\n'
    plain = cli('graph', program, 'word', '--own', '7', before=['-o', 'plain.dot'])
    assert plain.stdout.endswith("['word', '--own', '7']\n")
    full = cli('graph', program, '--gradients', '--optimizer', '-o', 'full.dot', '--', '-o', 'x')
    assert full.stdout.endswith("['-o', 'x']\n")
    plain, full = ((tmp_path / f'{name}.dot').read_text() for name in ('plain', 'full'))
    assert 'ApplyGradientDescent' in full and 'ApplyGradientDescent' not in plain
    assert not (tmp_path / 'x').exists()


@pytest.mark.slow
def test_graph_finds_a_graph_that_is_gone_when_the_program_ends(cli, tmp_path):
    done = cli('graph', '''
        import gc
        import tensorflow as tf

        def main():
            with tf.Graph().as_default():
                tf.constant(1.0, name='short_lived')

        main()
        gc.collect()
    ''', '-o', 'g.dot')
    assert (done.returncode, done.stderr) == (0, 'g.dot: 1 node\n')
    assert 'short_lived' in (tmp_path / 'g.dot').read_text()


@pytest.mark.slow
def test_graph_of_a_program_that_fails_is_drawn_and_the_status_kept(cli, tmp_path):
    done = cli('graph', MISTAKE, '-o', 'g.svg')
    assert done.returncode == 1
    assert 'InvalidArgumentError' in done.stderr and 'g.svg: 3 nodes' in done.stderr
    assert (tmp_path / 'g.svg').exists()


def test_graph_of_a_program_without_one(cli, tmp_path):
    done = cli('graph', 'print("hello")\n', '-o', 'g.svg')
    assert (done.returncode, done.stdout) == (1, 'hello\n')
    assert done.stderr == 'tinyflow: program.py built no graph.\n'
    assert not (tmp_path / 'g.svg').exists()


def test_graph_refuses_an_unknown_suffix_before_the_program_runs(cli):
    done = cli('graph', 'print("hello")\n', '-o', 'g.txt')
    assert (done.returncode, done.stdout) == (2, '')
    assert 'g.txt' in done.stderr and '.svg' in done.stderr


def test_graph_reports_a_missing_folder(cli):
    done = cli('graph', CIRCLE, '-o', 'no/such/folder/g.dot')
    assert done.returncode == 2
    assert 'no/such/folder' in done.stderr and 'Traceback' not in done.stderr


# ---- explain -----------------------------------------------------------------------------

def test_explain_shows_the_most_expensive_run(cli):
    done = cli('explain', CIRCLE.replace('sess.run([area, wide]', 'sess.run(area'))
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout.startswith('1.0 3.1415927\n2.0 12.566371\n')
    assert 'The most expensive run of the program (' in done.stdout
    for title in ('request', '1 prune', '2 schedule', '3 lower', '4 infer', '5 passes', '6 memory',
                  '7 codegen', 'time'):
        assert f'\n{title}' in done.stdout, title
    assert 'def run(' in done.stdout


@pytest.mark.slow
def test_explain_chooses_by_the_time_spent(cli):
    done = cli('explain', '''
        import tensorflow as tf

        x = tf.placeholder(tf.float32, [None], name='x')
        little, much = tf.negative(x, name='little'), tf.tanh(x, name='much')
        sess = tf.InteractiveSession()
        sess.run(little, {x: [1.0]})
        for i in range(300):
            much.eval({x: [1.0] * 1000})
    ''')
    assert (done.returncode, done.stderr) == (0, '')
    assert '(300 runs, ' in done.stdout
    assert 'fetch much:0' in done.stdout and 'feed  x:0 [1000]' in done.stdout
    assert 'us a run' in done.stdout and 'program.py:4: little, much = ' in done.stdout


def test_explain_when_nothing_ran(cli):
    done = cli('explain', 'import tensorflow as tf\ntf.constant(1)\n')
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr == 'tinyflow: no Session ran anything.\n'


# ---- the same from Python ----------------------------------------------------------------

@pytest.mark.slow
def test_install_as_tensorflow(tmp_path):
    (tmp_path / 'program.py').write_text(dedent('''
        import tinyflow
        tinyflow.install_as_tensorflow()
        import tensorflow as tf
        from tensorflow.examples.tutorials.mnist import input_data
        assert tf is tinyflow and input_data.read_data_sets
        own = tinyflow.nn, tinyflow.train, tinyflow.errors
        import tensorflow.python.ops
        import tensorflow.python.framework.errors, tensorflow.python.training.training
        assert own == (tinyflow.nn, tinyflow.train, tinyflow.errors)
        assert not hasattr(tinyflow, 'ops')
        from tensorflow.compat.v2 import summary
        import tensorflow.compat.v2.keras as keras_2
        assert summary.create_file_writer and not hasattr(tf.summary, 'create_file_writer')
        assert keras_2 is tf.compat.v2.keras and tf.compat.v1.Session is tf.Session
        assert tinyflow.__spec__.name == 'tinyflow'
        tinyflow.uninstall_as_tensorflow()
        import sys
        assert not any(name.startswith('tensorflow') for name in sys.modules)
    '''))
    done = subprocess.run([sys.executable, '-W', 'error', 'program.py'], cwd=tmp_path,
                          capture_output=True, encoding='utf-8', timeout=60,
                          env={**os.environ, 'PYTHONPATH': str(ROOT)})
    assert (done.returncode, done.stderr) == (0, '')


@pytest.mark.slow
def test_version():
    done = subprocess.run([sys.executable, '-m', 'tinyflow', '--version'], cwd=ROOT,
                          capture_output=True, encoding='utf-8', timeout=60, check=True)
    assert re.fullmatch(r'tinyflow \d+\.\d+\.\d+, which behaves like TensorFlow 1\.15\.5\n',
                        done.stdout)


# ---- doctor ------------------------------------------------------------------------------

COLUMN = '''
    import tensorflow as tf

    x = tf.placeholder(tf.float32, [None, 1], name='x')
    y = tf.placeholder(tf.float32, [None], name='y')
    loss = tf.reduce_mean(tf.square(x - y))
    with tf.Session() as sess:
        print(sess.run(loss, {x: [[1.0]], y: [2.0]}))
'''


def test_doctor_finds_likely_mistakes(cli):
    done = cli('doctor', COLUMN)
    assert done.returncode == 1
    printed, summary, *_ = done.stdout.splitlines()
    assert printed == '1.0' and summary.endswith(': 1 finding')
    assert 'combines [?, 1] with [?]' in done.stdout and 'program.py:5' in done.stdout


def test_doctor_of_a_sound_program(cli):
    done = cli('doctor', CIRCLE)
    assert done.returncode == 0 and 'no problems found' in done.stdout


def test_doctor_uses_the_fetches_of_the_last_run(cli):
    done = cli('doctor', COLUMN + '    tf.Print(loss, [loss], name="shown")\n')
    assert "'shown' prints nothing" in done.stdout and 'those that the fetches need' in done.stdout


def test_doctor_without_a_graph(cli):
    done = cli('doctor', 'print(1)')
    assert done.returncode == 1 and done.stderr == 'tinyflow: program.py built no graph.\n'


@pytest.mark.slow
def test_doctor_says_that_a_program_did_not_come_to_its_end(cli):
    done = cli('doctor', 'import tensorflow as tf\ntf.constant(1.0)\nraise KeyError("x")\n')
    assert done.returncode == 1 and 'KeyError' in done.stderr
    assert done.stdout.startswith('program.py stopped with an error (exit status 1); only what it '
                                  'had built until then is checked.\n')
    assert 'stopped' not in cli('doctor', CIRCLE).stdout
    done = cli('graph', 'import tensorflow as tf\ntf.constant(1.0)\nraise KeyError("x")\n')
    assert 'until then is drawn' in done.stderr


@pytest.mark.parametrize('name', ['old.ipynb', 'old.py'])
@pytest.mark.parametrize('command', ['run', 'graph', 'explain', 'doctor'])
def test_a_notebook_is_no_program(tmp_path, command, name, capsys):
    from tinyflow.api.cli import main
    (tmp_path / name).write_text('{\n "cells": [\n  {"execution_count": null}\n ]\n}\n')
    assert main([command, str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert 'is a notebook' in said and 'jupyter nbconvert --to script' in said
    assert 'install_as_tensorflow()' in said


def test_doctor_of_a_program_that_fails(cli):
    done = cli('doctor', MISTAKE)
    assert done.returncode == 1 and 'You must feed a value' in done.stderr
    assert 'no problems found' in done.stdout


# ---- diff --------------------------------------------------------------------------------

FILES = ROOT / 'tests' / 'golden' / 'files'


def diff(tmp_path, *arguments):
    return subprocess.run(
        [sys.executable, '-m', 'tinyflow', 'diff', *map(str, arguments)], cwd=tmp_path,
        capture_output=True, encoding='utf-8', timeout=60,
        env={**os.environ, 'PYTHONPATH': str(ROOT), 'PYTHONIOENCODING': 'utf-8'})


@pytest.mark.slow
def test_diff_of_graph_files(tmp_path):
    done = diff(tmp_path, FILES / 'frozen.pb', FILES / 'model.pbtxt', '-o', 'both.svg')
    assert (done.returncode, done.stderr) == (1, '')
    assert done.stdout.startswith(f'first   {FILES / "frozen.pb"}\nsecond  ')
    assert 'only in the second' in done.stdout and (tmp_path / 'both.svg').exists()


@pytest.mark.slow
def test_diff_of_a_file_with_itself(tmp_path):
    done = diff(tmp_path, FILES / 'frozen.pb', FILES / 'frozen.pb')
    assert done.returncode == 0 and done.stdout.endswith('8 the same\n')


@pytest.mark.slow
def test_diff_of_a_saved_model_and_a_graph(tmp_path):
    done = diff(tmp_path, FILES / 'saved_model', FILES / 'model.meta')
    assert done.returncode == 1 and 'save_1/filename' in done.stdout


@pytest.mark.slow
def test_diff_of_checkpoints(tmp_path):
    directory = FILES / 'estimator' / 'dnn_iris'
    done = diff(tmp_path, directory, directory / 'model.ckpt-40')
    assert done.returncode == 0, done.stderr
    done = diff(tmp_path, directory, FILES / 'ckpt' / 'objects-1.index')
    assert done.returncode == 1 and 'dnn/hiddenlayer_0/bias: Variable float32 [10]' in done.stdout


@pytest.mark.slow
def test_diff_reads_the_values_of_checkpoints(tmp_path):
    for name, value in (('c3', 1.0), ('c4', 2.0)):
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.Variable([value, 0.0], name='w')
            sess.run(tf.global_variables_initializer())
            tf.train.Saver().save(sess, str(tmp_path / name))
    done = diff(tmp_path, 'c3', 'c4')
    assert done.returncode == 1 and 'w: differs: max |difference| = 1\n' in done.stdout
    assert diff(tmp_path, 'c3', 'c3').returncode == 0
    (tmp_path / 'c4.data-00000-of-00001').write_bytes(b'')
    done = diff(tmp_path, 'c3', 'c4')
    assert done.returncode == 2 and 'c4.data-00000-of-00001' in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize('second, message', [
    ('missing.pb', "there is no file, directory or checkpoint 'missing.pb'"),
    ('.', "'.' has neither a SavedModel (saved_model.pb) nor a checkpoint in it"),
])
def test_diff_of_unreadable_files(tmp_path, second, message):
    done = diff(tmp_path, FILES / 'frozen.pb', second)
    assert (done.returncode, done.stdout) == (2, '') and message in done.stderr
    assert 'Traceback' not in done.stderr


@pytest.mark.slow
def test_help_names_every_command(tmp_path):
    done = subprocess.run([sys.executable, '-m', 'tinyflow', '--help'], cwd=tmp_path,
                          capture_output=True, encoding='utf-8', timeout=60,
                          env={**os.environ, 'PYTHONPATH': str(ROOT)})
    assert done.returncode == 0
    for name in ('run', 'graph', 'explain', 'doctor', 'predict', 'diff'):
        assert re.search(rf'^ +{name} +\w', done.stdout, re.MULTILINE)
