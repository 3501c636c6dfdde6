"""tf.contrib.tensorboard.plugins: the projector of embeddings."""
from tinyflow.absent import absent as _absent
from tinyflow.contrib.tensorboard.plugins import projector

__all__ = ['projector']
__getattr__ = _absent(__name__, __all__)


def __dir__():
    return __all__
