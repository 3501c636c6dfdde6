"""tf.distributions: random variables with densities, moments, samples and divergences."""
from tinyflow.api.distributions.bernoulli import Bernoulli
from tinyflow.api.distributions.beta import Beta
from tinyflow.api.distributions.categorical import Categorical
from tinyflow.api.distributions.dirichlet import Dirichlet
from tinyflow.api.distributions.dirichlet_multinomial import DirichletMultinomial
from tinyflow.api.distributions.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    ReparameterizationType,
)
from tinyflow.api.distributions.divergence import RegisterKL, kl_divergence
from tinyflow.api.distributions.gamma import Exponential, Gamma
from tinyflow.api.distributions.laplace import Laplace
from tinyflow.api.distributions.multinomial import Multinomial
from tinyflow.api.distributions.normal import Normal
from tinyflow.api.distributions.student_t import StudentT
from tinyflow.api.distributions.uniform import Uniform
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)

__all__ = ['Bernoulli', 'Beta', 'Categorical', 'Dirichlet', 'DirichletMultinomial',
           'Distribution', 'Exponential', 'FULLY_REPARAMETERIZED', 'Gamma', 'Laplace',
           'Multinomial', 'NOT_REPARAMETERIZED', 'Normal', 'RegisterKL',
           'ReparameterizationType', 'StudentT', 'Uniform', 'kl_divergence']

_hide_modules(globals())
__getattr__ = _explain_missing(__name__, __all__)
