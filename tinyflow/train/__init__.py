"""tf.train: optimizers, learning rates, moving averages, the global step."""
from tinyflow.absent import absent as _absent, hide_modules as _hide_modules
from tinyflow.train.adagrad import AdadeltaOptimizer, AdagradDAOptimizer, AdagradOptimizer
from tinyflow.train.adam import AdamOptimizer
from tinyflow.train.ftrl import (
    FtrlOptimizer,
    ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer,
)
from tinyflow.train.gradient_descent import GradientDescentOptimizer, MomentumOptimizer
from tinyflow.train.learning_rate_decay import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from tinyflow.train.moving_averages import ExponentialMovingAverage
from tinyflow.train.optimizer import Optimizer
from tinyflow.train.rmsprop import RMSPropOptimizer
from tinyflow.train.training_util import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)

__all__ = [
    'AdadeltaOptimizer', 'AdagradDAOptimizer', 'AdagradOptimizer', 'AdamOptimizer',
    'ExponentialMovingAverage', 'FtrlOptimizer', 'GradientDescentOptimizer', 'MomentumOptimizer',
    'Optimizer', 'ProximalAdagradOptimizer', 'ProximalGradientDescentOptimizer',
    'RMSPropOptimizer', 'assert_global_step', 'cosine_decay', 'cosine_decay_restarts',
    'create_global_step', 'exponential_decay', 'get_global_step', 'get_or_create_global_step',
    'global_step', 'inverse_time_decay', 'linear_cosine_decay', 'natural_exp_decay',
    'noisy_linear_cosine_decay', 'piecewise_constant', 'piecewise_constant_decay',
    'polynomial_decay',
]

__getattr__ = _absent(__name__, __all__)
_hide_modules(globals())


def __dir__():
    return __all__
