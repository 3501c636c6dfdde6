"""why_no_gradient: finds the node that blocks the gradient between ys and x.

gradients() only returns None, as TF1 does; optimizers include this explanation in their error.
"""
from __future__ import annotations

from tinyflow.gradients.registry import rule_of
from tinyflow.graph import dtypes
from tinyflow.graph.op import NOT_DIFFERENTIABLE
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.variable_refs import storage_dtype

_CARRIERS = dtypes.INEXACT | {dtypes.resource, dtypes.variant}
_COMPARISONS = frozenset({'Equal', 'NotEqual', 'Greater', 'GreaterEqual', 'Less', 'LessEqual'})
_STEPS = frozenset({'Floor', 'Ceil', 'Round', 'Rint', 'Sign', 'FloorDiv'})


def why_no_gradient(ys, x) -> str:
    """Explains in one or two sentences why the gradient of `ys` with respect to `x` is None.

    Names the op nearest to ys that blocks a path from x to ys, and the user's line that created it.
    If nothing blocks the path, the gradient exists, and the text says so.
    """
    ys = [_tensor(y) for y in (ys if isinstance(ys, (list, tuple)) else [ys])]
    x = _tensor(x)
    if x.op.type in ('VariableV2', 'VarHandleOp') and storage_dtype(x.op) not in _CARRIERS:
        return (f"'{x.name}' is {storage_dtype(x.op).name}, and {_of_integers(x)}\n  Hint: "
                'tf.Variable(3.0), not tf.Variable(3), makes a Variable that can be trained.')
    names = ' and '.join(f"'{y.name}'" for y in ys[:3]) or 'nothing'
    above = _ancestors(ys)
    if x.op not in above:
        return (f"{names} {'do' if len(ys) > 1 else 'does'} not depend on '{x.name}' at all: no "
                'path of nodes leads from it.')
    for y in ys:
        if y.dtype.base_dtype not in _CARRIERS and (y is x or _leads(y.op, x, above)):
            return f"'{y.name}' is {y.dtype.base_dtype.name}, and {_of_integers(y)}"
    cut = _nearest_cut(ys, x, above)
    if cut is None:
        return f"'{x.name}' has a gradient of {names}: no op blocks the path."
    return cut


def _tensor(value):
    if isinstance(value, Tensor):
        return value
    return value.handle if hasattr(value, 'handle') else value._as_graph_element()


def _ancestors(ys):
    above = {y.op for y in ys}
    stack = list(above)
    while stack:
        for tensor in stack.pop().inputs:
            if tensor.op not in above:
                above.add(tensor.op)
                stack.append(tensor.op)
    return above


def _below(x, above):
    """The operations among `above` that use x, directly or through others."""
    below = set()
    for operation in sorted(above, key=lambda op: op.id):
        if any(t is x or t.op in below for t in operation.inputs):
            below.add(operation)
    return below


def _leads(operation, x, above):
    return operation in _below(x, above)


def _nearest_cut(ys, x, above):
    """A sentence about the op nearest to ys, on a path to x, that blocks the gradient."""
    below = _below(x, above)
    reached = {y.op for y in ys if y.dtype.base_dtype in _CARRIERS}
    for operation in sorted(below, key=lambda op: op.id, reverse=True):
        if operation not in reached:
            continue
        if rule_of(operation) is NOT_DIFFERENTIABLE:
            return _sentence(operation)
        for tensor in operation.inputs:
            if tensor is not x and tensor.op not in below:
                continue
            if tensor.dtype.base_dtype in _CARRIERS:
                reached.add(tensor.op)
            elif tensor is x:
                return f"'{x.name}' is {x.dtype.base_dtype.name}, and {_of_integers(x)}"
    for operation in sorted(below, key=lambda op: op.id, reverse=True):
        if operation in reached:
            for tensor in operation.inputs:
                if tensor.op in below and tensor.dtype.base_dtype not in _CARRIERS:
                    return _sentence(tensor.op)
    return None


def _of_integers(tensor):
    return ('only floating-point tensors have gradients: integers and booleans do not change '
            f"continuously. It was created at {tensor.op.site}." if tensor.op.site else
            'only floating-point tensors have gradients.')


def _sentence(operation: Operation) -> str:
    built = f', built at {operation.site}' if operation.site else ''
    swapped_note = _swapped(operation)
    if swapped_note:
        return f'labels and logits look swapped: {swapped_note}{built}: labels get no gradient.'
    return f"{operation.type} '{operation.name}'{built} has no gradient{_hint(operation)}"


def _swapped(operation):
    """Labels and logits of a softmax cross entropy, if only the labels depend on Variables.

    `operation` is the node that stops the gradient of the labels.
    """
    scope, _, name = operation.name.rpartition('/')
    loss = operation.graph._by_name.get(scope)
    if name != 'labels_stop_gradient' or loss is None or \
            loss.type != 'SoftmaxCrossEntropyWithLogits':
        return None
    (_, logits), (_, labels) = loss.definition.labelled_inputs(loss)
    if any(op.type in ('VariableV2', 'VarHandleOp') for op in _ancestors([logits])):
        return None
    return f"labels='{labels.name}', logits='{logits.name}'"


def _hint(operation):
    """A guess at what the program intended."""
    kind = operation.type
    source = f"'{operation.inputs[0].name}'" if operation.inputs else 'its input'
    if kind in ('ArgMax', 'ArgMin'):
        return (f'; did you mean the logits? Compute the loss from {source} itself, e.g. '
                'tf.nn.sparse_softmax_cross_entropy_with_logits.')
    if kind == 'StopGradient':
        return ' on purpose: the result of tf.stop_gradient is treated as a constant.'
    if kind == 'Cast':
        return (f': it converts {source} to {operation.outputs[0].dtype.name}, and '
                'only floating-point tensors have gradients.')
    if kind in ('InTopK', 'InTopKV2') or kind in _COMPARISONS and any(
            op.type in ('ArgMax', 'ArgMin') for op in _ancestors(operation.inputs)):
        return (': it counts correct predictions, and an accuracy is piecewise constant, so its '
                'gradient is zero.\n  Hint: minimize a cross-entropy loss of the logits, such as '
                'tf.nn.softmax_cross_entropy_with_logits; accuracy is only a metric.')
    if kind in _COMPARISONS:
        return f': a comparison is piecewise constant; use {source} itself.'
    if kind in _STEPS:
        return (f': it is piecewise constant, so its gradient is zero; use {source} in the loss '
                'instead.')
    if kind in ('PyFunc', 'PyFuncStateless'):
        return ': Python code is opaque; tf.custom_gradient can define its gradient.'
    return '.'


__all__ = ['why_no_gradient']
