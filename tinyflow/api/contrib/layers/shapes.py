"""Layers without weights that change the shape, and softmax over the last axis."""
from __future__ import annotations

from tinyflow.api.contrib.framework.argument_scopes import add_arg_scope
from tinyflow.api.contrib.framework.model_variables import model_variable
from tinyflow.api.contrib.layers import utils
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import core
from tinyflow.layers.named import ONES
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    indexing,
    joining,
    shape_ops,
    shaping,
)
from tinyflow.ops.math import logic, reduction
from tinyflow.ops.nn import softmax as softmax_op
from tinyflow.ops.variables.initializers import constant_initializer
from tinyflow.ops.variables.variable_scope import variable_scope


@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
    """All axes but the batch as one.

    Shapes: inputs [batch, *a] -> [batch, product(a)].
    """
    with name_scope(scope, 'Flatten', [inputs]) as sc:
        outputs = core.flatten(convert_to_tensor(inputs))
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None,
                     scope=None):
    """on_value at the label, off_value elsewhere.

    Shapes: labels [*a] -> [*a, num_classes].
    """
    with name_scope(scope, 'OneHotEncoding', [labels, num_classes]) as sc:
        labels = convert_to_tensor(labels)
        if labels.dtype is dtypes.int32:
            labels = identity_and_cast.cast(labels, dtypes.int64, name='ToInt64')
        outputs = indexing.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def softmax(logits, scope=None):
    """exp(logits) / their sum over the last axis.

    Shapes: logits [*a, classes], classes known -> the same.
    """
    with variable_scope(scope, 'softmax', [logits]):
        classes = utils.known_size(logits.shape, -1, min_rank=2)
        rows = softmax_op.softmax(shaping.reshape(logits, [-1, classes]))
        predictions = shaping.reshape(rows, shape_ops.shape(logits))
        predictions.set_shape(logits.raw_shape)
        return predictions


@add_arg_scope
def maxout(inputs, num_units, axis=-1, scope=None):
    """The largest of each group of features.

    Shapes: inputs [*a, features] -> [*a, num_units]. ValueError if num_units does not divide the
    features. Goodfellow et al. (2013).
    """
    with variable_scope(scope, 'MaxOut', [inputs]):
        inputs = convert_to_tensor(inputs)
        shape = inputs.shape.as_list()
        features = shape[axis]
        if features % num_units:
            raise misuse(ValueError(f'number of features({features}) is not a multiple of '
                                    f'num_units({num_units})'))
        shape[axis] = num_units
        shape = [shape_ops.shape(inputs)[i] if size is None else size
                 for i, size in enumerate([*shape, features // num_units])]
        return reduction.reduce_max(shaping.reshape(inputs, shape), -1, keepdims=False)


@add_arg_scope
def dense_to_sparse(tensor, eos_token=0, outputs_collections=None, scope=None):
    """The elements that are not eos_token, as a SparseTensor.

    Shapes: tensor [*a] -> a SparseTensor [*a].
    """
    with variable_scope(scope, 'dense_to_sparse', [tensor]) as sc:
        tensor = convert_to_tensor(tensor)
        end = constants.constant(eos_token, tensor.dtype)
        indices = indexing.where(logic.not_equal(tensor, end))
        values = gathering.gather_nd(tensor, indices)
        outputs = SparseTensor(indices, values, shape_ops.shape(tensor, out_type=dtypes.int64))
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def images_to_sequence(inputs, data_format='NHWC', outputs_collections=None, scope=None):
    """Each row of each image as a sequence, from left to right.

    Shapes: inputs [batch, height, width, channels] -> [width, batch * height, channels].
    """
    first = utils.check_data_format(data_format) == 'channels_first'
    with name_scope(scope, 'ImagesToSequence', [inputs]) as sc:
        inputs = convert_to_tensor(inputs)
        if first:
            inputs = shaping.transpose(inputs, [0, 2, 3, 1])
        _, _, width, channels = inputs.shape.as_list()
        sizes = shape_ops.shape(inputs)
        batch, height = sizes[0], sizes[1]
        outputs = shaping.reshape(shaping.transpose(inputs, [2, 0, 1, 3]),
                                  [width, batch * height, channels])
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def sequence_to_images(inputs, height, output_data_format='channels_last',
                       outputs_collections=None, scope=None):
    """The inverse of images_to_sequence.

    Shapes: inputs [width, batch * height, channels] -> [batch, height, width, channels].
    """
    with name_scope(scope, 'SequenceToImages', [inputs]) as sc:
        inputs = convert_to_tensor(inputs)
        width, rows, channels = inputs.shape.as_list()
        batch = -1 if rows is None else rows // height
        outputs = shaping.reshape(inputs, [width, batch, height, channels])
        order = [1, 3, 2, 0] if output_data_format == 'channels_first' else [1, 2, 0, 3]
        outputs = shaping.transpose(outputs, order)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def spatial_softmax(features, temperature=None, name=None, variables_collections=None,
                    trainable=True, data_format='NHWC'):
    """The expected pixel position of each channel under a softmax of its values.

    Shapes: features [batch, height, width, channels] -> [batch, channels * 2], positions from -1
    to 1. Levine et al. (2016).
    """
    first = utils.check_data_format(data_format) == 'channels_first'
    with variable_scope(name, 'spatial_softmax'):
        sizes = shape_ops.shape(features)
        height, width = (sizes[2], sizes[3]) if first else (sizes[1], sizes[2])
        channels = features.shape.as_list()[1 if first else 3]
        if channels is None:
            raise misuse(ValueError('The num_channels dimension of the inputs to '
                                    '`spatial_softmax` should be defined. Found `None`.'))
        with name_scope('spatial_softmax_op', 'spatial_softmax_op', [features]):
            x, y = shaping.meshgrid(constants.lin_space(-1., 1., num=height),
                                    constants.lin_space(-1., 1., num=width), indexing='ij')
            x = shaping.reshape(x, [height * width])
            y = shaping.reshape(y, [height * width])
            first_value = ONES if temperature is None else constant_initializer(temperature)
            kept = utils.get_variable_collections(variables_collections, 'temperature')
            temperature = model_variable(
                'temperature', (), dtypes.float32, first_value,
                collections=kept if trainable else None, trainable=trainable)
            if not first:
                features = shaping.transpose(features, [0, 3, 1, 2])
            features = shaping.reshape(features, [-1, height * width])
            weights = softmax_op.softmax(features / temperature)
            mean_x = reduction.reduce_sum(x * weights, [1], keepdims=True)
            mean_y = reduction.reduce_sum(y * weights, [1], keepdims=True)
            points = shaping.reshape(joining.concat([mean_x, mean_y], 1), [-1, channels * 2])
            points.set_shape([None, channels * 2])
    return points


__all__ = ['dense_to_sparse', 'flatten', 'images_to_sequence', 'maxout', 'one_hot_encoding',
           'sequence_to_images', 'softmax', 'spatial_softmax']
