"""Layer-wise adaptive rate scaling: You, Gitman and Ginsburg, Large batch training (2017)."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.where_onehot import where
from tinyflow.ops.linalg.norms import norm
from tinyflow.ops.updates.apply_ops import ApplyMomentum
from tinyflow.ops.variables.variable import is_resource_variable
from tinyflow.train.optimizers.optimizer import Optimizer, apply_update_op


class LARSOptimizer(Optimizer):
    """Momentum whose rate for each Variable is scaled by |var| / |grad|, times `eeta`.

    Variables whose name contains a word of `skip_list` are neither scaled nor decayed.
    """

    def __init__(self, learning_rate, momentum=0.9, weight_decay=0.0001, eeta=0.001, epsilon=0.0,
                 name='LARSOptimizer', skip_list=None, use_nesterov=False):
        if momentum < 0.0:
            raise ValueError(f'momentum should be positive: {momentum}')
        if weight_decay < 0.0:
            raise ValueError(f'weight_decay should be positive: {weight_decay}')
        super().__init__(use_locking=False, name=name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._weight_decay, self._eeta, self._epsilon = weight_decay, eeta, epsilon
        self._skip_list, self._use_nesterov = skip_list, use_nesterov

    def _create_slots(self, var_list):
        for var in var_list:
            self._zeros_slot(var, 'momentum', self._name)

    def _prepare(self):
        self._hyper(self._learning_rate, 'learning_rate')
        self._hyper(self._momentum, 'momentum')

    def _apply_dense(self, grad, var):
        grad, rate = self._scaled(grad, var)
        one = cast(1.0, var.dtype.base_dtype)           # the rate is in the gradient already
        return apply_update_op(
            ApplyMomentum, var, self.get_slot(var, 'momentum'), one,
            grad * self._call_if_callable(rate), self._momentum, use_locking=False,
            use_nesterov=self._use_nesterov)

    def _scaled(self, grad, var):
        """(the gradient with decay, the rate) of a Variable."""
        rate = self._learning_rate
        if self._skip_list is not None and any(word in var.name for word in self._skip_list):
            return grad, rate
        value = var.value() if is_resource_variable(var) else var
        size, slope = norm(value, ord=2), norm(grad, ord=2)
        positive, slope_positive = math.greater(size, 0), math.greater(slope, 0)
        ratio = (self._eeta * size
                 / (slope + self._weight_decay * size + self._epsilon))
        trust = where(positive, where(slope_positive, ratio, 1.0), 1.0)
        rate = self._learning_rate * trust
        return grad + self._weight_decay * value, rate


__all__ = ['LARSOptimizer']
