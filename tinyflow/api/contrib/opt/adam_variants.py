"""Adam that leaves rows without a gradient alone, with Nesterov's momentum, by maxima."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.graph.defaults import colocate_with, control_dependencies, get_default_graph
from tinyflow.ops.array.gathering import gather
from tinyflow.ops.control_flow.grouping import group
from tinyflow.ops.updates.apply_ops import ApplyAdam, ApplyAdaMax
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable import is_resource_variable
from tinyflow.train.optimizers.adam import AdamOptimizer
from tinyflow.train.optimizers.optimizer import apply_update_op, cast_like


class AdaMaxOptimizer(AdamOptimizer):
    """Adam that divides by a decaying maximum v of |grad|; of a gradient of rows, only these move.

    Kingma and Ba, Adam: a method for stochastic optimization (2014), section 7.
    """

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 use_locking=False, name='AdaMax'):
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _get_beta_accumulators(self):
        return self._get_non_slot_variable('beta1_power', get_default_graph())

    def _create_slots(self, var_list):
        first = min(var_list, key=lambda v: v.name)
        self._create_non_slot_variable(self._call_if_callable(self._beta1), 'beta1_power', first)
        for var in var_list:
            self._zeros_slot(var, 'm', self._name)
            self._zeros_slot(var, 'v', self._name)

    def _hypers_like(self, var):
        return cast_like(var, self._get_beta_accumulators(), self._lr_t, self._beta1_t,
                         self._beta2_t, self._epsilon_t)

    def _apply_dense(self, grad, var):
        return apply_update_op(
            ApplyAdaMax, var, self.get_slot(var, 'm'), self.get_slot(var, 'v'),
            *self._hypers_like(var), grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        power1, lr, beta1, beta2, epsilon = self._hypers_like(var)
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        new_m = gather(m, grad.indices) * beta1 + grad.values * (1 - beta1)
        m_update = set_rows(m, grad.indices, new_m, self._use_locking)
        new_v = math.maximum(gather(v, grad.indices) * beta2, math.abs(grad.values))
        v_update = set_rows(v, grad.indices, new_v, self._use_locking)
        step = -lr / (1 - power1) * (new_m / (new_v + epsilon))
        if is_resource_variable(var):
            update = var.scatter_rows('Add', grad.indices, step)
        else:
            update = variable_ops.scatter_add(var, grad.indices, step,
                                              use_locking=self._use_locking)
        return group(update, m_update, v_update)

    def _finish(self, update_ops, name_scope):
        with control_dependencies(update_ops):
            power1 = self._get_beta_accumulators()
            with colocate_with(power1):
                updated = power1.assign(power1 * self._beta1_t, use_locking=self._use_locking)
        return group(*update_ops, updated, name=name_scope)


class LazyAdamOptimizer(AdamOptimizer):
    """Adam whose means, of a gradient of rows, change in these rows only."""

    def _apply_sparse(self, grad, var):
        power1, power2, lr, beta1, beta2, epsilon = self._hypers_like(var)
        rate = lr * math.sqrt(1 - power2) / (1 - power1)
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        new_m = beta1 * gather(m, grad.indices) + (1 - beta1) * grad.values
        m_update = set_rows(m, grad.indices, new_m, self._use_locking)
        new_v = beta2 * gather(v, grad.indices) + (1 - beta2) * math.square(grad.values)
        v_update = set_rows(v, grad.indices, new_v, self._use_locking)
        if is_resource_variable(var):
            step = rate * new_m / (math.sqrt(new_v) + epsilon)
            update = var.scatter_rows('Sub', grad.indices, step)
        else:
            m_rows = gather(m_update, grad.indices)
            root = math.sqrt(gather(v_update, grad.indices)) + epsilon
            update = variable_ops.scatter_sub(var, grad.indices, rate * m_rows / root,
                                              use_locking=self._use_locking)
        return group(update, m_update, v_update)


class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov's momentum: the step is that of beta1 m + (1 - beta1) grad.

    Dozat, Incorporating Nesterov momentum into Adam (2016).
    """

    def _apply_dense(self, grad, var):
        return apply_update_op(
            ApplyAdam, var, self.get_slot(var, 'm'), self.get_slot(var, 'v'),
            *self._hypers_like(var), grad, use_locking=self._use_locking, use_nesterov=True)

    def _apply_sparse(self, grad, var):
        power1, power2, lr, beta1, beta2, epsilon = self._hypers_like(var)
        rate = lr * math.sqrt(1 - power2) / (1 - power1)
        slope = grad.values * (1 - beta1)
        m = self.get_slot(var, 'm')
        decayed = variable_ops.assign(m, m * beta1, use_locking=self._use_locking)
        with control_dependencies([decayed]):
            if is_resource_variable(m):
                with control_dependencies([m.scatter_rows('Add', grad.indices, slope)]):
                    rows = gather(m, grad.indices)
            else:
                rows = gather(variable_ops.scatter_add(m, grad.indices, slope,
                                                       use_locking=self._use_locking),
                              grad.indices)
            m_bar = slope + beta1 * rows
        v = self._decayed(self.get_slot(var, 'v'), beta2,
                          lambda: (grad.values * grad.values) * (1 - beta2), grad)
        root = math.sqrt(gather(v, grad.indices))
        step = -rate * m_bar / (root + epsilon)
        if is_resource_variable(var):
            update = var.scatter_rows('Add', grad.indices, step)
        else:
            update = variable_ops.scatter_add(var, grad.indices, step,
                                              use_locking=self._use_locking)
        return group(update, m_bar, v)


def set_rows(slot, indices, rows, use_locking):
    """slot[indices] = rows, whatever kind of Variable the slot is."""
    if is_resource_variable(slot):
        return slot.scatter_rows('Update', indices, rows)
    return variable_ops.scatter_update(slot, indices, rows, use_locking=use_locking)


__all__ = ['AdaMaxOptimizer', 'LazyAdamOptimizer', 'NadamOptimizer']
