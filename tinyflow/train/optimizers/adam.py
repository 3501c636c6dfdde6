"""Adam (Kingma & Ba 2014)."""
from __future__ import annotations

from tinyflow.graph.defaults import colocate_with, control_dependencies, get_default_graph
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.math import arithmetic
from tinyflow.ops.updates.apply_ops import ApplyAdam
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable import is_resource_variable
from tinyflow.train.optimizers.optimizer import Optimizer, apply_update_op, cast_like


class AdamOptimizer(Optimizer):
    """m, v: running means of grad and grad^2; var -= rate_t m / (sqrt(v) + epsilon).

    rate_t = learning_rate sqrt(1 - beta2^t) / (1 - beta1^t) corrects the bias of m and v, which
    start at zero. Rows without a gradient still move along their m, as in TF1.
    """

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 use_locking=False, name='Adam'):
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon

    def _get_beta_accumulators(self):
        graph = get_default_graph()
        return (self._get_non_slot_variable('beta1_power', graph),
                self._get_non_slot_variable('beta2_power', graph))

    def _create_slots(self, var_list):
        first = min(var_list, key=lambda v: v.name)
        self._create_non_slot_variable(self._call_if_callable(self._beta1), 'beta1_power', first)
        self._create_non_slot_variable(self._call_if_callable(self._beta2), 'beta2_power', first)
        for var in var_list:
            self._zeros_slot(var, 'm', self._name)
            self._zeros_slot(var, 'v', self._name)

    def _prepare(self):
        self._lr_t = self._hyper(self._lr, 'learning_rate')
        self._beta1_t = self._hyper(self._beta1, 'beta1')
        self._beta2_t = self._hyper(self._beta2, 'beta2')
        self._epsilon_t = self._hyper(self._epsilon, 'epsilon')

    def _hypers_like(self, var):
        power1, power2 = self._get_beta_accumulators()
        return cast_like(var, power1, power2, self._lr_t, self._beta1_t, self._beta2_t,
                         self._epsilon_t)

    def _apply_dense(self, grad, var):
        return apply_update_op(
            ApplyAdam, var, self.get_slot(var, 'm'), self.get_slot(var, 'v'),
            *self._hypers_like(var), grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        power1, power2, lr, beta1, beta2, epsilon = self._hypers_like(var)
        rate = lr * arithmetic.sqrt(1 - power2) / (1 - power1)
        m = self._decayed(self.get_slot(var, 'm'), beta1, lambda: grad.values * (1 - beta1), grad)
        v = self._decayed(self.get_slot(var, 'v'), beta2,
                          lambda: (grad.values * grad.values) * (1 - beta2), grad)
        root = arithmetic.sqrt(v)
        update = variable_ops.assign_sub(var, rate * m / (root + epsilon),
                                         use_locking=self._use_locking)
        return grouping.group(update, m, v)

    def _decayed(self, slot, beta, new, grad):
        """slot = beta slot, and the rows of `new` added to it."""
        rows = new()
        decayed = variable_ops.assign(slot, slot * beta, use_locking=self._use_locking)
        if is_resource_variable(slot):
            with control_dependencies([decayed]):
                added = slot.scatter_rows('Add', grad.indices, rows)
                with control_dependencies([added]):
                    return slot.value()
        with control_dependencies([decayed]):
            return variable_ops.scatter_add(slot, grad.indices, rows, use_locking=self._use_locking)

    def _finish(self, update_ops, name_scope):
        with control_dependencies(update_ops):
            power1, power2 = self._get_beta_accumulators()
            with colocate_with(power1):
                powers = [power1.assign(power1 * self._beta1_t, use_locking=self._use_locking),
                          power2.assign(power2 * self._beta2_t, use_locking=self._use_locking)]
        return grouping.group(*update_ops, *powers, name=name_scope)


__all__ = ['AdamOptimizer']
