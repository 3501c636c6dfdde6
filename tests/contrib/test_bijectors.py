"""tf.contrib.distributions.bijectors: what is kept, what is refused, and a flow that is trained."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

d = tf.contrib.distributions
b = d.bijectors


def test_the_inverse_of_a_result_is_the_tensor_itself(graph):
    x, exp = tf.constant([1.0]), b.Exp()
    assert exp.inverse(exp.forward(x)) is x


def test_names_and_properties(graph):
    chain = b.Chain([b.Exp(), b.AffineScalar(1.0, 2.0)])
    assert chain.name == 'chain_of_exp_of_affine_scalar' and not chain.is_constant_jacobian
    assert b.Invert(b.Exp()).name == 'invert_exp'
    assert b.Affine([1.0]).dtype is tf.float32 and b.Affine([1.0]).forward_min_event_ndims == 1
    assert b.SoftmaxCentered().forward_event_shape([3]).as_list() == [4]
    assert b.Reshape([2, -1], [6]).forward_event_shape([6]).as_list() == [2, 3]
    assert d.TransformedDistribution(d.Normal(0.0, 1.0), b.Exp()).name == 'expNormal/'


@pytest.mark.parametrize('error, match, use', [
    (ValueError, 'non-negative', lambda: b.PowerTransform(-1.0)),
    (ValueError, 'exactly one of each', lambda: b.Permute([0, 0])),
    (ValueError, 'event sizes do not match', lambda: b.Reshape([2], [3])),
    (ValueError, 'larger than', lambda: b.SoftmaxCentered().forward_log_det_jacobian([1.0], 0)),
    (NotImplementedError, 'non-injective', lambda: b.Invert(b.AbsoluteValue())),
    (NotImplementedError, 'scale_tril', lambda: b.Affine(scale_perturb_factor=[[1.0]])),
    (ValueError, 'not scalar', lambda: d.TransformedDistribution(
        d.Normal([0.0, 1.0], 1.0), b.Exp(), batch_shape=[2])),
    (NotImplementedError, 'overriding event_shape', lambda: d.TransformedDistribution(
        d.Normal(0.0, 1.0), b.Exp(), event_shape=[2]).cdf([1.0, 2.0])),
    (AttributeError, 'BatchNormalization', lambda: b.BatchNormalization())])
def test_what_is_refused(graph, error, match, use):
    with pytest.raises(error, match=match):
        use()


def test_a_flow_learns_a_scale(session):
    """Samples with the deviation 3; the flow starts at 1."""
    x = 3 * np.random.RandomState(0).randn(200, 1).astype(np.float32)
    scale = tf.get_variable('scale', initializer=0.0)
    flow = d.TransformedDistribution(d.Normal(0.0, 1.0), b.AffineScalar(scale=tf.exp(scale)))
    loss = -tf.reduce_mean(flow.log_prob(x))
    step = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
    session.run(tf.global_variables_initializer())
    for _ in range(60):
        session.run(step)
    assert abs(np.exp(session.run(scale)) - x.std()) < 0.1
