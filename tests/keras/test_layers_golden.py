"""Every layer against what TF 1.15's tf.keras gives for the same weights and inputs."""
import json
import pathlib

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.keras import layer_cases

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / 'golden' / 'recorded'
                       / 'keras.layers.json').read_text())
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
    assert found['shape'] == wanted['shape']
    assert found['computed'] == wanted['computed']
    assert found['weights'] == wanted['weights']
    np.testing.assert_allclose(found['output'], _array(wanted['output']), rtol=2e-5, atol=2e-6)
    assert len(found['gradients']) == len(wanted['gradients'])
    for ours, theirs in zip(found['gradients'], wanted['gradients']):
        np.testing.assert_allclose(ours, _array(theirs), rtol=2e-4, atol=2e-5)
    for ours, theirs in zip(found['losses'], wanted['losses']):
        np.testing.assert_allclose(ours, _array(theirs), rtol=1e-5)


@pytest.mark.parametrize('name', CASES)
def test_nodes(name):
    """The graph below a layer is TF's, node for node: seeds count nodes."""
    found = layer_cases.run(tf, *CASES[name])
    assert found['nodes'] == RECORDED[name]['nodes']


@pytest.mark.parametrize('name', CASES)
def test_config(name):
    """get_config gives TF's dict, and from_config takes it."""
    found = json.loads(json.dumps(layer_cases.run(tf, *CASES[name])['config'],
                                  default=lambda v: v.as_list() if hasattr(v, 'as_list')
                                  else v.item()))
    wanted = RECORDED[name]['config']
    assert found == wanted
    layer = tf.keras.layers.deserialize({'class_name': _class(name), 'config': wanted})
    assert layer.get_config().keys() == wanted.keys()


def _class(name):
    return type(CASES[name][0]()).__name__
