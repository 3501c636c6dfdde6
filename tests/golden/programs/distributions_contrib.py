"""tf.contrib.distributions: values; the nodes are simpler than TensorFlow's."""
from .registry import program, run

EVERY = 'log_prob prob mean variance stddev'


def values(x, value, names=EVERY, seed=3):
    """Seeded samples, and what some methods of a distribution give."""
    results = [x.sample(2, seed=seed)] if seed is not None else []
    for name in names.split():
        method = getattr(x, name)
        takes_value = any(word in name for word in ('prob', 'cdf', 'survival'))
        results.append(method(value) if takes_value else method())
    return results


@program
def normals_of_vectors(tf, np):
    d = tf.contrib.distributions
    loc = tf.constant([[1.0, -1.0], [0.0, 0.5]])
    lower = tf.constant([[1.0, 0.0], [0.5, 2.0]])
    some = [d.MultivariateNormalDiag(loc, [1.0, 2.0]),
            d.MultivariateNormalDiag(loc, scale_identity_multiplier=0.5),
            d.MultivariateNormalDiag(scale_diag=[[0.5, 1.5], [1.0, 2.0]]),
            d.MultivariateNormalDiagWithSoftplusScale(loc, [0.1, -1.0]),
            d.MultivariateNormalTriL(loc, lower),
            d.MultivariateNormalFullCovariance(loc, tf.matmul(lower, lower, transpose_b=True))]
    results = []
    for x in some:
        results += values(x, [[0.3, 0.7], [0.1, 2.0]],
                          EVERY + ' entropy covariance mode batch_shape_tensor')
    pairs = [(0, 1), (4, 5), (4, 0), (0, 4)]
    results += [d.kl_divergence(some[i], some[j]) for i, j in pairs]
    return [run(results), run(tf.gradients(results[1], loc))]


@program
def more_distributions(tf, np):
    d = tf.contrib.distributions
    results = values(d.Logistic([0.5, 1.0], 2.0), 0.7, EVERY + ' cdf log_cdf survival_function '
                                                               'entropy mode')
    results += values(d.Poisson([1.5, 4.0]), 3.0, EVERY + ' cdf mode')
    results += values(d.Poisson(log_rate=[0.5]), 2.0)
    results += values(d.Deterministic([0.5, 1.0]), 1.0, 'prob cdf mean mode variance')
    x = d.OneHotCategorical([[0.5, 1.0, -1.0], [0.1, 0.2, 0.3]])
    results += values(x, [[0, 1, 0], [1, 0, 0]],
                      'log_prob prob entropy mode event_shape_tensor')
    results += [d.kl_divergence(x, d.OneHotCategorical(probs=[0.2, 0.3, 0.5]))]
    point = tf.constant([0.2, 0.3, 0.5])
    results += values(d.RelaxedOneHotCategorical(0.7, [0.5, 1.0, -1.0]), point,
                      'log_prob prob')
    results += values(d.ExpRelaxedOneHotCategorical(0.7, probs=[0.2, 0.3, 0.5]), tf.log(point),
                      'log_prob')
    results += values(d.Independent(d.Normal([[0.5, 1.0]], 2.0), 1), [[0.1, 0.7]],
                      EVERY + ' entropy event_shape_tensor')
    results += values(d.NormalWithSoftplusScale(0.5, [1.0]), 0.7)
    results += values(d.GammaWithSoftplusConcentrationRate(0.5, [1.0]), 0.7)
    results += [d.softplus_inverse([0.5, 3.0])]
    return [run(results)]


@program
def mixtures(tf, np):
    d = tf.contrib.distributions
    same = d.MixtureSameFamily(d.Categorical(probs=[0.3, 0.7]), d.Normal([-1.0, 1.0], [0.1, 0.5]))
    vectors = d.MixtureSameFamily(
        d.Categorical(probs=[0.3, 0.7]),
        d.MultivariateNormalDiag([[1.0, 0.0], [0.5, 2.0]], scale_identity_multiplier=[0.5, 2.0]))
    listed = d.Mixture(d.Categorical(probs=[[0.3, 0.7]]), [d.Normal([-1.0], 0.1),
                                                           d.Laplace([1.0], 0.5)])
    return [run(values(same, 0.4, 'log_prob prob mean variance stddev cdf', seed=None)
                + values(vectors, [0.4, 0.1], 'log_prob mean', seed=None)
                + values(listed, 0.4, 'log_prob prob mean stddev entropy_lower_bound',
                         seed=None))]


@program
def more_distributions_of_positive_numbers(tf, np):
    d = tf.contrib.distributions
    every = EVERY + ' cdf log_cdf survival_function entropy mode'
    results = values(d.Chi2([3.0, 4.5]), 2.0, every)
    results += values(d.InverseGamma([3.0, 4.5], 2.0), 0.7, every)
    results += values(d.InverseGamma([0.5, 1.5], 2.0), 0.7, 'mean variance')
    results += values(d.HalfNormal([0.5, 2.0]), 0.7, every)
    results += [d.HalfNormal([0.5, 2.0]).quantile(0.3), d.HalfNormal(0.5).prob(-1.0)]
    results += values(d.Cauchy([0.5, 1.0], 2.0), 0.7,
                      'log_prob prob cdf log_cdf survival_function entropy mode mean stddev')
    results += [d.Cauchy(0.0, 2.0).quantile([0.1, 0.7])]
    return [run(results)]


@program
def numbers_of_trials(tf, np):
    d = tf.contrib.distributions
    k = tf.constant([0.0, 2.0, 3.0])
    results = values(d.Binomial([3.0, 4.0, 5.0], probs=0.3), k, EVERY + ' cdf mode', seed=None)
    results += values(d.Binomial(5.0, logits=[0.3, -1.0, 0.0]), k, 'log_prob mean', seed=None)
    results += values(d.Geometric(probs=[0.3, 0.5, 0.8]), k, EVERY + ' cdf entropy mode')
    results += values(d.Geometric(logits=[0.3]), k, 'log_prob mean')
    results += values(d.NegativeBinomial([0.5, 3.0, 4.0], probs=0.3), k, EVERY + ' cdf mode')
    results += values(d.NegativeBinomial(3.0, logits=[0.3]), k, 'log_prob mean')
    return [run(results)]


@program
def relaxed_bernoulli(tf, np):
    logits = tf.constant([0.5, -1.0])
    x = tf.contrib.distributions.RelaxedBernoulli(0.7, logits=logits)
    drawn = x.sample(3, seed=3)
    results = values(x, [0.2, 0.7], 'log_prob prob cdf') + [x.probs, drawn]
    return [run(results), run(tf.gradients(tf.reduce_sum(drawn ** 2), logits))]
