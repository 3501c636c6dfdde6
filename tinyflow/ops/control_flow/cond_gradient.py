"""The gradient of If: an If of the gradients of both branches (see gradient_graph.py)."""
from __future__ import annotations

from tinyflow.gradients.reverse import gradients
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.func_graph import Spec
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.ops.control_flow.function_nodes import make_if
from tinyflow.ops.control_flow.gradient_graph import (
    GradientGraph,
    dense,
    differentiable,
    zeros_like,
)


def if_gradient(op: Operation, *grads):
    """Gradients by the inputs of an If: None for the condition, then one for each capture."""
    grads = [dense(g) for g in grads]
    branches = [op.attrs['then_branch'], op.attrs['else_branch']]
    asked: list[list[tuple[Tensor, Tensor]]] = [[], []]
    backward = [_branch_gradient(op, branch, grads, ask) for branch, ask in zip(branches, asked)]
    _save_intermediates(op, branches, asked)
    _resolve_saved(op, backward, asked)
    return [None, *_gradient_if(op, backward)]


def _branch_gradient(op, branch, grads, asked):
    """The graph of one branch's gradients by its inputs (None where there is none)."""
    handed_in = dict(zip(branch.inputs, op.inputs[1:]))

    def saved(graph, tensor):
        placeholder = graph.add_parameter(Spec(tensor.dtype, tensor.raw_shape, tensor.op.name))
        asked.append((tensor, placeholder))
        return placeholder
    graph = GradientGraph(branch.name + '_grad', branch, handed_in, saved, get_default_graph())
    with graph.as_default():
        pairs = [(y, g) for y, g in zip(branch.outputs, grads)
                 if g is not None and differentiable(y)]
        found = gradients([y for y, _ in pairs], branch.inputs,
                          [graph.capture(g) for _, g in pairs]) \
            if pairs else [None] * len(branch.inputs)
        graph.structured_outputs = [None if g is None else graph.capture(convert_to_tensor(g))
                                    for g in found]
    return graph


def _save_intermediates(op, branches, asked):
    """Makes what the backward branches ask for outputs of the forward node."""
    for i, (branch, other) in enumerate((branches, branches[::-1])):
        for tensor, _ in asked[i]:
            if tensor in branch.outputs:
                continue
            branch.outputs.append(tensor)
            with other.as_default():
                other.outputs.append(nodes.FakeParam(
                    dtype=tensor.dtype.base_dtype, shape=tensor.shape))
            _add_output(op, tensor)


def _add_output(op, inner):
    """One more output of an If node, for the tensor `inner` of one branch."""
    dtype = inner.dtype.base_dtype
    shape = None                # the other branch gives a stand-in of another shape
    op.outputs += (Tensor(op, len(op.outputs), dtype, shape),)
    op.attrs = {**op.attrs, 'Tout': (*op.attrs['Tout'], dtype),
                'output_shapes': (*op.attrs['output_shapes'], shape)}


def _resolve_saved(op, backward, asked):
    """Lets the backward branches' placeholders stand for the forward node's new outputs."""
    for branch, graph, pairs in zip((op.attrs['then_branch'], op.attrs['else_branch']), backward,
                                    asked):
        for tensor, placeholder in pairs:
            outer = op.outputs[branch.outputs.index(tensor)]
            with get_default_graph().as_default():
                graph.captured[outer] = placeholder
                graph._source[placeholder] = outer


def _gradient_if(op, backward):
    """The backward If node; its outputs in the places of the inputs that have a gradient."""
    then_grads, else_grads = [graph.structured_outputs for graph in backward]
    wanted = [i for i, pair in enumerate(zip(then_grads, else_grads)) if pair != (None, None)]
    results = [None] * len(then_grads)
    if not wanted:
        return results
    for graph in backward:
        with graph.as_default():
            graph.outputs = [
                _zeros(graph, op.inputs[i + 1]) if graph.structured_outputs[i] is None
                else graph.structured_outputs[i] for i in wanted]
    node = make_if(op.inputs[0], backward, None)
    for i, output in zip(wanted, node.outputs):
        results[i] = nodes.Identity(output)
    return results


def _zeros(graph, tensor):
    return zeros_like(graph.capture(tensor))
