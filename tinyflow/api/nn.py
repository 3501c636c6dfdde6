"""tf.nn: activations, convolutions, losses and other building blocks of networks."""
from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.array.ranking import in_top_k, top_k
from tinyflow.ops.array.shaping import depth_to_space, space_to_batch, space_to_depth
from tinyflow.ops.math.unary import sigmoid, tanh
from tinyflow.ops.nn.activations import (
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
from tinyflow.ops.nn.bias import bias_add, relu_layer, xw_plus_b
from tinyflow.ops.nn.cross_entropy import (
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from tinyflow.ops.nn.dropout import dropout, zero_fraction
from tinyflow.ops.nn.embedding import embedding_lookup
from tinyflow.ops.nn.logistic import (
    l2_loss,
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from tinyflow.ops.nn.normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    l2_normalize,
    moments,
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
)
from tinyflow.ops.nn.softmax import log_softmax, softmax

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

__all__ = [  # noqa: F822 - some come from _LATER
    'all_candidate_sampler', 'atrous_conv2d', 'atrous_conv2d_transpose', 'avg_pool', 'avg_pool1d',
    'avg_pool2d', 'avg_pool3d', 'avg_pool_v2', 'batch_norm_with_global_normalization',
    'batch_normalization', 'bias_add', 'bidirectional_dynamic_rnn', 'collapse_repeated',
    'compute_accidental_hits',
    'conv1d', 'conv1d_transpose', 'conv2d', 'conv2d_backprop_filter', 'conv2d_backprop_input',
    'conv2d_transpose', 'conv3d', 'conv3d_backprop_filter', 'conv3d_backprop_filter_v2',
    'conv3d_transpose', 'conv_transpose', 'convolution', 'crelu',
    'ctc_beam_search_decoder', 'ctc_beam_search_decoder_v2', 'ctc_greedy_decoder', 'ctc_loss',
    'ctc_loss_v2', 'ctc_unique_labels', 'depth_to_space',
    'depthwise_conv2d', 'depthwise_conv2d_backprop_filter', 'depthwise_conv2d_backprop_input',
    'depthwise_conv2d_native', 'depthwise_conv2d_native_backprop_filter',
    'depthwise_conv2d_native_backprop_input', 'dilation2d', 'dropout', 'dynamic_rnn', 'elu',
    'embedding_lookup', 'embedding_lookup_sparse', 'erosion2d', 'fixed_unigram_candidate_sampler',
    'fractional_avg_pool', 'fractional_max_pool', 'fused_batch_norm', 'in_top_k', 'l2_loss',
    'l2_normalize', 'leaky_relu',
    'learned_unigram_candidate_sampler', 'local_response_normalization', 'log_poisson_loss',
    'log_softmax', 'log_uniform_candidate_sampler', 'lrn', 'max_pool', 'max_pool1d', 'max_pool2d',
    'max_pool3d', 'max_pool_v2', 'max_pool_with_argmax', 'moments', 'nce_loss',
    'normalize_moments', 'pool', 'raw_rnn', 'relu', 'relu6', 'relu_layer', 'rnn_cell',
    'safe_embedding_lookup_sparse', 'sampled_softmax_loss', 'selu', 'separable_conv2d', 'sigmoid',
    'sigmoid_cross_entropy_with_logits', 'softmax', 'softmax_cross_entropy_with_logits',
    'softmax_cross_entropy_with_logits_v2', 'softplus', 'softsign', 'space_to_batch',
    'space_to_depth', 'sparse_softmax_cross_entropy_with_logits', 'static_bidirectional_rnn',
    'static_rnn', 'static_state_saving_rnn', 'sufficient_statistics', 'swish', 'tanh', 'top_k',
    'uniform_candidate_sampler', 'weighted_cross_entropy_with_logits', 'weighted_moments',
    'with_space_to_batch', 'xw_plus_b', 'zero_fraction',
]

__getattr__ = _importing(globals(), _LATER, _explain_missing(__name__, __all__))


def __dir__():
    return __all__
