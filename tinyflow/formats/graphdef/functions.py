"""FuncGraph -> FunctionDef: the graphs that If, While and similar ops call.

Inside a FunctionDef an input is "parameter" or "node:output_name:i", where i counts inside a list
output; names of parameters and results are in lower case.
"""
from __future__ import annotations

import re

from tinyflow.formats.graphdef import attributes
from tinyflow.formats.graphdef.names import Names
from tinyflow.graph.graph import Graph
from tinyflow.graph.signature import output_length
from tinyflow.graph.support.errors import misuse, report


def of_operations(operations):
    """The FuncGraphs that operations call, directly or inside others, each once, inner ones first.
    """
    found: dict[str, Graph] = {}
    for operation in operations:
        for graph in _called(operation):
            for inner in of_operations(graph.get_operations()):
                _put(found, inner)
            if not operation.writes:    # otherwise it is written as v1 control flow; see lowered.py
                _put(found, graph)
    return list(found.values())


def _put(found, graph):
    """Adds a FuncGraph, renamed if another one has its name."""
    name, number = graph.name, 0
    while found.setdefault(graph.name, graph) is not graph:
        number += 1
        graph.name = f'{name}_{number}'


def _called(operation):
    for name in operation.definition.functions:
        value = operation.attrs[name]
        yield from (value if isinstance(value, (tuple, list)) else [value])


def fill(proto, function, add_node):
    """Writes a FuncGraph into the FunctionDef `proto`; `add_node` writes one node (export.py)."""
    signature = proto.signature
    signature.name = function.name
    names: dict = {}
    taken: set[str] = set()
    parameters = {t.op for t in function.inputs}
    inner = Names()
    inner.tensor = lambda t: names.get(t) or inner_name(t)
    for i, tensor in enumerate(function.inputs):
        names[tensor] = _argument(signature.input_arg, tensor.op.name, tensor, taken)
        if tensor.raw_shape is not None:
            attributes.fill(proto.arg_attr[i].attr['_output_shapes'], [tensor.shape])
    for operation in function.get_operations():
        if operation in parameters:
            continue
        if operation.writes:
            _refuse_writes(operation, function)
        add_node(proto.node_def, operation, names=inner)
    taken = set()
    for tensor in function.outputs:
        name = _argument(signature.output_arg, tensor.op.name, tensor, taken)
        proto.ret[name] = names.get(tensor) or inner_name(tensor)


def _refuse_writes(operation, function):
    raise misuse(NotImplementedError(report(
        f"{operation.type} '{operation.name}' changes a Variable inside the function "
        f"'{function.name}'; TensorFlow's functions cannot do that, so the graph cannot be "
        'written.', op=operation,
        hint='return the new value from the branch or the loop, and assign it outside.')))


def _argument(args, name, tensor, taken):
    arg = args.add()
    arg.name = _argument_name(name, taken)
    arg.type = tensor.dtype.base_dtype.as_datatype_enum
    return arg.name


def _argument_name(name, taken):
    """`name` as a FunctionDef requires it: lower-case letters, digits and _, made unique."""
    name = re.sub('[^a-z0-9_]', '_', name.lower())
    if not name[:1].isalpha():
        name = 'arg' + name
    unique, number = name, 0
    while unique in taken:
        number += 1
        unique = f'{name}_{number}'
    taken.add(unique)
    return unique


def inner_name(tensor):
    """A tensor inside a FunctionDef: node:output_name:index."""
    operation, index = tensor.op, tensor.value_index
    for arg in operation.definition.outputs:
        length = output_length(arg, operation)
        if index < length:
            return f'{operation.name}:{arg.name}:{index}'
        index -= length
    raise misuse(ValueError(f'{tensor} has no name in a function.'))


__all__ = ['attributes', 'fill', 'inner_name', 'of_operations']
