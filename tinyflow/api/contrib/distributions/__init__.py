"""tf.contrib.distributions: tf.distributions and more, with transformations (bijectors)."""
from tinyflow.api import distributions as _base
from tinyflow.api.contrib.distributions.counts import Deterministic, Poisson
from tinyflow.api.contrib.distributions.independent import Independent
from tinyflow.api.contrib.distributions.logistic import Logistic
from tinyflow.api.contrib.distributions.mixtures import Mixture, MixtureSameFamily
from tinyflow.api.contrib.distributions.multivariate_normal import (
    MultivariateNormalDiag,
    MultivariateNormalDiagWithSoftplusScale,
    MultivariateNormalFullCovariance,
    MultivariateNormalTriL,
)
from tinyflow.api.contrib.distributions.one_hot import (
    ExpRelaxedOneHotCategorical,
    OneHotCategorical,
    RelaxedOneHotCategorical,
)
from tinyflow.api.contrib.distributions.softplus import (
    BetaWithSoftplusConcentration,
    ExponentialWithSoftplusRate,
    GammaWithSoftplusConcentrationRate,
    LaplaceWithSoftplusScale,
    NormalWithSoftplusScale,
    softplus_inverse,
)
from tinyflow.api.distributions import *
from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)

__all__ = ['BetaWithSoftplusConcentration', 'Deterministic', 'ExpRelaxedOneHotCategorical',
           'ExponentialWithSoftplusRate', 'GammaWithSoftplusConcentrationRate', 'Independent',
           'LaplaceWithSoftplusScale', 'Logistic', 'Mixture', 'MixtureSameFamily',
           'MultivariateNormalDiag', 'MultivariateNormalDiagWithSoftplusScale',
           'MultivariateNormalFullCovariance', 'MultivariateNormalTriL',
           'NormalWithSoftplusScale', 'OneHotCategorical', 'Poisson', 'RelaxedOneHotCategorical',
           'softplus_inverse']
__all__ += _base.__all__

# Loaded with the first use.
_LATER = {'bijectors': 'tinyflow.api.contrib.distributions.bijectors', **_names_of({
    'tinyflow.api.contrib.distributions.cauchy': 'Cauchy',
    'tinyflow.api.contrib.distributions.positive': 'Chi2 HalfNormal InverseGamma',
    'tinyflow.api.contrib.distributions.relaxed_bernoulli': 'RelaxedBernoulli',
    'tinyflow.api.contrib.distributions.transformed': 'TransformedDistribution',
    'tinyflow.api.contrib.distributions.trials': 'Binomial Geometric NegativeBinomial'})}
_hide_modules(globals())
__getattr__ = _importing(globals(), _LATER, _explain_missing(__name__, [*__all__, *_LATER]),
                         ('bijectors',))


def __dir__():
    return [*__all__, *_LATER]
