"""tf.contrib.tensorboard: what a program tells plugins of TensorBoard."""
from tinyflow.absent import absent as _absent
from tinyflow.contrib.tensorboard import plugins

__all__ = ['plugins']
__getattr__ = _absent(__name__, __all__)


def __dir__():
    return __all__
