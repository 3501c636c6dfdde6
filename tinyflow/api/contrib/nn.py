"""tf.contrib.nn: additions of tf.contrib to tf.nn."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.nn.sampled_losses import sampled_sparse_softmax_loss

__all__ = ['sampled_sparse_softmax_loss']

__getattr__ = _explain_missing(__name__, __all__)
