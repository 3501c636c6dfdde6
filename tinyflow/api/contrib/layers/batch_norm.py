"""batch_norm of tf.contrib.layers."""
from __future__ import annotations

from tinyflow.api.contrib.framework.argument_scopes import add_arg_scope
from tinyflow.api.contrib.framework.model_variables import model_variable
from tinyflow.api.contrib.layers import utils
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import add_to_collections, control_dependencies
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.named import ONES, ZEROS
from tinyflow.layers.normalization import BatchNormalization
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    shape_ops,
    shaping,
)
from tinyflow.ops.control_flow.smart_cond import smart_cond, smart_constant_value
from tinyflow.ops.nn import batch_norm as fused_op, normalization
from tinyflow.ops.variables.variable_scope import get_variable_scope, variable_scope
from tinyflow.train.optimizers.moving_averages import assign_moving_average


@add_arg_scope
def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None,
               param_initializers=None, param_regularizers=None,
               updates_collections=GraphKeys.UPDATE_OPS, is_training=True, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True,
               batch_weights=None, fused=None, data_format='NHWC',
               zero_debias_moving_mean=False, scope=None, renorm=False, renorm_clipping=None,
               renorm_decay=0.99, adjustment=None):
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, for each channel.

    While training, mean and variance are the batch's, and the operations that update the moving
    averages are added to updates_collections: run these with the training step. With
    updates_collections=None they are part of the output itself. Unlike
    tf.layers.batch_normalization it trains unless is_training=False, and has no gamma by default.

    Shapes: inputs [*a, channels] -> [*a, channels]. Ioffe and Szegedy (2015).
    """
    utils.check_data_format(data_format)
    inputs = convert_to_tensor(inputs)
    norm = _Norm(inputs, decay, center, scale, epsilon, param_initializers or {},
                 param_regularizers or {}, updates_collections, is_training,
                 variables_collections, trainable, data_format, zero_debias_moving_mean)
    fused = fused is None or fused
    can_fuse = fused and batch_weights is None and not renorm and adjustment is None \
        and inputs.shape.ndims in (2, 4)
    plain = updates_collections is GraphKeys.UPDATE_OPS and not zero_debias_moving_mean
    by_op = can_fuse and (inputs.shape.ndims == 2 or not plain)
    with variable_scope(scope, 'BatchNorm', [inputs], reuse=reuse,
                        custom_getter=None if by_op else utils.variable_getter()) as sc:
        if by_op:
            outputs = norm.by_op()
        elif batch_weights is None and plain:
            outputs = norm.as_layer(sc, reuse, fused, renorm, renorm_clipping, renorm_decay,
                                    adjustment)
        elif renorm:
            raise misuse(ValueError('renorm is not supported with batch_weights, '
                                    'updates_collections or zero_debias_moving_mean'))
        else:
            outputs = norm.by_moments(batch_weights)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


class _Norm:
    """One call of batch_norm, in TF's three implementations."""

    def __init__(self, inputs, decay, center, scale, epsilon, initializers, regularizers,
                 updates_collections, is_training, variables_collections, trainable, data_format,
                 zero_debias):
        self.inputs, self.decay, self.epsilon = inputs, decay, epsilon
        self.center, self.scale = center, scale
        self.initializers, self.regularizers = initializers, regularizers
        self.updates_collections, self.is_training = updates_collections, is_training
        self.variables_collections, self.trainable = variables_collections, trainable
        self.data_format, self.zero_debias = data_format, zero_debias
        self.known = None if hasattr(is_training, 'initializer') \
            else smart_constant_value(is_training)

    # ---- as a layer of tf.layers -----------------------------------------------------------

    def as_layer(self, scope, reuse, fused, renorm, renorm_clipping, renorm_decay, adjustment):
        """The usual implementation."""
        layer = BatchNormalization(
            1 if self.data_format == 'NCHW' else -1, self.decay, self.epsilon, self.center,
            self.scale, self._initializer('beta'), self._initializer('gamma'),
            self._initializer('moving_mean'), self._initializer('moving_variance'),
            self.regularizers.get('beta'), self.regularizers.get('gamma'), renorm=renorm,
            renorm_clipping=renorm_clipping, renorm_momentum=renorm_decay, fused=fused,
            trainable=self.trainable, adjustment=adjustment, name=scope.name, _scope=scope,
            _reuse=reuse)
        outputs = layer(self.inputs, training=self.is_training)
        for name in ('moving_mean', 'moving_variance', 'beta', 'gamma'):
            variable = getattr(layer, name)
            if variable is not None:
                utils.add_to_variable_collections(variable, self.variables_collections, name)
        return outputs

    # ---- by the fused op ---------------------------------------------------------------------

    def by_op(self):
        """Also for vectors, which become images of one pixel."""
        inputs = self.inputs
        first = self.data_format == 'NCHW'
        if inputs.shape.ndims == 2:
            channels = utils.known_size(inputs.shape, -1)
            inputs = shaping.reshape(inputs, [-1, channels, 1, 1] if first
                                     else [-1, 1, 1, channels])
        shape = [utils.known_size(inputs.shape, 1 if first else -1)]
        beta = self._parameter('beta', shape, self.center, 0.0)
        gamma = self._parameter('gamma', shape, self.scale, 1.0)
        moving_mean, moving_variance = self._averages(shape, dtypes.float32)
        settings = {'epsilon': self.epsilon, 'data_format': self.data_format}
        outputs, mean, variance = smart_cond(
            self.is_training,
            lambda: fused_op.fused_batch_norm(inputs, gamma, beta, **settings),
            lambda: fused_op.fused_batch_norm(inputs, gamma, beta, mean=moving_mean,
                                              variance=moving_variance, is_training=False,
                                              **settings))
        if self.known is not False:
            outputs = self._update(outputs, moving_mean, moving_variance, mean, variance)
        outputs.set_shape(inputs.raw_shape)
        if self.inputs.shape.ndims == 2:
            outputs = shaping.reshape(outputs, shape_ops.shape(self.inputs))
        return outputs

    def _parameter(self, name, shape, wanted, constant):
        if wanted:
            return self._variable(name, shape, dtypes.float32, self.trainable,
                                  self.regularizers.get(name))
        return constants.constant(constant, dtypes.float32, shape)

    def _update(self, outputs, moving_mean, moving_variance, mean, variance):
        """The outputs, which wait for the updates if no collection takes these."""
        if self.updates_collections is None:
            def forced():
                with control_dependencies(self._moves(moving_mean, moving_variance, mean,
                                                      variance)):
                    return identity_and_cast.identity(outputs)
            return smart_cond(self.is_training, forced, lambda: outputs)
        self._collect(moving_mean, moving_variance, mean, variance)
        return outputs

    # ---- by moments --------------------------------------------------------------------------

    def by_moments(self, batch_weights):
        """With example weights, or with bias-corrected averages."""
        inputs, first = self.inputs, self.data_format == 'NCHW'
        rank = inputs.shape.ndims
        if rank is None:
            raise misuse(ValueError(f'Inputs {inputs.name} has undefined rank.'))
        weights = self._weights(batch_weights, rank)
        shape = [utils.known_size(inputs.shape, 1 if first else -1)]
        dtype = inputs.dtype.base_dtype
        beta = self._variable('beta', shape, dtype, self.trainable) if self.center else None
        gamma = self._variable('gamma', shape, dtype, self.trainable) if self.scale else None
        mean, variance = self._averages(shape, dtype)
        if self.known is not False:
            mean, variance = self._statistics(weights, rank, mean, variance)
        parameters = [mean, variance, beta, gamma]
        if first:
            broadcast = [1, shape[0], *[1] * (rank - 2)]
            parameters = [None if p is None else shaping.reshape(p, broadcast)
                          for p in parameters]
        outputs = normalization.batch_normalization(inputs, *parameters, self.epsilon)
        outputs.set_shape(inputs.raw_shape)
        return outputs

    def _weights(self, batch_weights, rank):
        if batch_weights is None:
            return None
        batch_weights = convert_to_tensor(batch_weights)
        self.inputs.shape[0:1].assert_is_compatible_with(batch_weights.shape)
        return shaping.reshape(batch_weights, [-1, *[1] * (rank - 1)])

    def _statistics(self, weights, rank, moving_mean, moving_variance):
        """Mean and variance of the batch, which also update the averages."""
        mean, variance = self._moments(weights, rank)
        averages = (moving_mean, moving_variance)
        if self.updates_collections is None:
            def forced():
                with control_dependencies(self._moves(*averages, mean, variance)):
                    return identity_and_cast.identity(mean), identity_and_cast.identity(variance)
            return smart_cond(self.is_training, forced, lambda: averages)
        self._collect(*averages, mean, variance)
        return smart_cond(self.is_training, lambda: (mean, variance), lambda: averages)

    def _moments(self, weights, rank):
        first = self.data_format == 'NCHW'
        axes = [0, *range(2, rank)] if first else list(range(rank - 1))
        if weights is None:
            found = normalization.moments(self.inputs, axes, keep_dims=True) if first \
                else normalization.moments(self.inputs, axes)
        else:
            found = normalization.weighted_moments(self.inputs, axes, weights, keepdims=True) \
                if first else normalization.weighted_moments(self.inputs, axes, weights)
        return [shaping.reshape(v, [-1]) for v in found] if first else found

    # ---- Variables and their updates ---------------------------------------------------------

    def _initializer(self, name):
        ones = name in ('gamma', 'moving_variance')
        return self.initializers.get(name, ONES if ones else ZEROS)

    def _variable(self, name, shape, dtype, trainable, regularizer=None):
        return model_variable(
            name, shape, dtype, self._initializer(name), regularizer, trainable,
            utils.get_variable_collections(self.variables_collections, name))

    def _averages(self, shape, dtype):
        with variable_scope(get_variable_scope()) as scope:
            scope.set_partitioner(None)
            return (self._variable('moving_mean', shape, dtype, False),
                    self._variable('moving_variance', shape, dtype, False))

    def _moves(self, moving_mean, moving_variance, mean, variance):
        return (assign_moving_average(moving_mean, mean, self.decay, self.zero_debias),
                assign_moving_average(moving_variance, variance, self.decay, False))

    def _collect(self, moving_mean, moving_variance, mean, variance):
        for update in smart_cond(
                self.is_training,
                lambda: self._moves(moving_mean, moving_variance, mean, variance),
                lambda: (moving_mean, moving_variance)):
            add_to_collections(self.updates_collections, update)


__all__ = ['batch_norm']
