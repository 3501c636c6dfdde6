"""tf.nn: activations, convolutions, losses and other building blocks of networks.

Modules of ops/nn whose every public function belongs here are imported whole: their `__all__` is
the list of names. Of the others the names are listed.
"""
from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.array.ranking import in_top_k, top_k
from tinyflow.ops.array.shaping import depth_to_space, space_to_batch, space_to_depth
from tinyflow.ops.math.unary import sigmoid, tanh
from tinyflow.ops.nn import (
    activations as _activations,
    bias as _bias,
    cross_entropy as _cross_entropy,
    dropout as _dropout,
    embedding as _embedding,
    logistic as _logistic,
    normalization as _normalization,
    softmax as _softmax,
)
from tinyflow.ops.nn.activations import *
from tinyflow.ops.nn.bias import *
from tinyflow.ops.nn.cross_entropy import *
from tinyflow.ops.nn.dropout import *
from tinyflow.ops.nn.embedding import *
from tinyflow.ops.nn.logistic import *
from tinyflow.ops.nn.normalization import *
from tinyflow.ops.nn.softmax import *

# Imported on first use.
_LATER = _names_of({
    'tinyflow.ops.nn.batch_norm': 'fused_batch_norm',
    'tinyflow.ops.nn.candidate_sampling':
        'all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler '
        'learned_unigram_candidate_sampler log_uniform_candidate_sampler uniform_candidate_sampler',
    'tinyflow.ops.conv.convolution_functions':
        'conv1d conv1d_transpose conv2d conv2d_backprop_filter conv2d_backprop_input '
        'conv2d_transpose conv3d conv3d_backprop_filter conv3d_backprop_filter_v2 conv3d_transpose '
        'conv_transpose',
    'tinyflow.ops.ctc.loss': 'ctc_loss',
    'tinyflow.ops.ctc.decoding':
        'ctc_beam_search_decoder ctc_beam_search_decoder_v2 ctc_greedy_decoder',
    'tinyflow.ops.ctc.dense_labels': 'collapse_repeated ctc_loss_v2 ctc_unique_labels',
    'tinyflow.ops.conv.depthwise':
        'depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input depthwise_conv2d_native '
        'depthwise_conv2d_native_backprop_filter depthwise_conv2d_native_backprop_input',
    'tinyflow.ops.conv.dilated':
        'atrous_conv2d atrous_conv2d_transpose convolution depthwise_conv2d pool separable_conv2d '
        'with_space_to_batch',
    'tinyflow.ops.nn.embedding_sparse': 'embedding_lookup_sparse safe_embedding_lookup_sparse',
    'tinyflow.ops.conv.fractional_pooling': 'fractional_avg_pool fractional_max_pool',
    'tinyflow.ops.nn.lrn': 'local_response_normalization lrn',
    'tinyflow.ops.conv.morphology': 'dilation2d erosion2d',
    'tinyflow.ops.conv.pooling_functions':
        'avg_pool avg_pool1d avg_pool2d avg_pool3d avg_pool_v2 max_pool max_pool1d max_pool2d '
        'max_pool3d max_pool_v2 max_pool_with_argmax',
    'tinyflow.ops.nn.sampled_losses': 'nce_loss sampled_softmax_loss',
    'tinyflow.layers.rnn.dynamic': 'bidirectional_dynamic_rnn dynamic_rnn',
    'tinyflow.layers.rnn.raw': 'raw_rnn',
    'tinyflow.layers.rnn.rnn_cell': 'rnn_cell',
    'tinyflow.layers.rnn.static': 'static_bidirectional_rnn static_rnn static_state_saving_rnn',
})

__all__ = [
    'depth_to_space', 'in_top_k', 'sigmoid', 'space_to_batch', 'space_to_depth', 'tanh', 'top_k',
]
__all__ += list(_LATER)
__all__ += _activations.__all__
__all__ += _bias.__all__
__all__ += _cross_entropy.__all__
__all__ += _dropout.__all__
__all__ += _embedding.__all__
__all__ += _logistic.__all__
__all__ += _normalization.__all__
__all__ += _softmax.__all__

__getattr__ = _importing(globals(), _LATER, _explain_missing(__name__, __all__))


def __dir__():
    return __all__
