"""Optimizer: creates an operation that minimizes a loss by updating the Variables.

minimize() is compute_gradients() and apply_gradients(); programs that clip gradients call the two.
A subclass defines how one Variable is updated, by TF1's protocol:

    _create_slots(var_list)    creates the slots of each Variable, with _zeros_slot and so on
    _prepare()                 creates the tensors of its hyperparameters, in the optimizer's scope
    _apply_dense(grad, var)    returns the update, a Tensor or Operation
    _apply_sparse(grad, var)   the same for an IndexedSlices without duplicate indices
    _finish(update_ops, name)  returns the operation that runs all updates
"""
from __future__ import annotations

from functools import partial

from tinyflow.gradients.reverse import gradients
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import (
    colocate_with,
    control_dependencies,
    get_collection_ref,
    get_default_graph,
    name_scope,
)
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.ops.array import constants
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.updates.resource_apply_ops import resource_op
from tinyflow.ops.variables import replica_context, variable_ops
from tinyflow.ops.variables.variable import Variable, init_scope, is_resource_variable
from tinyflow.ops.variables.variable_lists import trainable_variables
from tinyflow.train.optimizers import arguments, optimizer_errors, replicated, slot_creator
from tinyflow.train.optimizers.resource_rules import ResourceRules, summed

_GATE_NONE, _GATE_OP, _GATE_GRAPH = 0, 1, 2


class Optimizer(ResourceRules):
    """Base of all optimizers; see the module's docstring for the methods of a subclass."""

    GATE_NONE = _GATE_NONE
    GATE_OP = _GATE_OP
    GATE_GRAPH = _GATE_GRAPH

    def __init__(self, use_locking, name):
        if not name:
            raise optimizer_errors.no_name()
        self._use_locking = use_locking
        self._name = name
        self._slots = {}            # slot name -> {(graph, variable's name): Variable}
        self._non_slot_dict = {}    # (name, graph) -> Variable
        self._loss = None           # of the last compute_gradients, for error messages

    def get_name(self):
        """The name of the optimizer."""
        return self._name

    # ---- public methods ------------------------------------------------------------------

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=_GATE_OP,
                 aggregation_method=None, colocate_gradients_with_ops=False, name=None,
                 grad_loss=None):
        """An operation that changes the Variables of `var_list` so that `loss` gets smaller.

        `var_list` defaults to all trainable Variables. `global_step`, if given, is a Variable that
        grows by one each time. Raises ValueError if no Variable has a gradient.
        """
        grads_and_vars = self.compute_gradients(
            loss, var_list=var_list, gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops, grad_loss=grad_loss)
        if all(grad is None for grad, _ in grads_and_vars):
            raise optimizer_errors.loss_reaches_none(self._loss, [v for _, v in grads_and_vars])
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(self, loss, var_list=None, gate_gradients=_GATE_OP,
                          aggregation_method=None, colocate_gradients_with_ops=False,
                          grad_loss=None):
        """A list of pairs (gradient of `loss`, Variable).

        A gradient is a Tensor, an IndexedSlices, or None where the loss does not depend on the
        Variable. Raises ValueError for losses or Variables that are not floating-point.
        """
        if gate_gradients not in (_GATE_NONE, _GATE_OP, _GATE_GRAPH):
            raise optimizer_errors.unknown_gate(gate_gradients)
        if executing_eagerly():
            from tinyflow.train.optimizers import at_once  # start-up time
            return at_once.compute_gradients(self, loss, var_list, grad_loss)
        if callable(loss) and not isinstance(loss, (Tensor, Variable)):
            loss = loss()
        self._loss = loss
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        loss = replicated.share_of(loss)
        var_list = trainable_variables() if var_list is None else list(arguments.flat(var_list))
        if not var_list:
            raise optimizer_errors.nothing_to_train()
        grads = gradients(loss, [arguments.target_of(v) for v in var_list], grad_ys=grad_loss,
                          gate_gradients=gate_gradients == _GATE_OP,
                          aggregation_method=aggregation_method,
                          colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gate_gradients == _GATE_GRAPH:
            grads = grouping.tuple(grads)
        self._assert_valid_dtypes([v for g, v in zip(grads, var_list) if g is not None])
        return list(zip(grads, var_list))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """An operation that changes each Variable by its gradient.

        `grads_and_vars` are pairs as compute_gradients gives them; pairs with None are skipped.
        Raises ValueError if no pair is left, TypeError for anything that is not a gradient,
        RuntimeError in cross-replica context.
        """
        pairs = [(arguments.gradient_of(grad), var)
                 for grad, var in arguments.pairs_of(grads_and_vars)]
        if not pairs:
            raise optimizer_errors.no_pairs()
        for _, var in pairs:
            arguments.target_of(var)
        var_list = [var for grad, var in pairs if grad is not None]
        if not var_list:
            raise optimizer_errors.no_gradients(self._loss, [var for _, var in pairs])
        if global_step is not None:
            arguments.check_global_step(global_step)
        if replica_context.in_cross_replica_context():
            raise optimizer_errors.outside_of_replicas()
        replica = replica_context.active_replica_context()
        if replica is not None:
            return replica.merge_call(partial(replicated.apply_together, self),
                                      args=(pairs, global_step, name))
        with init_scope():
            self._create_slots(var_list)
        if executing_eagerly():
            from tinyflow.train.optimizers import at_once  # start-up time
            at_once.slots_are_made()
        with name_scope(name, self._name) as scope:
            self._prepare()
            updates = [self._update(grad, var) for grad, var in pairs if grad is not None]
            train_op = self._train_op(updates, global_step, scope)
            if executing_eagerly():
                return None
            if isinstance(train_op, Tensor):
                train_op = train_op.op
            train_ops = get_collection_ref(GraphKeys.TRAIN_OP)
            if train_op not in train_ops:
                train_ops.append(train_op)
            return train_op

    def _train_op(self, updates, global_step, scope):
        if global_step is None:
            return self._finish(updates, scope)
        with control_dependencies([self._finish(updates, 'update')]), colocate_with(global_step):
            if is_resource_variable(global_step):
                return global_step.assign_add(1, name=scope, read_value=False)
            return variable_ops.assign_add(global_step, 1, name=scope)

    def _update(self, grad, var):
        """The update of one Variable, followed by its constraint."""
        with name_scope(f'update_{var.op.name}'), colocate_with(var):
            if isinstance(grad, IndexedSlices):
                if var.constraint is not None:
                    raise optimizer_errors.constraint_of_rows(var)
                return self._update_rows(grad, var)
            update = self._update_dense(grad, var)
            if var.constraint is None:
                return update
            # The constraint gets the reference: `var.value()` would be the value before
            # the update.
            with control_dependencies([update]):
                return var.assign(var.constraint(
                    var if is_resource_variable(var) else var._ref()))

    # ---- slots ---------------------------------------------------------------------------

    def get_slot(self, var, name):
        """The slot Variable of `var` under `name`, or None."""
        return self._slots.get(name, {}).get(_key(var))

    def get_slot_names(self):
        """The names of the slots of this optimizer, sorted."""
        return sorted(self._slots)

    def variables(self):
        """All Variables of this optimizer in the default graph, sorted by name."""
        kept = list(self._non_slot_dict.values())
        for named in self._slots.values():
            kept += named.values()
        graph = get_default_graph()
        return sorted((v for v in kept if v.graph is graph), key=lambda v: v.name)

    def _slot_dict(self, slot_name):
        return self._slots.setdefault(slot_name, {})

    def _slot(self, var, slot_name, make):
        named = self._slot_dict(slot_name)
        key = _key(var)
        if key not in named:
            named[key] = make()
        return named[key]

    def _get_or_make_slot(self, var, val, slot_name, op_name):
        """A slot initialised with the tensor `val`."""
        return self._slot(var, slot_name, lambda: slot_creator.create_slot(var, val, op_name))

    def _get_or_make_slot_with_initializer(self, var, initializer, shape, dtype, slot_name,
                                           op_name):
        """A slot initialised with initializer(shape, dtype)."""
        return self._slot(var, slot_name, lambda: slot_creator.create_slot_with_initializer(
            var, initializer, shape, dtype, op_name))

    def _zeros_slot(self, var, slot_name, op_name):
        """A slot of zeros."""
        return self._slot(var, slot_name, lambda: slot_creator.create_zeros_slot(var, op_name))

    def _constant_slot(self, var, value, slot_name, op_name):
        """A slot initialised with `value` everywhere."""
        with colocate_with(var):
            start = constants.constant(value, var.dtype.base_dtype, var.get_shape())
        return self._get_or_make_slot(var, start, slot_name, op_name)

    def _create_non_slot_variable(self, initial_value, name, colocate_with):
        """A Variable of the optimizer itself, one for each graph."""
        key = name, colocate_with.graph
        if key not in self._non_slot_dict:
            with colocate_with.graph.colocate_with(colocate_with.op):
                self._non_slot_dict[key] = Variable(
                    initial_value, name=name, trainable=False,
                    use_resource=is_resource_variable(colocate_with))
        return self._non_slot_dict[key]

    def _get_non_slot_variable(self, name, graph=None):
        # Inside a branch or a loop, use the Variable of the enclosing graph.
        while (name, graph) not in self._non_slot_dict and graph is not None:
            graph = graph.outer_graph
        return self._non_slot_dict.get((name, graph))

    def _non_slot_variables(self):
        return self._non_slot_dict.values()

    # ---- for subclasses ------------------------------------------------------------------

    def _create_slots(self, var_list):
        """Creates slots; by default none."""

    def _prepare(self):
        """Creates the tensors of hyperparameters; by default none."""

    def _apply_dense(self, grad, var):
        raise NotImplementedError(f'{type(self).__name__} has no _apply_dense(grad, var)')

    def _apply_sparse(self, grad, var):
        raise NotImplementedError(f'{type(self).__name__} has no _apply_sparse(grad, var), and '
                                  f"'{var.name}' gets an IndexedSlices as its gradient")

    def _apply_sparse_duplicate_indices(self, grad, var):
        """Adds up rows of equal index, since most update rules are not linear in the gradient."""
        return self._apply_sparse(summed(grad), var)

    def _finish(self, update_ops, name_scope):
        return grouping.group(*update_ops, name=name_scope)

    def _call_if_callable(self, param):
        return param() if callable(param) and not isinstance(param, (Tensor, Variable)) else param

    def _hyper(self, value, name):
        """A number, a tensor or a function without arguments, as a tensor."""
        value = self._call_if_callable(value)
        if value is None or isinstance(value, (str, bytes)):
            raise optimizer_errors.not_a_hyperparameter(self, name, value)
        return convert_to_tensor(value, name=name)

    def _valid_dtypes(self):
        return {dtypes.float16, dtypes.float32, dtypes.float64}

    def _assert_valid_dtypes(self, tensors):
        valid = self._valid_dtypes()
        for tensor in tensors:
            if not isinstance(getattr(tensor, 'dtype', None), dtypes.DType):
                raise optimizer_errors.not_a_loss(self, tensor)
            if tensor.dtype.base_dtype not in valid:
                raise optimizer_errors.wrong_dtype(tensor, valid)


def apply_update(op, var, *arguments, **attrs):
    """The node that changes `var`: an `op`, or its counterpart for a resource variable."""
    kind = resource_op(op.type) if is_resource_variable(var) else op
    return kind.apply(var, *arguments, **attrs)


def apply_update_op(op, var, *arguments, **attrs):
    """As `apply_update`, but always the Operation."""
    made = apply_update(op, var, *arguments, **attrs)
    return made.op if isinstance(made, Tensor) else made


def cast_like(var, *tensors):
    """The tensors cast to the Variable's dtype."""
    return [constants.cast(t, var.dtype.base_dtype) for t in tensors]


def check_positive(name, value):
    """ValueError unless a hyperparameter is larger than 0."""
    if value <= 0.0:
        raise optimizer_errors.not_positive(name, value)


def _key(var):
    op = getattr(var, '_primary_op', None) or var.op        # with replicas the first one
    return op.graph, op if op.graph.runs_at_once else op.name   # names may be equal there


__all__ = ['Optimizer', 'apply_update', 'apply_update_op', 'cast_like', 'check_positive']
