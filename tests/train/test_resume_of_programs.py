"""Exact resume of programs that are replaced by faster ones, with other last bits, after some runs.

So it matters after how many, whatever else hooks fetch in a step.
"""
from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import tinyflow as tf
from tests.train.test_exact_resume import Stop, run
from tinyflow.compiler.compile import Options
from tinyflow.native import loops, rise
from tinyflow.session import loop_executable, session as sessions


class Extra(tf.train.SessionRunHook):
    """Fetches the norm of a Variable in the first run, and in every fourth one."""

    def begin(self):
        self.runs, self.norm = 0, tf.norm(tf.trainable_variables()[0])

    def before_run(self, run_context):
        self.runs += 1
        return tf.train.SessionRunArgs(self.norm if self.runs % 4 == 1 else [])


def trained(build):
    """What trains a model: the bytes of its weights after each step."""
    def make():
        loss = build()
        with tf.control_dependencies([tf.train.AdamOptimizer(0.05).minimize(loss)]):
            return [v.read_value() for v in tf.trainable_variables()]
    return make


def bits(results):
    return {step: [v.tobytes() for v in values] for step, values in results.items()}


def whole_run(tmp_path, build):
    return bits(run(tmp_path / 'whole', trained(build), hooks=[Extra()]))


def run_that_was_killed(tmp_path, build):
    make = trained(build)
    first = bits(run(tmp_path / 'killed', make, hooks=[Extra(), Stop()]))
    second = bits(run(tmp_path / 'killed', make, hooks=[Extra()]))
    assert max(first) == 6 and min(second) == 7
    return {**first, **second}


def recurrent(units=20):
    x = tf.random_normal([16, 6, 8])
    cell = tf.nn.rnn_cell.BasicLSTMCell(units)
    return tf.reduce_mean(tf.square(tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)[0]))


def recurrent_of_elements():
    """Batches of 4, 4 and 2 sentences."""
    sentences = np.random.RandomState(0).normal(size=(10, 5, 8)).astype(np.float32)
    x = tf.data.Dataset.from_tensor_slices(sentences).batch(4).repeat()
    cell = tf.nn.rnn_cell.BasicLSTMCell(20)
    outputs = tf.nn.dynamic_rnn(cell, x.make_one_shot_iterator().get_next(), dtype=tf.float32)[0]
    return tf.reduce_mean(tf.square(outputs))


@pytest.mark.slow
@pytest.mark.parametrize('build, unroll, instruction', [
    (recurrent, 4, 0), (recurrent, 8, 0), (recurrent, 2, 3.3e-6), (recurrent_of_elements, 3, 0),
    (recurrent_of_elements, 6, 0)])
def test_loops_that_are_unrolled(tmp_path, monkeypatch, build, unroll, instruction):
    monkeypatch.setattr(loop_executable, '_UNROLL_ONE', instruction)
    monkeypatch.setenv('TINYFLOW_NATIVE', 'off')
    monkeypatch.setattr(sessions, 'Options', partial(Options, unroll=None))
    never = whole_run(tmp_path / 'never', build)
    monkeypatch.setattr(sessions, 'Options', partial(Options, unroll=unroll))
    whole = whole_run(tmp_path, build)
    assert whole != never                   # else the bits would prove nothing
    assert run_that_was_killed(tmp_path, build) == whole


def dense():
    x = tf.random_normal([64, 50])
    hidden = tf.layers.dense(x, 40, tf.nn.tanh)
    return tf.reduce_mean(tf.exp(tf.layers.dense(hidden, 30, tf.nn.sigmoid)))


def dense_of_elements():
    """Batches of 40, 40 and 20 rows."""
    rows = np.random.RandomState(0).normal(size=(100, 50)).astype(np.float32)
    x = tf.data.Dataset.from_tensor_slices(rows).batch(40).repeat()
    hidden = tf.layers.dense(x.make_one_shot_iterator().get_next(), 40, tf.nn.tanh)
    return tf.reduce_mean(tf.exp(tf.layers.dense(hidden, 30, tf.nn.sigmoid)))


@pytest.mark.slow
@pytest.mark.skipif(not loops.found(), reason='needs the extra "fast"')
@pytest.mark.parametrize('build', [dense, dense_of_elements, partial(recurrent, 80)])
@pytest.mark.parametrize('move', [3, 6])
def test_programs_that_move_up_to_native_code(tmp_path, monkeypatch, build, move):
    monkeypatch.setattr(rise, 'runs_with_numpy', lambda program: move)
    monkeypatch.setattr(loop_executable, '_UNROLL_ONE', 0)
    monkeypatch.setattr(sessions, 'Options', partial(Options, unroll=2))
    monkeypatch.setenv('TINYFLOW_NATIVE', 'off')
    never = whole_run(tmp_path / 'never', build)
    monkeypatch.setenv('TINYFLOW_NATIVE', 'auto')
    whole = whole_run(tmp_path, build)
    assert whole != never
    assert run_that_was_killed(tmp_path, build) == whole


def test_plain_data_and_what_is_not_there(session):
    """What other versions have saved, and Sessions without trainings."""
    assert session.program_runs() == {'runs': {}, 'shapes': {}}
    session.set_program_runs({})
    v = tf.Variable(tf.ones([3]))
    loop = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    with tf.control_dependencies([tf.identity(loop)]):
        step = v.assign_add([1., 2., 3.])
    session.run(v.initializer)
    session.run([step, v])
    session.run(step)
    state = session.program_runs()
    assert list(state['runs'].values()) == [(2, None)]
    with tf.Session() as other:
        other.set_program_runs(state)
        assert other.program_runs() == state
    for call in (other.program_runs, lambda: other.set_program_runs(state)):
        with pytest.raises(RuntimeError, match='closed Session'):
            call()
