"""FuncGraph: a graph inside a graph, as the branch of a cond or the body of a loop is.

It has parameters (placeholders) and outputs. A tensor of an enclosing graph that is used inside
becomes one more parameter, a capture: whoever runs the function hands its value in. What it
captures of a Variable - the storage itself, or `v/read` - stands for the Variable's place, so that
assignments inside a branch change the Variable (see compiler/schedule.py).
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.graph import Graph
from tinyflow.graph.op_registry import nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import nest


class Spec(NamedTuple):
    """What is known of a parameter beforehand; `name` is its node's, 'placeholder' if empty."""

    dtype: dtypes.DType
    shape: shapes.Shape
    name: str = ''


class FuncGraph(Graph):
    """A graph with parameters and outputs, built inside `outer_graph`.

    inputs      its parameters, in the order in which their values are handed in; the placeholders
                of captured tensors come last
    outputs     its results
    captured    tensor of an enclosing graph -> the placeholder that stands for it
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
        self.capture_observers: list[Callable[[Tensor], None]] = []     # called with each capture

    # ---- what stands outside -------------------------------------------------------------

    @property
    def captures(self) -> list[tuple[Tensor, Tensor]]:
        """(tensor of an enclosing graph, its placeholder here) pairs, in order of first use."""
        return list(self.captured.items())

    def takes_from(self, graph: Graph) -> bool:
        """True if tensors of `graph` may be used here: it is this one, or encloses it."""
        return graph is self or self.outer_graph.takes_from(graph)

    def capture(self, tensor: Tensor) -> Tensor:
        """The tensor to use here for `tensor` of an enclosing graph (or this one)."""
        if tensor.op.graph is self:
            return tensor
        inner = self.captured.get(tensor)
        if inner is None:
            inner = self.add_parameter(Spec(tensor.dtype, tensor.raw_shape, tensor.op.name))
            self.captured[tensor] = inner
            self._source[inner] = tensor
            for observe in self.capture_observers:
                observe(tensor)
        return inner

    def captured_tensors(self, tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
        """Each of `tensors` as it is used here; `Op.make` asks for it."""
        return tuple([t if t.op.graph is self else self.capture(t) for t in tensors])

    def source_of(self, parameter: Tensor) -> Tensor | None:
        """The tensor of an enclosing graph that a placeholder stands for, if it is a capture."""
        return self._source.get(parameter)

    def add_parameter(self, spec: Spec) -> Tensor:
        """A new placeholder, as the last input."""
        with super().control_dependencies(None):        # a parameter waits for nothing
            parameter = nodes.Placeholder(
                dtype=spec.dtype.base_dtype, shape=shapes.TensorShape(spec.shape),
                name=spec.name or 'placeholder')
        if spec.dtype.is_ref:
            parameter.dtype = spec.dtype
        self.inputs.append(parameter)
        return parameter

    @contextmanager
    def control_dependencies(self, control_inputs):
        """As in a Graph; what stands outside is waited for by the whole function's node."""
        if control_inputs is not None:
            inside = []
            for item in control_inputs:
                element = getattr(item, 'values_for_control', item)
                found = getattr(element, '_as_graph_element', lambda: None)()
                element = element if found is None else found
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
    """The FuncGraph of what `python_function` builds when it is called with placeholders.

    `specs` describe the placeholders; `structure` is a nest of as many leaves into which they are
    packed for the call, e.g. a tuple of arguments. Without one they are the arguments. An Operation
    that the function returns becomes `op_value` (a tensor), made to wait for it; None stays None.
    """
    graph = graph or FuncGraph(name)
    with graph.as_default():
        parameters = [graph.add_parameter(spec) for spec in specs]
        arguments = parameters if structure is None else \
            nest.pack_sequence_as(structure, parameters)
        result = python_function(*arguments)
        graph.structured_outputs = nest.map_structure(
            lambda value: _output(graph, value, op_value), result, expand_composites=True)
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

