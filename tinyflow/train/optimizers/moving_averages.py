"""Moving averages of Variables and tensors: ExponentialMovingAverage, assign_moving_average."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import (
    add_to_collection,
    colocate_with,
    get_default_graph,
    name_scope,
)
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.math import arithmetic, division
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.initializers import zeros_initializer
from tinyflow.ops.variables.variable import Variable, init_scope, is_resource_variable
from tinyflow.ops.variables.variable_lists import (
    global_variables,
    moving_average_variables,
    trainable_variables,
)
from tinyflow.ops.variables.variable_scope import get_variable, get_variable_scope, variable_scope
from tinyflow.train.optimizers import slot_creator

_FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """variable = decay variable + (1 - decay) value; the variable after the update.

    With `zero_debias` the variable is assumed to start at 0, and the resulting bias is corrected
    (Kingma & Ba 2014, section 3).

    Shapes: variable [*a], value [*a], decay [] -> [*a].
    """
    with name_scope(name, 'AssignMovingAvg', [variable, value, decay]) as scope:
        weight = convert_to_tensor(1.0 - decay, name='decay')
        weight = constants.cast(weight, variable.dtype.base_dtype)
        if isinstance(value, Variable) and not is_resource_variable(value):
            # The reference, not the read `value.value()`: an average that depends on a train
            # op must use the value after that op.
            value = value._ref()
        if zero_debias:
            return _assign_unbiased(variable, value, weight, scope)
        return variable_ops.assign_sub(variable, (variable - value) * weight, name=scope)


def _assign_unbiased(variable, value, weight, scope):
    """Averages in a separate Variable, and divides by 1 - decay^updates."""
    dtype = variable.dtype.base_dtype
    with variable_scope(variable.op.name, values=[variable, value, weight]), \
            colocate_with(variable):
        biased = get_variable(_unused('biased'), shape=variable.get_shape(), dtype=dtype,
                              initializer=zeros_initializer(), trainable=False)
        updates = get_variable(_unused('local_step'), shape=[], dtype=dtype,
                               initializer=zeros_initializer(), trainable=False)
    average = variable_ops.assign_sub(biased, (biased - value) * weight)
    count = updates.assign_add(1)
    factor = 1 - arithmetic.pow(1.0 - weight, count)
    return variable_ops.assign(variable, average / factor, name=scope)


def _unused(name):
    """`name`, with a suffix if a Variable of the open scope has that name."""
    scope = get_variable_scope()
    if scope.reuse:
        return name
    taken = {v.op.name for v in scope.global_variables()}
    candidate, number = name, 0
    while f'{scope.name}/{candidate}' in taken:
        number += 1
        candidate = f'{name}_{number}'
    return candidate


def weighted_moving_average(value, decay, weight, truediv=True, collections=None, name=None):
    """moving_average(value weight) / moving_average(weight), after an update of both.

    Shapes: value [*a], decay [], weight broadcast to [*a] -> [*a].
    """
    if collections is None:
        collections = [GraphKeys.GLOBAL_VARIABLES]
    with variable_scope(name, 'WeightedMovingAvg', [value, weight, decay]) as scope:
        total, weights = [
            get_variable(variable_name, shape=like.get_shape(), dtype=like.dtype.base_dtype,
                         initializer=zeros_initializer(), trainable=False,
                         collections=collections)
            for variable_name, like in (('value_x_weight', value), ('weight', weight))]
        numerator = assign_moving_average(total, value * weight, decay, zero_debias=False)
        denominator = assign_moving_average(weights, weight, decay, zero_debias=False)
        divide = arithmetic.truediv if truediv else division.div
        return divide(numerator, denominator, name=scope.name)


_VARIABLES = ('Variable', 'VariableV2', 'VarHandleOp')


class ExponentialMovingAverage:
    """Keeps shadow Variables, moving averages of other Variables: shadow -= (1 - decay) (shadow -
    v).

    With `num_updates` the decay is min(decay, (1 + num_updates) / (10 + num_updates)), so the
    average moves faster at first. `zero_debias` corrects the bias of averages of tensors, which
    start at 0.
    """

    def __init__(self, decay, num_updates=None, zero_debias=False,
                 name='ExponentialMovingAverage'):
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages = {}

    @property
    def name(self):
        return self._name

    def apply(self, var_list=None):
        """An operation that updates the averages of `var_list`, by default the trainable ones.

        The shadow of a Variable starts at its initial value, that of a tensor at 0. Raises
        TypeError unless all are floating-point.
        """
        var_list = trainable_variables() if var_list is None else list(var_list)
        unbiased = set()
        for var in var_list:
            if var.dtype.base_dtype not in _FLOATS:
                raise misuse(TypeError(
                    f'The variables must be half, float, or double: {var.name}'))
            if var not in self._averages:
                self._averages[var] = self._shadow(var)
                if self._zero_debias and not isinstance(var, Variable):
                    unbiased.add(var)
        with name_scope(self.name) as scope:
            decay = self._current_decay()
            return grouping.group(*[
                assign_moving_average(self._averages[var], var, decay, var in unbiased)
                for var in var_list], name=scope)

    def _shadow(self, var):
        with init_scope():
            if not isinstance(var, Variable):
                return slot_creator.create_zeros_slot(
                    var, self.name, colocate_with_primary=var.op.type in _VARIABLES)
            shadow = slot_creator.create_slot(var, var.initialized_value(), self.name)
            add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
            return shadow

    def _current_decay(self):
        decay = convert_to_tensor(self._decay, name='decay')
        if self._num_updates is None:
            return decay
        count = constants.cast(self._num_updates, dtypes.float32, name='num_updates')
        return arithmetic.minimum(decay, (1.0 + count) / (10.0 + count))

    def average(self, var):
        """The shadow Variable of `var`, or None if no average of it is kept."""
        return self._averages.get(var)

    def average_name(self, var):
        """The name that the shadow Variable of `var` has, or would have."""
        if var in self._averages:
            return self._averages[var].op.name
        return get_default_graph().unique_name(f'{var.op.name}/{self.name}', mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables=None):
        """{name in a checkpoint: Variable} that restores averages into the Variables themselves.

        `moving_avg_variables` are those that have averages; by default the trainable ones and the
        MOVING_AVERAGE_VARIABLES. All others are restored under their own names.
        """
        if moving_avg_variables is None:
            moving_avg_variables = trainable_variables() + moving_average_variables()
        averaged = dict.fromkeys(moving_avg_variables)
        found = {self.average_name(v): v for v in averaged}
        for variable in global_variables():
            if variable not in averaged and variable.op.name not in found:
                found[variable.op.name] = variable
        return found


__all__ = ['ExponentialMovingAverage', 'assign_moving_average', 'weighted_moving_average']
