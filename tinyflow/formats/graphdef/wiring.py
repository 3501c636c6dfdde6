"""Helpers of builder.py: the order, names, inputs and shapes of nodes."""
from __future__ import annotations

import heapq

from tinyflow.graph import shapes
from tinyflow.graph.graph import _VALID_ROOT_NAME
from tinyflow.graph.operation import Operation
from tinyflow.graph.signature import output_length
from tinyflow.graph.support.errors import misuse


def graph_name(graph, name):
    """`name`, made unique, and registered with the graph."""
    outer, graph._name_stack = graph._name_stack, ''
    try:
        if not _is_name(name):
            raise misuse(ValueError(f"Node '{name}': Node name contains invalid characters"))
        return graph.unique_name(name)
    finally:
        graph._name_stack = outer


def _is_name(name):
    """True for a valid node name."""
    return _VALID_ROOT_NAME.match(name) is not None


def in_order(nodes, made):
    """The nodes so that each comes after its inputs; otherwise in the given order."""
    index = {}
    for i, node in enumerate(nodes):
        if node.name in index:
            raise misuse(ValueError(f"Node '{node.name}' is not unique"))
        index[node.name] = i
    waiting = [0] * len(nodes)
    users: list[list[int]] = [[] for _ in nodes]
    for i, node in enumerate(nodes):
        for name in {*(ref.node for ref in node.inputs), *node.controls}:
            if name in index:
                users[index[name]].append(i)
                waiting[i] += 1
            elif name not in made:
                raise misuse(ValueError(f"Node '{node.name}': Unknown input node '{name}'"))
    ready = [i for i, count in enumerate(waiting) if not count]
    done = 0
    while ready:
        i = heapq.heappop(ready)
        done += 1
        yield nodes[i]
        for user in users[i]:
            waiting[user] -= 1
            if not waiting[user]:
                heapq.heappush(ready, user)
    if done < len(nodes):
        stuck = [n.name for i, n in enumerate(nodes) if waiting[i]]
        raise misuse(ValueError(
            'The graph could not be sorted in topological order: the nodes wait for each other; '
            f'among them {", ".join(map(repr, stuck[:5]))}.'))


def nested(definition, inputs, node):
    """The flat inputs grouped as in the op's signature, by the list lengths in the attributes."""
    if not definition.has_lists:
        if len(inputs) != len(definition.inputs):
            raise misuse(ValueError(f"Node '{node.name}' has {len(inputs)} inputs; {node.op} takes "
                                    f'{len(definition.inputs)}.'))
        return inputs
    lists = [arg for arg in definition.inputs if arg.is_list]
    rest = len(inputs) - (len(definition.inputs) - len(lists))
    grouped, index = [], 0
    for arg in definition.inputs:
        if not arg.is_list:
            grouped.extend(inputs[index:index + 1])
            index += 1
            continue
        length = rest if len(lists) == 1 else _length(arg, node)
        grouped.append(list(inputs[index:index + length]))
        index += length
    if index != len(inputs) or len(grouped) != len(definition.inputs):
        raise misuse(ValueError(f"Node '{node.name}' has {len(inputs)} inputs, which do not fit "
                                f'{node.op}.'))
    return grouped


def _length(arg, node):
    value = node.attrs.get(arg.type if arg.any_types else arg.number)
    if value is None:
        raise misuse(ValueError(f"The node '{node.name}' is damaged: it does not say how long its "
                                f"input '{arg.name}' is."))
    if isinstance(value, (tuple, list)):
        return len(value)
    return len(value.list.type) if arg.any_types else value.i


def outputs_called(part, made):
    operation: Operation = made.operations[0]
    definition, index = operation.definition, 0
    for arg in definition.outputs:
        length = output_length(arg, operation)
        if arg.name == part:
            return operation.outputs[index:index + length]
        index += length
    # An op that replaces another may have another name for its only output.
    return operation.outputs if len(definition.outputs) == 1 else ()


def refine(operation, protos):
    """Refines the shapes of the outputs by those of the file."""
    for tensor, proto in zip(operation.outputs, protos):
        shape = shapes.raw(proto)
        if shapes.compatible(tensor.raw_shape, shape):
            tensor.raw_shape = shapes.merge(tensor.raw_shape, shape)


def check_const(node, values):
    value, dtype = values.get('value'), values.get('dtype')
    if not hasattr(value, 'dtype') or dtype is None or value.dtype != dtype.np:
        raise misuse(ValueError(f"The node '{node.name}' is damaged: a constant with the dtype "
                                f'{getattr(dtype, "name", dtype)} and the value {value!r:.60}.'))
