"""Values with a part for each replica: PerReplica, Mirrored; regroup, select, reduce."""
from __future__ import annotations

from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import identity_and_cast as identities, joining
from tinyflow.ops.control_flow import grouping as control
from tinyflow.ops.math import arithmetic
from tinyflow.ops.variables import replica_context as context
from tinyflow.ops.variables.variable import Variable

__all__ = ['DistributedValues', 'Mirrored', 'PerReplica', 'local_results', 'regroup', 'select']


class DistributedValues:
    """One value for each replica, in order."""

    def __init__(self, values):
        self.values = tuple(values)

    def get(self, replica=None):
        """The value of a replica, by default of the current one."""
        number = context.current_replica() if replica is None else replica
        return self.values[number or 0]

    @property
    def primary(self):
        return self.values[0]

    def __repr__(self):
        lines = '\n'.join(f'  {number}: {value!r},' for number, value in enumerate(self.values))
        return f'{type(self).__name__}:{{\n{lines}\n}}'


class PerReplica(DistributedValues):
    """Values that differ between replicas, such as batches, losses, predictions."""


class Mirrored(DistributedValues):
    """Values that are equal on all replicas, as after a reduction."""


def regroup(per_replica):
    """Converts a list of nests, one per replica, to a nest of PerReplica values.

    A leaf that is the same object for all replicas is not wrapped.
    """
    first = per_replica[0]
    if isinstance(first, dict):
        return type(first)((key, regroup([one[key] for one in per_replica])) for key in first)
    if isinstance(first, (list, tuple)):
        for one in per_replica:
            if len(one) != len(first):
                raise misuse(ValueError('The replicas returned lists of different lengths.'))
        parts = [regroup(list(column)) for column in zip(*per_replica)]
        if hasattr(first, '_fields'):
            return tuple.__new__(type(first), parts)
        return type(first)(parts)
    if all(one is first for one in per_replica):
        return first
    return PerReplica(per_replica)


def select(structure, replica):
    """The part of one replica of a nest of values."""
    return nest.map_structure(
        lambda leaf: leaf.values[replica] if isinstance(leaf, DistributedValues) else leaf,
        structure)


def local_results(value):
    """The values of all replicas, a tuple; a single value becomes a tuple of one."""
    return value.values if isinstance(value, DistributedValues) else (value,)


def add_up(values, mean, add=None):
    """The sum or mean of tensors [*shape] or of IndexedSlices.

    `add` is a function of a list of tensors to use instead of tf.add_n.
    """
    if any(isinstance(value, IndexedSlices) for value in values):
        return _add_indexed_slices(values, mean)
    if add is not None:
        total = add(list(values))
    elif len(values) == 1:
        return values[0]
    else:
        total = nodes.AddN(list(values))
    return arithmetic.divide(total, len(values)) if mean else total


def _add_indexed_slices(values, mean):
    rows = joining.concat([value.values for value in values], 0)
    indices = joining.concat([value.indices for value in values], 0)
    if mean:
        rows = arithmetic.divide(rows, len(values))
    return IndexedSlices(rows, indices, values[0].dense_shape)


def group_operations(value, name=None):
    """One operation that groups those of all replicas."""
    operations = [part.op if isinstance(part, Variable) else part
                  for leaf in nest.flatten(value) for part in local_results(leaf)
                  if isinstance(part, (Operation, Tensor, Variable))]
    if len(operations) == 1 and isinstance(operations[0], Operation) and name is None:
        return operations[0]
    return control.group(*operations, name=name)


def copy_tensor(tensor):
    """An identity node for one replica, so that a drawing shows what each replica receives."""
    return tensor if isinstance(tensor, IndexedSlices) else identities.identity(tensor)
