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
    """Gradients for the inputs of an If: None for the condition, then one for each capture."""
    grads = [dense(g) for g in grads]
    branches = [op.attrs['then_branch'], op.attrs['else_branch']]
    requested: list[list[tuple[Tensor, Tensor]]] = [[], []]
    backward = [_branch_gradient(op, branch, grads, requests)
                for branch, requests in zip(branches, requested)]
    _save_intermediates(op, branches, requested)
    _resolve_saved(op, backward, requested)
    return [None, *_gradient_if(op, backward)]


def _branch_gradient(op, branch, grads, requested):
    """The graph of one branch's gradients for its inputs (None where there is none)."""
    outer_inputs = dict(zip(branch.inputs, op.inputs[1:]))

    def saved(graph, tensor):
        placeholder = graph.add_parameter(Spec(tensor.dtype, tensor.raw_shape, tensor.op.name))
        requested.append((tensor, placeholder))
        return placeholder
    graph = GradientGraph(branch.name + '_grad', branch, outer_inputs, saved, get_default_graph())
    with graph.as_default():
        pairs = [(y, g) for y, g in zip(branch.outputs, grads)
                 if g is not None and differentiable(y)]
        found = gradients([y for y, _ in pairs], branch.inputs,
                          [graph.capture(g) for _, g in pairs]) \
            if pairs else [None] * len(branch.inputs)
        graph.structured_outputs = [None if g is None else graph.capture(convert_to_tensor(g))
                                    for g in found]
    return graph


def _save_intermediates(op, branches, requested):
    """Adds outputs to the forward node for the intermediates that the backward branches need."""
    for i, (branch, other) in enumerate((branches, branches[::-1])):
        for tensor, _ in requested[i]:
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
    shape = None                # the other branch returns a FakeParam of another shape
    op.outputs += (Tensor(op, len(op.outputs), dtype, shape),)
    op.attrs = {**op.attrs, 'Tout': (*op.attrs['Tout'], dtype),
                'output_shapes': (*op.attrs['output_shapes'], shape)}


def _resolve_saved(op, backward, requested):
    """Binds the backward branches' placeholders to the forward node's new outputs."""
    for branch, graph, pairs in zip((op.attrs['then_branch'], op.attrs['else_branch']), backward,
                                    requested):
        for tensor, placeholder in pairs:
            outer = op.outputs[branch.outputs.index(tensor)]
            with get_default_graph().as_default():
                graph.captured[outer] = placeholder
                graph._source[placeholder] = outer


def _gradient_if(op, backward):
    """Makes the backward If node; returns one gradient (or None) per forward input."""
    then_grads, else_grads = [graph.structured_outputs for graph in backward]
    indices = [i for i, pair in enumerate(zip(then_grads, else_grads)) if pair != (None, None)]
    results = [None] * len(then_grads)
    if not indices:
        return results
    for graph in backward:
        with graph.as_default():
            graph.outputs = [
                _zeros(graph, op.inputs[i + 1]) if graph.structured_outputs[i] is None
                else graph.structured_outputs[i] for i in indices]
    node = make_if(op.inputs[0], backward, None)
    for i, output in zip(indices, node.outputs):
        results[i] = nodes.Identity(output)
    return results


def _zeros(graph, tensor):
    return zeros_like(graph.capture(tensor))
