"""keras.backend and Keras' small objects give TF 1.15.5's numbers, gradients and graphs (B-series).
"""
from __future__ import annotations

import os

import numpy as np
import pytest

import tinyflow as tf
from tests.engine.golden_support import assert_same, plain
from tests.golden.encoding import decode, read_json
from tests.golden.keras.backend_cases import CASES
from tests.golden.keras.building import build
from tinyflow import keras
from keras_layer import backend as K

_PATH = os.path.join(os.path.dirname(__file__), '..', 'golden', 'recorded', 'keras.backend.json')
RECORDED = read_json(_PATH)['cases']
GRAPH_DIFFERS: dict[str, str] = {}




def test_every_case_is_recorded():
    assert sorted(CASES) == sorted(RECORDED)


@pytest.mark.parametrize('name', sorted(CASES))
def test_gives_what_tensorflow_gives(name):
    wanted = RECORDED[name]
    with tf.Graph().as_default():
        outputs, gradients, feeds, nodes = build(CASES[name], tf, np)
        session = K.get_session()
        values = session.run(outputs, feeds)
        assert_same(plain(values), decode(wanted['values']), name, scale=10)
        if wanted['gradients'] is not None:
            for i, (got, want) in enumerate(zip(gradients, wanted['gradients'])):
                assert (got is None) == (want is None), f'gradient {i}'
                if want is not None:
                    assert_same(plain(session.run(got, feeds)), decode(want), f'gradient {i}', 50)
        assert (nodes == wanted['nodes']) == (name not in GRAPH_DIFFERS), nodes
