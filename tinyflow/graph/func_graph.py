"""FuncGraph: the graph of a function, such as a branch of tf.cond or the body of tf.while_loop.

It has parameters (placeholders) and outputs. A tensor of an enclosing graph that is used inside
becomes an additional parameter, a capture: the caller of the function passes its value. Capturing a
Variable - its storage or its `v/read` - captures the storage by reference, so assignments inside a
branch change the Variable (see compiler/schedule.py).
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.devices import DeviceScopes
from tinyflow.graph.graph import Graph
from tinyflow.graph.op_registry import nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import nest


class Spec(NamedTuple):
    """dtype, static shape and node name ('placeholder' if empty) of a parameter."""

    dtype: dtypes.DType
    shape: shapes.Shape
    name: str = ''


class FuncGraph(Graph):
    """A graph with parameters and outputs, built inside `outer_graph`.

    inputs      its parameters, in the order in which values are passed; the placeholders of
                captured tensors come last
    outputs     its results
    captured    tensor of an enclosing graph -> the placeholder that represents it here
    scope       the prefix of its nodes' names, if it shares them with the graph around it
    """

    def __init__(self, name: str, outer_graph: Graph | None = None) -> None:
        super().__init__()
        self.name = name
        self.outer_graph = outer_graph or get_default_graph()
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.structured_outputs: Any = None
        self.captured: dict[Tensor, Tensor] = {}
        self._source: dict[Tensor, Tensor] = {}
        self.control_captures: dict[Operation, None] = {}
        self.seed, self.seed_by_name = self.outer_graph.seed, self.outer_graph.seed_by_name
        self._collections = self.outer_graph._collections
        if self.outer_graph._device_scopes is not None:
            self._device_scopes = DeviceScopes(self.outer_graph._device_scopes.devices)
        self.capture_observers: list[Callable[[Tensor], None]] = []     # called with each capture
        self._capture_name = ''
        outside = self.outer_graph.side_effects         # only inside of a tf.function
        self.side_effects = None if outside is None else outside.inside()

    def add(self, operation: Operation) -> None:
        if self.side_effects is not None:
            self.side_effects.order(operation)
        super().add(operation)

    def after_side_effects(self, results: Any) -> Any:
        """`results`, a nest of tensors, waiting for the nodes that act inside of a tf.function."""
        if self.side_effects is None or not self.side_effects.acting:
            return results
        with self.control_dependencies(self.side_effects.acting):
            return nest.map_structure(lambda t: None if t is None else nodes.Identity(t), results,
                                      expand_composites=True)

    # ---- names ---------------------------------------------------------------------------

    def share_names(self, capture_name: str) -> None:
        """Names nodes in the open scope of the outer graph, where no other node has their name.

        So does TensorFlow 1, where a branch or a loop is no graph of its own. Placeholders of
        captured tensors are called `capture_name`, inside the scope of the node that uses them.
        """
        self._names_in_use = self.outer_graph._names_in_use
        self._name_stack = self.outer_graph._name_stack
        self.scope = self._name_stack + '/'
        self._capture_name = capture_name

    # ---- captures ------------------------------------------------------------------------

    @property
    def captures(self) -> list[tuple[Tensor, Tensor]]:
        """(tensor of an enclosing graph, its placeholder here) pairs, in order of first use."""
        return list(self.captured.items())

    def takes_from(self, graph: Graph) -> bool:
        """True if tensors of `graph` may be used here: it is this graph or encloses it."""
        return graph is self or self.outer_graph.takes_from(graph)

    def capture(self, tensor: Tensor) -> Tensor:
        """The tensor to use in this graph for `tensor` of this or an enclosing graph."""
        if tensor.op.graph is self:
            return tensor
        inner = self.captured.get(tensor)
        if inner is None:
            if self._capture_name:
                self._capture_outside(tensor)
            inner = self._add_capture(tensor, self._capture_name or tensor.op.name)
        return inner

    def _add_capture(self, tensor: Tensor, name: str) -> Tensor:
        inner = self.add_parameter(Spec(tensor.dtype, tensor.raw_shape, name))
        self.captured[tensor] = inner
        self._source[inner] = tensor
        for observe in self.capture_observers:
            observe(tensor)
        return inner

    def capture_as(self, other: FuncGraph) -> None:
        """Captures what another function captures, under the same names."""
        for tensor, there in other.captures:
            if tensor not in self.captured:
                self._add_capture(tensor, there.op.name + '/')

    def _capture_outside(self, tensor: Tensor) -> None:
        """Lets functions around this one capture the tensor first, which names it as TF1 does."""
        outer = self.outer_graph
        if isinstance(outer, FuncGraph) and tensor.op.graph is not outer and outer._capture_name:
            scope, outer._name_stack = outer._name_stack, self._name_stack
            try:
                with outer.as_default():
                    outer.capture(tensor)
            finally:
                outer._name_stack = scope

    def captured_tensors(self, tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
        """`capture` for each of `tensors`; called for the inputs of every new node."""
        return tuple([t if t.op.graph is self else self.capture(t) for t in tensors])

    def source_of(self, parameter: Tensor) -> Tensor | None:
        """The captured tensor of an enclosing graph that a placeholder represents, or None."""
        return self._source.get(parameter)

    def add_parameter(self, spec: Spec) -> Tensor:
        """Adds a placeholder as the last input."""
        with super().control_dependencies(None):        # parameters have no control inputs
            parameter = nodes.Placeholder(
                dtype=spec.dtype.base_dtype, shape=shapes.TensorShape(spec.shape),
                name=spec.name or 'placeholder')
        if spec.dtype.is_ref:
            parameter.dtype = spec.dtype
        self.inputs.append(parameter)
        return parameter

    @contextmanager
    def control_dependencies(self, control_inputs):
        """As in a Graph; for operations of enclosing graphs, the function's node waits instead."""
        if control_inputs is not None:
            inside = []
            for item in control_inputs:
                element = getattr(item, 'values_for_control', item)
                converted = getattr(element, '_as_graph_element', lambda: None)()
                element = element if converted is None else converted
                operation = element.op if isinstance(element, Tensor) else element
                if isinstance(operation, Operation) and operation.graph is not self \
                        and self.takes_from(operation.graph):
                    self.control_captures[operation] = None
                else:
                    inside.append(item)
            control_inputs = inside
        with super().control_dependencies(control_inputs):
            yield

    def __str__(self):
        return f"function '{self.name}' in {self.outer_graph}"


def func_graph_from_py(name: str, python_function: Callable, specs: Sequence[Spec] = (),
                       structure: Any = None, graph: FuncGraph | None = None,
                       op_value: Any = None) -> FuncGraph:
    """Traces `python_function`: calls it with placeholders and returns the FuncGraph it builds.

    `specs` describe the placeholders. They are packed into `structure`, a nest with as many leaves,
    e.g. a tuple of arguments; without one they are the arguments. A returned Operation is replaced
    by the tensor `op_value` with a control dependency on it; a returned None stays None.
    """
    graph = graph or FuncGraph(name)
    with graph.as_default():
        parameters = [graph.add_parameter(spec) for spec in specs]
        arguments = parameters if structure is None else \
            nest.pack_sequence_as(structure, parameters)
        result = python_function(*arguments)
        graph.structured_outputs = nest.map_structure(
            lambda value: _output(graph, value, op_value), result, expand_composites=True)
        graph.structured_outputs = graph.after_side_effects(graph.structured_outputs)
        graph.outputs = [t for t in nest.flatten(graph.structured_outputs, expand_composites=True)
                         if t is not None]
    return graph


def _output(graph: FuncGraph, value: Any, op_value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, Operation):
        if op_value is None:
            return None
        with graph.control_dependencies([value]):
            return nodes.Identity(op_value)
    return graph.capture(convert_to_tensor(value))

