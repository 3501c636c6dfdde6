"""The names of operations and tensors in a GraphDef."""
from __future__ import annotations


class Names:
    """The names of operations and tensors in a GraphDef."""

    def node(self, operation):
        return operation.name

    def tensor(self, tensor):
        """A tensor as an input: the first output has its node's name."""
        return tensor.name if tensor.value_index else tensor.op.name

    def controls(self, operation):
        return sorted('^' + self.node(c) for c in operation.control_inputs)


class OrderedNames(Names):
    """Names in a graph in which some operations have additional control inputs."""

    def __init__(self, waits):
        self._waits = waits

    def controls(self, operation):
        more = self._waits.get(operation, ())
        return sorted({*super().controls(operation), *('^' + op.name for op in more)})


NAMES = Names()
