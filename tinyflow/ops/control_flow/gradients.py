"""Gradients through cond and while_loop: graphs that run the branch, or the iterations, backwards.

What the backward graph needs of the forward one is made an output of it: of a cond, as further
outputs of the If node; of a loop, as lists to which each iteration appends (an accumulator), read
from the end by the backward loop. Nothing is computed twice. The backward nodes are If and While
again, so second derivatives need nothing else. This is how TF 1.15 does it under
enable_control_flow_v2(), after Yu et al., "Dynamic control flow in large-scale machine learning",
2018, section 5.
"""
from __future__ import annotations

from tinyflow.gradients.reverse import gradients
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.dtypes import INEXACT
from tinyflow.graph.func_graph import FuncGraph, Spec
from tinyflow.graph.op import Op
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.variable_refs import dtype_behind, shape_behind
from tinyflow.ops.array import constants, identity_and_cast as identities
from tinyflow.ops.control_flow import tensor_lists as lists
from tinyflow.ops.control_flow.cond import If, StatelessIf, make_if
from tinyflow.ops.control_flow.while_loop import While, make_while
from tinyflow.ops.math import logic
from tinyflow.ops.variables.resource_variable_ops import read

_CARRIERS = INEXACT | {dtypes.variant}


class _GradientGraph(FuncGraph):
    """A function that also uses tensors of the forward function `forward`.

    Constants are made again, and parameters that nothing changes stand for what was handed in
    (`handed_in`: parameter -> tensor around the forward function); of anything else the value is
    asked for by `saved(tensor)`, which gives the tensor here that will have it.
    """

    def __init__(self, name, forward, handed_in, saved, outer_graph):
        super().__init__(name, outer_graph)
        self.forward = forward
        self._handed_in = handed_in
        self._saved = saved
        self._copies: dict[Tensor, Tensor] = {}

    def takes_from(self, graph):
        return graph is self.forward or super().takes_from(graph)

    def capture(self, tensor):
        if tensor.op.graph is not self.forward:
            return super().capture(tensor)
        copy = self._copies.get(tensor)
        if copy is None:
            copy = self._copies[tensor] = self._copy(tensor)
        return copy

    def _copy(self, tensor):
        if tensor.op.type == 'Const':
            with self.name_scope(None):
                return Op.registry['Const'].make((), dict(tensor.op.attrs),
                                                 tensor.op.name).outputs[0]
        if tensor in self._handed_in:
            return super().capture(self._handed_in[tensor])
        return self._saved(self, tensor)


def _dense(gradient):
    return None if gradient is None else convert_to_tensor(gradient)


def _differentiable(tensor):
    if tensor.dtype is dtypes.resource:
        return dtype_behind(tensor) in INEXACT
    return tensor.dtype.base_dtype in _CARRIERS


def _gradient_spec(tensor):
    """Dtype and shape of a gradient by `tensor`: a handle's is that of the variable."""
    if tensor.dtype is dtypes.resource:
        return Spec(dtype_behind(tensor), shape_behind(tensor))
    return Spec(tensor.dtype, tensor.raw_shape)


def _zeros_like(tensor):
    if tensor.dtype is dtypes.resource:
        tensor = read(tensor)
    return Op.registry['ZerosLike'].apply(tensor)


# ---- cond ------------------------------------------------------------------------------------

def if_gradient(op: Operation, *grads):
    """Gradients by the inputs of an If: None for the condition, then one for each capture."""
    grads = [_dense(g) for g in grads]
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
    graph = _GradientGraph(branch.name + '_grad', branch, handed_in, saved, get_default_graph())
    with graph.as_default():
        pairs = [(y, g) for y, g in zip(branch.outputs, grads)
                 if g is not None and _differentiable(y)]
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
                other.outputs.append(Op.registry['FakeParam'].apply(
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
        results[i] = identities.identity(output)
    return results


def _zeros(graph, tensor):
    return _zeros_like(graph.capture(tensor))


# ---- while_loop ------------------------------------------------------------------------------

def while_gradient(op: Operation, *grads):
    """Gradients by the inputs of a While: a loop of as many iterations, from the last to the first.

    Its variables are a counter, the number of iterations, the gradients by the forward loop's
    variables, and what it captures.
    """
    body: FuncGraph = op.attrs['body']
    count = len(op.inputs)
    chosen = [i for i in range(2, count) if _differentiable(op.inputs[i])]
    chosen = _reached(body, chosen, grads)
    results: list = [None] * count
    if not chosen:
        return results
    initial = [_dense(grads[i]) if grads[i] is not None
               else _zeros_like(_unchanged(op, body, i)) for i in chosen]
    graph = _body_gradient(op, body, chosen)
    outputs = _run_backward(op, graph, initial, chosen)
    for i, output in zip(chosen, outputs):
        results[i] = output
    return results + [None] * (len(op.inputs) - count)      # accumulators that this has added


def _unchanged(op, body, i):
    """The loop's output, or the input that is the same."""
    return op.inputs[i] if body.outputs[i] is body.inputs[i] else op.outputs[i]


def _reached(body, chosen, grads):
    """The loop variables that a gradient can reach, from those that have one, to and fro."""
    live = {i for i in chosen if grads[i] is not None}
    while True:
        found = {i for i in chosen
                 if i in live or any(_depends(body, j, i) for j in live)}
        if found == live:
            return [i for i in chosen if i in live]
        live = found


def _depends(body, output, parameter):
    """True if the body's output depends on its parameter by tensors that can carry a gradient."""
    wanted = body.inputs[parameter]
    cache = body.__dict__.setdefault('_reach', {})
    key = output, len(body._operations)
    if key not in cache:
        seen: set = set()
        stack = [body.outputs[output]]
        while stack:
            tensor = stack.pop()
            if tensor in seen or not _differentiable(tensor):
                continue
            seen.add(tensor)
            stack += tensor.op.inputs
        cache[key] = seen
    return wanted in cache[key]


def _body_gradient(op, body, chosen):
    """The body of the backward loop, with the gradients by `chosen` as outputs."""
    unchanged = {body.inputs[i]: op.inputs[i] for i in range(len(op.inputs))
                 if body.outputs[i] is body.inputs[i]}
    graph = _GradientGraph(body.name + '_grad', body, unchanged, _popped(op, body),
                           get_default_graph())
    graph.stacks = []                       # (accumulator's parameter, what is left of it)
    with graph.as_default():
        counts = op.outputs[0].dtype.base_dtype
        counter = graph.add_parameter(Spec(counts, ()))
        total = graph.add_parameter(Spec(counts, ()))
        parameters = [graph.add_parameter(_gradient_spec(_unchanged(op, body, i)))
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
        return _zeros_like(gradient)
    if gradient.raw_shape != parameter.raw_shape or None in (gradient.raw_shape or [None]):
        if gradient.raw_shape != ():
            gradient = graph.capture(parameter)
    return Op.registry['ZerosLike'].apply(gradient)


def _popped(op, body):
    """How the backward body gets an intermediate value: from the end of its accumulator."""
    def saved(graph, tensor):
        outer = _accumulator(op, body, tensor)
        stack = FuncGraph.capture(graph, outer)
        with graph.name_scope(None):
            rest, value = Op.registry['TensorListPopBack'].apply(
                stack, lists.shape_input(tensor.shape), element_dtype=tensor.dtype.base_dtype)
        value.raw_shape = tensor.raw_shape
        graph.stacks.append((stack, rest))
        return value
    return saved


def _accumulator(op, body, tensor):
    """The forward loop's output with the values of `tensor` in all iterations; made if need be."""
    made = body.__dict__.setdefault('_accumulators', {})
    if tensor not in made:
        made[tensor] = _add_accumulator(op, body, tensor)
    return op.outputs[made[tensor]]


def _add_accumulator(op, body, tensor):
    """Gives the forward loop a list to which each iteration appends the value of `tensor`."""
    graph, dtype, condition = op.graph, tensor.dtype.base_dtype, op.attrs['cond']
    with graph.as_default(), graph.control_dependencies(None):
        empty = Op.registry['EmptyTensorList'].apply(
            lists.shape_input(tensor.shape), -1, element_dtype=dtype, name='accumulator')
    with condition.as_default():
        condition.add_parameter(Spec(dtypes.variant, ()))
    with body.as_default(), body.control_dependencies(None), body.name_scope(None):
        parameter = body.add_parameter(Spec(dtypes.variant, ()))
        longer = Op.registry['TensorListPushBack'].apply(parameter, tensor)
    body.outputs.append(longer)
    op.inputs += (empty,)
    empty._consumers = [*(empty._consumers or ()), op]
    op.attrs = {**op.attrs, 'T': (*op.attrs['T'], dtypes.variant)}
    op.outputs += (Tensor(op, len(op.outputs), dtypes.variant, ()),)
    op.attrs = {**op.attrs, 'output_shapes': (*op.attrs['output_shapes'], ())}
    return len(op.outputs) - 1


def _run_backward(op, graph, initial, chosen):
    """The backward While node; the gradients by the forward loop's variables `chosen`."""
    popped = dict(graph.stacks)
    count = 2 + len(chosen)
    captured = list(graph.captured)
    placeholders = [graph.captured[t] for t in captured]
    graph.inputs[:] = graph.inputs[:count] + placeholders
    graph.outputs = graph.outputs + [popped.get(p, p) for p in placeholders]
    condition = FuncGraph(graph.name + '_cond', get_default_graph())
    with condition.as_default():
        parameters = [condition.add_parameter(Spec(t.dtype, t.raw_shape)) for t in graph.inputs]
        condition.outputs = [logic.less(parameters[0], parameters[1])]
        for outer, parameter in zip(captured, parameters[count:]):
            condition.captured[outer] = parameter
            condition._source[parameter] = outer
    total = op.outputs[0]
    counter = constants.constant(0, total.dtype.base_dtype, name='grad_counter')
    outputs = make_while(condition, graph, [counter, total, *initial, *captured],
                         [t.raw_shape for t in graph.inputs], None)
    return [identities.identity(t) for t in outputs[2:count]]


for _definition in (If, StatelessIf):
    _definition.gradient = staticmethod(if_gradient)
While.gradient = staticmethod(while_gradient)

__all__ = ['if_gradient', 'while_gradient']
