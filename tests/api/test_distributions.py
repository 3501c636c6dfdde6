"""tf.distributions: what is refused, divergences that a program registers, classes of its own."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

d = tf.distributions


def test_bernoulli_takes_one_of_logits_and_probs(graph):
    for arguments in ({}, {'logits': [1.0], 'probs': [0.3]}):
        with pytest.raises(ValueError, match='Must pass probs or logits, but not both'):
            d.Bernoulli(**arguments)


def test_dtypes_are_checked(graph):
    with pytest.raises(ValueError, match='Expected floating point type'):
        d.Normal(1, 2)
    with pytest.raises(ValueError, match='must be of the same type'):
        d.Normal(1.0, tf.constant(2.0, tf.float64))


def test_what_a_class_lacks_is_named(graph):
    with pytest.raises(NotImplementedError, match='survival_function is not implemented: Bern'):
        d.Bernoulli(probs=0.5).survival_function(1)
    with pytest.raises(NotImplementedError, match='mean is not implemented: Categorical'):
        d.Categorical([1.0, 2.0]).mean()
    with pytest.raises(NotImplementedError, match='distribution_a type Normal'):
        d.kl_divergence(d.Normal(0.0, 1.0), d.Beta(1.0, 2.0))


def test_descriptions(graph):
    x = d.Normal(0.0, [1.0])
    assert str(x) == ('tfp.distributions.Normal("Normal/", batch_shape=(1,), event_shape=(), '
                      'dtype=float32)')
    assert x.parameters == {'loc': 0.0, 'scale': [1.0], 'validate_args': False,
                            'allow_nan_stats': True, 'name': 'Normal'}
    assert x.copy(scale=2.0).batch_shape == []
    assert x.reparameterization_type == d.FULLY_REPARAMETERIZED != d.NOT_REPARAMETERIZED
    assert d.Gamma.param_static_shapes([3])['rate'] == [3]


def test_checked_parameters_fail_when_run(session):
    x = d.Normal(0.0, tf.placeholder_with_default(-1.0, []), validate_args=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match='x > 0'):
        session.run(x.sample())


def test_the_mode_of_each_row_of_a_batch(session):
    x = d.Dirichlet([[2.0, 3.0, 2.0], [0.5, 2.0, 2.0]])
    np.testing.assert_allclose(session.run(x.mode()), [[0.25, 0.5, 0.25], [np.nan] * 3])


def test_a_class_of_a_program_and_its_divergence(session):
    class Triangle(d.Distribution):
        """2 x for 0 < x < 1."""

        def __init__(self, name='Triangle'):
            super().__init__(tf.float32, d.NOT_REPARAMETERIZED, False, True, name=name)

        def _prob(self, x):
            return 2.0 * x

        def _batch_shape(self):
            return tf.TensorShape([])

        def _event_shape(self):
            return tf.TensorShape([])

        def _sample_n(self, n, seed=None):
            return tf.sqrt(tf.random_uniform([n], seed=seed))

    @d.RegisterKL(Triangle, d.Distribution)
    def divergence(a, b, name=None):
        return tf.constant(0.25)

    x = Triangle()
    assert x.sample([2, 5]).shape == (2, 5)
    assert session.run([x.log_prob(0.5), d.kl_divergence(x, d.Uniform())]) == [0.0, 0.25]
    with pytest.raises(ValueError, match='has already been registered'):
        d.RegisterKL(Triangle, d.Distribution)(divergence)


def test_contrib_has_the_same_classes_and_says_what_it_lacks(graph):
    contrib = tf.contrib.distributions
    assert contrib.Normal is d.Normal and contrib.kl_divergence is d.kl_divergence
    for name in ('WishartFull', 'Autoregressive'):
        with pytest.raises(AttributeError, match=f'contrib.distributions.{name}'):
            getattr(contrib, name)
    with pytest.raises(ValueError, match='at least one of'):
        contrib.MultivariateNormalDiag()
    with pytest.raises(ValueError, match='3 vs. 1'):
        contrib.Mixture(d.Categorical([1.0, 2.0, 3.0]), [d.Normal(0.0, 1.0)])


def test_samples_of_mixtures_come_from_each_component(session):
    contrib = tf.contrib.distributions
    chosen = d.Categorical(probs=[0.25, 0.75])
    parts = [d.Normal(-1.0, 0.01), d.Normal(1.0, 0.01)]
    for x in (contrib.Mixture(chosen, parts),
              contrib.MixtureSameFamily(chosen, d.Normal([-1.0, 1.0], 0.01))):
        drawn = session.run(x.sample(1000, seed=1))
        np.testing.assert_allclose(np.abs(drawn), 1, atol=0.06)
        assert 0.7 < (drawn > 0).mean() < 0.8
