"""tf.nn: what layers are made of, by TensorFlow's names."""
from tinyflow.absent import absent as _absent
from tinyflow.ops.bias import bias_add, relu_layer, xw_plus_b
from tinyflow.ops.cross_entropy import (
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from tinyflow.ops.dropout import dropout, zero_fraction
from tinyflow.ops.elementary import sigmoid, tanh
from tinyflow.ops.embedding import embedding_lookup, embedding_lookup_sparse
from tinyflow.ops.logistic import (
    l2_loss,
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from tinyflow.ops.nn import (
    crelu,
    elu,
    leaky_relu,
    relu,
    relu6,
    selu,
    softplus,
    softsign,
    swish,
)
from tinyflow.ops.normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    l2_normalize,
    moments,
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
)
from tinyflow.ops.ranking import in_top_k, top_k
from tinyflow.ops.shaping import depth_to_space, space_to_batch, space_to_depth
from tinyflow.ops.softmax import log_softmax, softmax

__all__ = [
    'batch_norm_with_global_normalization', 'batch_normalization', 'bias_add', 'crelu',
    'depth_to_space', 'dropout', 'elu', 'embedding_lookup', 'embedding_lookup_sparse', 'in_top_k',
    'l2_loss', 'l2_normalize', 'leaky_relu', 'log_poisson_loss', 'log_softmax', 'moments',
    'normalize_moments', 'relu', 'relu6', 'relu_layer', 'selu', 'sigmoid',
    'sigmoid_cross_entropy_with_logits', 'softmax', 'softmax_cross_entropy_with_logits',
    'softmax_cross_entropy_with_logits_v2', 'softplus', 'softsign', 'space_to_batch',
    'space_to_depth', 'sparse_softmax_cross_entropy_with_logits', 'sufficient_statistics', 'swish',
    'tanh', 'top_k', 'weighted_cross_entropy_with_logits', 'weighted_moments', 'xw_plus_b',
    'zero_fraction',
]

__getattr__ = _absent(__name__, __all__)
