"""tf.contrib.tensorboard.plugins: the projector of embeddings."""
from tinyflow.api.contrib.tensorboard.plugins import projector
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['projector']
__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
