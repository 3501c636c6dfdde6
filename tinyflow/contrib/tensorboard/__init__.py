"""tf.contrib.tensorboard: what a program tells plugins of TensorBoard."""
from tinyflow.contrib.tensorboard import plugins
from tinyflow.graph.support.missing import absent as _absent

__all__ = ['plugins']
__getattr__ = _absent(__name__, __all__)


def __dir__():
    return __all__
