"""Training on several replicas of a distribution strategy (tf.distribute)."""
from __future__ import annotations

from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.ops.array import constants
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.variables import replica_context
from tinyflow.ops.variables.variable import init_scope


def apply_together(optimizer, strategy, pairs, global_step, name):
    """apply_gradients for all replicas of a strategy: their gradients are added up."""
    extended = strategy.extended
    pairs = [(grad, var) for grad, var in pairs if grad is not None]
    grads = extended.batch_reduce_to('SUM', pairs)
    var_list = [var for _, var in pairs]
    with init_scope():
        optimizer._create_slots(var_list)
    with name_scope(name, optimizer._name) as scope:
        optimizer._prepare()
        updates = [update for grad, var in zip(grads, var_list)
                   for update in extended.update(
                       var, lambda v, g: optimizer._update(g, v), args=(grad,), group=False)]
        with control_dependencies(updates):
            finished = extended.update_non_slot(
                None, lambda: optimizer._finish([], 'update'), group=False)
        done = grouping.group(*updates, *finished, name=None if global_step is not None
                              else scope)
        if global_step is None:
            return done
        with control_dependencies([done]):
            step = global_step.assign_add(1, read_value=False)
        return grouping.group(step, name=scope)


def share_of(loss):
    """One replica's part of a loss that is a mean: their gradients then add up to the mean's."""
    if replica_context.active_replica_context() is None or replica_context.loss_is_a_sum():
        return loss
    count = replica_context.get_strategy().num_replicas_in_sync
    return loss if count == 1 else loss * constants.constant(1.0 / count, loss.dtype.base_dtype)


__all__ = ['apply_together', 'share_of']
