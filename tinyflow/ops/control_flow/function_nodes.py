"""If and While nodes from FuncGraphs: what tf.cond, tf.while_loop and their gradients share."""
from __future__ import annotations

import itertools

from tinyflow.graph import shapes
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Tensor


def make_if(condition, branches, name):
    """The If node that runs the first of two FuncGraphs if `condition` is true, else the other."""
    captured = match_inputs(branches)
    shape_list = [shapes.common(one.raw_shape, other.raw_shape)
                  for one, other in zip(branches[0].outputs, branches[1].outputs)]
    waits = list(dict.fromkeys(itertools.chain(*[g.control_captures for g in branches])))
    make = nodes.If if any(has_state(graph) for graph in branches) else nodes.StatelessIf
    with get_default_graph().control_dependencies(waits):
        made = make(
            condition, captured, then_branch=branches[0], else_branch=branches[1],
            Tout=tuple([t.dtype.base_dtype for t in branches[0].outputs]),
            output_shapes=tuple(shape_list), _writes=written_positions(branches, captured, 1),
            name=name)
    return made[0].op if isinstance(made, list) else made


def make_while(condition, body, initial, output_shapes, name, parallel_iterations=10):
    """The While node's outputs, for two FuncGraphs with `initial` as the loop variables."""
    waits = [*condition.control_captures, *body.control_captures]
    with get_default_graph().control_dependencies(list(dict.fromkeys(waits))):
        return nodes.While(
            list(initial), cond=condition, body=body, output_shapes=tuple(output_shapes),
            parallel_iterations=parallel_iterations, _num_original_outputs=len(initial),
            _writes=written_positions([condition, body], initial, 0), name=name)


def match_inputs(graphs):
    """Gives all of `graphs` the same captures, in the same order; the tensors captured."""
    captured = list(dict.fromkeys(itertools.chain(*[g.captured for g in graphs])))
    for graph in graphs:
        with graph.as_default():
            placeholders = [graph.capture(t) for t in captured]
        others = [t for t in graph.inputs if t not in set(placeholders)]
        graph.inputs[:] = others + placeholders
    return captured


def has_state(graph):
    """True if a function has state or side effects: Variables, random numbers, printing."""
    return any(not op.definition.pure and op.type not in ('Placeholder', 'While')
               or op.writes or op.definition.functions and _inner_state(op)
               for op in graph.get_operations())


def _inner_state(operation):
    return any(has_state(graph) for graph in functions_of(operation))


def functions_of(operation):
    """The FuncGraphs that an operation runs."""
    found = []
    for name in operation.definition.functions:
        value = operation.attrs[name]
        found += value if isinstance(value, (list, tuple)) else [value]
    return found


def written_positions(graphs, captured, start):
    """Positions (from `start` on) of the captured refs that one of `graphs` assigns to."""
    written_refs = set()
    for graph in graphs:
        for operation in graph.get_operations():
            for i in operation.writes:
                tensor = operation.inputs[i]
                while tensor.op.inputs:
                    inner = tensor.op.writes
                    tensor = tensor.op.inputs[inner[0] if inner else 0]
                written_refs.add(graph.source_of(tensor))
    return tuple([i for i, t in enumerate(captured, start) if t in written_refs])


def describe_value(value):
    """Text of a value in a message: dtype and shape of a tensor, else its repr."""
    return f'{value.dtype.name} {value.shape_text}' if isinstance(value, Tensor) else repr(value)
