"""Model directories and exports of Estimators made here, in an installed TensorFlow.

TINYFLOW_TF115_PYTHON and TINYFLOW_TF215_PYTHON name Python interpreters that have TensorFlow; a
test is skipped for each that is not named.
"""
from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.test_checkpoint_files import same
from tests.golden.encoding import decode
from tests.golden.estimator import file_cases
from tests.parity.interpreters import interpreter, run_script

pytestmark = pytest.mark.parity
TF115, TF215 = 'TINYFLOW_TF115_PYTHON', 'TINYFLOW_TF215_PYTHON'


def in_tensorflow(version, what, folder):
    """Runs estimator_files.py, and gives what it wrote for each name."""
    run_script(version, 'estimator_files.py', what, folder)
    return {path.stem: json.loads(path.read_text()) for path in folder.glob('*.json')}


def test_tensorflow_goes_on_with_a_model_dir_from_here(tmp_path):
    """It evaluates and predicts equally, and after 30 steps more from there, too."""
    interpreter(TF115)                  # skips at once where there is none
    wanted = {}
    for name in file_cases.CHECKPOINTS:
        estimator = file_cases.make(tf, name, str(tmp_path / name))
        estimator.train(file_cases.input_fn(tf, name, True), steps=file_cases.STEPS)
        wanted[name] = file_cases.results(tf, name, estimator)
        shutil.copytree(tmp_path / name, tmp_path / 'ours' / name)
    found = in_tensorflow(TF115, 'read', tmp_path)
    for name in file_cases.CHECKPOINTS:
        estimator = file_cases.make(tf, name, str(tmp_path / 'ours' / name))
        # TensorFlow's input starts again; tinyflow would continue at its position.
        for path in (tmp_path / 'ours' / name).glob('*.resume*'):
            path.unlink()
        estimator.train(file_cases.input_fn(tf, name, True), steps=30)
        same(found[name], {**wanted[name], 'step': file_cases.STEPS + 30,
                           'later': file_cases.results(tf, name, estimator)}, name)


@pytest.mark.parametrize('version', [TF115, TF215])
def test_tensorflow_serves_exports_from_here(version, tmp_path):
    """Every signature gives what it gives here: parsing and raw receivers, four kinds of model."""
    interpreter(version)
    wanted = {}
    for name in file_cases.EXPORTS:
        inputs = file_cases.fed(tf, name)
        where = file_cases.export(tf, name, str(tmp_path / 'work'))
        shutil.copytree(where, tmp_path / name / 'saved')
        loaded = tf.saved_model.load(where)
        wanted[name] = {key: ask(signature, inputs) for key, signature in
                        loaded.signatures.items()}
        assert len(wanted[name]) >= 1
    found = in_tensorflow(version, 'serve', tmp_path)
    for name, signatures in wanted.items():
        assert set(found[name]) == set(signatures)
        for key, outputs in signatures.items():
            theirs = decode(found[name][key])
            assert set(theirs) == set(outputs), (name, key)
            for output, value in outputs.items():
                equal(value, theirs[output], f'{name} {key} {output}')


def ask(signature, inputs):
    """What a loaded signature says; classifications and regressions call their input 'inputs'."""
    keys = list(signature.inputs)
    if not set(keys) <= set(inputs):
        inputs = dict(zip(keys, inputs.values(), strict=True))
    return signature(**{key: inputs[key] for key in keys})


def equal(value, other, what):
    if np.asarray(value).dtype.kind in 'OSU':
        np.testing.assert_array_equal(value, other, err_msg=what)
    else:
        np.testing.assert_allclose(value, other, rtol=1e-5, atol=1e-6, err_msg=what)
