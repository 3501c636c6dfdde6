"""Adam that leaves rows without a gradient alone, and Adam with Nesterov's momentum."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.graph.defaults import control_dependencies
from tinyflow.ops.array.gathering import gather
from tinyflow.ops.control_flow.grouping import group
from tinyflow.ops.updates.apply_ops import ApplyAdam
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable import is_resource_variable
from tinyflow.train.optimizers.adam import AdamOptimizer
from tinyflow.train.optimizers.optimizer import apply_update_op


class LazyAdamOptimizer(AdamOptimizer):
    """Adam whose means, of a gradient of rows, change in these rows only."""

    def _apply_sparse(self, grad, var):
        power1, power2, lr, beta1, beta2, epsilon = self._hypers_like(var)
        rate = lr * math.sqrt(1 - power2) / (1 - power1)
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        new_m = beta1 * gather(m, grad.indices) + (1 - beta1) * grad.values
        m_update = self._set_rows(m, grad.indices, new_m)
        new_v = beta2 * gather(v, grad.indices) + (1 - beta2) * math.square(grad.values)
        v_update = self._set_rows(v, grad.indices, new_v)
        if is_resource_variable(var):
            step = rate * new_m / (math.sqrt(new_v) + epsilon)
            update = var.scatter_rows('Sub', grad.indices, step)
        else:
            m_rows = gather(m_update, grad.indices)
            root = math.sqrt(gather(v_update, grad.indices)) + epsilon
            update = variable_ops.scatter_sub(var, grad.indices, rate * m_rows / root,
                                              use_locking=self._use_locking)
        return group(update, m_update, v_update)

    def _set_rows(self, slot, indices, rows):
        if is_resource_variable(slot):
            return slot.scatter_rows('Update', indices, rows)
        return variable_ops.scatter_update(slot, indices, rows, use_locking=self._use_locking)


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


__all__ = ['LazyAdamOptimizer', 'NadamOptimizer']
