"""fully_connected, bias_add, dropout and other layers that keep the rank."""
from __future__ import annotations

import functools

from tinyflow.api.contrib.framework.argument_scopes import add_arg_scope
from tinyflow.api.contrib.framework.model_variables import model_variable
from tinyflow.api.contrib.layers import utils
from tinyflow.api.contrib.layers.initializers import xavier_initializer
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import add_to_collections
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import core
from tinyflow.layers.named import ZEROS
from tinyflow.ops.array import shape_ops, shaping
from tinyflow.ops.linalg import matmul
from tinyflow.ops.nn import activations, bias as biases_
from tinyflow.ops.variables.variable_scope import get_variable, variable_scope

XAVIER = xavier_initializer()           # the default weights initializer of all these layers
RENAMED = {'bias': 'biases', 'kernel': 'weights'}


@add_arg_scope
def fully_connected(inputs, num_outputs, activation_fn=activations.relu, normalizer_fn=None,
                    normalizer_params=None, weights_initializer=XAVIER, weights_regularizer=None,
                    biases_initializer=ZEROS, biases_regularizer=None, reuse=None,
                    variables_collections=None, outputs_collections=None, trainable=True,
                    scope=None):
    """activation_fn(inputs weights + biases), relu unless said otherwise.

    With a normalizer_fn (such as batch_norm) there are no biases.

    Shapes: inputs [*a, n], n known -> [*a, num_outputs]. ValueError if n is not known.
    """
    if not isinstance(num_outputs, int):
        raise misuse(ValueError(f"num_outputs type should be one of [<class 'int'>], got "
                                f'{type(num_outputs)}.'))
    with variable_scope(scope, 'fully_connected', [inputs], reuse=reuse,
                        custom_getter=utils.variable_getter(RENAMED)) as sc:
        inputs = convert_to_tensor(inputs)
        layer = core.Dense(
            num_outputs, use_bias=not normalizer_fn and biases_initializer,
            kernel_initializer=weights_initializer, bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
            trainable=trainable, name=sc.name, dtype=inputs.dtype.base_dtype, _scope=sc,
            _reuse=reuse)
        outputs = layer(inputs)
        utils.add_to_variable_collections(layer.kernel, variables_collections, 'weights')
        if layer.bias is not None:
            utils.add_to_variable_collections(layer.bias, variables_collections, 'biases')
        outputs = utils.finished(outputs, normalizer_fn, normalizer_params, activation_fn)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


relu = functools.partial(fully_connected, activation_fn=activations.relu)
relu6 = functools.partial(fully_connected, activation_fn=activations.relu6)
elu = functools.partial(fully_connected, activation_fn=activations.elu)
linear = functools.partial(fully_connected, activation_fn=None)


@add_arg_scope
def bias_add(inputs, activation_fn=None, initializer=ZEROS, regularizer=None, reuse=None,
             variables_collections=None, outputs_collections=None, trainable=True,
             data_format='NHWC', scope=None):
    """inputs + biases, with a new Variable `<scope>/biases`.

    Shapes: inputs [*a, n], n known -> [*a, n]; for NCHW [batch, n, height, width].
    """
    first = utils.check_data_format(data_format) == 'channels_first'
    with variable_scope(scope, 'BiasAdd', [inputs], reuse=reuse) as sc:
        inputs = convert_to_tensor(inputs)
        if inputs.shape.ndims is None:
            raise misuse(ValueError('Dims of shape must be known but is None'))
        if inputs.shape.ndims != 4 and first:
            raise misuse(ValueError('Data format NCHW only supports 4D Tensor'))
        biases = model_variable(
            'biases', [utils.known_size(inputs.shape, 1 if first else -1)],
            inputs.dtype.base_dtype, initializer, regularizer, trainable,
            utils.get_variable_collections(variables_collections, 'biases'))
        outputs = biases_.bias_add(inputs, biases, data_format=data_format)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None,
            scope=None, seed=None):
    """While training, sets inputs to 0 with probability 1 - keep_prob, else divides them by
    keep_prob.

    Shapes: inputs [*a] -> [*a]. Unlike tf.layers.dropout, it drops unless is_training=False.
    """
    with variable_scope(scope, 'Dropout', [inputs],
                        custom_getter=utils.variable_getter()) as sc:
        inputs = convert_to_tensor(inputs)
        layer = core.Dropout(1 - keep_prob, noise_shape, seed, sc.name, _scope=sc)
        outputs = layer(inputs, training=is_training)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


def legacy_fully_connected(x, num_output_units, activation_fn=None, weight_init=XAVIER,
                           bias_init=ZEROS, name=None, weight_collections=(GraphKeys.WEIGHTS,),
                           bias_collections=(GraphKeys.BIASES,),
                           output_collections=(GraphKeys.ACTIVATIONS,), trainable=True,
                           weight_regularizer=None, bias_regularizer=None):
    """activation_fn(x weights + bias), with Variables `<name>/weights` and `<name>/bias`.

    Shapes: x [*a, n], n known -> [*a, num_output_units]. ValueError if n is not known.
    """
    with variable_scope(name, 'fully_connected', [x]):
        x = convert_to_tensor(x)
        size = utils.known_size(x.shape, -1, min_rank=2)
        kept = [GraphKeys.GLOBAL_VARIABLES]
        weights = get_variable(
            'weights', [size, num_output_units], x.dtype.base_dtype, weight_init,
            weight_regularizer, trainable, [*(weight_collections or ()), *kept])
        rank = x.shape.ndims
        y = matmul.matmul(x if rank <= 2 else shaping.reshape(x, [-1, size]), weights)
        if bias_init is not None:
            bias = get_variable('bias', [num_output_units], x.dtype.base_dtype, bias_init,
                                bias_regularizer, trainable, [*(bias_collections or ()), *kept])
            y = biases_.bias_add(y, bias)
        if rank > 2:
            sizes = shaping.unstack(shape_ops.shape(x))
            sizes[-1] = num_output_units
            y = shaping.reshape(y, shaping.stack(sizes))
            y.set_shape([*x.shape.as_list()[:-1], num_output_units])
        if activation_fn is not None:
            y = activation_fn(y)
        add_to_collections([*(output_collections or ()), GraphKeys.ACTIVATIONS], y)
        return y


legacy_relu = functools.partial(legacy_fully_connected, activation_fn=activations.relu)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)


def stack(inputs, layer, stack_args, **kwargs):
    """layer applied repeatedly, each time with the next arguments of `stack_args`.

    Shapes: those of the layer. ``stack(x, fully_connected, [32, 64, 128], scope='fc')``.
    """
    if not isinstance(stack_args, (list, tuple)):
        raise misuse(ValueError('stack_args need to be a list or tuple'))
    given = [args if isinstance(args, (list, tuple)) else [args] for args in stack_args]
    return _in_series(inputs, layer, given, 'Stack', kwargs)


def repeat(inputs, repetitions, layer, *args, **kwargs):
    """layer applied `repetitions` times with the same arguments.

    Shapes: those of the layer. ``repeat(x, 3, conv2d, 64, [3, 3], scope='conv1')``.
    """
    return _in_series(inputs, layer, [args] * repetitions, 'Repeat', kwargs)


def _in_series(inputs, layer, arguments, default_scope, kwargs):
    scope = kwargs.pop('scope', None)
    with variable_scope(scope, default_scope, [inputs]):
        outputs = convert_to_tensor(inputs)
        if scope is None:
            function = getattr(layer, 'func', layer)        # of a functools.partial
            scope = getattr(layer, '__name__', None) or \
                getattr(function, '__name__', default_scope.lower())
        for i, args in enumerate(arguments, 1):
            outputs = layer(outputs, *args, **{**kwargs, 'scope': f'{scope}_{i}'})
        return outputs


__all__ = ['bias_add', 'dropout', 'elu', 'fully_connected', 'legacy_fully_connected',
           'legacy_linear', 'legacy_relu', 'linear', 'relu', 'relu6', 'repeat', 'stack']
