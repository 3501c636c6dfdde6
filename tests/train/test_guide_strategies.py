"""The modes of TensorFlow's guide to strategies: Keras, Estimator, train_and_evaluate, own loops.

The numbers are what TensorFlow 1.15.5 printed for tests/cluster/programs/strategies.py, the same
for each strategy with one replica.
"""
from __future__ import annotations

import json
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import tinyflow as tf

PROGRAM = str(Path(__file__).parents[1] / 'cluster' / 'programs' / 'strategies.py')
STEPS = [0.6261023283, 0.0189296640, 0.2244282514, 0.7079571486, 1.3320548534, 1.9476015568]
ITERATED = [0.6261023283, 0.0509518012, 0.1084518805, 0.6024606228, 1.5508604050, 2.9107880592]
LOSSES = {'keras': [0.2898200812, 1.3292045196], 'estimator': STEPS, 'train_and_evaluate': STEPS,
          'loop': STEPS}


def printed(capsys, monkeypatch, strategy, way):
    """What the program prints for a strategy and a way to train."""
    monkeypatch.setattr(sys, 'argv', [PROGRAM, '--strategy', strategy, '--way', way])
    verbosity = tf.logging.get_verbosity()
    try:
        with tf.Graph().as_default():
            runpy.run_path(PROGRAM, run_name='__main__')
    finally:
        tf.logging.set_verbosity(verbosity)
    return capsys.readouterr().out


def losses(text):
    return [float(number) for number in re.findall(r'^loss (\S+)', text, re.MULTILINE)]


@pytest.mark.slow
@pytest.mark.parametrize('strategy, ways', [
    ('mirrored', 'keras estimator train_and_evaluate loop'),
    ('one', 'keras train_and_evaluate loop'),
    ('central', 'keras estimator loop'),
    ('servers', 'train_and_evaluate loop'),
    ('workers', 'keras estimator loop'),
    ('replicas', 'keras loop'),
])
def test_losses_are_tensorflows(strategy, ways, capsys, monkeypatch):
    for way in ways.split():
        text = printed(capsys, monkeypatch, strategy, way)
        np.testing.assert_allclose(losses(text), LOSSES[way], rtol=1e-5, err_msg=way)
        if 'evaluation' in text:
            evaluation = json.loads(re.search(r'^evaluation (.*)', text, re.MULTILINE)[1])
            np.testing.assert_allclose(evaluation['loss'], 1.2315614, rtol=1e-5)


@pytest.mark.slow
def test_both_iterators_give_the_same_batches(capsys, monkeypatch):
    by_dataset = losses(printed(capsys, monkeypatch, 'mirrored', 'iterator'))
    np.testing.assert_allclose(by_dataset, ITERATED, rtol=1e-5)
    for strategy in ('mirrored', 'replicas', 'central'):
        np.testing.assert_allclose(losses(printed(capsys, monkeypatch, strategy, 'input_fn')),
                                   by_dataset, rtol=1e-5, err_msg=strategy)


@pytest.mark.slow
def test_a_single_worker_of_tf_config_trains_and_evaluates(capsys, monkeypatch):
    monkeypatch.setenv('TF_CONFIG', json.dumps({
        'cluster': {'worker': ['localhost:2222']}, 'task': {'type': 'worker', 'index': 0}}))
    text = printed(capsys, monkeypatch, 'workers', 'train_and_evaluate')
    np.testing.assert_allclose(losses(text), STEPS, rtol=1e-5)


# ---- what a Strategy says of itself ------------------------------------------------------------


def test_without_a_strategy_the_default_one_runs_a_step():
    strategy = tf.distribute.get_strategy()
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(strategy.experimental_run_v2(lambda x: x + 1, args=(
            tf.constant(1),))) == 2


def test_devices_have_tensorflows_names():
    extended = tf.distribute.MirroredStrategy(['/cpu:0', '/cpu:1']).extended
    assert extended.worker_devices == ('/replica:0/task:0/device:CPU:0',
                                       '/replica:0/task:0/device:CPU:1')
    assert extended.parameter_devices == extended.worker_devices
    assert not extended.experimental_require_static_shapes


def test_devices_are_a_list():
    for kind in (tf.distribute.MirroredStrategy, tf.distribute.experimental.CentralStorageStrategy):
        with pytest.raises(TypeError, match=r"Hint: \['/cpu:0'\]"):
            kind('/cpu:0')


def test_what_needs_eager_execution_or_tpus_is_refused():
    strategy = tf.distribute.MirroredStrategy()
    with pytest.raises(RuntimeError, match='Hint: strategy.make_input_fn_iterator'):
        strategy.experimental_distribute_datasets_from_function(None)
    with pytest.raises(NotImplementedError, match='Hint: build one step'):
        strategy.extended.experimental_run_steps_on_iterator(None, None)
