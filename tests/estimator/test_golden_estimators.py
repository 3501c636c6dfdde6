"""Estimators with a custom model_fn, alone and on two replicas, compared to TensorFlow 1.15.5.

Without replicas even the initial weights agree, from the seed alone; with replicas the training
continues from TensorFlow's first checkpoint.
"""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.estimator import core_programs

GOLDEN = read_recorded('estimator.core')


def write_checkpoint(values, directory):
    """Writes a checkpoint of step 0 with the values by name."""
    with tf.Graph().as_default(), tf.Session() as session:
        for name, value in values.items():
            dtype = np.int64 if name == 'global_step' else np.float32
            tf.Variable(np.array(value, dtype), name=name)
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(directory / 'model.ckpt'), global_step=0)


@pytest.mark.slow
@pytest.mark.parametrize('name', sorted(core_programs.PROGRAMS))
def test_training_equals_tensorflow(name, tmp_path):
    wanted = GOLDEN[name]
    if 'replicas' in core_programs.PROGRAMS[name]:
        write_checkpoint(wanted['initial'], tmp_path)
    found = core_programs.run(tf, name, str(tmp_path))
    assert sorted(found['initial']) == sorted(wanted['initial'])
    for part in ('initial', 'final'):
        for variable, value in wanted[part].items():
            np.testing.assert_allclose(found[part][variable], value, rtol=1e-4, atol=1e-5,
                                       err_msg=f'{part} {variable}')
    np.testing.assert_allclose(found['losses'], wanted['losses'], rtol=1e-4)
    assert found['metrics'].keys() == wanted['metrics'].keys()
    for key, value in wanted['metrics'].items():
        np.testing.assert_allclose(found['metrics'][key], value, rtol=1e-4, err_msg=key)
    np.testing.assert_allclose(found['probabilities'], wanted['probabilities'], rtol=1e-4)


def test_every_recorded_program_is_compared():
    assert set(GOLDEN) == set(core_programs.PROGRAMS)
