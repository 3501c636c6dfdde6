"""tf.distributions: densities, moments, samples, divergences."""
from .registry import functional, program, run


def properties(x, value, names, shape=(3,)):
    """What some methods of a distribution give: samples first, whose seeds count nodes."""
    results = []
    for name in names.split():
        method = getattr(x, name)
        if name == 'sample':
            results.append(method(shape))
        elif any(word in name for word in ('prob', 'cdf', 'survival', 'quantile')):
            results.append(method(value))
        else:
            results.append(method())
    return results


@program
def distributions_normal(tf, np):
    tf.set_random_seed(5)
    x = tf.distributions.Normal(0.5, [1.0, 2.0])
    some = tf.placeholder(tf.float32, name='some')
    y = tf.distributions.Normal(some, 1.5, name='other')
    results = properties(x, 0.3, 'sample sample log_prob prob cdf log_cdf survival_function '
                                 'log_survival_function quantile entropy mean variance stddev mode '
                                 'batch_shape_tensor event_shape_tensor is_scalar_batch')
    results += [x.sample(), x.sample([2, 2], seed=4), y.sample(2), y.batch_shape_tensor()]
    results += [x.log_cdf([-12.0, 9.0]), x.quantile([0.01, 0.9]), x.copy(loc=1.0).loc]
    results += [tf.distributions.kl_divergence(x, y), x.kl_divergence(x), x.cross_entropy(y)]
    slopes = tf.gradients([results[0], x.log_prob(2.0)], [x.scale])
    return [run(results, {some: [0.0, 1.0]}), run(slopes)]


@program
def distributions_of_classes(tf, np):
    tf.set_random_seed(6)
    d = tf.distributions
    results = []
    for x, value in ((d.Bernoulli(probs=[0.3, 0.6]), 1), (d.Bernoulli([0.3, -1.0]), [0, 1])):
        results += properties(x, value, 'sample log_prob prob entropy mean variance stddev mode')
    for x, value in ((d.Categorical(logits=[0.3, 0.6, 0.1]), 1),
                     (d.Categorical(probs=[[0.3, 0.6, 0.1], [0.2, 0.2, 0.6]]), [2, 0])):
        results += properties(x, value, 'sample log_prob prob cdf entropy mode')
    y = d.Categorical(logits=tf.constant([[1.0, 2.0, 0.0], [0.0, 0.5, 0.0]]), dtype=tf.int64)
    results += [y.sample(2), y.mode(), d.kl_divergence(x, y),
                d.kl_divergence(d.Bernoulli([1.0]), d.Bernoulli([0.0]))]
    return [run(results)]


@program
def distributions_of_positive_numbers(tf, np):
    tf.set_random_seed(7)
    d = tf.distributions
    every = 'sample log_prob prob cdf log_cdf survival_function mean variance stddev mode'
    results = []
    for x in (d.Beta([1.5, 2.0], 3.0), d.Gamma([1.5, 0.5], 3.0), d.Exponential([1.5, 2.0])):
        results += properties(x, 0.4, every + ' entropy')
    results += properties(d.Beta([2.0], 2.0), 0.4, 'log_survival_function mode')
    results += [d.kl_divergence(d.Beta(2.0, 3.0), d.Beta(1.0, 2.0)),
                d.kl_divergence(d.Gamma(1.0, 2.0), d.Exponential(3.0)),
                d.Beta(2.0, 3.0).sample(2, seed=7), d.Gamma(2.0, 3.0).sample(2, seed=7)]
    return [run(results), run(tf.gradients([x.log_prob(2.0), x.sample(2, seed=1)], x.rate))]


@program
def distributions_on_the_line(tf, np):
    tf.set_random_seed(8)
    d = tf.distributions
    every = 'sample log_prob prob cdf mean variance stddev entropy'
    results = properties(d.Laplace([1.5, 2.0], 3.0), 1.7, every + ' log_cdf mode '
                         'log_survival_function')
    results += properties(d.Uniform([1.5, 2.0], 3.0), 1.7, every)
    results += properties(d.StudentT([3.0, 1.5], 1.0, 2.0), 1.7, every + ' mode')
    results += [d.Uniform().sample([2], seed=3), d.StudentT(3.0, 0.0, 1.0).sample(2, seed=7)]
    return [run(results)]


@program
def distributions_of_vectors(tf, np):
    tf.set_random_seed(9)
    d = tf.distributions
    x = d.Dirichlet([[1.5, 2.0, 3.0]])
    results = properties(x, [0.2, 0.3, 0.5], 'sample log_prob prob entropy mean variance '
                                             'covariance batch_shape_tensor')
    y = d.DirichletMultinomial(4.0, [1.5, 2.0, 3.0])
    results += properties(y, [1.0, 2.0, 1.0], 'sample log_prob prob mean variance covariance '
                                              'event_shape_tensor')
    results += [y.sample(2, seed=7),
                d.kl_divergence(x, d.Dirichlet([2.0, 2.0, 1.0]))]
    return [run(results)]


@program
def distributions_multinomial(tf, np):
    tf.set_random_seed(10)
    x = tf.distributions.Multinomial([4.0, 2.0], probs=[0.2, 0.3, 0.5])
    results = properties(x, [[1.0, 2.0, 1.0], [2.0, 0.0, 0.0]],
                         'log_prob prob mean variance covariance')
    return [run(results)]


@program
def distributions_multinomial_samples(tf, np):
    tf.set_random_seed(10)
    # One loop step only: of several, TF's order is not that of the batch.
    return [run(tf.distributions.Multinomial(4.0, [0.2, 0.3, 0.5]).sample(3))]


@functional
def distributions_of_checked_numbers(tf, np):
    d = tf.distributions
    results = [d.Bernoulli(probs=0.4, validate_args=True).log_prob(1),
               d.Normal(0.0, 2.0, validate_args=True).log_prob(1.0),
               d.Beta(2.0, 3.0, validate_args=True).prob(0.2),
               d.Gamma(2.0, 3.0, validate_args=True, allow_nan_stats=False).mode()]
    return [run(results)]
