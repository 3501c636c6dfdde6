"""slim.nets: Variables, end points and scores are those of TensorFlow 1.15.5."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.slim_nets import NETS, description
from tests.golden.store import read_recorded

RECORDED = read_recorded('slim_nets')


@pytest.mark.slow
@pytest.mark.parametrize('name', NETS)
def test_a_network_is_tensorflows(name):
    found = description(name, tf, vars(tf.contrib.slim.nets))
    wanted = dict(RECORDED[name])
    np.testing.assert_allclose(found.pop('values', []), wanted.pop('values', []), rtol=1e-3,
                               atol=1e-4)
    assert found == wanted


def test_an_output_stride_that_no_unit_has(graph):
    nets = tf.contrib.slim.nets
    with pytest.raises(ValueError, match='multiple of 4'):
        nets.resnet_v1.resnet_v1_50(tf.zeros([1, 32, 32, 3]), output_stride=6)
    with pytest.raises(ValueError, match='endpoint'):
        nets.inception.inception_v1_base(tf.zeros([1, 32, 32, 3]), final_endpoint='x')
