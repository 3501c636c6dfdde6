"""Recurrent layers against recorded values of TF 1.15 for the same weights and inputs."""
import json

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.compare import functional_names
from tests.golden.keras import recurrent_cases

RECORDED = read_recorded('keras.recurrent')
CASES = {case[0]: case[1:] for case in recurrent_cases.cases(tf.keras)}


def _array(recorded):
    if isinstance(recorded, dict):
        return np.array(recorded['values']).reshape(recorded['shape'])
    return np.array(recorded)


@pytest.mark.parametrize('name', CASES)
def test_recurrent_layer(name):
    """Outputs, states, gradients, names of weights, nodes and the configuration are TF's."""
    with functional_names():
        found, wanted = recurrent_cases.run(tf, *CASES[name]), RECORDED[name]
    assert found['weights'] == wanted['weights']
    assert found['shapes'] == wanted['shapes']
    for which in ('output', 'gradients'):
        assert len(found[which]) == len(wanted[which])
        for ours, theirs in zip(found[which], wanted[which]):
            np.testing.assert_allclose(ours, _array(theirs), rtol=2e-4, atol=2e-5)
    assert found['nodes'] == wanted['nodes']
    assert _listed(found['config']) == _listed(wanted['config'])


def _listed(value):
    return json.loads(json.dumps(value, default=str),
                      parse_float=lambda t: float('%.6g' % float(t)))


@pytest.mark.slow
@pytest.mark.parametrize('name', CASES)
def test_seeds_after_a_recurrent_layer(name):
    """The number of nodes, from which the seeds of later ops come, is that of TF1."""
    assert recurrent_cases.run(tf, *CASES[name])['count'] == RECORDED[name]['count']


@pytest.mark.parametrize('name', CASES)
def test_configuration_makes_the_layer_again(name):
    """from_config of TF's configuration gives a layer with that configuration."""
    config = RECORDED[name]['config']
    with tf.keras.utils.custom_object_scope(
            {'PeepholeLSTMCell': tf.keras.experimental.PeepholeLSTMCell}):
        made = type(CASES[name][0]()).from_config(json.loads(json.dumps(config)))
    assert _listed(made.get_config()) == _listed(config)
