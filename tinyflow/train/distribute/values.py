"""Values that have a part for each replica."""
from __future__ import annotations

from tinyflow.graph.op import Op
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import worded
from tinyflow.ops.array import identity_and_cast as identities
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
        """The value of a replica, of the one whose code asks by default."""
        number = context.current_replica() if replica is None else replica
        return self.values[number or 0]

    @property
    def primary(self):
        return self.values[0]

    def __repr__(self):
        lines = '\n'.join(f'  {number}: {value!r},' for number, value in enumerate(self.values))
        return f'{type(self).__name__}:{{\n{lines}\n}}'


class PerReplica(DistributedValues):
    """Values that differ: each replica's own batch, loss, prediction."""


class Mirrored(DistributedValues):
    """Values that are equal on all replicas, as after a reduction."""


def regroup(per_replica):
    """The nest that replicas returned, [nest], as a nest of PerReplica values.

    What is one and the same object for all stays itself.
    """
    first = per_replica[0]
    if isinstance(first, dict):
        return type(first)((key, regroup([one[key] for one in per_replica])) for key in first)
    if isinstance(first, (list, tuple)):
        for one in per_replica:
            if len(one) != len(first):
                raise worded(ValueError('The replicas returned lists of different lengths.'))
        parts = [regroup(list(column)) for column in zip(*per_replica)]
        if hasattr(first, '_fields'):
            return tuple.__new__(type(first), parts)
        return type(first)(parts)
    if all(one is first for one in per_replica):
        return first
    return PerReplica(per_replica)


def select(structure, replica):
    """One replica's part of a nest of values."""
    return nest.map_structure(
        lambda leaf: leaf.values[replica] if isinstance(leaf, DistributedValues) else leaf,
        structure)


def local_results(value):
    """The values of all replicas, a tuple; a value without parts stands for itself."""
    return value.values if isinstance(value, DistributedValues) else (value,)


def add_up(values, mean, add=None):
    """The sum of tensors [*shape], or their mean; IndexedSlices stay rows of their table.

    `add` is a function of the list of tensors that is used in place of tf.add_n.
    """
    from tinyflow.graph.indexed_slices import IndexedSlices
    if any(isinstance(value, IndexedSlices) for value in values):
        return _joined_rows(values, mean)
    if add is not None:
        total = add(list(values))
    elif len(values) == 1:
        return values[0]
    else:
        total = Op.registry['AddN'].apply(list(values))
    return arithmetic.divide(total, len(values)) if mean else total


def _joined_rows(values, mean):
    from tinyflow.graph.indexed_slices import IndexedSlices
    from tinyflow.ops.array import joining
    rows = joining.concat([value.values for value in values], 0)
    indices = joining.concat([value.indices for value in values], 0)
    if mean:
        rows = arithmetic.divide(rows, len(values))
    return IndexedSlices(rows, indices, values[0].dense_shape)


def grouped(value, name=None):
    """One operation that stands for those of all replicas."""
    operations = [part.op if isinstance(part, Variable) else part
                  for leaf in nest.flatten(value) for part in local_results(leaf)
                  if isinstance(part, (Operation, Tensor, Variable))]
    if len(operations) == 1 and isinstance(operations[0], Operation) and name is None:
        return operations[0]
    return control.group(*operations, name=name)


def copied(tensor):
    """A node of its own for one replica, so that pictures show what each receives."""
    from tinyflow.graph.indexed_slices import IndexedSlices
    return tensor if isinstance(tensor, IndexedSlices) else identities.identity(tensor)
