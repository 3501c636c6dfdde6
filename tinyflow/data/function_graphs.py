"""FuncGraphs of the functions that users give to map, filter, ..., with the result's structure."""
from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from tinyflow.data import structure
from tinyflow.data.errors import refused
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.func_graph import FuncGraph, Spec, func_graph_from_py
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.source_location import Site, here
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import OperatorNotAllowedInGraphError, misuse, report
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.array import constants
from tinyflow.ops.control_flow.function_nodes import functions_of
from tinyflow.ops.sparse import serializing

_COUNT = 'dataset functions'            # an annotation of the outermost graph


class Function:
    """`python_function`, called with an element, as a graph.

        graph       the FuncGraph; its parameters are the components, then the captures
        spec        the structure and specs of its result
        captured    the tensors of the enclosing graph that it uses, for the node's last inputs
    """

    def __init__(self, python_function: Callable, caller: str, *specs: Any,
                 unpack: bool = True, rows: bool = False) -> None:
        if not callable(python_function):
            raise refused(TypeError(f'{caller}: a function is needed, not {python_function!r}.'))
        self.caller = caller
        self._rows = rows
        self.spec: Any = None
        self.result: Any = None
        flat = [leaf for spec in specs for leaf in structure.flatten(spec)]

        def build(*parameters: Tensor) -> list[Tensor]:
            arguments, rest = [], list(parameters)
            for spec in specs:
                count = len(structure.flatten(spec))
                arguments.append(as_values(spec, rest[:count]))
                rest = rest[count:]
            if unpack and len(arguments) == 1 and isinstance(arguments[0], tuple):
                arguments = list(arguments[0])
            outer = len(graph.get_operations())
            _check_takes(python_function, caller, arguments, specs)
            tensors = self._components(_called(python_function, arguments))
            return _after_side_effects(graph, tensors, outer)

        graph = FuncGraph(function_name(caller, python_function))
        func_graph_from_py(caller, build, [_parameter(leaf) for leaf in flat], graph=graph)
        self.graph = graph
        self.captured = [outer for outer, _ in graph.captures]

    def _components(self, result: Any) -> list[Tensor]:
        """The tensors of the function's result."""
        self.result = result
        if isinstance(result, list):    # e.g. of py_func: several components, not a stacked tensor
            result = tuple(result)
        leaves = structure.flatten(result)
        if any(leaf is None for leaf in leaves):
            site = here(2)
            raise misuse(TypeError(report(
                f'Unsupported return value from function passed to {self.caller}: {result!r}.',
                site=site and Site(*site), hint='the function may have no return statement.')))
        pairs = [component(leaf, self._rows) for leaf in leaves]
        self.spec = structure.pack_as(result, [spec for _, spec in pairs])
        return [tensor for tensor, _ in pairs]


def _called(function: Callable, arguments: list) -> Any:
    """function(*arguments); if Python itself cannot decide, with the control flow of AutoGraph."""
    try:
        return function(*arguments)
    except OperatorNotAllowedInGraphError:
        from tinyflow.eager.autograph.convert import convert  # start-up time
        converted = convert(function)
        if converted is function:
            raise
        return converted(*arguments)


def function_name(caller: str, function: Any = None) -> str:
    """A unique function name in the outermost graph, in TensorFlow's form."""
    graph = get_default_graph()
    while graph.outer_graph is not None:
        graph = graph.outer_graph
    number = graph.annotations.get(_COUNT, 0) + 1
    graph.annotations[_COUNT] = number
    words = f'{caller}_{getattr(function, "__name__", "")}'
    return '_'.join(['__inference', *re.findall(r'\w+', words), str(number)])


def _check_takes(function: Callable, caller: str, arguments: list, specs: Any) -> None:
    """TypeError if a function cannot be called with these arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):             # some C functions have none
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        types = [structure.legacy_types(spec) for spec in specs]
        raise refused(TypeError(
            f'{caller}: the function {getattr(function, "__name__", function)}{signature} is '
            f'called with {len(arguments)} argument{"s" * (len(arguments) != 1)}: {error}. The '
            f'elements are of the types {", ".join(map(str, types))}.\n  Hint: where elements '
            'are tuples their parts are separate arguments; a dict is one argument.')) from None


def _parameter(spec: Any) -> Spec:
    if isinstance(spec, TensorSpec):
        return Spec(spec.dtype, spec.shape.raw)
    return Spec(dtypes.variant, None if isinstance(spec, structure.SparseTensorSpec) else ())


def as_values(spec: Any, tensors: list[Tensor]) -> Any:
    """The components as the user sees them: tensors, and datasets where a spec says so."""
    return structure.pack_as(spec, [_value(s, t) for s, t in
                                    zip(structure.flatten(spec), tensors)])


def _value(spec: Any, tensor: Tensor) -> Any:
    if isinstance(spec, TensorSpec):
        return tensor
    if isinstance(spec, structure.SparseTensorSpec):
        return serializing.deserialize_sparse(tensor, spec.dtype, spec.shape.ndims)
    return spec._value_of(tensor)


def component(value: Any, rows: bool = False) -> tuple[Tensor, Any]:
    """(tensor, spec) of one component.

    With `rows`, the tensor of a SparseTensor has one row for each of its rows.
    """
    variant = getattr(value, '_variant_tensor', None)
    if variant is not None:
        return variant, value._component_spec
    if isinstance(value, SparseTensor):
        pack = serializing.serialize_many_sparse if rows else \
            serializing.serialize_sparse
        return pack(value, out_type=dtypes.variant), structure.sparse_spec(value)
    tensor = convert_to_tensor(value)
    return tensor, structure.spec_of(tensor)


def _after_side_effects(graph: FuncGraph, tensors: list[Tensor], start: int) -> list[Tensor]:
    """The tensors, with control dependencies on nodes inside that have side effects.

    As in TF's functions, a tf.print, an assertion or an assignment runs even if no result needs it.
    """
    needed = _ancestors(tensors)
    waits = [op for op in graph.get_operations()[start:] if op not in needed and _acts(op)]
    if not waits:
        return tensors
    with graph.control_dependencies(waits):
        return [constants.identity(t) for t in tensors]


def _acts(operation: Operation) -> bool:
    """True for a node with a side effect."""
    if any(_acts(inner) for graph in functions_of(operation) for inner in graph.get_operations()):
        return True
    return not operation.definition.pure and (
        not operation.outputs or bool(operation.writes) or 'PyFunc' in operation.type)


def _ancestors(tensors: list[Tensor]) -> set[Operation]:
    found: set[Operation] = set()
    left = [t.op for t in tensors]
    while left:
        operation = left.pop()
        if operation not in found:
            found.add(operation)
            left += [t.op for t in operation.inputs]
            left += operation.control_inputs
    return found
