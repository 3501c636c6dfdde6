"""tf.contrib.tensorboard.plugins: the projector of embeddings."""
from tinyflow.contrib.tensorboard.plugins import projector
from tinyflow.graph.support.missing import absent as _absent

__all__ = ['projector']
__getattr__ = _absent(__name__, __all__)


def __dir__():
    return __all__
