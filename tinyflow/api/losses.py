"""tf.losses: weighted loss functions, which are added to GraphKeys.LOSSES."""
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)
from tinyflow.layers.losses.classification import (
    hinge_loss,
    sigmoid_cross_entropy,
    softmax_cross_entropy,
    sparse_softmax_cross_entropy,
)
from tinyflow.layers.losses.collection import (
    add_loss,
    get_losses,
    get_regularization_loss,
    get_regularization_losses,
    get_total_loss,
)
from tinyflow.layers.losses.regression import (
    absolute_difference,
    cosine_distance,
    huber_loss,
    log_loss,
    mean_pairwise_squared_error,
    mean_squared_error,
)
from tinyflow.layers.losses.weighted import Reduction, compute_weighted_loss

__all__ = [
    'Reduction', 'absolute_difference', 'add_loss', 'compute_weighted_loss', 'cosine_distance',
    'get_losses', 'get_regularization_loss', 'get_regularization_losses', 'get_total_loss',
    'hinge_loss', 'huber_loss', 'log_loss', 'mean_pairwise_squared_error', 'mean_squared_error',
    'sigmoid_cross_entropy', 'softmax_cross_entropy', 'sparse_softmax_cross_entropy',
]

__getattr__ = _explain_missing(__name__, __all__)
_hide_modules(globals())


def __dir__():
    return __all__
