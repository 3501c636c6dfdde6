"""Checkpoints written by TensorFlow 1.15.5 can be read; exports have its signatures."""
import json
import pathlib
import shutil

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.estimator import file_cases
from tinyflow.train.saved_model import loader

GOLDEN = pathlib.Path(__file__).parents[1] / 'golden'
RECORDED = read_recorded('estimator.files')


def same(found, wanted, what=''):
    """Numbers to 1e-4, everything else exactly."""
    if isinstance(wanted, dict):
        assert set(found) == set(wanted), what
        for key in wanted:
            same(found[key], wanted[key], f'{what} {key}')
    elif isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        assert len(found) == len(wanted), what
        for one, other in zip(found, wanted):
            same(one, other, what)
    elif np.ravel(wanted).size and isinstance(np.ravel(wanted)[0], str):
        np.testing.assert_array_equal(found, wanted, err_msg=what)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=what)


@pytest.mark.slow
@pytest.mark.parametrize('name', file_cases.CHECKPOINTS)
def test_checkpoint_of_tensorflow(name, tmp_path):
    folder = tmp_path / name
    shutil.copytree(GOLDEN / 'files' / 'estimator' / name, folder)
    estimator = file_cases.make(tf, name, str(folder))
    wanted = RECORDED['checkpoints'][name]
    same(file_cases.results(tf, name, estimator), wanted, name)
    estimator.train(file_cases.input_fn(tf, name, True), steps=30)
    assert estimator.get_variable_value('global_step') == file_cases.STEPS + 30
    after = estimator.evaluate(file_cases.input_fn(tf, name, False))
    assert after['loss'] < wanted['metrics']['loss']


@pytest.mark.slow
@pytest.mark.parametrize('name', file_cases.CHECKPOINTS)
def test_training_equals_tensorflow(name, tmp_path):
    """Trained from the same seed, not read from files."""
    estimator = file_cases.make(tf, name, str(tmp_path))
    estimator.train(file_cases.input_fn(tf, name, True), steps=file_cases.STEPS)
    same(file_cases.results(tf, name, estimator), RECORDED['checkpoints'][name], name)


@pytest.mark.slow
@pytest.mark.parametrize('name', file_cases.EXPORTS)
def test_signatures_equal_tensorflow(name, tmp_path):
    """Names, methods, keys, tensors, dtypes, shapes; of all signatures."""
    where = file_cases.export(tf, name, str(tmp_path))
    with tf.Graph().as_default(), tf.Session() as session:
        meta = loader.load(session, ['serve'], where)
        found = json.loads(json.dumps(file_cases.signatures(meta)))
        assert found == RECORDED['signatures'][name]
