"""AddSign and PowerSign: larger steps where a gradient and its running mean have one sign.

Bello, Zoph, Vasudevan and Le, Neural optimizer search with reinforcement learning (2017).
"""
from __future__ import annotations

import math as python_math

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.ops.array.constants import cast
from tinyflow.ops.updates.apply_ops import ApplyAddSign, ApplyPowerSign
from tinyflow.train.optimizers.optimizer import Optimizer, apply_update_op
from tinyflow.train.training_util import get_or_create_global_step


class _SignSteps(Optimizer):
    """Base: a slot m for the running mean, and a decay of the signs' share by the global step."""

    _op = None                          # its arguments: var, m, lr, weight, sign_decay, beta, grad
    _weight_name = ''

    def __init__(self, learning_rate, weight, beta, sign_decay_fn, use_locking, name):
        super().__init__(use_locking, name)
        self._lr, self._weight, self._beta = learning_rate, weight, beta
        self._sign_decay_fn = sign_decay_fn

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """As Optimizer.apply_gradients; the decay of the signs follows `global_step`."""
        if self._sign_decay_fn is not None:
            step = get_or_create_global_step() if global_step is None else global_step
            self._sign_decay_t = convert_to_tensor(self._sign_decay_fn(step), name='sign_decay')
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _create_slots(self, var_list):
        for var in var_list:
            self._zeros_slot(var, 'm', self._name)

    def _prepare(self):
        self._lr_t = self._hyper(self._lr, 'learning_rate')
        self._beta_t = self._hyper(self._beta, 'beta')
        self._weight_t = self._hyper(self._weight, self._weight_name)
        if self._sign_decay_fn is None:
            self._sign_decay_t = convert_to_tensor(1.0, name='sign_decay')

    def _apply_dense(self, grad, var):
        kind = var.dtype.base_dtype
        return apply_update_op(
            self._op, var, self.get_slot(var, 'm'), cast(self._lr_t, kind),
            cast(self._weight_t, kind), cast(self._sign_decay_t, kind), cast(self._beta_t, kind),
            grad, use_locking=self._use_locking)


class AddSignOptimizer(_SignSteps):
    """var -= lr (alpha + sign_decay sign(grad) sign(m)) grad, m being the running mean of grad."""

    _op, _weight_name = ApplyAddSign, 'alpha'

    def __init__(self, learning_rate=0.1, alpha=1.0, beta=0.9, sign_decay_fn=None,
                 use_locking=False, name='AddSignOptimizer'):
        super().__init__(learning_rate, alpha, beta, sign_decay_fn, use_locking, name)


class PowerSignOptimizer(_SignSteps):
    """var -= lr base^(sign_decay sign(grad) sign(m)) grad, m being the running mean of grad."""

    _op, _weight_name = ApplyPowerSign, 'logbase'

    def __init__(self, learning_rate=0.1, base=python_math.e, beta=0.9, sign_decay_fn=None,
                 use_locking=False, name='PowerSignOptimizer'):
        super().__init__(learning_rate, python_math.log(base), beta, sign_decay_fn, use_locking,
                         name)


__all__ = ['AddSignOptimizer', 'PowerSignOptimizer']
