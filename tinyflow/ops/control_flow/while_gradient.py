"""The gradient of While: a While that runs the iterations backwards (see gradient_graph.py)."""
from __future__ import annotations

from tinyflow.gradients.reverse import gradients
from tinyflow.graph import dtypes
from tinyflow.graph.convert import constant, convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.func_graph import FuncGraph, Spec
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.ops.control_flow import tensor_lists
from tinyflow.ops.control_flow.function_nodes import make_while
from tinyflow.ops.control_flow.gradient_graph import (
    GradientGraph,
    dense,
    differentiable,
    gradient_spec,
    zeros_like,
)

# Annotations of a loop's body: what each output depends on, and the accumulators of its tensors;
# and of the backward body: pairs of an accumulator's parameter and what is left of it.
_REACH, _ACCUMULATORS, _STACKS = 'dependencies', 'accumulators', 'stacks'


def while_gradient(op: Operation, *grads):
    """Gradients for the inputs of a While: a loop of as many iterations, in reverse order.

    Its variables are a counter, the number of iterations, the gradients for the forward loop's
    variables, and what it captures.
    """
    body: FuncGraph = op.attrs['body']
    count = len(op.inputs)
    chosen = [i for i in range(2, count) if differentiable(op.inputs[i])]
    chosen = _reached(body, chosen, grads)
    results: list = [None] * count
    if not chosen:
        return results
    initial = [dense(grads[i]) if grads[i] is not None
               else zeros_like(_unchanged(op, body, i)) for i in chosen]
    graph = _body_gradient(op, body, chosen)
    outputs = _run_backward(op, graph, initial, chosen)
    for i, output in zip(chosen, outputs):
        results[i] = output
    return results + [None] * (len(op.inputs) - count)      # for the accumulators added here


def _unchanged(op, body, i):
    """The loop's output, or the input that is the same."""
    return op.inputs[i] if body.outputs[i] is body.inputs[i] else op.outputs[i]


def _reached(body, chosen, grads):
    """The loop variables that a gradient can reach, starting from those that have one."""
    live = {i for i in chosen if grads[i] is not None}
    while True:
        found = {i for i in chosen
                 if i in live or any(_depends(body, j, i) for j in live)}
        if found == live:
            return [i for i in chosen if i in live]
        live = found


def _depends(body, output, parameter):
    """True if the body's output depends on its parameter through differentiable tensors."""
    target = body.inputs[parameter]
    cache = body.annotations.setdefault(_REACH, {})
    key = output, len(body._operations)
    if key not in cache:
        seen: set = set()
        stack = [body.outputs[output]]
        while stack:
            tensor = stack.pop()
            if tensor in seen or not differentiable(tensor):
                continue
            seen.add(tensor)
            stack += tensor.op.inputs
        cache[key] = seen
    return target in cache[key]


def _body_gradient(op, body, chosen):
    """The body of the backward loop, with the gradients for `chosen` as outputs."""
    unchanged = {body.inputs[i]: op.inputs[i] for i in range(len(op.inputs))
                 if body.outputs[i] is body.inputs[i]}
    graph = GradientGraph(body.name + '_grad', body, unchanged, _popped(op, body),
                          get_default_graph())
    with graph.as_default():
        counts = op.outputs[0].dtype.base_dtype
        counter = graph.add_parameter(Spec(counts, ()))
        total = graph.add_parameter(Spec(counts, ()))
        parameters = [graph.add_parameter(gradient_spec(_unchanged(op, body, i)))
                      for i in chosen]
        found = gradients([body.outputs[i] for i in chosen],
                          [body.inputs[i] for i in chosen], parameters)
        outputs = [_zeros_for(graph, body.inputs[i], p) if g is None
                   else graph.capture(convert_to_tensor(g))
                   for i, g, p in zip(chosen, found, parameters)]
        graph.outputs = [counter + 1, total, *outputs]
    return graph


def _zeros_for(graph, parameter, gradient):
    """Zeros like the forward loop's parameter; like the gradient, if that has its shape."""
    if parameter.dtype is dtypes.resource:
        return zeros_like(gradient)
    if gradient.raw_shape != parameter.raw_shape or None in (gradient.raw_shape or [None]):
        if gradient.raw_shape != ():
            gradient = graph.capture(parameter)
    return nodes.ZerosLike(gradient)


def _popped(op, body):
    """The `saved` of the backward body: pops intermediate values from their accumulators."""
    def saved(graph, tensor):
        outer = _accumulator(op, body, tensor)
        stack = FuncGraph.capture(graph, outer)
        with graph.name_scope(None):
            rest, value = nodes.TensorListPopBack(
                stack, tensor_lists.shape_input(tensor.shape),
                element_dtype=tensor.dtype.base_dtype)
        value.raw_shape = tensor.raw_shape
        graph.annotations.setdefault(_STACKS, []).append((stack, rest))
        return value
    return saved


def _accumulator(op, body, tensor):
    """The forward loop's output with the values of `tensor` in all iterations; made if needed."""
    made = body.annotations.setdefault(_ACCUMULATORS, {})
    if tensor not in made:
        made[tensor] = _add_accumulator(op, body, tensor)
    return op.outputs[made[tensor]]


def _add_accumulator(op, body, tensor):
    """Gives the forward loop a list to which each iteration appends the value of `tensor`."""
    graph, dtype, condition = op.graph, tensor.dtype.base_dtype, op.attrs['cond']
    with graph.as_default(), graph.control_dependencies(None):
        empty = nodes.EmptyTensorList(
            tensor_lists.shape_input(tensor.shape), -1, element_dtype=dtype, name='accumulator')
    with condition.as_default():
        condition.add_parameter(Spec(dtypes.variant, ()))
    with body.as_default(), body.control_dependencies(None), body.name_scope(None):
        parameter = body.add_parameter(Spec(dtypes.variant, ()))
        longer = nodes.TensorListPushBack(parameter, tensor)
    body.outputs.append(longer)
    op.inputs += (empty,)
    empty._consumers = [*(empty._consumers or ()), op]
    op.attrs = {**op.attrs, 'T': (*op.attrs['T'], dtypes.variant)}
    op.outputs += (Tensor(op, len(op.outputs), dtypes.variant, ()),)
    op.attrs = {**op.attrs, 'output_shapes': (*op.attrs['output_shapes'], ())}
    return len(op.outputs) - 1


def _run_backward(op, graph, initial, chosen):
    """The backward While node; the gradients for the forward loop's variables `chosen`."""
    popped = dict(graph.annotations.get(_STACKS, ()))
    count = 2 + len(chosen)
    captured = list(graph.captured)
    placeholders = [graph.captured[t] for t in captured]
    graph.inputs[:] = graph.inputs[:count] + placeholders
    graph.outputs = graph.outputs + [popped.get(p, p) for p in placeholders]
    condition = FuncGraph(graph.name + '_cond', get_default_graph())
    with condition.as_default():
        parameters = [condition.add_parameter(Spec(t.dtype, t.raw_shape)) for t in graph.inputs]
        condition.outputs = [nodes.Less(parameters[0], parameters[1])]
        for outer, parameter in zip(captured, parameters[count:]):
            condition.captured[outer] = parameter
            condition._source[parameter] = outer
    total = op.outputs[0]
    counter = constant(0, total.dtype.base_dtype, 'grad_counter')
    outputs = make_while(condition, graph, [counter, total, *initial, *captured],
                         [t.raw_shape for t in graph.inputs], None)
    return [nodes.Identity(t) for t in outputs[2:count]]
