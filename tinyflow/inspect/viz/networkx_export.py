"""to_networkx: the graph as a networkx MultiDiGraph."""
from __future__ import annotations

import networkx

from tinyflow.inspect.viz import labels
from tinyflow.inspect.viz.nested_graphs import NestedGraphs
from tinyflow.inspect.viz.select import needed, parts, subject


def to_networkx(target):
    """The nodes of a Graph, or what fetches need, as a `networkx.MultiDiGraph`.

    A node is an operation's name, with: type, dtype and shape (of the first output; None without
    one), outputs [(tensor name, dtype, shape)], site (the user's line), device, attrs, part
    ('forward', 'gradient', 'optimizer', 'init') and operation (the Operation itself). An edge goes
    from producer to consumer, with: tensor, output_index, input_index, argument, dtype, shape,
    control. Control edges have no tensor. Its key is the input index, or 'control'.

    Operations in the functions of a node (If, While, datasets) are included, named by its box as in
    'loop/body/Mul', which is also its `function`; elsewhere `function` is ''. Edges lead from
    outer tensors straight to where they are used inside, and from a function's outputs to its node
    (key 'result 0' ...). The edge from one iteration to the next is left out: no cycles.

    Shapes are tuples with None for unknown dimensions, or None if the rank is unknown. Raises
    TypeError if `target` is neither a Graph nor fetches.
    """
    graph, fetched = subject(target)
    result = networkx.MultiDiGraph()
    if graph is None:
        return result
    ops = graph.get_operations() if fetched is None else \
        sorted(needed(fetched), key=lambda op: op.id)
    inside = NestedGraphs(ops, parts(graph), dissolve=False)
    ops = inside.ops
    for op in ops:
        result.add_node(inside.name(op), function='/'.join(inside.prefix.get(op, ())),
                        **_node(op, inside.part[op]))
    for op in ops:
        results = 0
        for tensor, index, kind in inside.links(op):
            key = f'result {results}' if index is None else index
            results += index is None
            result.add_edge(
                inside.name(tensor.op), inside.name(op), key=key, kind=kind,
                tensor=tensor.name, control=False, output_index=tensor.value_index,
                input_index=index, argument=_argument(op, index),
                dtype=tensor.dtype.base_dtype.name, shape=tensor.raw_shape)
        for waited in inside.waits(op):
            result.add_edge(inside.name(waited), inside.name(op), key='control', kind='control',
                            control=True, tensor=None, output_index=None, input_index=None,
                            argument=None, dtype=None, shape=None)
    return result


def _argument(op, index):
    return labels.argument(op, index) if index is not None and op.inputs else None


def _node(op, part):
    first = op.outputs[0] if op.outputs else None
    return {
        'type': op.type,
        'dtype': None if first is None else first.dtype.base_dtype.name,
        'shape': None if first is None else first.raw_shape,
        'outputs': [(t.name, t.dtype.base_dtype.name, t.raw_shape) for t in op.outputs],
        'site': str(op.site) if op.site else '',
        'device': op.device,
        'attrs': dict(op.attrs),
        'part': part,
        'operation': op,
    }
