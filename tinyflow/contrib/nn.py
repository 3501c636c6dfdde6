"""tf.contrib.nn: what tf.contrib added to tf.nn."""
from tinyflow.graph.support.missing import absent as _absent
from tinyflow.ops.nn.sampled_losses import sampled_sparse_softmax_loss

__all__ = ['sampled_sparse_softmax_loss']

__getattr__ = _absent(__name__, __all__)
