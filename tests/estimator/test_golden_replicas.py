"""Canned estimators on two replicas, compared to TensorFlow 1.15.5 from equal initial values."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.test_golden_estimators import write_checkpoint
from tests.golden import read_recorded
from tests.golden.estimator import replica_cases

GOLDEN = read_recorded('estimator.replicas')


@pytest.mark.slow
@pytest.mark.parametrize('name', sorted(GOLDEN))
def test_training_equals_tensorflow(name, tmp_path):
    wanted = GOLDEN[name]
    write_checkpoint(wanted['initial'], tmp_path)
    found = replica_cases.run(tf, name, str(tmp_path))
    assert found['variables'] == wanted['variables']
    np.testing.assert_allclose(found['losses'], wanted['losses'], rtol=1e-4)
    assert found['metrics'].keys() == wanted['metrics'].keys()
    for key, value in wanted['metrics'].items():
        np.testing.assert_allclose(found['metrics'][key], value, rtol=1e-4, atol=1e-6, err_msg=key)
    assert found['count'] == wanted['count']
    for one, other in zip(found['predictions'], wanted['predictions']):
        assert one.keys() == other.keys()
        for key, value in other.items():
            if isinstance(value, str) or np.asarray(value).dtype.kind in 'UO':
                assert one[key] == value
            else:
                np.testing.assert_allclose(one[key], value, rtol=1e-4, atol=1e-6, err_msg=key)


@pytest.mark.slow
@pytest.mark.parametrize('name', sorted(set(replica_cases.NAMES) - set(GOLDEN)))
def test_programs_that_fail_in_tensorflow(name, tmp_path):
    """TF 1.15.5's Ftrl fails on replicas. Here two replicas train like one on both batches."""
    found = replica_cases.run(tf, name, str(tmp_path))
    losses = np.array(found['losses'])
    assert np.all(np.isfinite(losses)) and losses[-5:].mean() < losses[:5].mean()
