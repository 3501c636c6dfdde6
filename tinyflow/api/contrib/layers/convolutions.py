"""Convolutions with Variables called weights and biases."""
from __future__ import annotations

from tinyflow.api.contrib.framework.argument_scopes import add_arg_scope
from tinyflow.api.contrib.framework.model_variables import model_variable
from tinyflow.api.contrib.layers import utils
from tinyflow.api.contrib.layers.dense import RENAMED, XAVIER
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import convolutional, separable, transposed
from tinyflow.layers.named import ZEROS
from tinyflow.ops.array import shaping
from tinyflow.ops.conv import dilated
from tinyflow.ops.nn import activations, bias
from tinyflow.ops.variables.variable_scope import variable_scope

_CLASSES = {3: convolutional.Conv1D, 4: convolutional.Conv2D, 5: convolutional.Conv3D}
_FORMATS = (None, 'NWC', 'NCW', 'NHWC', 'NCHW', 'NDHWC', 'NCDHW')


@add_arg_scope
def convolution(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None,
                rate=1, activation_fn=activations.relu, normalizer_fn=None, normalizer_params=None,
                weights_initializer=XAVIER, weights_regularizer=None, biases_initializer=ZEROS,
                biases_regularizer=None, reuse=None, variables_collections=None,
                outputs_collections=None, trainable=True, scope=None, conv_dims=None):
    """activation_fn(inputs convolved with weights + biases), relu unless said otherwise.

    With a normalizer_fn (such as batch_norm) there are no biases.

    Shapes: inputs [batch, *sizes, channels] -> [batch, *positions, num_outputs]. ValueError for
    inputs that are not sequences, images or volumes.
    """
    if data_format not in _FORMATS:
        raise misuse(ValueError(f'Invalid data_format: {data_format!r}'))
    with variable_scope(scope, 'Conv', [inputs], reuse=reuse,
                        custom_getter=utils.variable_getter(RENAMED)) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if conv_dims is not None and conv_dims + 2 != rank:
            raise misuse(ValueError(f'Convolution expects input with rank {conv_dims + 2}, got '
                                    f'{rank}'))
        if rank not in _CLASSES:
            raise misuse(ValueError('Convolution not supported for input with rank', rank))
        layer = _CLASSES[rank](
            num_outputs, kernel_size, stride, padding, utils.channels(data_format), rate,
            **_settings(sc, inputs, normalizer_fn, weights_initializer, biases_initializer,
                        weights_regularizer, biases_regularizer, trainable, reuse))
        outputs = layer(inputs)
        utils.add_to_variable_collections(layer.kernel, variables_collections, 'weights')
        if layer.use_bias:
            utils.add_to_variable_collections(layer.bias, variables_collections, 'biases')
        outputs = utils.finished(outputs, normalizer_fn, normalizer_params, activation_fn)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


def _settings(scope, inputs, normalizer_fn, weights_initializer, biases_initializer,
              weights_regularizer, biases_regularizer, trainable, reuse):
    """The arguments that all layers with a kernel and a bias share."""
    return {'use_bias': not normalizer_fn and biases_initializer,
            'kernel_initializer': weights_initializer, 'bias_initializer': biases_initializer,
            'kernel_regularizer': weights_regularizer, 'bias_regularizer': biases_regularizer,
            'trainable': trainable, 'name': scope.name, 'dtype': inputs.dtype.base_dtype,
            '_scope': scope, '_reuse': reuse}


@add_arg_scope
def convolution1d(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None,
                  rate=1, activation_fn=activations.relu, normalizer_fn=None,
                  normalizer_params=None, weights_initializer=XAVIER, weights_regularizer=None,
                  biases_initializer=ZEROS, biases_regularizer=None, reuse=None,
                  variables_collections=None, outputs_collections=None, trainable=True, scope=None):
    """`convolution` of sequences.

    Shapes: inputs [batch, length, channels] -> [batch, positions, num_outputs].
    """
    return convolution(inputs, num_outputs, kernel_size, stride, padding, data_format, rate,
                       activation_fn, normalizer_fn, normalizer_params, weights_initializer,
                       weights_regularizer, biases_initializer, biases_regularizer, reuse,
                       variables_collections, outputs_collections, trainable, scope, conv_dims=1)


@add_arg_scope
def convolution2d(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None,
                  rate=1, activation_fn=activations.relu, normalizer_fn=None,
                  normalizer_params=None, weights_initializer=XAVIER, weights_regularizer=None,
                  biases_initializer=ZEROS, biases_regularizer=None, reuse=None,
                  variables_collections=None, outputs_collections=None, trainable=True, scope=None):
    """`convolution` of images.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, num_outputs].
    """
    return convolution(inputs, num_outputs, kernel_size, stride, padding, data_format, rate,
                       activation_fn, normalizer_fn, normalizer_params, weights_initializer,
                       weights_regularizer, biases_initializer, biases_regularizer, reuse,
                       variables_collections, outputs_collections, trainable, scope, conv_dims=2)


@add_arg_scope
def convolution3d(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None,
                  rate=1, activation_fn=activations.relu, normalizer_fn=None,
                  normalizer_params=None, weights_initializer=XAVIER, weights_regularizer=None,
                  biases_initializer=ZEROS, biases_regularizer=None, reuse=None,
                  variables_collections=None, outputs_collections=None, trainable=True, scope=None):
    """`convolution` of volumes.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, planes, rows, columns,
    num_outputs].
    """
    return convolution(inputs, num_outputs, kernel_size, stride, padding, data_format, rate,
                       activation_fn, normalizer_fn, normalizer_params, weights_initializer,
                       weights_regularizer, biases_initializer, biases_regularizer, reuse,
                       variables_collections, outputs_collections, trainable, scope, conv_dims=3)


@add_arg_scope
def convolution2d_transpose(inputs, num_outputs, kernel_size, stride=1, padding='SAME',
                            data_format='NHWC', activation_fn=activations.relu, normalizer_fn=None,
                            normalizer_params=None, weights_initializer=XAVIER,
                            weights_regularizer=None, biases_initializer=ZEROS,
                            biases_regularizer=None, reuse=None, variables_collections=None,
                            outputs_collections=None, trainable=True, scope=None):
    """A transposed convolution of images, with weights and biases.

    Shapes: inputs [batch, height, width, channels] -> [batch, height * stride, width * stride,
    num_outputs] for padding 'SAME'.
    """
    with variable_scope(scope, 'Conv2d_transpose', [inputs], reuse=reuse,
                        custom_getter=utils.variable_getter(RENAMED)) as sc:
        channels = utils.check_data_format(data_format)
        inputs = convert_to_tensor(inputs)
        layer = transposed.Conv2DTranspose(
            num_outputs, kernel_size, stride, padding, channels,
            **_settings(sc, inputs, normalizer_fn, weights_initializer, biases_initializer,
                        weights_regularizer, biases_regularizer, trainable, reuse))
        return _transposed(layer, inputs, sc, normalizer_fn, normalizer_params, activation_fn,
                           variables_collections, outputs_collections)


@add_arg_scope
def convolution3d_transpose(inputs, num_outputs, kernel_size, stride=1, padding='SAME',
                            data_format='NDHWC', activation_fn=activations.relu, normalizer_fn=None,
                            normalizer_params=None, weights_initializer=XAVIER,
                            weights_regularizer=None, biases_initializer=ZEROS,
                            biases_regularizer=None, reuse=None, variables_collections=None,
                            outputs_collections=None, trainable=True, scope=None):
    """A transposed convolution of volumes, with weights and biases.

    Shapes: inputs [batch, depth, height, width, channels] -> [batch, depth * stride,
    height * stride, width * stride, num_outputs] for padding 'SAME'.
    """
    with variable_scope(scope, 'Conv3d_transpose', [inputs], reuse=reuse,
                        custom_getter=utils.variable_getter(RENAMED)) as sc:
        channels = utils.check_data_format(data_format, ('NCDHW', 'NDHWC'))
        inputs = convert_to_tensor(inputs)
        layer = transposed.Conv3DTranspose(
            num_outputs, kernel_size, stride, padding, channels,
            **_settings(sc, inputs, normalizer_fn, weights_initializer, biases_initializer,
                        weights_regularizer, biases_regularizer, trainable, reuse))
        return _transposed(layer, inputs, sc, normalizer_fn, normalizer_params, activation_fn,
                           variables_collections, outputs_collections)


def _transposed(layer, inputs, scope, normalizer_fn, normalizer_params, activation_fn,
                variables_collections, outputs_collections):
    outputs = layer(inputs)
    utils.add_to_variable_collections(layer.kernel, variables_collections, 'weights')
    if layer.bias is not None:
        utils.add_to_variable_collections(layer.bias, variables_collections, 'biases')
    outputs = utils.finished(outputs, normalizer_fn, normalizer_params, activation_fn)
    return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


@add_arg_scope
def convolution2d_in_plane(inputs, kernel_size, stride=1, padding='SAME',
                           activation_fn=activations.relu, normalizer_fn=None,
                           normalizer_params=None, weights_initializer=XAVIER,
                           weights_regularizer=None, biases_initializer=ZEROS,
                           biases_regularizer=None, reuse=None, variables_collections=None,
                           outputs_collections=None, trainable=True, scope=None):
    """Every channel convolved with the same weights [*kernel_size, 1, 1].

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, channels].
    """
    with variable_scope(scope, 'ConvInPlane', [inputs], reuse=reuse) as sc:
        channels = utils.known_size(inputs.shape, -1, min_rank=4)
        weights = model_variable(
            'weights', [*utils.pair(kernel_size), 1, 1], inputs.dtype.base_dtype,
            weights_initializer, weights_regularizer, trainable,
            utils.get_variable_collections(variables_collections, 'weights'))
        outputs = dilated.depthwise_conv2d(inputs, shaping.tile(weights, [1, 1, channels, 1]),
                                           [1, *utils.pair(stride), 1], padding)
        if normalizer_fn is None and biases_initializer is not None:
            outputs = _with_biases(outputs, channels, biases_initializer, biases_regularizer,
                                   trainable, variables_collections)
        outputs = utils.finished(outputs, normalizer_fn, normalizer_params, activation_fn)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


def _with_biases(outputs, number, initializer, regularizer, trainable, variables_collections,
                 data_format='NHWC'):
    biases = model_variable('biases', [number], outputs.dtype.base_dtype, initializer, regularizer,
                            trainable,
                            utils.get_variable_collections(variables_collections, 'biases'))
    return bias.bias_add(outputs, biases, data_format=data_format)


@add_arg_scope
def separable_convolution2d(inputs, num_outputs, kernel_size, depth_multiplier=1, stride=1,
                            padding='SAME', data_format='NHWC', rate=1,
                            activation_fn=activations.relu, normalizer_fn=None,
                            normalizer_params=None, weights_initializer=XAVIER,
                            pointwise_initializer=None, weights_regularizer=None,
                            biases_initializer=ZEROS, biases_regularizer=None, reuse=None,
                            variables_collections=None, outputs_collections=None, trainable=True,
                            scope=None):
    """Depthwise convolution, then 1x1 across channels; only the first for num_outputs
    None.

    Shapes: inputs [batch, height, width, channels] -> [batch, rows, columns, num_outputs], or
    [..., channels * depth_multiplier].
    """
    channels = utils.check_data_format(data_format)
    names = {'bias': 'biases', 'depthwise_kernel': 'depthwise_weights',
             'pointwise_kernel': 'pointwise_weights'}
    with variable_scope(scope, 'SeparableConv2d', [inputs], reuse=reuse,
                        custom_getter=utils.variable_getter(names)) as sc:
        inputs = convert_to_tensor(inputs)
        if num_outputs is None:
            outputs = _depthwise(inputs, kernel_size, depth_multiplier, stride, padding,
                                 data_format, rate, weights_initializer, weights_regularizer,
                                 trainable, variables_collections)
            if normalizer_fn is None and biases_initializer is not None:
                outputs = _with_biases(
                    outputs, depth_multiplier * inputs.shape.as_list()[_axis(data_format)],
                    biases_initializer, biases_regularizer, trainable, variables_collections,
                    data_format)
        else:
            layer = separable.SeparableConv2D(
                num_outputs, kernel_size, stride, padding, channels, utils.pair(rate),
                depth_multiplier, use_bias=not normalizer_fn and biases_initializer,
                depthwise_initializer=weights_initializer,
                pointwise_initializer=pointwise_initializer or weights_initializer,
                bias_initializer=biases_initializer, depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
                trainable=trainable, name=sc.name, dtype=inputs.dtype.base_dtype, _scope=sc,
                _reuse=reuse)
            outputs = layer(inputs)
            for kernel in (layer.depthwise_kernel, layer.pointwise_kernel):
                utils.add_to_variable_collections(kernel, variables_collections, 'weights')
            if layer.bias is not None:
                utils.add_to_variable_collections(layer.bias, variables_collections, 'biases')
        outputs = utils.finished(outputs, normalizer_fn, normalizer_params, activation_fn)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


def _axis(data_format):
    return 1 if data_format.startswith('NC') else -1


def _depthwise(inputs, kernel_size, depth_multiplier, stride, padding, data_format, rate,
               initializer, regularizer, trainable, variables_collections):
    channels = utils.known_size(inputs.shape, _axis(data_format), min_rank=4)
    weights = model_variable(
        'depthwise_weights', [*utils.pair(kernel_size), channels, depth_multiplier],
        inputs.dtype.base_dtype, initializer, regularizer, trainable,
        utils.get_variable_collections(variables_collections, 'weights'))
    strides = utils.pair(stride)
    strides = [1, 1, *strides] if data_format.startswith('NC') else [1, *strides, 1]
    return dilated.depthwise_conv2d(inputs, weights, strides, padding, rate=utils.pair(rate),
                                    data_format=data_format)


conv1d, conv2d, conv3d = convolution1d, convolution2d, convolution3d
conv2d_transpose, conv3d_transpose = convolution2d_transpose, convolution3d_transpose
conv2d_in_plane, separable_conv2d = convolution2d_in_plane, separable_convolution2d

__all__ = ['conv1d', 'conv2d', 'conv2d_in_plane', 'conv2d_transpose', 'conv3d',
           'conv3d_transpose', 'convolution', 'convolution1d', 'convolution2d',
           'convolution2d_in_plane', 'convolution2d_transpose', 'convolution3d',
           'convolution3d_transpose', 'separable_conv2d', 'separable_convolution2d']
