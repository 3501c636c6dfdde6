"""Metrics against recorded values of TF 1.15: batches, weights, reset."""

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.keras import metric_cases

RECORDED = read_recorded('keras.metrics')
FOUND = metric_cases.run(tf)


@pytest.mark.parametrize('name', RECORDED)
def test_metric(name):
    found, wanted = FOUND[name], RECORDED[name]
    for ours, theirs in zip(found['values'], wanted['values']):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-6)
    assert found['name'] == wanted['name']
    assert found['weights'] == wanted['weights']
    assert found['config'].keys() == wanted['config'].keys()
    for key, value in wanted['config'].items():
        if isinstance(value, list):
            np.testing.assert_allclose(found['config'][key], value, rtol=1e-6)
        else:
            assert found['config'][key] == value
