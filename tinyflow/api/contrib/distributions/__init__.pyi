# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from tinyflow.api.contrib.distributions import bijectors
from tinyflow.api.contrib.distributions.cauchy import Cauchy
from tinyflow.api.contrib.distributions.counts import Deterministic, Poisson
from tinyflow.api.contrib.distributions.independent import Independent
from tinyflow.api.contrib.distributions.logistic import Logistic
from tinyflow.api.contrib.distributions.mixtures import Mixture, MixtureSameFamily
from tinyflow.api.contrib.distributions.multivariate_normal import (
    MultivariateNormalDiag, MultivariateNormalDiagWithSoftplusScale,
    MultivariateNormalFullCovariance, MultivariateNormalTriL,
)
from tinyflow.api.contrib.distributions.one_hot import (
    ExpRelaxedOneHotCategorical, OneHotCategorical, RelaxedOneHotCategorical,
)
from tinyflow.api.contrib.distributions.positive import Chi2, HalfNormal, InverseGamma
from tinyflow.api.contrib.distributions.relaxed_bernoulli import RelaxedBernoulli
from tinyflow.api.contrib.distributions.softplus import (
    BetaWithSoftplusConcentration, ExponentialWithSoftplusRate, GammaWithSoftplusConcentrationRate,
    LaplaceWithSoftplusScale, NormalWithSoftplusScale, softplus_inverse,
)
from tinyflow.api.contrib.distributions.transformed import TransformedDistribution
from tinyflow.api.contrib.distributions.trials import Binomial, Geometric, NegativeBinomial
from tinyflow.api.distributions import (
    Bernoulli, Beta, Categorical, Dirichlet, DirichletMultinomial, Distribution, Exponential,
    FULLY_REPARAMETERIZED, Gamma, Laplace, Multinomial, NOT_REPARAMETERIZED, Normal, RegisterKL,
    ReparameterizationType, StudentT, Uniform, kl_divergence,
)

__all__ = [
    'Bernoulli', 'Beta', 'BetaWithSoftplusConcentration', 'Binomial', 'Categorical', 'Cauchy',
    'Chi2', 'Deterministic', 'Dirichlet', 'DirichletMultinomial', 'Distribution',
    'ExpRelaxedOneHotCategorical', 'Exponential', 'ExponentialWithSoftplusRate',
    'FULLY_REPARAMETERIZED', 'Gamma', 'GammaWithSoftplusConcentrationRate', 'Geometric',
    'HalfNormal', 'Independent', 'InverseGamma', 'Laplace', 'LaplaceWithSoftplusScale', 'Logistic',
    'Mixture', 'MixtureSameFamily', 'Multinomial', 'MultivariateNormalDiag',
    'MultivariateNormalDiagWithSoftplusScale', 'MultivariateNormalFullCovariance',
    'MultivariateNormalTriL', 'NOT_REPARAMETERIZED', 'NegativeBinomial', 'Normal',
    'NormalWithSoftplusScale', 'OneHotCategorical', 'Poisson', 'RegisterKL', 'RelaxedBernoulli',
    'RelaxedOneHotCategorical', 'ReparameterizationType', 'StudentT', 'TransformedDistribution',
    'Uniform', 'bijectors', 'kl_divergence', 'softplus_inverse',
]
