"""Optimizers while ops run at once."""
from __future__ import annotations

from tinyflow.gradients.tape import GradientTape
from tinyflow.graph.operation import Tensor
from tinyflow.ops.variables.variable import Variable
from tinyflow.train.checkpoints import pending_restores
from tinyflow.train.optimizers import optimizer_errors, replicated
from tinyflow.train.optimizers.arguments import flat

__all__ = ['compute_gradients', 'slots_are_made']

slots_are_made = pending_restores.retry


def compute_gradients(optimizer, loss, var_list, grad_loss):
    """[(gradient, Variable)] of a function `loss`; by default of the Variables that it reads."""
    if not callable(loss) or isinstance(loss, (Tensor, Variable)):
        raise optimizer_errors.loss_is_no_function()
    var_list = None if var_list is None else list(flat(var_list))
    with GradientTape() as tape:
        if var_list is not None:
            tape.watch(var_list)
        value = replicated.share_of(loss())
    var_list = list(tape.watched_variables()) if var_list is None else var_list
    optimizer._loss = value
    optimizer._assert_valid_dtypes([value])
    return list(zip(tape.gradient(value, var_list, grad_loss), var_list))
