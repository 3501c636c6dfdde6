"""A Saver's view of a tf.train.Checkpoint: its Variables under the names of their objects."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.ops.array.constants import constant
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.files.saveable_object import SaveableObject, SaveSpec
from tinyflow.ops.variables.variable import Variable
from tinyflow.train.checkpoints import object_graph
from tinyflow.train.checkpoints.saveables import VariableSaveable, replicated

__all__ = ['ObjectGraphSaveable', 'saveables_of']


def saveables_of(checkpoint):
    """SaveableObjects of all objects reachable from `checkpoint` now, and of their object graph."""
    proto, values = object_graph.describe(checkpoint)
    found = []
    for key, (owner, item) in values.items():
        if isinstance(item, Variable):
            found.append(replicated(item, key) or VariableSaveable(item, '', key))
        else:
            found.append(checkpoint._saveable(key, owner, item))
    return [*found, ObjectGraphSaveable(proto.SerializeToString(deterministic=True))]


class ObjectGraphSaveable(SaveableObject):
    """The description of the objects: saved, so that a Checkpoint can restore the file."""

    def __init__(self, text):
        tensor = constant(text, dtypes.string)
        super().__init__(tensor, [SaveSpec(tensor, '', object_graph.KEY, dtypes.string)],
                         object_graph.KEY)

    def restore(self, restored_tensors, restored_shapes):
        return grouping.no_op()
