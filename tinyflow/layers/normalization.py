"""Batch normalization as a layer, with moving averages that training must update."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import colocate_with, name_scope
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import named, renormalization
from tinyflow.layers.base import Layer
from tinyflow.layers.input_spec import InputSpec
from tinyflow.layers.named import ONES, ZEROS
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    shape_ops,
    shaping,
)
from tinyflow.ops.control_flow.smart_cond import smart_cond, smart_constant_value
from tinyflow.ops.nn import batch_norm, normalization
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable import VariableAggregation, VariableSynchronization


class BatchNormalization(Layer):
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, for each channel.

    While training, mean and variance are those of the batch, and two operations in
    GraphKeys.UPDATE_OPS update the moving averages, which are used otherwise. Run these with
    the training step: `with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS))`.

    Shapes: inputs [*a] -> [*a]; gamma, beta, moving_mean, moving_variance [size of axis]. Ioffe
    and Szegedy (2015); `renorm`: Ioffe (2017). NotImplementedError for virtual_batch_size.
    """

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True,
                 beta_initializer=ZEROS, gamma_initializer=ONES, moving_mean_initializer=ZEROS,
                 moving_variance_initializer=ONES, beta_regularizer=None, gamma_regularizer=None,
                 beta_constraint=None, gamma_constraint=None, renorm=False, renorm_clipping=None,
                 renorm_momentum=0.99, fused=None, trainable=True, virtual_batch_size=None,
                 adjustment=None, name=None, **kwargs):
        super().__init__(trainable=trainable, name=name, **kwargs)
        if not isinstance(axis, (int, list)):
            raise misuse(TypeError(f'axis must be int or list, type given: {type(axis)}'))
        if virtual_batch_size is not None:
            raise misuse(NotImplementedError(
                'tf.layers.batch_normalization: tinyflow does not implement virtual_batch_size.\n'
                '  Hint: omit it; the statistics are then those of the whole batch.'))
        self.axis = [axis] if isinstance(axis, int) else list(axis)
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale = center, scale
        self.beta_initializer = named.initializer(beta_initializer)
        self.gamma_initializer = named.initializer(gamma_initializer)
        self.moving_mean_initializer = named.initializer(moving_mean_initializer)
        self.moving_variance_initializer = named.initializer(moving_variance_initializer)
        self.beta_regularizer = named.regularizer(beta_regularizer)
        self.gamma_regularizer = named.regularizer(gamma_regularizer)
        self.beta_constraint = named.constraint(beta_constraint)
        self.gamma_constraint = named.constraint(gamma_constraint)
        self.renorm, self.adjustment = renorm, adjustment
        self.renorm_clipping = renormalization.check_clipping(renorm_clipping) if renorm else {}
        self.renorm_momentum = renorm_momentum
        self.fused = True if fused is None else fused

    # ---- building ------------------------------------------------------------------------

    def build(self, input_shape):
        """Makes gamma, beta and the moving averages."""
        shape = TensorShape(input_shape)
        if not shape.ndims:
            raise misuse(ValueError('Input has undefined rank:', shape))
        self._check_axes(shape.ndims)
        self._choose_kernel(shape.ndims)
        sizes = {axis: shape.as_list()[axis] for axis in self.axis}
        if None in sizes.values():
            raise misuse(ValueError('Input has undefined `axis` dimension. Input shape: ', shape))
        self.input_spec = InputSpec(ndim=shape.ndims, axes=sizes)
        self._make_weights([*sizes.values()] if len(sizes) == 1 else
                           [sizes.get(i, 1) for i in range(shape.ndims)])
        self.built = True

    def _check_axes(self, rank):
        self.axis = [rank + axis if axis < 0 else axis for axis in self.axis]
        for axis in self.axis:
            if not 0 <= axis < rank:
                raise misuse(ValueError(f'Invalid axis: {axis}'))
        if len(set(self.axis)) != len(self.axis):
            raise misuse(ValueError(f'Duplicate axis: {self.axis}'))

    def _choose_kernel(self, rank):
        """The fused op where it applies: images, one axis, no other options."""
        self.fused = bool(self.fused and rank == 4 and self.axis in ([1], [3])
                          and not self.renorm and self.adjustment is None)
        self._data_format = 'NCHW' if self.axis == [1] else 'NHWC'

    @property
    def _param_dtype(self):
        if self.dtype == 'float16':
            return dtypes.float32
        return dtypes.as_dtype(self.dtype or dtypes.float32)

    def _make_weights(self, shape):
        self.gamma = self._gamma_const = self.beta = self._beta_const = None
        if self.scale:
            self.gamma = self.add_weight(
                'gamma', shape, dtype=self._param_dtype, initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer, constraint=self.gamma_constraint,
                trainable=True)
        elif self.fused:
            self._gamma_const = constants.constant(1.0, self._param_dtype, shape)
        if self.center:
            self.beta = self.add_weight(
                'beta', shape, dtype=self._param_dtype, initializer=self.beta_initializer,
                regularizer=self.beta_regularizer, constraint=self.beta_constraint,
                trainable=True)
        elif self.fused:
            self._beta_const = constants.constant(0.0, self._param_dtype, shape)
        self.moving_mean = self.add_statistic('moving_mean', shape, self.moving_mean_initializer)
        self.moving_variance = self.add_statistic('moving_variance', shape,
                                                  self.moving_variance_initializer)
        if self.renorm:
            renormalization.make_weights(self, shape)

    def add_statistic(self, name, shape, initializer):
        """A Variable changed by updates, not by the optimizer; never partitioned."""
        self._set_scope()
        partitioner = self._scope.partitioner
        self._scope.set_partitioner(None)
        try:
            return self.add_weight(name, shape, dtype=self._param_dtype, initializer=initializer,
                                   synchronization=VariableSynchronization.ON_READ,
                                   trainable=False, aggregation=VariableAggregation.MEAN)
        finally:
            self._scope.set_partitioner(partitioner)

    # ---- calling -------------------------------------------------------------------------

    def call(self, inputs, training=False):
        """The normalized inputs; `training` is a bool or a tensor."""
        training = False if training is None else training
        if self.fused:
            return self._fused(inputs, training)
        return self._plain(inputs, training)

    def _fused(self, inputs, training):
        beta = self.beta if self.center else self._beta_const
        gamma = self.gamma if self.scale else self._gamma_const

        def of_batch():
            return batch_norm.fused_batch_norm(inputs, gamma, beta, epsilon=self.epsilon,
                                               data_format=self._data_format)

        def of_averages():
            return batch_norm.fused_batch_norm(
                inputs, gamma, beta, mean=self.moving_mean, variance=self.moving_variance,
                epsilon=self.epsilon, is_training=False, data_format=self._data_format)

        outputs, mean, variance = smart_cond(training, of_batch, of_averages)
        known = _known(training)
        if known is None:       # a moving average that does not change, when not training
            momentum = smart_cond(training, lambda: self.momentum, lambda: 1.0)
        else:
            momentum = convert_to_tensor(self.momentum)
        if known is not False:
            self.add_update(lambda: self.move(self.moving_mean, mean, momentum))
            self.add_update(lambda: self.move(self.moving_variance, variance, momentum))
        return outputs

    def _plain(self, inputs, training):
        rank = inputs.shape.ndims
        others = [i for i in range(rank) if i not in self.axis]

        def broadcast(vector):
            if vector is None or len(vector.shape) == rank or others == list(range(rank - 1)):
                return vector
            shape = [1] * rank
            shape[self.axis[0]] = inputs.shape.as_list()[self.axis[0]]
            return shaping.reshape(vector, shape)

        scale, offset = broadcast(self.gamma), broadcast(self.beta)
        if _known(training) is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            scale, offset = self._adjusted(inputs, training, scale, offset)
            mean, variance, scale, offset = self._of_batch(inputs, training, others, scale,
                                                           offset, broadcast)
        mean, variance = (identity_and_cast.cast(v, inputs.dtype) for v in (mean, variance))
        offset = None if offset is None else identity_and_cast.cast(offset, inputs.dtype)
        scale = None if scale is None else identity_and_cast.cast(scale, inputs.dtype)
        outputs = normalization.batch_normalization(inputs, broadcast(mean), broadcast(variance),
                                                    offset, scale, self.epsilon)
        outputs.set_shape(inputs.raw_shape)
        return outputs

    def _adjusted(self, inputs, training, scale, offset):
        """Scale and offset combined with the random ones of `adjustment` while training."""
        if not self.adjustment:
            return scale, offset
        factor, shift = self.adjustment(shape_ops.shape(inputs))
        factor = smart_cond(training, lambda: factor, lambda: constants.ones_like(factor))
        shift = smart_cond(training, lambda: shift, lambda: constants.zeros_like(shift))
        return compose(factor, shift, scale, offset)

    def _of_batch(self, inputs, training, axes, scale, offset, broadcast):
        """(mean, variance, scale, offset) of the batch, which update the moving averages."""
        mean, variance = normalization.moments(
            identity_and_cast.cast(inputs, self._param_dtype), axes, keep_dims=len(self.axis) > 1)
        moving_mean, moving_variance = self.moving_mean, self.moving_variance
        batch_mean, batch_variance = mean, variance
        mean = smart_cond(training, lambda: batch_mean, lambda: convert_to_tensor(moving_mean))
        variance = smart_cond(training, lambda: batch_variance,
                              lambda: convert_to_tensor(moving_variance))
        new_mean, new_variance = mean, variance
        if self.renorm:
            factor, shift, new_mean, new_variance = renormalization.correct(
                self, mean, variance, training)
            factor = broadcast(identity_and_cast.stop_gradient(factor, name='renorm_r'))
            shift = broadcast(identity_and_cast.stop_gradient(shift, name='renorm_d'))
            scale, offset = compose(factor, shift, scale, offset)

        def move_variance():
            if self.renorm:
                return renormalization.move_variance(self, new_variance)
            return self.move(moving_variance, new_variance, self.momentum)

        self.add_update(lambda: smart_cond(
            training, lambda: self.move(moving_mean, new_mean, self.momentum),
            lambda: moving_mean))
        self.add_update(lambda: smart_cond(training, move_variance, lambda: moving_variance))
        return mean, variance, scale, offset

    def move(self, variable, value, momentum):
        """variable = momentum variable + (1 - momentum) value."""
        with name_scope('AssignMovingAvg') as scope, colocate_with(variable):
            rate = convert_to_tensor(1.0 - momentum, name='decay')
            if rate.dtype != variable.dtype.base_dtype:
                rate = identity_and_cast.cast(rate, variable.dtype.base_dtype)
            change = (variable - identity_and_cast.cast(value, variable.dtype.base_dtype)) * rate
            return variable_ops.assign_sub(variable, change, name=scope)

    def compute_output_shape(self, input_shape):
        """The input's shape."""
        return TensorShape(input_shape)


def compose(scale, offset, then_scale, then_offset):
    """One scale and offset equal to two applied one after the other."""
    if then_scale is not None:
        scale = scale * then_scale
        offset = offset * then_scale
    if then_offset is not None:
        offset = offset + then_offset
    return scale, offset


def _known(training):
    """The value of `training` if it is known at graph construction, else None."""
    return None if hasattr(training, 'initializer') else smart_constant_value(training)


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True,
                        beta_initializer=ZEROS, gamma_initializer=ONES,
                        moving_mean_initializer=ZEROS, moving_variance_initializer=ONES,
                        beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                        gamma_constraint=None, training=False, trainable=True, name=None,
                        reuse=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99,
                        fused=None, virtual_batch_size=None, adjustment=None):
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, for each channel.

    With training=True (or a tensor that is true) mean and variance are the batch's, and the
    operations in GraphKeys.UPDATE_OPS must be run with each training step; otherwise they are the
    moving averages.

    Shapes: inputs [*a] -> [*a]. Ioffe and Szegedy (2015).
    """
    layer = BatchNormalization(
        axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer,
        moving_mean_initializer, moving_variance_initializer, beta_regularizer,
        gamma_regularizer, beta_constraint, gamma_constraint, renorm, renorm_clipping,
        renorm_momentum, fused, trainable, virtual_batch_size, adjustment, name, _reuse=reuse,
        _scope=name)
    return layer(inputs, training=training)


__all__ = ['BatchNormalization', 'batch_normalization']
