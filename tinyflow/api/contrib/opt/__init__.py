"""tf.contrib.opt: optimizers besides those of tf.train."""
from tinyflow.api.contrib.opt.adam_variants import (
    AdaMaxOptimizer,
    LazyAdamOptimizer,
    NadamOptimizer,
)
from tinyflow.api.contrib.opt.clipping import clip_gradients_by_global_norm
from tinyflow.api.contrib.opt.external import ExternalOptimizerInterface, ScipyOptimizerInterface
from tinyflow.api.contrib.opt.lars import LARSOptimizer
from tinyflow.api.contrib.opt.moving_average import MovingAverageOptimizer
from tinyflow.api.contrib.opt.sign_steps import AddSignOptimizer, PowerSignOptimizer
from tinyflow.api.contrib.opt.weight_decay import (
    AdamWOptimizer,
    DecoupledWeightDecayExtension,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)

__all__ = ['AdaMaxOptimizer', 'AdamWOptimizer', 'AddSignOptimizer', 'DecoupledWeightDecayExtension',
           'ExternalOptimizerInterface', 'LARSOptimizer', 'LazyAdamOptimizer', 'MomentumWOptimizer',
           'MovingAverageOptimizer', 'NadamOptimizer', 'PowerSignOptimizer',
           'ScipyOptimizerInterface', 'clip_gradients_by_global_norm',
           'extend_with_decoupled_weight_decay']

_hide_modules(globals())
__getattr__ = _explain_missing(__name__, __all__)
