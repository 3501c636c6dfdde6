"""Gradient descent, with and without momentum."""
from __future__ import annotations

from tinyflow.ops.updates.apply_ops import ApplyGradientDescent, ApplyMomentum, SparseApplyMomentum
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable import is_resource_variable
from tinyflow.train.optimizers.optimizer import Optimizer, apply_update_op, cast_like


class GradientDescentOptimizer(Optimizer):
    """var -= learning_rate grad.

    `learning_rate` is a number, a tensor, or a function that makes one.
    """

    def __init__(self, learning_rate, use_locking=False, name='GradientDescent'):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._learning_rate_tensor = None

    def _prepare(self):
        self._learning_rate_tensor = self._hyper(self._learning_rate, 'learning_rate')

    def _apply_dense(self, grad, var):
        rate, = cast_like(var, self._learning_rate_tensor)
        return apply_update_op(
            ApplyGradientDescent, var, rate, grad, use_locking=self._use_locking)

    def _apply_sparse_duplicate_indices(self, grad, var):
        if is_resource_variable(var):
            # Not the tensor of _prepare: TF's node multiplies by the argument itself.
            step = -grad.values * self._call_if_callable(self._learning_rate)
            return var.scatter_rows('Add', grad.indices, step)
        # Updates of the same row simply add up, so there is nothing to merge.
        rate, = cast_like(var, self._learning_rate_tensor)
        return variable_ops.scatter_sub(var, grad.indices, grad.values * rate, self._use_locking)


class MomentumOptimizer(Optimizer):
    """accum = momentum accum + grad; var -= learning_rate accum.

    With `use_nesterov` the step is learning_rate (grad + momentum accum) (Sutskever et al. 2013).
    """

    def __init__(self, learning_rate, momentum, use_locking=False, name='Momentum',
                 use_nesterov=False):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list):
        for var in var_list:
            self._zeros_slot(var, 'momentum', self._name)

    def _prepare(self):
        self._learning_rate_tensor = self._hyper(self._learning_rate, 'learning_rate')
        self._momentum_tensor = self._hyper(self._momentum, 'momentum')

    def _apply_dense(self, grad, var):
        rate, momentum = cast_like(var, self._learning_rate_tensor, self._momentum_tensor)
        return apply_update_op(
            ApplyMomentum, var, self.get_slot(var, 'momentum'), rate, grad, momentum,
            use_locking=self._use_locking, use_nesterov=self._use_nesterov)

    def _apply_sparse(self, grad, var):
        rate, momentum = cast_like(var, self._learning_rate_tensor, self._momentum_tensor)
        return apply_update_op(
            SparseApplyMomentum, var, self.get_slot(var, 'momentum'), rate, grad.values,
            grad.indices, momentum, use_locking=self._use_locking, use_nesterov=self._use_nesterov)


__all__ = ['GradientDescentOptimizer', 'MomentumOptimizer']
