"""The graph of a tf.function: nodes with side effects run in the order in which they were made."""
from __future__ import annotations

from tinyflow.eager.execute import active_tapes
from tinyflow.eager.graph import EAGER_GRAPH
from tinyflow.eager.tensor import EagerTensor
from tinyflow.graph import dtypes
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.op import nodes
from tinyflow.graph.variable_refs import handle_variable

__all__ = ['TracedGraph']

_SMALL = 128            # elements; larger values stay outside the program, as captures


class SideEffects:
    """The order of the nodes of one graph that do more than compute a result.

    A read of a Variable waits for the last write to it, a write for the last write and the reads
    since; other nodes that act, such as a tf.print, wait for each other. `acting` are the nodes
    that must run although no result may need them.
    """

    def __init__(self):
        self.acting = []
        self._last_write = {}           # Variable -> the node that wrote it last
        self._reads = {}                # Variable -> the nodes that have read it since
        self._last_effect = None

    def inside(self):
        """Those of a branch or a loop."""
        return SideEffects()

    def order(self, operation):
        """Lets a new node wait for those before it."""
        waits = [w for w in self._waits_of(operation) if w not in operation.control_inputs]
        if waits:
            operation.control_inputs = (*operation.control_inputs, *waits)

    def _waits_of(self, operation):
        waits = []
        for position, tensor in enumerate(operation.inputs):
            if tensor.dtype is not dtypes.resource:
                continue
            variable = handle_variable(tensor)
            if variable is None:
                continue
            last = self._last_write.get(variable)
            if last is not None:
                waits.append(last)
            if position in operation.writes:
                waits += self._reads.pop(variable, [])
                self._last_write[variable] = operation
                self.acting.append(operation)
            else:
                self._reads.setdefault(variable, []).append(operation)
        if _acts(operation):
            if self._last_effect is not None:
                waits.append(self._last_effect)
            self._last_effect = operation
            self.acting.append(operation)
        return dict.fromkeys(waits)


class TracedGraph(FuncGraph):
    """A FuncGraph that adds control dependencies by itself, as TensorFlow's functions do.

    The branches and loops inside have SideEffects of their own.
    """

    def __init__(self, name, outer_graph=None, autograph=False):
        super().__init__(name, outer_graph or EAGER_GRAPH)
        self.autograph = autograph      # layers convert their `call`
        self._collections = {}
        self.side_effects = SideEffects()

    def capture(self, tensor):
        """As in a FuncGraph; a small value that no tape watches becomes a constant."""
        if type(tensor) is EagerTensor and tensor.array.size <= _SMALL \
                and tensor.dtype not in dtypes.HANDLES and tensor not in self.captured \
                and not any(tape.watches(tensor) for tape in active_tapes.open):
            with super().control_dependencies(None):
                return nodes.Const(value=tensor.array, dtype=tensor.dtype)
        with self.name_scope(None):             # not in the scope of its first use
            return super().capture(tensor)


def _acts(operation):
    """True if it must run, in its place, for more than its results and the Variables it writes."""
    definition = operation.definition
    if definition.pure:
        return False
    if definition.functions:            # a branch or a loop, which may do several things
        return True
    return not definition.writes and (
        not operation.outputs or definition.calls_user_code or definition.state is not None)
