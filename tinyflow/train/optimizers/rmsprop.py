"""RMSProp (Hinton's lecture 6e; centered: Graves 2013)."""
from __future__ import annotations

from tinyflow.ops.array import constants
from tinyflow.ops.updates.apply_ops import (
    ApplyCenteredRMSProp,
    ApplyRMSProp,
    SparseApplyCenteredRMSProp,
    SparseApplyRMSProp,
)
from tinyflow.ops.variables.initializers import ones_initializer
from tinyflow.train.optimizers.optimizer import (
    Optimizer,
    apply_update,
    apply_update_op,
    cast_like,
)


class RMSPropOptimizer(Optimizer):
    """ms: running mean of grad^2, starting at 1; the step is learning_rate grad / sqrt(ms +
    epsilon).

    With `momentum` the steps are accumulated; with `centered` the gradient's variance replaces
    ms.
    """

    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False,
                 centered=False, name='RMSProp'):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered

    def _create_slots(self, var_list):
        for var in var_list:
            dtype = var.dtype.base_dtype
            ones = (ones_initializer(dtype=dtype) if var.get_shape().is_fully_defined()
                    else constants.ones_like(var))
            self._get_or_make_slot_with_initializer(var, ones, var.get_shape(), dtype, 'rms',
                                                    self._name)
            if self._centered:
                self._zeros_slot(var, 'mg', self._name)
            self._zeros_slot(var, 'momentum', self._name)

    def _prepare(self):
        self._learning_rate_tensor = self._hyper(self._learning_rate, 'learning_rate')
        self._decay_tensor = self._hyper(self._decay, 'decay')
        self._momentum_tensor = self._hyper(self._momentum, 'momentum')
        self._epsilon_tensor = self._hyper(self._epsilon, 'epsilon')

    def _arguments(self, var):
        slots = ('mg', 'rms', 'momentum') if self._centered else ('rms', 'momentum')
        return (var, *[self.get_slot(var, s) for s in slots],
                *cast_like(var, self._learning_rate_tensor, self._decay_tensor,
                           self._momentum_tensor, self._epsilon_tensor))

    def _apply_dense(self, grad, var):
        update = ApplyCenteredRMSProp if self._centered else ApplyRMSProp
        return apply_update_op(update, *self._arguments(var), grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        update = SparseApplyCenteredRMSProp if self._centered else SparseApplyRMSProp
        return apply_update(
            update, *self._arguments(var), grad.values, grad.indices,
            use_locking=self._use_locking)


__all__ = ['RMSPropOptimizer']
