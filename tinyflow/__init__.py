"""tinyflow: the TensorFlow 1 stack, with a core that can be read in an afternoon (READING.md).

    import tinyflow as tf

Every public name is listed here, by the module that it comes from. `__version__` is that of the
TensorFlow whose behaviour this is; tinyflow's own is `tinyflow_version`.
"""
import importlib as _importlib

from tinyflow.graph.support.import_gc import end_of_import as _end_of_import  # first
import tinyflow.graph.support.blas_threads  # before NumPy
import tinyflow.compiler  # the package alone, which is hidden below: its modules come with Session
from tinyflow.api import bitwise, compat, dtypes, linalg, manip, math, nn, random
from tinyflow.api.namespaces import NAMESPACES as _NAMESPACES, install as _install_namespaces
from tinyflow.graph.support import errors, nest, version
from tinyflow.inspect import viz
from tinyflow.inspect.viz.notebook import install as _show_pictures
from tinyflow.ops.support.registry_loading import OP_PACKAGES as _OP_PACKAGES
from tinyflow.ops.variables import initializers
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing, hide_modules as _hide_modules)
from tinyflow.api.aliases import install_as_tensorflow, uninstall_as_tensorflow
from tinyflow.graph.support.v1_v2_switches import (
    control_flow_v2_enabled, disable_control_flow_v2, disable_resource_variables,
    disable_v2_behavior, disable_v2_tensorshape, enable_control_flow_v2, enable_resource_variables,
    resource_variables_enabled,
)
from tinyflow.session.config import (
    ConfigProto, GPUOptions, GraphOptions, OptimizerOptions, RunMetadata, RunOptions,
)
from tinyflow.graph.support.errors import OpError
from tinyflow.formats.wire import messages as _messages
from tinyflow.gradients.registry import (
    NoGradient, NotDifferentiable, RegisterGradient, no_gradient,
)
from tinyflow.gradients.wrappers import custom_gradient, grad_pass_through, recompute_grad
from tinyflow.graph.known_values import dimension_at_index, dimension_value, get_static_value
from tinyflow.gradients.reverse import AggregationMethod, UnconnectedGradients, gradients, hessians
from tinyflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from tinyflow.graph.defaults import (
    add_to_collection, add_to_collections, colocate_with, control_dependencies, device,
    get_collection, get_collection_ref, get_default_graph, name_scope,
    reset_default_graph, set_random_seed,
)
from tinyflow.graph.eager_mode import executing_eagerly
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
from tinyflow.graph.stacks import get_default_session
from tinyflow.formats.graphdef import methods as _methods
from tinyflow.ops.variables.initializers import (
    constant_initializer, glorot_normal_initializer, glorot_uniform_initializer, ones_initializer,
    orthogonal_initializer, random_normal_initializer, random_uniform_initializer,
    truncated_normal_initializer, uniform_unit_scaling_initializer, variance_scaling_initializer,
    zeros_initializer,
)
from tinyflow.graph.support.lazy import names_of as _names_of
from tinyflow.graph.support.notebook import install as _show_users_frames
from tinyflow.ops.math.arithmetic import (
    abs, accumulate_n, add, add_n, ceil, div, div_no_nan, divide, floor, floor_div, floordiv,
    floormod, maximum, minimum, mod, multiply, negative, pow, realdiv, reciprocal, rint, round,
    rsqrt, scalar_mul, sign, sqrt, square, squared_difference, subtract, truediv, truncatediv,
    truncatemod,
)
from tinyflow.ops.checks.assertions import Assert
from tinyflow.ops.math.clip import (
    clip_by_average_norm, clip_by_global_norm, clip_by_norm, clip_by_value, global_norm,
)
from tinyflow.ops.math.complex_numbers import angle, complex, conj, imag, real
from tinyflow.ops.math.composed_reductions import count_nonzero, reduce_logsumexp
from tinyflow.ops.control_flow.case import case
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.math.confusion import confusion_matrix
from tinyflow.ops.array.constants import (
    bitcast, broadcast_dynamic_shape, broadcast_static_shape, broadcast_to, cast, check_numerics,
    constant, ensure_shape, fill, guarantee_const, identity, identity_n, lin_space, linspace, ones,
    ones_like, range, rank, saturate_cast, shape, shape_n, size, stop_gradient, to_bfloat16,
    to_complex64, to_complex128, to_double, to_float, to_int32, to_int64, zeros, zeros_like,
)
from tinyflow.ops.math.contractions import einsum, tensordot
from tinyflow.ops.control_flow.grouping import group, no_op, tuple
from tinyflow.ops.linalg.decompositions import (
    cholesky, cholesky_solve, qr, self_adjoint_eig, self_adjoint_eigvals, svd,
)
from tinyflow.ops.array.diagonals import (
    diag, diag_part, eye, matrix_band_part, matrix_diag, matrix_diag_part, matrix_set_diag, trace,
)
from tinyflow.ops.math.unary import (
    acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, exp, expm1, log, log1p, log_sigmoid,
    sigmoid, sin, sinh, tan, tanh,
)
from tinyflow.ops.control_flow.functional import foldl, foldr, map_fn, scan
from tinyflow.ops.array.indexing import (
    argsort, batch_gather, boolean_mask, dynamic_partition, dynamic_stitch, gather, gather_nd,
    invert_permutation, one_hot, repeat, scatter_nd, searchsorted, sequence_mask, setdiff1d, slice,
    sort, strided_slice, tensor_scatter_add, tensor_scatter_nd_add, tensor_scatter_nd_sub,
    tensor_scatter_nd_update, tensor_scatter_sub, tensor_scatter_update, unique, unique_with_counts,
    where,
)
from tinyflow.ops.linalg.matmul import cross, matmul
from tinyflow.ops.math.logic import (
    approximate_equal, equal, greater, greater_equal, is_finite, is_inf, is_nan, less, less_equal,
    logical_and, logical_not, logical_or, logical_xor, not_equal,
)
from tinyflow.ops.linalg.matrix_functions import sqrtm as matrix_square_root
from tinyflow.ops.control_flow.while_loop import while_loop
from tinyflow.ops.linalg.norms import lstsq as matrix_solve_ls, norm
from tinyflow.ops.math.operators import OPERATORS as _operators
from tinyflow.ops.array.placeholders import placeholder, placeholder_with_default
from tinyflow.ops.checks.printing import Print, print_v2 as print
from tinyflow.ops.random.random_functions import (
    multinomial, random_crop, random_gamma, random_normal, random_poisson, random_shuffle,
    random_uniform, truncated_normal,
)
from tinyflow.ops.random.seeds import get_seed
from tinyflow.ops.array.ranking import arg_max, arg_min, argmax, argmin
from tinyflow.ops.math.reduction import (
    reduce_all, reduce_any, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum,
)
from tinyflow.ops.math.scans import cumprod, cumsum
from tinyflow.ops.math.segments import (
    bincount, segment_max, segment_mean, segment_min, segment_prod, segment_sum,
    unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod,
    unsorted_segment_sqrt_n, unsorted_segment_sum,
)
from tinyflow.ops.checks.shape_checks import (
    assert_rank, assert_rank_at_least, assert_rank_in, assert_scalar,
)
from tinyflow.ops.array.shaping import (
    batch_to_space, batch_to_space_nd, concat, depth_to_space, expand_dims, matrix_transpose,
    meshgrid, pad, parallel_stack, required_space_to_batch_paddings, reshape, reverse,
    reverse_sequence, reverse_v2, roll, space_to_batch, space_to_batch_nd, space_to_depth, split,
    squeeze, stack, tile, transpose, unstack,
)
from tinyflow.ops.linalg.solving import (
    matrix_determinant, matrix_inverse, matrix_solve, matrix_triangular_solve,
)
from tinyflow.ops.math.special import digamma, erf, erfc, lbeta, lgamma, polygamma, zeta
from tinyflow.ops.variables.variable_ops import (
    assign, assign_add, assign_sub, count_up_to, scatter_add, scatter_div, scatter_max, scatter_min,
    scatter_mul, scatter_nd_add, scatter_nd_sub, scatter_nd_update, scatter_sub, scatter_update,
)
from tinyflow.ops.checks.type_checks import (
    assert_integer, assert_proper_iterable, assert_same_float_dtype, assert_type, is_numeric_tensor,
    is_tensor,
)
from tinyflow.ops.checks.value_checks import (
    assert_equal, assert_greater, assert_greater_equal, assert_less, assert_less_equal, assert_near,
    assert_negative, assert_non_negative, assert_non_positive, assert_none_equal, assert_positive,
)
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.session.targets import (
    CLUSTERS as _CLUSTERS, DEBUGGERS as _DEBUGGERS, ShownInNotebooks as _ShownInNotebooks)
from tinyflow.ops.variables.variable_lists import (
    all_variables, assert_variables_initialized, global_variables, global_variables_initializer,
    initialize_all_variables, initialize_local_variables, initialize_missing_variables,
    initialize_variables, is_variable_initialized, local_variables, local_variables_initializer,
    model_variables, moving_average_variables, report_uninitialized_variables, trainable_variables,
    variables_initializer,
)
from tinyflow.ops.variables.partitioned_variable import (
    fixed_size_partitioner, min_max_variable_partitioner, variable_axis_size_partitioner,
)
from tinyflow.ops.variables.variable_scope import (
    AUTO_REUSE, VariableScope, get_local_variable, get_variable, get_variable_scope, no_regularizer,
    variable_op_scope, variable_scope,
)
from tinyflow.ops.variables.variable import (
    Variable, VariableAggregation, VariableSynchronization, init_scope,
)
from tinyflow.graph.support.version import (
    GIT_VERSION, GRAPH_DEF_VERSION, TINYFLOW_VERSION as tinyflow_version, VERSION,
)

newaxis = None
_OP_PACKAGES += ['tinyflow.data.ops', 'estimator_layer.canned.trees.ops',
                 'estimator_layer.canned.kmeans.ops',
                 'tinyflow.api.contrib.tensor_forest.ops']
__version__ = VERSION

# Resolved on first access: public name -> the module that defines it.
_LATER = {**_names_of({
    'tinyflow.session.interactive': 'InteractiveSession',   # with the compiler
    'tinyflow.session.session': 'Session',
    'tinyflow.eager.function': 'function',
    'tinyflow.eager.python_function': 'py_function',
    'tinyflow.train.module': 'Module',
    'tinyflow.eager.enabling': 'disable_eager_execution enable_eager_execution',
    'tinyflow.api.v2.behavior': 'disable_tensor_equality enable_tensor_equality '
                                'enable_v2_behavior enable_v2_tensorshape',
    'tinyflow.data.structure': 'SparseTensorSpec',
    'tinyflow.formats.wire.tensors': 'make_ndarray make_tensor_proto',
    'tinyflow.gradients.tape': 'GradientTape',
    'tinyflow.graph.containers': 'container',
    'tinyflow.graph.devices': 'DeviceSpec',
    'tinyflow.graph.tensor_spec': 'TensorSpec',
    'tinyflow.graph.variable_creation': 'variable_creator_scope',
    'tinyflow.formats.graphdef.importing': 'import_graph_def',
    'tinyflow.graph.support.logging': 'get_logger',
    'tinyflow.api.ragged': 'RaggedTensor',
    'tinyflow.ops.signal.fourier': 'fft fft2d fft3d ifft ifft2d ifft3d',
    'tinyflow.ops.sparse.serializing':
        'deserialize_many_sparse serialize_many_sparse serialize_sparse',
    'tinyflow.ops.queues.accumulators': 'ConditionalAccumulator ConditionalAccumulatorBase',
    'tinyflow.ops.queues.sparse_accumulators': 'SparseConditionalAccumulator',
    'tinyflow.api.string_splits': 'string_split',
    'tinyflow.ops.strings.as_string': 'as_string',
    'tinyflow.ops.files.compression': 'decode_compressed',
    'tinyflow.ops.files.example_parsing':
        'FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature parse_example '
        'parse_single_example parse_single_sequence_example',
    'tinyflow.ops.files.file_ops': 'matching_files read_file write_file',
    'tinyflow.ops.strings.fingerprints': 'string_to_hash_bucket_fast',
    'tinyflow.ops.checks.finite_checks': 'add_check_numerics_ops verify_tensor_all_finite',
    'tinyflow.ops.math.histograms':
        'histogram_fixed_width histogram_fixed_width_bins unravel_index',
    'tinyflow.ops.tables.lookup_tables': 'initialize_all_tables tables_initializer',
    'tinyflow.ops.checks.monotonic': 'is_non_decreasing is_strictly_increasing',
    'tinyflow.ops.files.parsing': 'decode_csv decode_raw string_to_number',
    'tinyflow.ops.conv.patches': 'extract_image_patches extract_volume_patches',
    'tinyflow.ops.control_flow.python_functions': 'numpy_function py_func',
    'tinyflow.ops.control_flow.switch_case': 'switch_case',
    'tinyflow.ops.queues.queues':
        'FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue',
    'tinyflow.ops.queues.readers':
        'FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader TextLineReader '
        'WholeFileReader',
    'tinyflow.inspect.debugger': 'Debugger',
    'tinyflow.inspect.doctor': 'doctor',
    'tinyflow.inspect.explain': 'explain',
    'tinyflow.inspect.explain_name': 'explain_name',
    'tinyflow.inspect.graph_diff': 'graph_diff',
    'tinyflow.inspect.recorder': 'record',
    'tinyflow.ops.strings.regexes': 'regex_replace',
    'tinyflow.ops.array.where_v2': 'where_v2',
    'tinyflow.ops.files.serialized_tensors': 'parse_tensor serialize_tensor',
    'tinyflow.ops.sparse.arithmetic': 'sparse_add sparse_maximum sparse_minimum sparse_softmax',
    'tinyflow.ops.sparse.conversions': 'sparse_mask sparse_tensor_to_dense sparse_to_indicator',
    'tinyflow.ops.sparse.joining': 'sparse_concat sparse_slice sparse_split',
    'tinyflow.ops.sparse.matmul': 'sparse_matmul sparse_tensor_dense_matmul',
    'tinyflow.ops.sparse.merging': 'sparse_merge sparse_reorder',
    'tinyflow.ops.sparse.placeholder': 'sparse_placeholder',
    'tinyflow.ops.sparse.reductions':
        'sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse',
    'tinyflow.ops.sparse.reshaping': 'sparse_reset_shape sparse_transpose',
    'tinyflow.ops.sparse.rows': 'sparse_fill_empty_rows sparse_reshape sparse_retain',
    'tinyflow.ops.sparse.segments': 'sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum',
    'tinyflow.ops.sparse.to_dense': 'sparse_to_dense',
    'tinyflow.ops.math.special_incomplete': 'betainc igamma igammac',
    'tinyflow.ops.strings.cases': 'decode_base64 encode_base64 string_strip',
    'tinyflow.ops.strings.hashes': 'string_to_hash_bucket string_to_hash_bucket_strong',
    'tinyflow.ops.strings.joins': 'reduce_join string_join',
    'tinyflow.ops.strings.substrings': 'substr',
    'tinyflow.ops.ctc.edit_distance': 'edit_distance',
    'tinyflow.ops.variables.template': 'make_template',
}), **_messages.MESSAGES}

# Importing a module makes it an attribute of its package; of those, only namespaces are public.
__all__ = [_name for _name, _value in sorted(globals().items()) if not _name.startswith('_')
           and (_name in _NAMESPACES or not isinstance(_value, type(_importlib)))]
__all__ += ['InteractiveSession', 'Session', 'train']
_missing = _explain_missing(__name__, [*__all__, *_NAMESPACES, *_LATER])
# Afterwards `tf.session` is not a module, which would confuse those who mean tf.Session.
_hide_modules(globals(), _NAMESPACES)


def __getattr__(name):
    if name in _NAMESPACES:
        module = globals()[name] = _importlib.import_module(_NAMESPACES[name])
        return module
    if name in _LATER:
        found = globals()[name] = getattr(_importlib.import_module(_LATER[name]), name)
        return found
    return _missing(name)


def __dir__():
    return [*{**dict.fromkeys(__all__), **_NAMESPACES, **_LATER}, '__version__']


_CLUSTERS.append('tinyflow.cluster.remote_session')
_DEBUGGERS.append('tinyflow.inspect.debugger')
_install_namespaces()
_show_users_frames()
_show_pictures(Graph, Tensor, Operation, Variable, _ShownInNotebooks)
_end_of_import()
