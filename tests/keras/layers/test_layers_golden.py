"""Every layer against recorded values of TF 1.15 for the same weights and inputs."""
import json

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.keras import layer_cases

RECORDED = read_recorded('keras.layers')
CASES = {name: (make, shapes, dtype) for name, make, shapes, dtype
         in layer_cases.cases(tf.keras.layers, tf.keras)}


def _array(recorded):
    if isinstance(recorded, dict):
        return np.array(recorded['values']).reshape(recorded['shape'])
    return np.array(recorded)


@pytest.mark.parametrize('name', CASES)
def test_layer(name):
    found = layer_cases.run(tf, *CASES[name])
    wanted = RECORDED[name]
    for which in ('shape', 'computed'):     # TF may know less: Reshape((3, -1))
        assert len(found[which]) == len(wanted[which])
        assert all(theirs in (ours, None) for ours, theirs in zip(found[which], wanted[which]))
    assert found['weights'] == wanted['weights']
    np.testing.assert_allclose(found['output'], _array(wanted['output']), rtol=2e-5, atol=2e-6)
    assert len(found['gradients']) == len(wanted['gradients'])
    for ours, theirs in zip(found['gradients'], wanted['gradients']):
        np.testing.assert_allclose(ours, _array(theirs), rtol=2e-4, atol=2e-5)
    for ours, theirs in zip(found['losses'], wanted['losses']):
        np.testing.assert_allclose(ours, _array(theirs), rtol=1e-5)


@pytest.mark.parametrize('name', CASES)
def test_nodes(name):
    """The graph below a layer is TF's, node for node, and seeds count what TF1 counts.

    What comes of a cond is left out: TF's has outputs for what its gradient may need.
    """
    found = layer_cases.run(tf, *CASES[name])
    assert _outside_conds(found['nodes']) == _outside_conds(RECORDED[name]['nodes'])
    assert found['count'] == RECORDED[name]['count']


def _outside_conds(nodes):
    return [[name, kind] for name, kind in nodes if '/cond' not in name]


@pytest.mark.parametrize('name', CASES)
def test_config(name):
    """get_config gives TF's dict, and from_config takes it."""
    found = _rounded(layer_cases.run(tf, *CASES[name])['config'])
    wanted = _rounded(RECORDED[name]['config'])
    assert found == wanted
    layer = tf.keras.layers.deserialize({'class_name': _class(name), 'config': wanted})
    assert layer.get_config().keys() == wanted.keys()


def _rounded(config):
    return json.loads(json.dumps(config), parse_float=lambda text: float('%.6g' % float(text)))


def _class(name):
    return type(CASES[name][0]()).__name__
