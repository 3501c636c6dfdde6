"""Weight decay apart from the loss: AdamWOptimizer, MomentumWOptimizer.

Loshchilov and Hutter, Decoupled weight decay regularization (2017).
"""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies
from tinyflow.ops.array.gathering import gather
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable import is_resource_variable
from tinyflow.train.optimizers.adam import AdamOptimizer
from tinyflow.train.optimizers.gradient_descent import MomentumOptimizer


class DecoupledWeightDecayExtension:
    """To be inherited from before an optimizer: var -= weight_decay var, before each update.

    The decay is not multiplied by the learning rate. Of a gradient of rows, only these decay.
    """

    def __init__(self, weight_decay, **kwargs):
        self._decay_var_list = None
        self._weight_decay = weight_decay
        self._weight_decay_tensor = None
        super().__init__(**kwargs)

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=1,
                 aggregation_method=None, colocate_gradients_with_ops=False, name=None,
                 grad_loss=None, decay_var_list=None):
        """As Optimizer.minimize; only Variables of `decay_var_list`, if it is given, decay."""
        self._decay_only(decay_var_list)
        return super().minimize(
            loss, global_step=global_step, var_list=var_list, gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops, name=name,
            grad_loss=grad_loss)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None, decay_var_list=None):
        """As Optimizer.apply_gradients; `decay_var_list` as in `minimize`."""
        if decay_var_list:
            self._decay_only(decay_var_list)
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _decay_only(self, variables):
        self._decay_var_list = {id(v) for v in variables} if variables else None

    def _prepare(self):
        if callable(self._weight_decay):
            self._weight_decay = self._weight_decay()
        self._weight_decay_tensor = convert_to_tensor(self._weight_decay, name='weight_decay')
        super()._prepare()

    def _decays(self, var):
        return self._decay_var_list is None or id(var) in self._decay_var_list

    def _apply_dense(self, grad, var):
        decay = [var.assign_sub(self._weight_decay * var.value() if is_resource_variable(var)
                                else self._weight_decay * var, self._use_locking)
                 ] if self._decays(var) else []
        with control_dependencies([x.op for x in decay]):
            return super()._apply_dense(grad, var)

    def _apply_sparse(self, grad, var):
        decay = []
        if self._decays(var):
            rows = -self._weight_decay * gather(var, grad.indices)
            if is_resource_variable(var):
                decay = [var.scatter_rows('Add', grad.indices, rows)]
            else:
                decay = [variable_ops.scatter_add(var, grad.indices, rows, self._use_locking).op]
        with control_dependencies(decay):
            return super()._apply_sparse(grad, var)


def extend_with_decoupled_weight_decay(base_optimizer):
    """The class of an optimizer with weight decay: its first argument is `weight_decay`."""
    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        """The optimizer, with weight decay apart from the loss."""

        def __init__(self, weight_decay, *args, **kwargs):
            # Positional arguments belong to the base optimizer.
            self._decay_var_list = self._weight_decay_tensor = None
            self._weight_decay = weight_decay
            base_optimizer.__init__(self, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum, with weight decay apart from the loss."""

    def __init__(self, weight_decay, learning_rate, momentum, use_locking=False,
                 name='MomentumW', use_nesterov=False):
        super().__init__(weight_decay, learning_rate=learning_rate, momentum=momentum,
                         use_locking=use_locking, name=name, use_nesterov=use_nesterov)


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam, with weight decay apart from the loss."""

    def __init__(self, weight_decay, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 use_locking=False, name='AdamW'):
        super().__init__(weight_decay, learning_rate=learning_rate, beta1=beta1, beta2=beta2,
                         epsilon=epsilon, use_locking=use_locking, name=name)


__all__ = ['AdamWOptimizer', 'DecoupledWeightDecayExtension', 'MomentumWOptimizer',
           'extend_with_decoupled_weight_decay']
