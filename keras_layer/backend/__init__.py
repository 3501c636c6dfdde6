"""keras.backend: the functions through which Keras uses the ops of tinyflow."""
from keras_layer.backend.arithmetic import (
    abs, cast, clip, constant_of, cos, elu, equal, exp, greater, greater_equal, hard_sigmoid, less,
    less_equal, log, maximum, minimum, not_equal, pow, relu, round, sigmoid, sign, sin, softmax,
    softmax_of_rows, softplus, softsign, sqrt, square, tanh,
)
from keras_layer.backend.channels import (
    are_channels_first, from_channels_last, to_channels_last, upper_padding,
)
from keras_layer.backend.conditionals import (
    smart_cond, smart_constant_value, switch,
)
from keras_layer.backend.convolution import (
    conv1d, conv2d, conv2d_transpose, conv3d, conv3d_transpose, depthwise_conv2d,
    separable_conv1d, separable_conv2d,
)
from keras_layer.backend.creation import (
    arange, constant, dtype, eye, one_hot, ones, ones_like, placeholder, print_tensor,
    random_binomial, random_normal, random_normal_variable, random_uniform,
    random_uniform_variable, truncated_normal, update, update_add, update_sub, zeros,
    zeros_like, zeros_of_shape,
)
from keras_layer.backend.crossentropy import (
    binary_crossentropy, broadcast_weights, categorical_crossentropy, div_no_nan, logits_behind,
    sparse_categorical_crossentropy,
)
from keras_layer.backend.ctc import (
    ctc_batch_cost, ctc_decode, ctc_label_dense_to_sparse,
)
from keras_layer.backend.dependencies import (
    computed_from, depends_on, operation_of, to_updates,
)
from keras_layer.backend.function import (
    Function, function, gradients, stop_gradient,
)
from keras_layer.backend.node_lifetime import (
    drop_unused_models, model_nodes,
)
from keras_layer.backend.local import (
    local_conv, local_conv1d, local_conv2d,
)
from keras_layer.backend.nn import (
    dropout, foldl, foldr, in_top_k, map_fn,
)
from keras_layer.backend.normalization import (
    batch_normalization, moving_average_update, normalize_batch_in_training,
)
from keras_layer.backend.pooling import (
    pool2d, pool3d,
)
from keras_layer.backend.products import (
    batch_dot, bias_add, dot, sparse_times_dense,
)
from keras_layer.backend.raw_ops import (
    as_node_def, is_computed_from_keras, node_def_as_dict, recreate_op,
)
from keras_layer.backend.reductions import (
    all, any, argmax, argmin, cumprod, cumsum, l2_normalize, logsumexp, max, mean, min, prod, std,
    sum, var,
)
from keras_layer.backend.rnn import (
    rnn,
)
from keras_layer.backend.settings import (
    backend, cast_to_floatx, epsilon, floatx, image_data_format, image_dim_ordering, set_epsilon,
    set_floatx, set_image_data_format, set_image_dim_ordering,
)
from keras_layer.backend.shaping import (
    batch_flatten, concatenate, expand_dims, flatten, gather, permute_dimensions, repeat,
    repeat_elements, reshape, resize_images, resize_volumes, reverse, shape, spatial_2d_padding,
    spatial_3d_padding, split, squeeze, stack, temporal_padding, tile, to_dense, transpose,
    unstack,
)
from keras_layer.backend.graph_state import (
    control_dependencies, get_graph, init_scope, name_scope,
)
from keras_layer.backend.names import (
    get_uid, reset_uids, unique_object_name,
)
from keras_layer.backend.sessions import (
    clear_session, get_session, manual_variable_initialization, set_session, track_variable,
)
from keras_layer.backend.training_phase import (
    in_test_phase, in_train_phase, learning_phase, learning_phase_scope, set_learning_phase,
    symbolic_learning_phase,
)
from keras_layer.backend.variables import (
    batch_get_value, batch_set_value, eval, get_value, set_value, variable,
)
from keras_layer.backend.tensor_info import (
    count_params, int_shape, is_keras_tensor, is_placeholder, is_sparse, is_tensor, is_variable,
    ndim,
)
from keras_layer.backend.training_ops import (
    scatter_add, scatter_add_rows, scatter_update_rows, sum_duplicate_rows, training_op,
)
from tinyflow.graph.support.missing import explain_missing

__getattr__ = explain_missing('tf.keras.backend', globals())
