"""tf.contrib.distributions.bijectors: invertible functions with known densities."""
from tinyflow.api.contrib.distributions.bijectors.affine import Affine
from tinyflow.api.contrib.distributions.bijectors.bijector import Bijector, Inline
from tinyflow.api.contrib.distributions.bijectors.composed import Chain, Invert
from tinyflow.api.contrib.distributions.bijectors.elementwise import (
    AbsoluteValue,
    AffineScalar,
    Exp,
    Gumbel,
    Identity,
    Kumaraswamy,
    PowerTransform,
    Sigmoid,
    SinhArcsinh,
    Softplus,
    Softsign,
    Square,
)
from tinyflow.api.contrib.distributions.bijectors.flows import (
    MaskedAutoregressiveFlow,
    RealNVP,
    masked_autoregressive_default_template,
    masked_dense,
    real_nvp_default_template,
)
from tinyflow.api.contrib.distributions.bijectors.vectors import (
    Ordered,
    Permute,
    Reshape,
    SoftmaxCentered,
)
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)

__all__ = ['AbsoluteValue', 'Affine', 'AffineScalar', 'Bijector', 'Chain', 'Exp', 'Gumbel',
           'Identity', 'Inline', 'Invert', 'Kumaraswamy', 'MaskedAutoregressiveFlow', 'Ordered',
           'Permute', 'PowerTransform', 'RealNVP', 'Reshape', 'Sigmoid', 'SinhArcsinh',
           'SoftmaxCentered', 'Softplus', 'Softsign', 'Square',
           'masked_autoregressive_default_template', 'masked_dense', 'real_nvp_default_template']

_hide_modules(globals())
__getattr__ = _explain_missing('tinyflow.contrib.distributions.bijectors', __all__)
