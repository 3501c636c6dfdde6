# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from keras_layer.backend.arithmetic import (
    abs, cast, clip, constant_of, cos, elu, equal, exp, greater, greater_equal, hard_sigmoid, less,
    less_equal, log, maximum, minimum, not_equal, pow, relu, round, sigmoid, sign, sin, softmax,
    softmax_of_rows, softplus, softsign, sqrt, square, tanh,
)
from keras_layer.backend.channels import (
    are_channels_first, from_channels_last, to_channels_last, upper_padding,
)
from keras_layer.backend.conditionals import smart_cond, smart_constant_value, switch
from keras_layer.backend.convolution import (
    conv1d, conv2d, conv2d_transpose, conv3d, conv3d_transpose, depthwise_conv2d, separable_conv1d,
    separable_conv2d,
)
from keras_layer.backend.creation import (
    arange, constant, dtype, eye, one_hot, ones, ones_like, placeholder, print_tensor,
    random_binomial, random_normal, random_normal_variable, random_uniform, random_uniform_variable,
    truncated_normal, update, update_add, update_sub, zeros, zeros_like, zeros_of_shape,
)
from keras_layer.backend.crossentropy import (
    binary_crossentropy, broadcast_weights, categorical_crossentropy, div_no_nan, logits_behind,
    sparse_categorical_crossentropy,
)
from keras_layer.backend.ctc import ctc_batch_cost, ctc_decode, ctc_label_dense_to_sparse
from keras_layer.backend.dependencies import computed_from, depends_on, operation_of, to_updates
from keras_layer.backend.function import Function, function, gradients, stop_gradient
from keras_layer.backend.graph_state import (
    control_dependencies, get_graph, init_scope, name_scope,
)
from keras_layer.backend.local import local_conv, local_conv1d, local_conv2d
from keras_layer.backend.names import get_uid, reset_uids, unique_object_name
from keras_layer.backend.nn import dropout, foldl, foldr, in_top_k, map_fn
from keras_layer.backend.node_lifetime import drop_unused_models, model_nodes
from keras_layer.backend.normalization import (
    batch_normalization, moving_average_update, normalize_batch_in_training,
)
from keras_layer.backend.pooling import pool2d, pool3d
from keras_layer.backend.products import batch_dot, bias_add, dot, sparse_times_dense
from keras_layer.backend.raw_ops import (
    as_node_def, is_computed_from_keras, node_def_as_dict, recreate_op,
)
from keras_layer.backend.reductions import (
    all, any, argmax, argmin, cumprod, cumsum, l2_normalize, logsumexp, max, mean, min, prod, std,
    sum, var,
)
from keras_layer.backend.rnn import rnn
from keras_layer.backend.sessions import (
    clear_session, get_session, manual_variable_initialization, set_session, track_variable,
)
from keras_layer.backend.settings import (
    backend, cast_to_floatx, epsilon, floatx, image_data_format, image_dim_ordering, set_epsilon,
    set_floatx, set_image_data_format, set_image_dim_ordering,
)
from keras_layer.backend.shaping import (
    batch_flatten, concatenate, expand_dims, flatten, gather, permute_dimensions, repeat,
    repeat_elements, reshape, resize_images, resize_volumes, reverse, shape, spatial_2d_padding,
    spatial_3d_padding, split, squeeze, stack, temporal_padding, tile, to_dense, transpose, unstack,
)
from keras_layer.backend.tensor_info import (
    count_params, int_shape, is_keras_tensor, is_placeholder, is_sparse, is_tensor, is_variable,
    ndim,
)
from keras_layer.backend.training_ops import (
    scatter_add, scatter_add_rows, scatter_update_rows, sum_duplicate_rows, training_op,
)
from keras_layer.backend.training_phase import (
    in_test_phase, in_train_phase, learning_phase, learning_phase_scope, set_learning_phase,
    symbolic_learning_phase,
)
from keras_layer.backend.variables import (
    batch_get_value, batch_set_value, eval, get_value, set_value, variable,
)

__all__ = [
    'Function', 'abs', 'all', 'any', 'arange', 'are_channels_first', 'argmax', 'argmin',
    'as_node_def', 'backend', 'batch_dot', 'batch_flatten', 'batch_get_value',
    'batch_normalization', 'batch_set_value', 'bias_add', 'binary_crossentropy',
    'broadcast_weights', 'cast', 'cast_to_floatx', 'categorical_crossentropy', 'clear_session',
    'clip', 'computed_from', 'concatenate', 'constant', 'constant_of', 'control_dependencies',
    'conv1d', 'conv2d', 'conv2d_transpose', 'conv3d', 'conv3d_transpose', 'cos', 'count_params',
    'ctc_batch_cost', 'ctc_decode', 'ctc_label_dense_to_sparse', 'cumprod', 'cumsum', 'depends_on',
    'depthwise_conv2d', 'div_no_nan', 'dot', 'drop_unused_models', 'dropout', 'dtype', 'elu',
    'epsilon', 'equal', 'eval', 'exp', 'expand_dims', 'eye', 'flatten', 'floatx', 'foldl', 'foldr',
    'from_channels_last', 'function', 'gather', 'get_graph', 'get_session', 'get_uid', 'get_value',
    'gradients', 'greater', 'greater_equal', 'hard_sigmoid', 'image_data_format',
    'image_dim_ordering', 'in_test_phase', 'in_top_k', 'in_train_phase', 'init_scope', 'int_shape',
    'is_computed_from_keras', 'is_keras_tensor', 'is_placeholder', 'is_sparse', 'is_tensor',
    'is_variable', 'l2_normalize', 'learning_phase', 'learning_phase_scope', 'less', 'less_equal',
    'local_conv', 'local_conv1d', 'local_conv2d', 'log', 'logits_behind', 'logsumexp',
    'manual_variable_initialization', 'map_fn', 'max', 'maximum', 'mean', 'min', 'minimum',
    'model_nodes', 'moving_average_update', 'name_scope', 'ndim', 'node_def_as_dict',
    'normalize_batch_in_training', 'not_equal', 'one_hot', 'ones', 'ones_like', 'operation_of',
    'permute_dimensions', 'placeholder', 'pool2d', 'pool3d', 'pow', 'print_tensor', 'prod',
    'random_binomial', 'random_normal', 'random_normal_variable', 'random_uniform',
    'random_uniform_variable', 'recreate_op', 'relu', 'repeat', 'repeat_elements', 'reset_uids',
    'reshape', 'resize_images', 'resize_volumes', 'reverse', 'rnn', 'round', 'scatter_add',
    'scatter_add_rows', 'scatter_update_rows', 'separable_conv1d', 'separable_conv2d',
    'set_epsilon', 'set_floatx', 'set_image_data_format', 'set_image_dim_ordering',
    'set_learning_phase', 'set_session', 'set_value', 'shape', 'sigmoid', 'sign', 'sin',
    'smart_cond', 'smart_constant_value', 'softmax', 'softmax_of_rows', 'softplus', 'softsign',
    'sparse_categorical_crossentropy', 'sparse_times_dense', 'spatial_2d_padding',
    'spatial_3d_padding', 'split', 'sqrt', 'square', 'squeeze', 'stack', 'std', 'stop_gradient',
    'sum', 'sum_duplicate_rows', 'switch', 'symbolic_learning_phase', 'tanh', 'temporal_padding',
    'tile', 'to_channels_last', 'to_dense', 'to_updates', 'track_variable', 'training_op',
    'transpose', 'truncated_normal', 'unique_object_name', 'unstack', 'update', 'update_add',
    'update_sub', 'upper_padding', 'var', 'variable', 'zeros', 'zeros_like', 'zeros_of_shape',
]
