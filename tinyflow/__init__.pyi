# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from tinyflow import data, layers, train
from tinyflow.api import (
    app, autograph, bitwise, compat, config, contrib, data_sets, debugging, distribute,
    distributions, dtypes, examples, feature_column, flags, gfile, image, io, linalg, lookup,
    losses, manip, math, metrics, nn, python_io, queue, ragged, random, resource_loader,
    saved_model, sets, signal, sparse, spectral, strings, summary, sysconfig, test, testing,
)
from tinyflow.api.aliases import install_as_tensorflow, uninstall_as_tensorflow
from tinyflow.api.ragged.tensor import RaggedTensor
from tinyflow.api.string_splits import string_split
from tinyflow.api.v2.behavior import (
    disable_tensor_equality, enable_tensor_equality, enable_v2_behavior, enable_v2_tensorshape,
)
from tinyflow.data.structure import SparseTensorSpec
from tinyflow.eager.enabling import disable_eager_execution, enable_eager_execution
from tinyflow.eager.function import function
from tinyflow.eager.python_function import py_function
from tinyflow.formats.graphdef import graph_util
from tinyflow.formats.graphdef.importing import import_graph_def
from tinyflow.formats.wire.tensors import make_ndarray, make_tensor_proto
from tinyflow.gradients.registry import (
    NoGradient, NotDifferentiable, RegisterGradient, no_gradient,
)
from tinyflow.gradients.reverse import (
    AggregationMethod, UnconnectedGradients, gradients, hessians,
)
from tinyflow.gradients.tape import GradientTape
from tinyflow.gradients.wrappers import custom_gradient, grad_pass_through, recompute_grad
from tinyflow.graph.containers import container
from tinyflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from tinyflow.graph.defaults import (
    add_to_collection, add_to_collections, colocate_with, control_dependencies, device,
    get_collection, get_collection_ref, get_default_graph, name_scope, reset_default_graph,
    set_random_seed,
)
from tinyflow.graph.devices import DeviceSpec
from tinyflow.graph.dtypes import (
    DType, as_dtype, bool, complex128, complex64, double, float16, float32, float64, half, int16,
    int32, int64, int8, resource, string, uint16, uint32, uint64, uint8, variant,
)
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.graph import Graph
from tinyflow.graph.indexed_slices import (
    IndexedSlices, IndexedSlicesValue, convert_to_tensor_or_indexed_slices,
)
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.known_values import dimension_at_index, dimension_value, get_static_value
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.shapes import Dimension, TensorShape
from tinyflow.graph.sparse_tensor import (
    SparseTensor, SparseTensorValue, convert_to_tensor_or_sparse_tensor,
)
from tinyflow.graph.stacks import get_default_session
from tinyflow.graph.support import errors, logging, nest, version
from tinyflow.graph.support.errors import OpError
from tinyflow.graph.support.logging import get_logger
from tinyflow.graph.support.v1_v2_switches import (
    control_flow_v2_enabled, disable_control_flow_v2, disable_resource_variables,
    disable_v2_behavior, disable_v2_tensorshape, enable_control_flow_v2, enable_resource_variables,
    resource_variables_enabled,
)
from tinyflow.graph.support.version import (
    GIT_VERSION, GRAPH_DEF_VERSION, TINYFLOW_VERSION as tinyflow_version, VERSION,
)
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.graph.variable_creation import variable_creator_scope
from tinyflow.inspect import viz
from tinyflow.inspect.debugger.debugger import Debugger
from tinyflow.inspect.doctor.run_checks import doctor
from tinyflow.inspect.explain import explain
from tinyflow.inspect.explain_name import explain_name
from tinyflow.inspect.graph_diff import graph_diff
from tinyflow.inspect.recorder.recording import record
from tinyflow.ops.array.constants import (
    bitcast, broadcast_dynamic_shape, broadcast_static_shape, broadcast_to, cast, check_numerics,
    constant, ensure_shape, fill, guarantee_const, identity, identity_n, lin_space, linspace, ones,
    ones_like, range, rank, saturate_cast, shape, shape_n, size, stop_gradient, to_bfloat16,
    to_complex128, to_complex64, to_double, to_float, to_int32, to_int64, zeros, zeros_like,
)
from tinyflow.ops.array.diagonals import (
    diag, diag_part, eye, matrix_band_part, matrix_diag, matrix_diag_part, matrix_set_diag, trace,
)
from tinyflow.ops.array.indexing import (
    argsort, batch_gather, boolean_mask, dynamic_partition, dynamic_stitch, gather, gather_nd,
    invert_permutation, one_hot, repeat, scatter_nd, searchsorted, sequence_mask, setdiff1d, slice,
    sort, strided_slice, tensor_scatter_add, tensor_scatter_nd_add, tensor_scatter_nd_sub,
    tensor_scatter_nd_update, tensor_scatter_sub, tensor_scatter_update, unique, unique_with_counts,
    where,
)
from tinyflow.ops.array.placeholders import placeholder, placeholder_with_default
from tinyflow.ops.array.ranking import arg_max, arg_min, argmax, argmin
from tinyflow.ops.array.shaping import (
    batch_to_space, batch_to_space_nd, concat, depth_to_space, expand_dims, matrix_transpose,
    meshgrid, pad, parallel_stack, required_space_to_batch_paddings, reshape, reverse,
    reverse_sequence, reverse_v2, roll, space_to_batch, space_to_batch_nd, space_to_depth, split,
    squeeze, stack, tile, transpose, unstack,
)
from tinyflow.ops.array.where_v2 import where_v2
from tinyflow.ops.checks.assertions import Assert
from tinyflow.ops.checks.finite_checks import add_check_numerics_ops, verify_tensor_all_finite
from tinyflow.ops.checks.monotonic import is_non_decreasing, is_strictly_increasing
from tinyflow.ops.checks.printing import Print, print_v2 as print
from tinyflow.ops.checks.shape_checks import (
    assert_rank, assert_rank_at_least, assert_rank_in, assert_scalar,
)
from tinyflow.ops.checks.type_checks import (
    assert_integer, assert_proper_iterable, assert_same_float_dtype, assert_type, is_numeric_tensor,
    is_tensor,
)
from tinyflow.ops.checks.value_checks import (
    assert_equal, assert_greater, assert_greater_equal, assert_less, assert_less_equal, assert_near,
    assert_negative, assert_non_negative, assert_non_positive, assert_none_equal, assert_positive,
)
from tinyflow.ops.control_flow.case import case
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.control_flow.functional import foldl, foldr, map_fn, scan
from tinyflow.ops.control_flow.grouping import group, no_op, tuple
from tinyflow.ops.control_flow.python_functions import numpy_function, py_func
from tinyflow.ops.control_flow.switch_case import switch_case
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.control_flow.while_loop import while_loop
from tinyflow.ops.conv.patches import extract_image_patches, extract_volume_patches
from tinyflow.ops.ctc.edit_distance import edit_distance
from tinyflow.ops.files.compression import decode_compressed
from tinyflow.ops.files.example_parsing import (
    FixedLenFeature, FixedLenSequenceFeature, SparseFeature, VarLenFeature, parse_example,
    parse_single_example, parse_single_sequence_example,
)
from tinyflow.ops.files.file_ops import matching_files, read_file, write_file
from tinyflow.ops.files.parsing import decode_csv, decode_raw, string_to_number
from tinyflow.ops.files.serialized_tensors import parse_tensor, serialize_tensor
from tinyflow.ops.linalg.decompositions import (
    cholesky, cholesky_solve, qr, self_adjoint_eig, self_adjoint_eigvals, svd,
)
from tinyflow.ops.linalg.matmul import cross, matmul
from tinyflow.ops.linalg.matrix_functions import sqrtm as matrix_square_root
from tinyflow.ops.linalg.norms import lstsq as matrix_solve_ls, norm
from tinyflow.ops.linalg.solving import (
    matrix_determinant, matrix_inverse, matrix_solve, matrix_triangular_solve,
)
from tinyflow.ops.math.arithmetic import (
    abs, accumulate_n, add, add_n, ceil, div, div_no_nan, divide, floor, floor_div, floordiv,
    floormod, maximum, minimum, mod, multiply, negative, pow, realdiv, reciprocal, rint, round,
    rsqrt, scalar_mul, sign, sqrt, square, squared_difference, subtract, truediv, truncatediv,
    truncatemod,
)
from tinyflow.ops.math.clip import (
    clip_by_average_norm, clip_by_global_norm, clip_by_norm, clip_by_value, global_norm,
)
from tinyflow.ops.math.complex_numbers import angle, complex, conj, imag, real
from tinyflow.ops.math.composed_reductions import count_nonzero, reduce_logsumexp
from tinyflow.ops.math.confusion import confusion_matrix
from tinyflow.ops.math.contractions import einsum, tensordot
from tinyflow.ops.math.histograms import (
    histogram_fixed_width, histogram_fixed_width_bins, unravel_index,
)
from tinyflow.ops.math.logic import (
    approximate_equal, equal, greater, greater_equal, is_finite, is_inf, is_nan, less, less_equal,
    logical_and, logical_not, logical_or, logical_xor, not_equal,
)
from tinyflow.ops.math.reduction import (
    reduce_all, reduce_any, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum,
)
from tinyflow.ops.math.scans import cumprod, cumsum
from tinyflow.ops.math.segments import (
    bincount, segment_max, segment_mean, segment_min, segment_prod, segment_sum,
    unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod,
    unsorted_segment_sqrt_n, unsorted_segment_sum,
)
from tinyflow.ops.math.special import digamma, erf, erfc, lbeta, lgamma, polygamma, zeta
from tinyflow.ops.math.special_incomplete import betainc, igamma, igammac
from tinyflow.ops.math.unary import (
    acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, exp, expm1, log, log1p, log_sigmoid,
    sigmoid, sin, sinh, tan, tanh,
)
from tinyflow.ops.queues.accumulators import ConditionalAccumulator, ConditionalAccumulatorBase
from tinyflow.ops.queues.queues import (
    FIFOQueue, PaddingFIFOQueue, PriorityQueue, QueueBase, RandomShuffleQueue,
)
from tinyflow.ops.queues.readers import (
    FixedLengthRecordReader, IdentityReader, ReaderBase, TFRecordReader, TextLineReader,
    WholeFileReader,
)
from tinyflow.ops.queues.sparse_accumulators import SparseConditionalAccumulator
from tinyflow.ops.random.random_functions import (
    multinomial, random_crop, random_gamma, random_normal, random_poisson, random_shuffle,
    random_uniform, truncated_normal,
)
from tinyflow.ops.random.seeds import get_seed
from tinyflow.ops.signal.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from tinyflow.ops.sparse.arithmetic import (
    sparse_add, sparse_maximum, sparse_minimum, sparse_softmax,
)
from tinyflow.ops.sparse.conversions import (
    sparse_mask, sparse_tensor_to_dense, sparse_to_indicator,
)
from tinyflow.ops.sparse.joining import sparse_concat, sparse_slice, sparse_split
from tinyflow.ops.sparse.matmul import sparse_matmul, sparse_tensor_dense_matmul
from tinyflow.ops.sparse.merging import sparse_merge, sparse_reorder
from tinyflow.ops.sparse.placeholder import sparse_placeholder
from tinyflow.ops.sparse.reductions import (
    sparse_reduce_max, sparse_reduce_max_sparse, sparse_reduce_sum, sparse_reduce_sum_sparse,
)
from tinyflow.ops.sparse.reshaping import sparse_reset_shape, sparse_transpose
from tinyflow.ops.sparse.rows import sparse_fill_empty_rows, sparse_reshape, sparse_retain
from tinyflow.ops.sparse.segments import (
    sparse_segment_mean, sparse_segment_sqrt_n, sparse_segment_sum,
)
from tinyflow.ops.sparse.serializing import (
    deserialize_many_sparse, serialize_many_sparse, serialize_sparse,
)
from tinyflow.ops.sparse.to_dense import sparse_to_dense
from tinyflow.ops.strings.as_string import as_string
from tinyflow.ops.strings.cases import decode_base64, encode_base64, string_strip
from tinyflow.ops.strings.fingerprints import string_to_hash_bucket_fast
from tinyflow.ops.strings.hashes import string_to_hash_bucket, string_to_hash_bucket_strong
from tinyflow.ops.strings.joins import reduce_join, string_join
from tinyflow.ops.strings.regexes import regex_replace
from tinyflow.ops.strings.substrings import substr
from tinyflow.ops.tables.lookup_tables import initialize_all_tables, tables_initializer
from tinyflow.ops.variables import initializers
from tinyflow.ops.variables.initializers import (
    constant_initializer, glorot_normal_initializer, glorot_uniform_initializer, ones_initializer,
    orthogonal_initializer, random_normal_initializer, random_uniform_initializer,
    truncated_normal_initializer, uniform_unit_scaling_initializer, variance_scaling_initializer,
    zeros_initializer,
)
from tinyflow.ops.variables.partitioned_variable import (
    fixed_size_partitioner, min_max_variable_partitioner, variable_axis_size_partitioner,
)
from tinyflow.ops.variables.template import make_template
from tinyflow.ops.variables.variable import (
    Variable, VariableAggregation, VariableSynchronization, init_scope,
)
from tinyflow.ops.variables.variable_lists import (
    all_variables, assert_variables_initialized, global_variables, global_variables_initializer,
    initialize_all_variables, initialize_local_variables, initialize_missing_variables,
    initialize_variables, is_variable_initialized, local_variables, local_variables_initializer,
    model_variables, moving_average_variables, report_uninitialized_variables, trainable_variables,
    variables_initializer,
)
from tinyflow.ops.variables.variable_ops import (
    assign, assign_add, assign_sub, count_up_to, scatter_add, scatter_div, scatter_max, scatter_min,
    scatter_mul, scatter_nd_add, scatter_nd_sub, scatter_nd_update, scatter_sub, scatter_update,
)
from tinyflow.ops.variables.variable_scope import (
    AUTO_REUSE, VariableScope, get_local_variable, get_variable, get_variable_scope, no_regularizer,
    variable_op_scope, variable_scope,
)
from tinyflow.session.config import (
    ConfigProto, GPUOptions, GraphOptions, OptimizerOptions, RunMetadata, RunOptions,
)
from tinyflow.session.interactive import InteractiveSession
from tinyflow.session.session import Session
from tinyflow.train.module import Module
from typing import Any
import estimator_layer as estimator
import keras_layer as keras
AttrValue: Any
Event: Any
GraphDef: Any
HistogramProto: Any
LogMessage: Any
MetaGraphDef: Any
NameAttrList: Any
NodeDef: Any
OpDef: Any
SessionLog: Any
Summary: Any
SummaryMetadata: Any
TensorInfo: Any
TensorProto: Any
__version__: str
newaxis: None

__all__ = [
    'AUTO_REUSE', 'AggregationMethod', 'Assert', 'AttrValue', 'ConditionalAccumulator',
    'ConditionalAccumulatorBase', 'ConfigProto', 'DType', 'Debugger', 'DeviceSpec', 'Dimension',
    'Event', 'FIFOQueue', 'FixedLenFeature', 'FixedLenSequenceFeature', 'FixedLengthRecordReader',
    'GIT_VERSION', 'GPUOptions', 'GRAPH_DEF_VERSION', 'GradientTape', 'Graph', 'GraphDef',
    'GraphKeys', 'GraphOptions', 'HistogramProto', 'IdentityReader', 'IndexedSlices',
    'IndexedSlicesValue', 'InteractiveSession', 'LogMessage', 'MetaGraphDef', 'Module',
    'NameAttrList', 'NoGradient', 'NodeDef', 'NotDifferentiable', 'OpDef', 'OpError', 'Operation',
    'OptimizerOptions', 'PaddingFIFOQueue', 'Print', 'PriorityQueue', 'QueueBase', 'RaggedTensor',
    'RandomShuffleQueue', 'ReaderBase', 'RegisterGradient', 'RunMetadata', 'RunOptions', 'Session',
    'SessionLog', 'SparseConditionalAccumulator', 'SparseFeature', 'SparseTensor',
    'SparseTensorSpec', 'SparseTensorValue', 'Summary', 'SummaryMetadata', 'TFRecordReader',
    'Tensor', 'TensorArray', 'TensorInfo', 'TensorProto', 'TensorShape', 'TensorSpec',
    'TextLineReader', 'UnconnectedGradients', 'VERSION', 'VarLenFeature', 'Variable',
    'VariableAggregation', 'VariableScope', 'VariableSynchronization', 'WholeFileReader', 'abs',
    'accumulate_n', 'acos', 'acosh', 'add', 'add_check_numerics_ops', 'add_n', 'add_to_collection',
    'add_to_collections', 'all_variables', 'angle', 'app', 'approximate_equal', 'arg_max',
    'arg_min', 'argmax', 'argmin', 'argsort', 'as_dtype', 'as_string', 'asin', 'asinh',
    'assert_equal', 'assert_greater', 'assert_greater_equal', 'assert_integer', 'assert_less',
    'assert_less_equal', 'assert_near', 'assert_negative', 'assert_non_negative',
    'assert_non_positive', 'assert_none_equal', 'assert_positive', 'assert_proper_iterable',
    'assert_rank', 'assert_rank_at_least', 'assert_rank_in', 'assert_same_float_dtype',
    'assert_scalar', 'assert_type', 'assert_variables_initialized', 'assign', 'assign_add',
    'assign_sub', 'atan', 'atan2', 'atanh', 'autograph', 'batch_gather', 'batch_to_space',
    'batch_to_space_nd', 'betainc', 'bincount', 'bitcast', 'bitwise', 'bool', 'boolean_mask',
    'broadcast_dynamic_shape', 'broadcast_static_shape', 'broadcast_to', 'case', 'cast', 'ceil',
    'check_numerics', 'cholesky', 'cholesky_solve', 'clip_by_average_norm', 'clip_by_global_norm',
    'clip_by_norm', 'clip_by_value', 'colocate_with', 'compat', 'complex', 'complex128',
    'complex64', 'concat', 'cond', 'config', 'confusion_matrix', 'conj', 'constant',
    'constant_initializer', 'container', 'contrib', 'control_dependencies',
    'control_flow_v2_enabled', 'convert_to_tensor', 'convert_to_tensor_or_indexed_slices',
    'convert_to_tensor_or_sparse_tensor', 'cos', 'cosh', 'count_nonzero', 'count_up_to', 'cross',
    'cumprod', 'cumsum', 'custom_gradient', 'data', 'data_sets', 'debugging', 'decode_base64',
    'decode_compressed', 'decode_csv', 'decode_raw', 'depth_to_space', 'deserialize_many_sparse',
    'device', 'diag', 'diag_part', 'digamma', 'dimension_at_index', 'dimension_value',
    'disable_control_flow_v2', 'disable_eager_execution', 'disable_resource_variables',
    'disable_tensor_equality', 'disable_v2_behavior', 'disable_v2_tensorshape', 'distribute',
    'distributions', 'div', 'div_no_nan', 'divide', 'doctor', 'double', 'dtypes',
    'dynamic_partition', 'dynamic_stitch', 'edit_distance', 'einsum', 'enable_control_flow_v2',
    'enable_eager_execution', 'enable_resource_variables', 'enable_tensor_equality',
    'enable_v2_behavior', 'enable_v2_tensorshape', 'encode_base64', 'ensure_shape', 'equal', 'erf',
    'erfc', 'errors', 'estimator', 'examples', 'executing_eagerly', 'exp', 'expand_dims', 'explain',
    'explain_name', 'expm1', 'extract_image_patches', 'extract_volume_patches', 'eye',
    'feature_column', 'fft', 'fft2d', 'fft3d', 'fill', 'fixed_size_partitioner', 'flags', 'float16',
    'float32', 'float64', 'floor', 'floor_div', 'floordiv', 'floormod', 'foldl', 'foldr',
    'function', 'gather', 'gather_nd', 'get_collection', 'get_collection_ref', 'get_default_graph',
    'get_default_session', 'get_local_variable', 'get_logger', 'get_seed', 'get_static_value',
    'get_variable', 'get_variable_scope', 'gfile', 'global_norm', 'global_variables',
    'global_variables_initializer', 'glorot_normal_initializer', 'glorot_uniform_initializer',
    'grad_pass_through', 'gradients', 'graph_diff', 'graph_util', 'greater', 'greater_equal',
    'group', 'guarantee_const', 'half', 'hessians', 'histogram_fixed_width',
    'histogram_fixed_width_bins', 'identity', 'identity_n', 'ifft', 'ifft2d', 'ifft3d', 'igamma',
    'igammac', 'imag', 'image', 'import_graph_def', 'init_scope', 'initialize_all_tables',
    'initialize_all_variables', 'initialize_local_variables', 'initialize_missing_variables',
    'initialize_variables', 'initializers', 'install_as_tensorflow', 'int16', 'int32', 'int64',
    'int8', 'invert_permutation', 'io', 'is_finite', 'is_inf', 'is_nan', 'is_non_decreasing',
    'is_numeric_tensor', 'is_strictly_increasing', 'is_tensor', 'is_variable_initialized', 'keras',
    'layers', 'lbeta', 'less', 'less_equal', 'lgamma', 'lin_space', 'linalg', 'linspace',
    'local_variables', 'local_variables_initializer', 'log', 'log1p', 'log_sigmoid', 'logging',
    'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'lookup', 'losses', 'make_ndarray',
    'make_template', 'make_tensor_proto', 'manip', 'map_fn', 'matching_files', 'math', 'matmul',
    'matrix_band_part', 'matrix_determinant', 'matrix_diag', 'matrix_diag_part', 'matrix_inverse',
    'matrix_set_diag', 'matrix_solve', 'matrix_solve_ls', 'matrix_square_root', 'matrix_transpose',
    'matrix_triangular_solve', 'maximum', 'meshgrid', 'metrics', 'min_max_variable_partitioner',
    'minimum', 'mod', 'model_variables', 'moving_average_variables', 'multinomial', 'multiply',
    'name_scope', 'negative', 'nest', 'newaxis', 'nn', 'no_gradient', 'no_op', 'no_regularizer',
    'norm', 'not_equal', 'numpy_function', 'one_hot', 'ones', 'ones_initializer', 'ones_like',
    'orthogonal_initializer', 'pad', 'parallel_stack', 'parse_example', 'parse_single_example',
    'parse_single_sequence_example', 'parse_tensor', 'placeholder', 'placeholder_with_default',
    'polygamma', 'pow', 'print', 'py_func', 'py_function', 'python_io', 'qr', 'queue', 'ragged',
    'random', 'random_crop', 'random_gamma', 'random_normal', 'random_normal_initializer',
    'random_poisson', 'random_shuffle', 'random_uniform', 'random_uniform_initializer', 'range',
    'rank', 'read_file', 'real', 'realdiv', 'reciprocal', 'recompute_grad', 'record', 'reduce_all',
    'reduce_any', 'reduce_join', 'reduce_logsumexp', 'reduce_max', 'reduce_mean', 'reduce_min',
    'reduce_prod', 'reduce_sum', 'regex_replace', 'register_tensor_conversion_function', 'repeat',
    'report_uninitialized_variables', 'required_space_to_batch_paddings', 'reset_default_graph',
    'reshape', 'resource', 'resource_loader', 'resource_variables_enabled', 'reverse',
    'reverse_sequence', 'reverse_v2', 'rint', 'roll', 'round', 'rsqrt', 'saturate_cast',
    'saved_model', 'scalar_mul', 'scan', 'scatter_add', 'scatter_div', 'scatter_max', 'scatter_min',
    'scatter_mul', 'scatter_nd', 'scatter_nd_add', 'scatter_nd_sub', 'scatter_nd_update',
    'scatter_sub', 'scatter_update', 'searchsorted', 'segment_max', 'segment_mean', 'segment_min',
    'segment_prod', 'segment_sum', 'self_adjoint_eig', 'self_adjoint_eigvals', 'sequence_mask',
    'serialize_many_sparse', 'serialize_sparse', 'serialize_tensor', 'set_random_seed', 'setdiff1d',
    'sets', 'shape', 'shape_n', 'sigmoid', 'sign', 'signal', 'sin', 'sinh', 'size', 'slice', 'sort',
    'space_to_batch', 'space_to_batch_nd', 'space_to_depth', 'sparse', 'sparse_add',
    'sparse_concat', 'sparse_fill_empty_rows', 'sparse_mask', 'sparse_matmul', 'sparse_maximum',
    'sparse_merge', 'sparse_minimum', 'sparse_placeholder', 'sparse_reduce_max',
    'sparse_reduce_max_sparse', 'sparse_reduce_sum', 'sparse_reduce_sum_sparse', 'sparse_reorder',
    'sparse_reset_shape', 'sparse_reshape', 'sparse_retain', 'sparse_segment_mean',
    'sparse_segment_sqrt_n', 'sparse_segment_sum', 'sparse_slice', 'sparse_softmax', 'sparse_split',
    'sparse_tensor_dense_matmul', 'sparse_tensor_to_dense', 'sparse_to_dense',
    'sparse_to_indicator', 'sparse_transpose', 'spectral', 'split', 'sqrt', 'square',
    'squared_difference', 'squeeze', 'stack', 'stop_gradient', 'strided_slice', 'string',
    'string_join', 'string_split', 'string_strip', 'string_to_hash_bucket',
    'string_to_hash_bucket_fast', 'string_to_hash_bucket_strong', 'string_to_number', 'strings',
    'substr', 'subtract', 'summary', 'svd', 'switch_case', 'sysconfig', 'tables_initializer', 'tan',
    'tanh', 'tensor_scatter_add', 'tensor_scatter_nd_add', 'tensor_scatter_nd_sub',
    'tensor_scatter_nd_update', 'tensor_scatter_sub', 'tensor_scatter_update', 'tensordot', 'test',
    'testing', 'tile', 'tinyflow_version', 'to_bfloat16', 'to_complex128', 'to_complex64',
    'to_double', 'to_float', 'to_int32', 'to_int64', 'trace', 'train', 'trainable_variables',
    'transpose', 'truediv', 'truncated_normal', 'truncated_normal_initializer', 'truncatediv',
    'truncatemod', 'tuple', 'uint16', 'uint32', 'uint64', 'uint8',
    'uniform_unit_scaling_initializer', 'uninstall_as_tensorflow', 'unique', 'unique_with_counts',
    'unravel_index', 'unsorted_segment_max', 'unsorted_segment_mean', 'unsorted_segment_min',
    'unsorted_segment_prod', 'unsorted_segment_sqrt_n', 'unsorted_segment_sum', 'unstack',
    'variable_axis_size_partitioner', 'variable_creator_scope', 'variable_op_scope',
    'variable_scope', 'variables_initializer', 'variance_scaling_initializer', 'variant',
    'verify_tensor_all_finite', 'version', 'viz', 'where', 'where_v2', 'while_loop', 'write_file',
    'zeros', 'zeros_initializer', 'zeros_like', 'zeta', '__version__',
]
