"""tf.contrib.layers: layers as functions, with Variables called weights and biases."""
from tinyflow.absent import absent as _absent, hide_modules as _hide_modules
from tinyflow.contrib.layers.dense import (
    bias_add,
    dropout,
    elu,
    fully_connected,
    legacy_fully_connected,
    legacy_linear,
    legacy_relu,
    linear,
    relu,
    relu6,
    repeat,
    stack,
)
from tinyflow.contrib.layers.initializers import (
    variance_scaling_initializer,
    xavier_initializer,
    xavier_initializer_conv2d,
)
from tinyflow.contrib.layers.regularizers import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
)

__all__ = []

__getattr__ = _absent(__name__, __all__)
_hide_modules(globals())


def __dir__():
    return __all__
