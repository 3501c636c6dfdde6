"""Variables with a component for each replica.

Each component is a resource variable; the first one has the plain name, the others `name/replica_1`
and so on. Code of a replica uses its own component; a checkpoint has one value for all of them.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import identity_and_cast as identities
from tinyflow.ops.control_flow import grouping as control
from tinyflow.ops.variables import replica_context as context
from tinyflow.ops.variables.variable import ResourceVariable, VariableAggregation, init_scope
from tinyflow.train.distribute.values import DistributedValues, PerReplica, add_up

__all__ = ['MirroredVariable', 'SyncOnReadVariable']

# Fields of a Variable that are read from the component of the current replica.
_COMPONENT_FIELDS = ('_handle', '_variable', '_initial_value', '_is_initialized_op',
                     '_safe_initial_value', '_initializer_op', '_snapshot')


class _DistributedVariable(ResourceVariable):
    """Base of both kinds: the components, and the selection of the current one."""

    def __init__(self, components, synchronization, aggregation):
        first = components[0]
        self.components = tuple(components)
        self._trainable = first._trainable
        self._constraint = first._constraint
        self._synchronization, self._aggregation = synchronization, aggregation
        self._save_slice_info = None
        self._is_initialized = self._initialize_all = None
        for part in self.components:
            part._distributed_container = self

    @property
    def values(self):
        """The components, one for each replica."""
        return self.components

    @property
    def primary(self):
        """The component of the first replica."""
        return self.components[0]

    def get(self, replica=None):
        """The component of a replica, by default of the current one."""
        return self.components[(context.current_replica() if replica is None else replica) or 0]

    @property
    def initializer(self):
        """Initializes all components."""
        if self._initialize_all is None:
            with init_scope():
                self._initialize_all = control.group(
                    *[part.initializer for part in self.components])
        return self._initialize_all

    def to_proto(self, export_scope=None):
        """The VariableDef of the first component."""
        return self.primary.to_proto(export_scope)

    @property
    def _primary_op(self):
        """The operation by which an optimizer identifies the Variable in each replica."""
        return self.primary.op

    def _saved_in(self):
        """The tensor to save in a checkpoint."""
        return self.primary._snapshot

    def _shares(self, value):
        """The values of the components for the Variable to have `value`, an array or a tensor."""
        return [value] * len(self.components)

    def _restored(self, value):
        """The operation that assigns a restored value to all components."""
        values = self._shares(value)
        return control.group(*[part.assign(component_value, read_value=False)
                               for part, component_value in zip(self.components, values)])

    def load(self, value, session=None):
        values = self._shares(np.asarray(value, self.dtype.as_numpy_dtype))
        for part, component_value in zip(self.components, values):
            part.load(component_value, session)

    def _after(self, operation, read_value=True):
        return self.get()._after(operation, read_value)

    def assign(self, value, use_locking=None, name=None, read_value=True):
        return self._change('assign', value, name, read_value)

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        return self._change('assign_add', delta, name, read_value)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        return self._change('assign_sub', delta, name, read_value)

    def _update_all(self, method, value, name, read_value):
        """Applies the same update to every component, in cross-replica context."""
        changed = control.group(*[
            getattr(part, method)(_part(value, number), name=name, read_value=False)
            for number, part in enumerate(self.components)])
        return self.primary._after(changed, read_value)

    def __repr__(self):
        lines = '\n'.join(f'  {number}: {part!r},' for number, part in enumerate(self.components))
        return f'{type(self).__name__}:{{\n{lines}\n}}'


def _component_property(name):
    return property(lambda self: getattr(self.get(), name))


for _name in _COMPONENT_FIELDS:
    setattr(_DistributedVariable, _name, _component_property(_name))


def _part(value, number):
    return value.values[number] if isinstance(value, DistributedValues) else value


class MirroredVariable(_DistributedVariable):
    """A Variable whose components always have the same value: updates are applied to all of them.

    A replica may update it only if `aggregation` defines how to combine the replicas' values.
    """

    def _change(self, method, value, name, read_value):
        replica = context.active_replica_context()
        if replica is None:
            if context.is_updating():
                return getattr(self.get(), method)(value, name=name, read_value=read_value)
            return self._update_all(method, value, name, read_value)
        if self._aggregation is VariableAggregation.NONE:
            raise misuse(ValueError(
                f'You must specify an aggregation method to update a MirroredVariable in Replica '
                f"Context: '{self.name}' would get a different value from each replica.\n  Hint: "
                'tf.get_variable(..., aggregation=tf.VariableAggregation.MEAN), SUM or '
                'ONLY_FIRST_REPLICA.'))
        value = convert_to_tensor(value, self.dtype)
        changed = replica.merge_call(
            lambda strategy, values: self._update_all(
                method, strategy.extended._across_workers(
                    _aggregate(values, self._aggregation), self._aggregation), name, False),
            args=(value,))
        return self._after(changed, read_value)

    def _scatter(self, kind, indices, updates, name=None):
        if self._updates_one_component('scatter'):
            return super()._scatter(kind, indices, updates, name)
        changed = control.group(*[part.scatter_rows(kind, indices, updates, name)
                                  for part in self.components])
        return self.primary._after(changed)

    def count_up_to(self, limit):
        if self._updates_one_component('count_up_to'):
            return super().count_up_to(limit)
        counted = [part.count_up_to(limit) for part in self.components]
        with control_dependencies(counted):
            return identities.identity(counted[0])

    def _updates_one_component(self, what):
        """True if the update is for one component, False if it is for all of them.

        Raises NotImplementedError in replica context, where the components would diverge.
        """
        if context.is_updating():
            return True
        if context.active_replica_context() is None:
            return False
        if len(self.components) > 1:
            raise misuse(NotImplementedError(
                f"{what}: a replica cannot change a part of the MirroredVariable '{self.name}' "
                'alone.\n  Hint: update it in cross-replica context, inside '
                'tf.distribute.get_replica_context().merge_call(fn); or assign the whole value.'))
        return True


class SyncOnReadVariable(_DistributedVariable):
    """A Variable with different values per replica, which are aggregated when read outside.

    Counters of metrics are summed (SUM), moving averages of batch normalization are averaged.
    """

    keeps_own_values = True         # an exact resume has to restore the value of each replica
    _aggregated_value = None

    def _read(self):
        if context.current_replica() is not None:
            return super()._read()
        return self._combined([part._read() for part in self.components])

    def _combined(self, values):
        """The value for all replicas of all processes."""
        return self.distribute_strategy.extended._across_workers(
            _aggregate_tensors(values, self._aggregation), self._aggregation)

    def _as_graph_element(self):
        if context.in_cross_replica_context() and not context.is_updating():
            return self._aggregated_once
        return super()._as_graph_element()

    @property
    def _aggregated_once(self):
        """The aggregated tensor of all components, created once."""
        if self._aggregated_value is None:
            with init_scope(), name_scope(None):
                self._aggregated_value = self._saved_in()()
        return self._aggregated_value

    def _saved_in(self):
        return lambda: self._combined([part._snapshot for part in self.components])

    def _shares(self, value):
        """A sum is divided among the components, because the next read adds them."""
        if self._aggregation is not VariableAggregation.SUM:
            return super()._shares(value)
        extended = self.distribute_strategy.extended
        count, total = len(self.components), extended._num_replicas_in_sync
        if not self.dtype.is_integer:
            return [value / total] * count
        part = value // total
        first = part if extended._first_replica else value - part * (total - 1)
        return [first] + [part] * (count - 1)

    def _change(self, method, value, name, read_value):
        if context.current_replica() is not None:
            return getattr(self.get(), method)(value, name=name, read_value=read_value)
        if self._aggregation is VariableAggregation.SUM:
            if method != 'assign':
                raise misuse(ValueError(
                    f'SyncOnReadVariable does not support `{method}` in cross-replica context '
                    'when aggregation is set to `tf.VariableAggregation.SUM`.'))
            if not isinstance(value, DistributedValues):
                value = PerReplica(self._shares(convert_to_tensor(value, self.dtype)))
        return self._update_all(method, value, name, read_value)

    def _scatter(self, kind, indices, updates, name=None):
        self._check_in_replica('scatter')
        return super()._scatter(kind, indices, updates, name)

    def count_up_to(self, limit):
        self._check_in_replica('count_up_to')
        return super().count_up_to(limit)

    def _check_in_replica(self, what):
        if context.current_replica() is None:
            raise misuse(NotImplementedError(
                f"{what}: the parts of the SyncOnReadVariable '{self.name}' belong to replicas.\n"
                '  Hint: update it in replica context, or assign the whole value.'))


def _aggregate(values, aggregation):
    """Combines the values of the replicas by a VariableAggregation."""
    parts = values.values if isinstance(values, DistributedValues) else (values,)
    return _aggregate_tensors(parts, aggregation)


def _aggregate_tensors(parts, aggregation):
    if aggregation in (VariableAggregation.SUM, VariableAggregation.MEAN):
        return add_up(list(parts), mean=aggregation is VariableAggregation.MEAN)
    return identities.identity(parts[0])


def _to_tensor(variable, dtype=None, name=None, as_ref=False):
    if isinstance(variable, SyncOnReadVariable) and context.current_replica() is None:
        return variable._read()
    return convert_to_tensor(variable.get(), dtype, name)


register_tensor_conversion_function(_DistributedVariable, _to_tensor, priority=98)
