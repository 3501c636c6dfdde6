"""Training against recorded losses of TF 1.15, batch by batch; optimizers and their nodes."""
import json

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.keras import optimizer_cases, training_cases

RECORDED = read_recorded('keras.training')
UPDATES = read_recorded('keras.optimizers')
MODELS = {name: case for name, *case in training_cases.models(tf.keras)}
OPTIMIZERS = dict(training_cases.optimizers(tf.keras))


@pytest.mark.slow
@pytest.mark.parametrize('name', MODELS)
def test_model(name):
    found, wanted = training_cases.train(tf, *MODELS[name]), RECORDED['models'][name]
    assert found['names'] == wanted['names']
    assert list(found['history']) == list(wanted['history'])
    np.testing.assert_allclose(found['steps'], wanted['steps'], rtol=1e-4, atol=1e-5)
    for key, values in wanted['history'].items():
        np.testing.assert_allclose(found['history'][key], values, rtol=1e-4, atol=1e-5, err_msg=key)
    for key in ('evaluate', 'predict', 'weighted'):
        np.testing.assert_allclose(found[key], wanted[key], rtol=2e-4, atol=2e-5, err_msg=key)


@pytest.mark.parametrize('name', OPTIMIZERS)
def test_optimizer(name):
    found = training_cases.optimize(tf, OPTIMIZERS[name])
    wanted = RECORDED['optimizers'][name]
    np.testing.assert_allclose(found['losses'], wanted['losses'], rtol=1e-4, atol=1e-6)
    assert found['weights'] == wanted['weights']
    np.testing.assert_allclose(found['state'], wanted['state'], rtol=1e-3, atol=1e-5)
    assert json.loads(json.dumps(found['config'])).keys() == wanted['config'].keys()
    for key, value in wanted['config'].items():
        if isinstance(value, (int, float)):
            assert found['config'][key] == pytest.approx(value, rel=1e-6), key
        else:
            assert json.loads(json.dumps(found['config'][key])) == value


@pytest.fixture(scope='module')
def updates():
    return optimizer_cases.run(tf)


@pytest.mark.parametrize('name', UPDATES)
def test_nodes_of_a_step(updates, name):
    """Names, types and order of the nodes that a step adds are TF 1.15's."""
    assert updates[name]['nodes'] == UPDATES[name]['nodes']
    np.testing.assert_allclose(updates[name]['value'], UPDATES[name]['value'], rtol=1e-5)
