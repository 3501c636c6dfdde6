"""The runner of other people's programs: its verdicts, and two programs on this side alone."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.parity.programs.__main__ import lowered, programs
from tests.parity.programs.outcome import RUNS, VERDICTS, Outcome, numbers, summary, table, verdict

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize('here, there, word', [
    (Outcome(0, 'loss 0.5'), Outcome(0, 'loss 0.50001'), 'agrees'),
    (Outcome(0, 'loss 0.5'), Outcome(0, 'loss 0.6'), 'differs'),
    (Outcome(0, 'loss 0.5\n'), Outcome(0, 'loss 0.5\nloss 0.4\n'), 'differs'),
    (Outcome(0, 'two lines: 2\nloss 0.5\n'), Outcome(0, 'loss 0.5'), 'agrees'),
    (Outcome(0, 'Epoch 1/1\n1/2 [=>.] - ETA: 3s - loss: 0.7\b\b2/2 [==] - 1s - loss: 0.5\n'),
     Outcome(0, ' 2/2 [==] - 1s 20ms/step - loss: 0.5'), 'agrees'),
    (Outcome(None, 'loss 0.5\n'), Outcome(0, 'loss 0.5\nloss 0.4\n'), 'agrees so far'),
    (Outcome(None, ''), Outcome(0, 'loss 0.5\n'), 'cut off'),
    (Outcome(0, 'Hello'), Outcome(0, 'Hello'), 'agrees'),
    (Outcome(0, 'done in 3 seconds'), Outcome(0, 'done in 9 seconds'), 'runs'),
    (Outcome(0, 'nan'), Outcome(1, '', 'ValueError: no'), 'runs here only'),
    (Outcome(1, '', 'ValueError: no'), Outcome(0, '1'), 'fails here'),
    (Outcome(1, '', 'ValueError: no'), Outcome(1, '', 'ValueError: no'), 'fails on both'),
    (Outcome(0, '1'), None, 'runs'),
    (Outcome(None, '1'), None, 'cut off'),
    (Outcome(-9, ''), None, 'fails here'),
])
def test_a_verdict(here, there, word):
    assert verdict(here, there)[0] == word and word in VERDICTS


def test_numbers_are_read_line_by_line():
    assert numbers('Epoch: 0001 cost= 1.5e-2\nv1 of model_2\n[-1. .5]\n3 sec') == [
        [1, 0.015], [-1, 0.5]]


def test_the_figure_leaves_out_what_fails_everywhere():
    assert summary(['agrees', 'agrees', 'fails here', 'fails on both']) == (
        '2 of 3 programs run, of those that run on TensorFlow (4 in all): 2 agrees, 1 fails here, '
        '1 fails on both.')
    assert summary(['runs']) == '1 of 1 programs run: 1 runs.'
    assert set(RUNS) < set(VERDICTS)
    assert table([('a.py', 'agrees', 'x|y', 1.2, None)]).splitlines()[-1] == (
        '| a.py | agrees | 1 | x/y |')


def test_counts_are_lowered():
    assert lowered('num_steps = 30000 # many\nepochs = 15\nsteps = 3\nstep_size = 700\n', 60) == (
        'num_steps = 60 # many\nepochs = 2\nsteps = 3\nstep_size = 700\n')


@pytest.mark.slow
def test_programs_run_with_stand_ins(tmp_path):
    (tmp_path / 'mnist.py').write_text(
        'import matplotlib.pyplot as plt\nimport tensorflow as tf\n'
        'from tensorflow.examples.tutorials.mnist import input_data\n'
        'mnist = input_data.read_data_sets("/tmp/data/", one_hot=True)\n'
        'x, y = mnist.train.next_batch(4)\n'
        'f, (a, b) = plt.subplots(1, 2); a[0].imshow(x[0].reshape(28, 28))\n'
        'w = tf.Variable(tf.random_normal([784, 10]))\n'
        'with tf.Session() as sess:\n'
        '    sess.run(tf.global_variables_initializer())\n'
        '    print(x.shape, sess.run(tf.reduce_sum(tf.matmul(x, w))))\n', encoding='utf-8')
    (tmp_path / 'notes.py').write_text('print("no TensorFlow")\n', encoding='utf-8')
    (tmp_path / 'download.py').write_text(
        'import tensorflow as tf\nimport urllib.request\n'
        'urllib.request.urlretrieve("http://example.com/a.zip", "a.zip")\n', encoding='utf-8')
    assert programs(tmp_path, '') == [Path('download.py'), Path('mnist.py')]
    done = subprocess.run(
        [sys.executable, '-m', 'tests.parity.programs', str(tmp_path), '--tensorflow', ''],
        capture_output=True, text=True, cwd=ROOT, timeout=100, check=False)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[2].startswith('| download.py | fails here |')
    assert 'no stand-in for http://example.com/a.zip' in lines[2]
    assert lines[3].startswith('| mnist.py | runs |')
    assert lines[-1] == '1 of 2 programs run: 1 runs, 1 fails here.'
