"""tinyflow: the TensorFlow 1 stack, small enough to read, quick enough to use.

    import tinyflow as tf

Every public name is listed here, by the module that it comes from. `__version__` is that of the
TensorFlow whose behaviour this is; tinyflow's own is `tinyflow_version`.
"""
import importlib as _importlib

import tinyflow.blas_waiting  # before NumPy
from tinyflow import (
    bitwise, compat, dtypes, errors, initializers, linalg, manip, math, nest, nn, random,
    train, version, viz,
)
from tinyflow.absent import absent as _absent, hide_modules as _hide_modules
from tinyflow.aliases import install_as_tensorflow, uninstall_as_tensorflow
from tinyflow.behavior import (
    control_flow_v2_enabled, disable_control_flow_v2, disable_eager_execution,
    disable_resource_variables, disable_v2_behavior, disable_v2_tensorshape, enable_control_flow_v2,
    enable_eager_execution, enable_resource_variables, enable_v2_behavior, executing_eagerly,
    function, resource_variables_enabled,
)
from tinyflow.config import (
    ConfigProto, GPUOptions, GraphOptions, OptimizerOptions, RunMetadata, RunOptions,
)
from tinyflow.errors import OpError
from tinyflow.doctor import doctor
from tinyflow.explain import explain
from tinyflow.formats import messages as _messages
from tinyflow.gradient_rules import (
    NoGradient, NotDifferentiable, RegisterGradient, custom_gradient, no_gradient,
)
import tinyflow.control_gradients as _control_gradients
from tinyflow.gradient_wrappers import grad_pass_through, recompute_grad
from tinyflow.graph.known_values import dimension_at_index, dimension_value, get_static_value
from tinyflow.graph_diff import graph_diff
from tinyflow.gradients import AggregationMethod, UnconnectedGradients, gradients, hessians
from tinyflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from tinyflow.graph.defaults import (
    add_to_collection, add_to_collections, colocate_with, control_dependencies, device,
    get_collection, get_collection_ref, get_default_graph, get_default_session, name_scope,
    reset_default_graph, set_random_seed,
)
from tinyflow.graph.dtypes import (
    DType, as_dtype, bool, complex64, complex128, double, float16, float32, float64, half, int8,
    int16, int32, int64, resource, string, uint8, uint16, uint32, uint64, variant,
)
from tinyflow.graph.graph import Graph
from tinyflow.graph.indexed_slices import (
    IndexedSlices, IndexedSlicesValue, convert_to_tensor_or_indexed_slices,
)
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.shapes import Dimension, TensorShape
from tinyflow.graph.sparse_tensor import (
    SparseTensor, SparseTensorValue, convert_to_tensor_or_sparse_tensor,
)
from tinyflow.graphdef import methods as _methods
from tinyflow.initializers import (
    constant_initializer, glorot_normal_initializer, glorot_uniform_initializer, ones_initializer,
    orthogonal_initializer, random_normal_initializer, random_uniform_initializer,
    truncated_normal_initializer, uniform_unit_scaling_initializer, variance_scaling_initializer,
    zeros_initializer,
)
from tinyflow.lazy import names_of as _names_of
from tinyflow.naming import explain_name
from tinyflow.ops.arithmetic import (
    abs, accumulate_n, add, add_n, ceil, div, div_no_nan, divide, floor, floor_div, floordiv,
    floormod, maximum, minimum, mod, multiply, negative, pow, realdiv, reciprocal, rint, round,
    rsqrt, scalar_mul, sign, sqrt, square, squared_difference, subtract, truediv, truncatediv,
    truncatemod,
)
from tinyflow.ops.assertions import Assert
from tinyflow.ops.clip import (
    clip_by_average_norm, clip_by_global_norm, clip_by_norm, clip_by_value, global_norm,
)
from tinyflow.ops.complex_numbers import angle, complex, conj, imag, real
from tinyflow.ops.composed_reductions import count_nonzero, reduce_logsumexp
from tinyflow.ops.conditionals import case, cond
from tinyflow.ops.confusion import confusion_matrix
from tinyflow.ops.constants import (
    bitcast, broadcast_dynamic_shape, broadcast_static_shape, broadcast_to, cast, check_numerics,
    constant, ensure_shape, fill, guarantee_const, identity, identity_n, lin_space, linspace, ones,
    ones_like, range, rank, saturate_cast, shape, shape_n, size, stop_gradient, to_bfloat16,
    to_complex64, to_complex128, to_double, to_float, to_int32, to_int64, zeros, zeros_like,
)
from tinyflow.ops.contractions import einsum, tensordot
from tinyflow.ops.control import group, no_op, tuple
from tinyflow.ops.decompositions import (
    cholesky, cholesky_solve, qr, self_adjoint_eig, self_adjoint_eigvals, svd,
)
from tinyflow.ops.diagonals import (
    diag, diag_part, eye, matrix_band_part, matrix_diag, matrix_diag_part, matrix_set_diag, trace,
)
from tinyflow.ops.elementary import (
    acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, exp, expm1, log, log1p, log_sigmoid,
    sigmoid, sin, sinh, tan, tanh,
)
from tinyflow.ops.functional import foldl, foldr, map_fn, scan
from tinyflow.ops.indexing import (
    argsort, batch_gather, boolean_mask, dynamic_partition, dynamic_stitch, gather, gather_nd,
    invert_permutation, one_hot, repeat, scatter_nd, searchsorted, sequence_mask, setdiff1d, slice,
    sort, strided_slice, tensor_scatter_add, tensor_scatter_nd_add, tensor_scatter_nd_sub,
    tensor_scatter_nd_update, tensor_scatter_sub, tensor_scatter_update, unique, unique_with_counts,
    where,
)
from tinyflow.ops.linalg import cross, matmul
from tinyflow.ops.logic import (
    approximate_equal, equal, greater, greater_equal, is_finite, is_inf, is_nan, less, less_equal,
    logical_and, logical_not, logical_or, logical_xor, not_equal,
)
from tinyflow.ops.matrix_functions import sqrtm as matrix_square_root
from tinyflow.ops.loops import while_loop
from tinyflow.ops.norms import lstsq as matrix_solve_ls, norm
from tinyflow.ops.operators import OPERATORS as _operators
from tinyflow.ops.placeholders import placeholder, placeholder_with_default
from tinyflow.ops.printing import Print, print_v2 as print
from tinyflow.ops.random import (
    get_seed, multinomial, random_crop, random_gamma, random_normal, random_poisson, random_shuffle,
    random_uniform, truncated_normal,
)
from tinyflow.ops.ranking import arg_max, arg_min, argmax, argmin
from tinyflow.ops.reduction import (
    reduce_all, reduce_any, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum,
)
from tinyflow.ops.scans import cumprod, cumsum
from tinyflow.ops.segments import (
    bincount, segment_max, segment_mean, segment_min, segment_prod, segment_sum,
    unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod,
    unsorted_segment_sqrt_n, unsorted_segment_sum,
)
from tinyflow.ops.shape_checks import (
    assert_rank, assert_rank_at_least, assert_rank_in, assert_scalar,
)
from tinyflow.ops.shaping import (
    batch_to_space, batch_to_space_nd, concat, depth_to_space, expand_dims, matrix_transpose,
    meshgrid, pad, parallel_stack, required_space_to_batch_paddings, reshape, reverse,
    reverse_sequence, reverse_v2, roll, space_to_batch, space_to_batch_nd, space_to_depth, split,
    squeeze, stack, tile, transpose, unstack,
)
from tinyflow.ops.solving import (
    matrix_determinant, matrix_inverse, matrix_solve, matrix_triangular_solve,
)
from tinyflow.ops.special import digamma, erf, erfc, lbeta, lgamma, polygamma, zeta
from tinyflow.ops.state import (
    assign, assign_add, assign_sub, count_up_to, scatter_add, scatter_div, scatter_max, scatter_min,
    scatter_mul, scatter_nd_add, scatter_nd_sub, scatter_nd_update, scatter_sub, scatter_update,
)
from tinyflow.ops.type_checks import (
    assert_integer, assert_proper_iterable, assert_same_float_dtype, assert_type, is_numeric_tensor,
    is_tensor,
)
from tinyflow.ops.value_checks import (
    assert_equal, assert_greater, assert_greater_equal, assert_less, assert_less_equal, assert_near,
    assert_negative, assert_non_negative, assert_non_positive, assert_none_equal, assert_positive,
)
from tinyflow.ops.tensor_array import TensorArray
from tinyflow.session import InteractiveSession, Session
from tinyflow.variable_lists import (
    all_variables, assert_variables_initialized, global_variables, global_variables_initializer,
    initialize_all_variables, initialize_local_variables, initialize_missing_variables,
    initialize_variables, is_variable_initialized, local_variables, local_variables_initializer,
    model_variables, moving_average_variables, report_uninitialized_variables, trainable_variables,
    variables_initializer,
)
from tinyflow.partitioned import (
    fixed_size_partitioner, min_max_variable_partitioner, variable_axis_size_partitioner,
)
from tinyflow.variable_scope import (
    AUTO_REUSE, VariableScope, get_local_variable, get_variable, get_variable_scope, no_regularizer,
    variable_op_scope, variable_scope,
)
from tinyflow import resource_variable as _resource_variable   # noqa: F401 - a kind of Variable
from tinyflow.variables import Variable, VariableAggregation, VariableSynchronization, init_scope
from tinyflow.version import (
    GIT_VERSION, GRAPH_DEF_VERSION, TINYFLOW_VERSION as tinyflow_version, VERSION,
)
from tinyflow.viz.notebook import install as _show_pictures

newaxis = None
__version__ = VERSION

# Found when first asked for: higher floors, and what most programs do not need at once.
_LAZY = {'debugging': 'tinyflow.debugging', 'feature_column': 'tinyflow.feature_column',
         'graph_util': 'tinyflow.graph_util', 'saved_model': 'tinyflow.saved_model',
         'distribute': 'tinyflow.distribute',
         'keras': 'keras_layer', 'estimator': 'estimator_layer',
         'testing': 'tinyflow.testing', 'examples': 'tinyflow.examples',
         'data': 'tinyflow.data', 'data_sets': 'tinyflow.data_sets', 'layers': 'tinyflow.layers',
         'losses': 'tinyflow.losses', 'metrics': 'tinyflow.metrics', 'sets': 'tinyflow.sets',
         'io': 'tinyflow.io', 'python_io': 'tinyflow.python_io',
         'queue': 'tinyflow.queue',
         'sparse': 'tinyflow.sparse', 'strings': 'tinyflow.strings',
         'summary': 'tinyflow.summary', 'app': 'tinyflow.app',
         'config': 'tinyflow.device_settings', 'contrib': 'tinyflow.contrib',
         'image': 'tinyflow.image',
         'flags': 'tinyflow.flags', 'gfile': 'tinyflow.gfile', 'lookup': 'tinyflow.lookup',
         'logging': 'tinyflow.logging',
         'resource_loader': 'tinyflow.resource_loader', 'sysconfig': 'tinyflow.sysconfig',
         'test': 'tinyflow.test'}
# Functions and classes likewise: public name -> the module that has it.
_LATER = {**_names_of({
    'tinyflow.data.structure': 'SparseTensorSpec',
    'tinyflow.formats.tensors': 'make_ndarray make_tensor_proto',
    'tinyflow.gradient_tape': 'GradientTape',
    'tinyflow.graph.tensor_spec': 'TensorSpec',
    'tinyflow.graph.variable_creation': 'variable_creator_scope',
    'tinyflow.graphdef.importing': 'import_graph_def',
    'tinyflow.logging': 'get_logger',
    'tinyflow.ops.sparse_serializing':
        'deserialize_many_sparse serialize_many_sparse serialize_sparse',
    'tinyflow.ops.accumulators': 'ConditionalAccumulator ConditionalAccumulatorBase',
    'tinyflow.ops.as_string': 'as_string',
    'tinyflow.ops.compression': 'decode_compressed',
    'tinyflow.ops.example_parsing':
        'FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature parse_example '
        'parse_single_example parse_single_sequence_example',
    'tinyflow.ops.files': 'matching_files read_file write_file',
    'tinyflow.ops.fingerprints': 'string_to_hash_bucket_fast',
    'tinyflow.ops.finite_checks': 'add_check_numerics_ops verify_tensor_all_finite',
    'tinyflow.ops.histograms': 'histogram_fixed_width histogram_fixed_width_bins unravel_index',
    'tinyflow.ops.lookup_tables': 'initialize_all_tables tables_initializer',
    'tinyflow.ops.monotony': 'is_non_decreasing is_strictly_increasing',
    'tinyflow.ops.parsing': 'decode_csv decode_raw string_to_number',
    'tinyflow.ops.patches': 'extract_image_patches extract_volume_patches',
    'tinyflow.ops.python_functions': 'numpy_function py_func py_function',
    'tinyflow.ops.queues': 'FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue',
    'tinyflow.ops.readers':
        'FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader TextLineReader '
        'WholeFileReader',
    'tinyflow.ops.regexes': 'regex_replace',
    'tinyflow.ops.select_v2': 'where_v2',
    'tinyflow.ops.serialized_tensors': 'parse_tensor serialize_tensor',
    'tinyflow.ops.sparse_arithmetic': 'sparse_add sparse_maximum sparse_minimum sparse_softmax',
    'tinyflow.ops.sparse_conversions': 'sparse_mask sparse_tensor_to_dense sparse_to_indicator',
    'tinyflow.ops.sparse_joining': 'sparse_concat sparse_slice sparse_split',
    'tinyflow.ops.sparse_matmul': 'sparse_matmul sparse_tensor_dense_matmul',
    'tinyflow.ops.sparse_merging': 'sparse_merge sparse_reorder',
    'tinyflow.ops.sparse_placeholder': 'sparse_placeholder',
    'tinyflow.ops.sparse_reductions':
        'sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse',
    'tinyflow.ops.sparse_reshaping': 'sparse_reset_shape sparse_transpose',
    'tinyflow.ops.sparse_rows': 'sparse_fill_empty_rows sparse_reshape sparse_retain',
    'tinyflow.ops.sparse_segments': 'sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum',
    'tinyflow.ops.sparse_to_dense': 'sparse_to_dense',
    'tinyflow.ops.special_incomplete': 'betainc igamma igammac',
    'tinyflow.ops.string_cases': 'decode_base64 encode_base64 string_strip',
    'tinyflow.ops.string_hashes': 'string_to_hash_bucket string_to_hash_bucket_strong',
    'tinyflow.ops.string_joins': 'reduce_join string_join',
    'tinyflow.ops.string_splits': 'string_split',
    'tinyflow.ops.substrings': 'substr',
    'tinyflow.ops.edit_distance': 'edit_distance',
    'tinyflow.template': 'make_template',
}), **_messages.MESSAGES}
_NAMESPACES = {'bitwise', 'compat', 'dtypes', 'errors', 'initializers', 'linalg',
               'manip', 'math', 'nest', 'nn', 'random', 'train', 'version', 'viz'}

# Importing a module makes it an attribute of its package; of those, only namespaces are public.
__all__ = [_name for _name, _value in sorted(globals().items()) if not _name.startswith('_')
           and (_name in _NAMESPACES or not isinstance(_value, type(_importlib)))]
_missing = _absent(__name__, [*__all__, *_LAZY, *_LATER])
# Afterwards `tf.session` is no module, which would be a riddle to those who mean tf.Session.
_hide_modules(globals(), _NAMESPACES)


def __getattr__(name):
    if name in _LAZY:
        module = globals()[name] = _importlib.import_module(_LAZY[name])
        return module
    if name in _LATER:
        found = globals()[name] = getattr(_importlib.import_module(_LATER[name]), name)
        return found
    return _missing(name)


def __dir__():
    return [*__all__, *_LAZY, *_LATER, '__version__']


_show_pictures(Graph, Tensor, Operation, Variable, Session, InteractiveSession)
