"""Functions that TensorFlow 2 calls with other parameters than TensorFlow 1.

`input:value` is TensorFlow 2's parameter `input`, passed on as `value`.
"""
from __future__ import annotations

import functools
import inspect

from tinyflow.api.v2.version_1 import version_1
from tinyflow.graph.support.errors import misuse

__all__ = ['changed']

_PARAMETERS = {
    'argmax argmin math.argmax math.argmin': 'input axis output_type name',
    'assert_equal assert_greater assert_less': 'x y message summarize name',
    'assert_rank': 'x rank message name',
    'batch_to_space': 'input block_shape crops name',
    'boolean_mask': 'tensor mask axis name',
    'cond': 'pred true_fn false_fn name',
    'constant': 'value dtype shape name',
    'convert_to_tensor': 'value dtype dtype_hint:preferred_dtype name',
    'debugging.assert_all_finite': 'x message name',
    'debugging.assert_equal debugging.assert_greater debugging.assert_greater_equal '
    'debugging.assert_less debugging.assert_less_equal': 'x y message summarize name',
    'debugging.assert_near': 'x y rtol atol message summarize name',
    'debugging.assert_negative debugging.assert_non_negative debugging.assert_non_positive '
    'debugging.assert_positive': 'x message summarize name',
    'debugging.assert_none_equal': 'x y summarize message name',
    'debugging.assert_rank debugging.assert_rank_at_least': 'x rank message name',
    'debugging.assert_rank_in': 'x ranks message name',
    'debugging.assert_scalar': 'tensor message name',
    'device': 'device_name:device_name_or_function',
    'expand_dims': 'input axis name',
    'feature_column.categorical_column_with_vocabulary_file':
        'key vocabulary_file vocabulary_size dtype default_value num_oov_buckets',
    'gather': 'params indices validate_indices axis batch_dims name',
    'gather_nd': 'params indices batch_dims name',
    'gradients': 'ys xs grad_ys name gate_gradients aggregation_method stop_gradients '
                 'unconnected_gradients',
    'hessians': 'ys xs gate_gradients aggregation_method name',
    'image.crop_and_resize': 'image boxes box_indices crop_size method extrapolation_value name',
    'image.draw_bounding_boxes': 'images boxes colors name',
    'image.sample_distorted_bounding_box':
        'image_size bounding_boxes seed min_object_covered aspect_ratio_range area_range '
        'max_attempts use_image_if_no_bounding_boxes name',
    'io.decode_csv': 'records record_defaults field_delim use_quote_delim na_value select_cols '
                     'name',
    'io.decode_raw': 'input_bytes out_type little_endian name',
    'io.parse_example io.parse_single_example': 'serialized features example_names name',
    'io.serialize_many_sparse io.serialize_sparse': 'sp_input out_type name',
    'math.confusion_matrix': 'labels predictions num_classes weights dtype name',
    'math.count_nonzero': 'input axis keepdims dtype name',
    'math.in_top_k nn.in_top_k': 'targets predictions k name',
    'nn.avg_pool nn.max_pool nn.avg_pool2d': 'input:value ksize strides padding data_format name',
    'nn.batch_norm_with_global_normalization':
        'input mean variance beta gamma variance_epsilon scale_after_normalization name',
    'nn.conv1d': 'input filters stride padding data_format dilations name',
    'nn.conv2d nn.conv3d': 'input filters:filter strides padding data_format dilations name',
    'nn.conv2d_transpose nn.conv3d_transpose':
        'input:value filters:filter output_shape strides padding data_format dilations name',
    'nn.convolution': 'input filters strides padding data_format dilations name',
    'nn.crelu': 'features axis name',
    'nn.ctc_beam_search_decoder': 'inputs sequence_length beam_width top_paths',
    'nn.depth_to_space nn.space_to_depth': 'input block_size data_format name',
    'nn.depthwise_conv2d': 'input filter strides padding data_format dilations name',
    'nn.dropout': 'x rate noise_shape seed name',
    'nn.embedding_lookup': 'params ids max_norm name',
    'nn.embedding_lookup_sparse': 'params sp_ids sp_weights combiner max_norm name',
    'nn.log_softmax nn.softmax math.log_softmax math.softmax': 'logits axis name',
    'nn.max_pool_with_argmax':
        'input ksize strides padding data_format output_dtype include_batch_in_index name',
    'nn.moments': 'x axes shift keepdims name',
    'nn.nce_loss': 'weights biases labels inputs num_sampled num_classes num_true sampled_values '
                   'remove_accidental_hits name',
    'nn.pool': 'input window_shape pooling_type strides padding data_format dilations name',
    'nn.safe_embedding_lookup_sparse':
        'embedding_weights sparse_ids sparse_weights combiner default_id max_norm name',
    'nn.sampled_softmax_loss':
        'weights biases labels inputs num_sampled num_classes num_true sampled_values '
        'remove_accidental_hits seed name',
    'nn.separable_conv2d': 'input depthwise_filter pointwise_filter strides padding data_format '
                           'dilations name',
    'nn.sigmoid_cross_entropy_with_logits nn.sparse_softmax_cross_entropy_with_logits':
        'labels logits name',
    'nn.sufficient_statistics': 'x axes shift keepdims name',
    'nn.weighted_cross_entropy_with_logits': 'labels logits pos_weight name',
    'nn.weighted_moments': 'x axes frequency_weights keepdims name',
    'norm linalg.norm': 'tensor ord axis keepdims name',
    'ones_like zeros_like': 'input:tensor dtype name',
    'pad': 'tensor paddings mode constant_values name',
    'random.poisson': 'shape lam dtype seed name',
    'reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod '
    'reduce_sum math.reduce_all math.reduce_any math.reduce_logsumexp math.reduce_max '
    'math.reduce_mean math.reduce_min math.reduce_prod math.reduce_sum':
        'input_tensor axis keepdims name',
    'reverse_sequence': 'input seq_lengths seq_axis batch_axis name',
    'shape size': 'input out_type name',
    'space_to_batch nn.space_to_batch': 'input block_shape paddings name',
    'sparse.add': 'a b threshold',
    'sparse.concat': 'axis sp_inputs expand_nonconcat_dims name',
    'sparse.reduce_max sparse.reduce_sum': 'sp_input axis keepdims',
    'sparse.segment_mean sparse.segment_sqrt_n sparse.segment_sum':
        'data indices segment_ids num_segments name',
    'sparse.split': 'sp_input num_split axis name',
    'squeeze': 'input axis name',
    'strings.length': 'input unit name',
    'strings.reduce_join': 'inputs axis keepdims separator name',
    'strings.substr': 'input pos len unit name',
    'strings.to_hash_bucket': 'input num_buckets name',
    'strings.to_number': 'input out_type name',
    'transpose': 'a perm conjugate name',
    'tuple': 'tensors control_inputs name',
    'while_loop': 'cond body loop_vars shape_invariants parallel_iterations back_prop swap_memory '
                  'maximum_iterations name',
}
_ORDER = {path: text.split() for paths, text in _PARAMETERS.items() for path in paths.split()}

# TensorFlow 1's parameters that TensorFlow 2 does not have, and the values that it takes instead.
_ALWAYS = {
    'batch_to_space': {'block_size': None}, 'cond': {'strict': True},
    'while_loop': {'return_same_structure': True},
    **dict.fromkeys(('nn.embedding_lookup', 'nn.embedding_lookup_sparse', 'nn.nce_loss',
                     'nn.sampled_softmax_loss'), {'partition_strategy': 'div'}),
}


def changed(space: str, name: str):
    """TensorFlow 1's function with TensorFlow 2's parameters; None if they are the same."""
    path = f'{space}.{name}' if space else name
    if path not in _ORDER:
        return None
    return _with_parameters(version_1(path), name, _ORDER[path], _ALWAYS.get(path, {}))


def _with_parameters(function, name, order, always):
    passed_as = dict(p.partition(':')[::2] for p in order)
    passed_as = {new: old or new for new, old in passed_as.items()}
    defaults = inspect.signature(function).parameters
    signature = inspect.Signature([
        inspect.Parameter(new, inspect.Parameter.POSITIONAL_OR_KEYWORD,
                          default=defaults[old].default if old in defaults else None)
        for new, old in passed_as.items()]) if _is_callable(passed_as, defaults) else None

    @functools.wraps(function)
    def call(*args, **settings):
        if len(args) > len(passed_as):
            raise misuse(TypeError(f'{name}() takes {len(passed_as)} arguments, not {len(args)}: '
                                   f'{", ".join(passed_as)}.'))
        given = dict(zip(passed_as, args))
        for key, value in settings.items():
            if key not in passed_as:
                raise misuse(TypeError(f'{name}() got an unexpected keyword argument {key!r}.\n  '
                                       f'Hint: it takes {", ".join(passed_as)}; TensorFlow 1\'s '
                                       'parameters are those of tf.compat.v1.'))
            if key in given:
                raise misuse(TypeError(f'{name}() got multiple values for argument {key!r}'))
            given[key] = value
        return function(**{passed_as[key]: value for key, value in given.items()}, **always)
    call.__name__ = call.__qualname__ = name
    if signature is not None:
        call.__signature__ = signature
    return call


def _is_callable(passed_as, defaults):
    """True if no parameter without a default follows one that has one."""
    seen = False
    for old in passed_as.values():
        has = old not in defaults or defaults[old].default is not inspect.Parameter.empty
        if seen and not has:
            return False
        seen = seen or has
    return True
