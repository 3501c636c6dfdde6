# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from tinyflow.api.contrib import (
    losses, metrics, model_analyzer, slim_learning as learning, slim_nets as nets,
)
from tinyflow.api.contrib.framework.argument_scopes import (
    add_arg_scope, arg_scope, arg_scoped_arguments, current_arg_scope, has_arg_scope,
)
from tinyflow.api.contrib.framework.model_variables import (
    add_model_variable, local_variable, model_variable, variable,
)
from tinyflow.api.contrib.framework.variable_queries import (
    assign_from_checkpoint, assign_from_checkpoint_fn, assign_from_values, assign_from_values_fn,
    filter_variables, get_local_variables, get_model_variables, get_trainable_variables,
    get_unique_variable, get_variable_full_name, get_variables, get_variables_by_name,
    get_variables_by_suffix, get_variables_to_restore, global_variable,
)
from tinyflow.api.contrib.layers.batch_norm import batch_norm
from tinyflow.api.contrib.layers.convolutions import (
    convolution, convolution1d, convolution1d as conv1d, convolution2d, convolution2d as conv2d,
    convolution2d_in_plane, convolution2d_in_plane as conv2d_in_plane, convolution2d_transpose,
    convolution2d_transpose as conv2d_transpose, convolution3d, convolution3d as conv3d,
    convolution3d_transpose, convolution3d_transpose as conv3d_transpose, separable_convolution2d,
    separable_convolution2d as separable_conv2d,
)
from tinyflow.api.contrib.layers.dense import (
    bias_add, dropout, elu, fully_connected, legacy_fully_connected, legacy_linear, legacy_relu,
    linear, relu, relu6, repeat, stack,
)
from tinyflow.api.contrib.layers.embeddings import (
    bow_encoder, embed_sequence, embedding_lookup_unique,
)
from tinyflow.api.contrib.layers.feature_columns import (
    bucketized_column, create_feature_spec_for_parsing, crossed_column, embedding_column,
    infer_real_valued_columns, input_from_feature_columns, one_hot_column,
    parse_feature_columns_from_examples, real_valued_column, safe_embedding_lookup_sparse,
    shared_embedding_columns, sparse_column_with_hash_bucket,
    sparse_column_with_integerized_feature, sparse_column_with_keys,
    sparse_column_with_vocabulary_file, weighted_sparse_column, weighted_sum_from_feature_columns,
)
from tinyflow.api.contrib.layers.initializers import (
    variance_scaling_initializer, xavier_initializer, xavier_initializer as
    xavier_initializer_conv2d,
)
from tinyflow.api.contrib.layers.norms import group_norm, instance_norm, layer_norm, unit_norm
from tinyflow.api.contrib.layers.optimize_loss import (
    OPTIMIZER_CLS_NAMES, OPTIMIZER_SUMMARIES, optimize_loss,
)
from tinyflow.api.contrib.layers.pooling import avg_pool2d, avg_pool3d, max_pool2d, max_pool3d
from tinyflow.api.contrib.layers.regularizers import (
    apply_regularization, l1_l2_regularizer, l1_regularizer, l2_regularizer, sum_regularizer,
)
from tinyflow.api.contrib.layers.shapes import (
    dense_to_sparse, flatten, images_to_sequence, maxout, one_hot_encoding, sequence_to_images,
    softmax, spatial_softmax,
)
from tinyflow.api.contrib.layers.summarize import (
    summarize_activation, summarize_activations, summarize_collection, summarize_tensor,
    summarize_tensors,
)
from tinyflow.train.training_util import (
    assert_global_step, create_global_step, get_global_step, get_or_create_global_step,
)

__all__ = [
    'OPTIMIZER_CLS_NAMES', 'OPTIMIZER_SUMMARIES', 'add_arg_scope', 'add_model_variable',
    'apply_regularization', 'arg_scope', 'arg_scoped_arguments', 'assert_global_step',
    'assign_from_checkpoint', 'assign_from_checkpoint_fn', 'assign_from_values',
    'assign_from_values_fn', 'avg_pool2d', 'avg_pool3d', 'batch_norm', 'bias_add', 'bow_encoder',
    'bucketized_column', 'conv1d', 'conv2d', 'conv2d_in_plane', 'conv2d_transpose', 'conv3d',
    'conv3d_transpose', 'convolution', 'convolution1d', 'convolution2d', 'convolution2d_in_plane',
    'convolution2d_transpose', 'convolution3d', 'convolution3d_transpose',
    'create_feature_spec_for_parsing', 'create_global_step', 'crossed_column', 'current_arg_scope',
    'dense_to_sparse', 'dropout', 'elu', 'embed_sequence', 'embedding_column',
    'embedding_lookup_unique', 'filter_variables', 'flatten', 'fully_connected', 'get_global_step',
    'get_local_variables', 'get_model_variables', 'get_or_create_global_step',
    'get_trainable_variables', 'get_unique_variable', 'get_variable_full_name', 'get_variables',
    'get_variables_by_name', 'get_variables_by_suffix', 'get_variables_to_restore',
    'global_variable', 'group_norm', 'has_arg_scope', 'images_to_sequence',
    'infer_real_valued_columns', 'input_from_feature_columns', 'instance_norm', 'l1_l2_regularizer',
    'l1_regularizer', 'l2_regularizer', 'layer_norm', 'learning', 'legacy_fully_connected',
    'legacy_linear', 'legacy_relu', 'linear', 'local_variable', 'losses', 'max_pool2d',
    'max_pool3d', 'maxout', 'metrics', 'model_analyzer', 'model_variable', 'nets', 'one_hot_column',
    'one_hot_encoding', 'optimize_loss', 'parse_feature_columns_from_examples',
    'real_valued_column', 'relu', 'relu6', 'repeat', 'safe_embedding_lookup_sparse',
    'separable_conv2d', 'separable_convolution2d', 'sequence_to_images', 'shared_embedding_columns',
    'softmax', 'sparse_column_with_hash_bucket', 'sparse_column_with_integerized_feature',
    'sparse_column_with_keys', 'sparse_column_with_vocabulary_file', 'spatial_softmax', 'stack',
    'sum_regularizer', 'summarize_activation', 'summarize_activations', 'summarize_collection',
    'summarize_tensor', 'summarize_tensors', 'unit_norm', 'variable',
    'variance_scaling_initializer', 'weighted_sparse_column', 'weighted_sum_from_feature_columns',
    'xavier_initializer', 'xavier_initializer_conv2d',
]
