"""tf.contrib.tensorboard: configuration of TensorBoard plugins."""
from tinyflow.api.contrib.tensorboard import plugins
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['plugins']
__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
