"""layer_norm, instance_norm and group_norm: normalization within each example; and unit_norm."""
from __future__ import annotations

from tinyflow.api.contrib.framework.argument_scopes import add_arg_scope
from tinyflow.api.contrib.framework.model_variables import model_variable
from tinyflow.api.contrib.layers import utils
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.named import ONES, ZEROS
from tinyflow.ops.array import constants, joining, shape_ops, shaping, slicing
from tinyflow.ops.math import arithmetic, reduction
from tinyflow.ops.nn import normalization
from tinyflow.ops.variables.variable_scope import variable_scope


def _parameter(name, wanted, shape, dtype, initializers, variables_collections, trainable):
    """The Variable beta or gamma, or None."""
    if not wanted:
        return None
    default = ONES if name == 'gamma' else ZEROS
    return model_variable(name, shape, dtype, (initializers or {}).get(name, default),
                          trainable=trainable,
                          collections=utils.get_variable_collections(variables_collections, name))


def _check_rank(inputs):
    if inputs.shape.ndims is None:
        raise misuse(ValueError(f'Inputs {inputs.name} has undefined rank.'))
    return inputs.shape.ndims


def _activated(outputs, activation_fn, outputs_collections, scope):
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


@add_arg_scope
def layer_norm(inputs, center=True, scale=True, activation_fn=None, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True,
               begin_norm_axis=1, begin_params_axis=-1, scope=None):
    """gamma (inputs - mean) / sqrt(variance) + beta, with the statistics of each example.

    Shapes: inputs [batch, *a] -> [batch, *a]; gamma and beta have the sizes from
    begin_params_axis on. Ba, Kiros and Hinton (2016).
    """
    with variable_scope(scope, 'LayerNorm', [inputs], reuse=reuse) as sc:
        inputs = convert_to_tensor(inputs)
        rank = _check_rank(inputs)
        if begin_norm_axis < 0:
            begin_norm_axis = rank + begin_norm_axis
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise misuse(ValueError(
                f'begin_params_axis ({begin_params_axis}) and begin_norm_axis '
                f'({begin_norm_axis}) must be < rank(inputs) ({rank})'))
        shape = inputs.shape[begin_params_axis:]
        if not shape.is_fully_defined():
            raise misuse(ValueError(f'Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] '
                                    f'is not fully defined: {inputs.shape}'))
        dtype = inputs.dtype.base_dtype
        beta = _parameter('beta', center, shape, dtype, None, variables_collections, trainable)
        gamma = _parameter('gamma', scale, shape, dtype, None, variables_collections, trainable)
        mean, variance = normalization.moments(inputs, list(range(begin_norm_axis, rank)),
                                               keep_dims=True)
        epsilon = 1e-3 if dtype is dtypes.float16 else 1e-12
        outputs = normalization.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.raw_shape)
        return _activated(outputs, activation_fn, outputs_collections, sc)


@add_arg_scope
def instance_norm(inputs, center=True, scale=True, epsilon=1e-6, activation_fn=None,
                  param_initializers=None, reuse=None, variables_collections=None,
                  outputs_collections=None, trainable=True, data_format='NHWC', scope=None):
    """gamma (inputs - mean) / sqrt(variance) + beta, with statistics of each image and channel.

    Shapes: inputs [batch, *sizes, channels] -> the same. Ulyanov et al. (2016).
    """
    inputs = convert_to_tensor(inputs)
    rank = _check_rank(inputs)
    first = utils.check_data_format(data_format) == 'channels_first'
    with variable_scope(scope, 'InstanceNorm', [inputs], reuse=reuse) as sc:
        axis = 1 if first else rank - 1
        shape = [utils.known_size(inputs.shape, axis)]
        dtype = inputs.dtype.base_dtype

        def parameter(name, wanted):
            value = _parameter(name, wanted, shape, dtype, param_initializers,
                               variables_collections, trainable)
            if value is None or not first:
                return value
            return shaping.reshape(value, [1, shape[0], *[1] * (rank - 2)])
        beta, gamma = parameter('beta', center), parameter('gamma', scale)
        axes = [i for i in range(1, rank) if i != axis]
        mean, variance = normalization.moments(inputs, axes, keep_dims=True)
        outputs = normalization.batch_normalization(inputs, mean, variance, beta, gamma, epsilon,
                                                    name='instancenorm')
        return _activated(outputs, activation_fn, outputs_collections, sc)


@add_arg_scope
def group_norm(inputs, groups=32, channels_axis=-1, reduction_axes=(-3, -2), center=True,
               scale=True, epsilon=1e-6, activation_fn=None, param_initializers=None, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True, scope=None,
               mean_close_to_zero=False):
    """gamma (inputs - mean) / sqrt(variance) + beta, with statistics of groups of channels.

    Shapes: inputs [batch, height, width, channels] -> the same. ValueError if the groups do not
    divide the channels. Wu and He (2018).
    """
    inputs = convert_to_tensor(inputs)
    rank = _check_rank(inputs)
    channels_axis, axes = _group_axes(inputs, rank, channels_axis, reduction_axes)
    dynamic = shape_ops.shape(inputs)
    sizes = [dynamic[i] if size is None else size for i, size in enumerate(inputs.shape.as_list())]
    channels = utils.known_size(inputs.shape, channels_axis)
    if groups > channels:
        raise misuse(ValueError(f'Invalid groups {groups} for {channels} channels.'))
    if channels % groups:
        raise misuse(ValueError(f'{channels} channels is not commensurate with {groups} groups.'))
    each = [groups, channels // groups]
    before, after = sizes[:channels_axis], sizes[channels_axis + 1:]
    broadcast = [*[1] * len(before), *each, *[1] * len(after)]
    grouped = shaping.reshape(inputs, [*before, *each, *after])
    with variable_scope(scope, 'GroupNorm', [grouped], reuse=reuse) as sc:
        def parameter(name, wanted):
            value = _parameter(name, wanted, [channels], grouped.dtype.base_dtype,
                               param_initializers, variables_collections, trainable)
            return None if value is None else shaping.reshape(value, broadcast)
        beta, gamma = parameter('beta', center), parameter('gamma', scale)
        outputs = _normalized(grouped, axes, epsilon, gamma, beta, mean_close_to_zero)
        outputs = shaping.reshape(outputs, sizes)
        return _activated(outputs, activation_fn, outputs_collections, sc)


def _group_axes(inputs, rank, channels_axis, reduction_axes):
    """The non-negative channel axis, and the axes to reduce after splitting it into two."""
    if channels_axis > rank - 1:
        raise misuse(ValueError('Axis is out of bounds.'))
    channels_axis %= rank
    axes = [axis + rank if axis < 0 else axis for axis in reduction_axes]
    for axis in axes:
        if axis > rank - 1:
            raise misuse(ValueError('Axis is out of bounds.'))
        if inputs.shape.as_list()[axis] is None:
            raise misuse(ValueError(f'Inputs {inputs.name} has undefined dimensions {axis}.'))
        if axis == channels_axis:
            raise misuse(ValueError('reduction_axis must be mutually exclusive with '
                                    'channels_axis'))
    return channels_axis, [channels_axis + 1,
                           *(axis + 1 if axis > channels_axis else axis for axis in axes)]


def _normalized(inputs, axes, epsilon, gamma, beta, mean_close_to_zero):
    if mean_close_to_zero:
        counts, means, variances, _ = normalization.sufficient_statistics(inputs, axes,
                                                                          keep_dims=True)
        mean, variance = normalization.normalize_moments(counts, means, variances, shift=None)
    else:
        mean, variance = normalization.moments(inputs, axes, keep_dims=True)
    gain = arithmetic.rsqrt(variance + epsilon)
    offset = -mean * gain
    if gamma is not None:
        gain *= gamma
        offset *= gamma
    if beta is not None:
        offset += beta
    return inputs * gain + offset


@add_arg_scope
def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
    """inputs / their length along the axis `dim`.

    Shapes: inputs [*a] -> [*a].
    """
    with variable_scope(scope, 'UnitNorm', [inputs]):
        if inputs.raw_shape is None:
            raise misuse(ValueError('The input rank must be known.'))
        rank = len(inputs.raw_shape)
        if dim < 0 or dim >= rank:
            raise misuse(ValueError('dim must be positive but smaller than the input rank.'))
        lengths = arithmetic.sqrt(
            epsilon + reduction.reduce_sum(arithmetic.square(inputs), dim, True))
        multiples = [constants.ones([dim], dtypes.int32)] if dim else []
        multiples.append(slicing.strided_slice(shape_ops.shape(inputs), [dim], [dim + 1]))
        if dim < rank - 1:
            multiples.append(constants.ones([rank - 1 - dim], dtypes.int32))
        return arithmetic.div(inputs, shaping.tile(lengths, joining.concat(multiples, 0)))


__all__ = ['group_norm', 'instance_norm', 'layer_norm', 'unit_norm']
