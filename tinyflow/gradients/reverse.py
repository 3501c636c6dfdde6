"""tf.gradients: reverse-mode automatic differentiation. Adds nodes to the graph, computes nothing.

Each op's declaration has the gradient function, from dy to dx. This module does the rest: find the
nodes between xs and ys, visit them in the right order, add up the gradients of a tensor that has
several consumers, and sum over the axes that an elementwise op has broadcast. Nodes are created
after their inputs, so the order of creation is a topological order, and its reverse visits every
consumer before its producer: there is no recursion, and no counting of pending consumers.
"""
from __future__ import annotations

import enum
import operator
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from tinyflow.gradients.diagnose import why_no_gradient
from tinyflow.gradients.reduce_broadcast import sum_like
from tinyflow.gradients.registry import no_gradient_error, rule_of
from tinyflow.gradients.sums import total
from tinyflow.graph import dtypes, eager_mode
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from tinyflow.graph.op import NOT_DIFFERENTIABLE, nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.shapes import known, merge, size, text
from tinyflow.graph.support.errors import misuse, report
from tinyflow.graph.support.gc_pause import collector_paused
from tinyflow.graph.variable_refs import dtype_behind, shape_behind

_DIFFERENTIABLE = dtypes.INEXACT | {dtypes.resource, dtypes.variant}    # these have gradients
_KEEP_SLICES = frozenset({'Identity', 'ReadVariableOp'})    # pass an IndexedSlices on as it is


Gradient = Tensor | IndexedSlices
Colocated = Callable[[Operation], AbstractContextManager]     # a scope for nodes of an operation
_id = operator.attrgetter('id')


class AggregationMethod:
    """How gradients of a tensor with several consumers are added; tinyflow always uses AddN."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(enum.Enum):
    """What gradients() returns for an x that ys do not depend on: None, or zeros."""

    NONE = 'none'
    ZERO = 'zero'


def gradients(ys: Any, xs: Any, grad_ys: Any = None, name: str = 'gradients',
              colocate_gradients_with_ops: bool = False, gate_gradients: bool = False,
              aggregation_method: int | None = None, stop_gradients: Any = None,
              unconnected_gradients: Any = UnconnectedGradients.NONE) -> list:
    """The derivatives of sum(ys) with respect to each of xs, as new nodes: sum_y dy/dx.

    `grad_ys` are the initial gradients of ys (ones if None). Tensors in `stop_gradients` are
    treated as constants. The result for an x that no y depends on is None (or zeros, depending on
    `unconnected_gradients`). `colocate_gradients_with_ops` places the nodes for the gradient of an
    operation on its device. `gate_gradients` and `aggregation_method` have no effect.

    Shapes: ys [*any], xs [*s] -> a list: for each x a tensor [*s], an IndexedSlices or None.

    Raises LookupError for an op on a path that has no gradient, TypeError for complex ys without
    grad_ys, ValueError for lists of unequal length.
    """
    if aggregation_method not in (None, 0, 1, 2):
        raise misuse(ValueError(f'Invalid aggregation_method specified {aggregation_method}.'))
    unconnected = _unconnected(unconnected_gradients)
    eager_mode.refuse('tf.gradients is not supported', 'Use tf.GradientTape instead.')
    ys, xs = _as_list(ys), _as_list(xs)
    stops = [] if stop_gradients is None else _as_list(stop_gradients)
    grad_ys = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    with name_scope(name, 'gradients', [*ys, *xs, *stops, *grad_ys]):
        ys = [_target(y, 'y', i) for i, y in enumerate(ys)]
        xs = [_target(x, 'x', i) for i, x in enumerate(xs)]
        stops = [_target(t, 'stop_gradients', i) for i, t in enumerate(stops)]
        # Tensor -> its gradients so far (a list); their sum, once its consumers are done.
        grads_of: dict = {}
        colocated = get_default_graph().colocate_with if colocate_gradients_with_ops \
            else nullcontext
        for y, grad_y in zip(ys, _initial_gradients(ys, grad_ys, colocated)):
            _add(grads_of, y, grad_y)
        with collector_paused():
            _backpropagate_outwards(grads_of, ys, xs, {t.op for t in stops}, colocated)
    results = [grads_of.get(x) for x in xs]
    if unconnected is UnconnectedGradients.ZERO:
        results = [_zeros_like(x) if g is None else g for g, x in zip(results, xs)]
    return results


def _zeros_like(x: Tensor) -> Tensor:
    if x.dtype is dtypes.resource:              # of the Variable's value, not of the handle
        x = nodes.ReadVariableOp(x, dtype=dtype_behind(x))
    return nodes.ZerosLike(x)


def _unconnected(value: Any) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise misuse(ValueError(f'Unknown value for unconnected_gradients: {value!r}')) from None


def _as_list(value: Any) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _target(value: Any, label: str, index: int) -> Tensor:
    """Converts `value` to a tensor; a Variable becomes a reference to it, not one of its reads."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, IndexedSlices):
        return value.values
    if hasattr(value, 'handle'):                # a resource variable; as a y it is read
        return convert_to_tensor(value) if label == 'y' else value.handle
    element = value._as_graph_element() if hasattr(value, '_as_graph_element') else None
    if isinstance(element, Tensor):
        return element
    return convert_to_tensor(value, name=f'{label}_{index}', as_ref=True)


# ---- initial gradients -----------------------------------------------------------------------

def _initial_gradients(ys: list[Tensor], grad_ys: list, colocated: Colocated) -> list[Gradient]:
    """The initial gradient of each y: the caller's, or ones."""
    if len(grad_ys) != len(ys):
        raise misuse(ValueError(f'Passed {len(grad_ys)} grad_ys for {len(ys)} ys'))
    initial = []
    for i, (y, grad_y) in enumerate(zip(ys, grad_ys)):
        with colocated(y.op):
            initial.append(_ones(y, i) if grad_y is None else _given(y, grad_y, i))
    return initial


def _ones(y: Tensor, index: int) -> Tensor:
    dtype = y.dtype.base_dtype
    if dtype.is_complex:
        raise misuse(TypeError(report(
            f'Gradients of complex tensors must set grad_ys (y.dtype = {dtype!r})',
            inputs=[('y', y)], hint='differentiate tf.math.real(y), or give grad_ys.')))
    if not (dtype.is_floating or dtype.is_integer):
        raise misuse(TypeError(report(
            f"Tensor '{y.name}' with type {dtype.name} must be numeric to obtain a default "
            'gradient', inputs=[('y', y)])))
    if known(y.raw_shape):
        shape = convert_to_tensor(np.array(y.raw_shape, np.int32), name='Shape')
    else:
        shape = nodes.Shape(y)
    return nodes.Fill(shape, convert_to_tensor(1, dtype, f'grad_ys_{index}'))


def _given(y: Tensor, grad_y: Any, index: int) -> Gradient:
    grad_y = convert_to_tensor_or_indexed_slices(grad_y, name=f'grad_y_{index}')
    have, want = grad_y.dtype.base_dtype, y.dtype.base_dtype
    if have is want is dtypes.variant:          # lists of tensors, inside loops
        return grad_y
    if (have.is_complex if not want.is_complex else not have.is_complex) or \
            not (have.is_floating or have.is_integer or have.is_complex):
        kind = 'complex-valued' if want.is_complex else 'real or integer-valued'
        raise misuse(TypeError(report(
            f"Gradient type {have.name} generated for {kind} tensor '{y.name}' with type "
            f'{want.name} does not fit', inputs=[('y', y), ('grad_ys', grad_y)])))
    if isinstance(grad_y, IndexedSlices):
        return grad_y
    return nodes.Identity(grad_y, name=f'grad_ys_{index}')


# ---- backpropagation -------------------------------------------------------------------------

def _backpropagate(grads_of: dict, ys: list[Tensor], xs: list[Tensor],
                   stopped: set[Operation], colocated: Colocated) -> None:
    """Fills the map tensor -> gradient (or list of gradients still to be added), from ys to xs."""
    wanted = set(xs)
    on_path = _between(ys, wanted, stopped)
    shape_sources: dict = {}
    graph = get_default_graph()
    outer = graph._name_stack
    for operation in _backwards(on_path, ys, wanted):
        with colocated(operation):
            grads = [_total_of(tensor, grads_of, wanted) for tensor in operation.outputs]
            if operation not in on_path or grads.count(None) == len(grads):
                continue
            try:
                name = operation.name.removeprefix(operation.graph.scope)
                graph._name_stack = graph.unique_name(name + '_grad')
                _differentiate(operation, grads, grads_of, on_path, wanted, shape_sources)
            finally:
                graph._name_stack = outer


def _total_of(tensor: Tensor, grads_of: dict, wanted: set[Tensor]) -> Gradient | None:
    """The sum of a tensor's gradients, which stay in `grads_of` only if it is wanted."""
    parts = grads_of.get(tensor)
    if type(parts) is list:
        parts = total(parts)
        if tensor in wanted:
            grads_of[tensor] = parts
        else:
            del grads_of[tensor]
    return parts


def _between(ys: list[Tensor], wanted: set[Tensor], stopped: set[Operation]) -> set[Operation]:
    """The operations on differentiable paths from xs to ys."""
    if not wanted:
        return set()
    oldest = min(x.op.id for x in wanted)       # nodes older than every x depend on none of them
    ancestors = {y.op for y in ys}
    stack = list(ancestors)
    while stack:
        for tensor in stack.pop().inputs:
            producer = tensor.op
            if producer not in ancestors and producer.id >= oldest:
                ancestors.add(producer)
                stack.append(producer)
    on_path: set[Operation] = set()
    for operation in sorted(ancestors, key=_id):
        if operation in stopped or rule_of(operation) is NOT_DIFFERENTIABLE:
            continue
        for tensor in operation.inputs:
            if (tensor in wanted or tensor.op in on_path) \
                    and tensor.dtype.base_dtype in _DIFFERENTIABLE:
                on_path.add(operation)
                break
    return on_path


def _backwards(on_path: set[Operation], ys: list[Tensor], wanted: set[Tensor]) -> list[Operation]:
    """The operations in reverse order of creation; those of ys and xs only add up gradients."""
    return sorted({*on_path, *(y.op for y in ys), *(x.op for x in wanted)}, key=_id, reverse=True)


def _differentiate(operation: Operation, grads: list, grads_of: dict, on_path: set[Operation],
                   wanted: set[Tensor], shape_sources: dict) -> None:
    """Calls the gradient function of one operation; adds the results to its inputs' gradients."""
    rule = rule_of(operation)
    if rule is None:
        raise no_gradient_error(operation)
    definition = operation.definition
    if rule is not definition.gradient:     # a registered function: it expects zeros, not None
        grads = _with_zeros(operation, grads)
    if operation.type not in _KEEP_SLICES:
        grads = [convert_to_tensor(g) if isinstance(g, IndexedSlices) else g for g in grads]
    results = rule(operation, *grads)
    inputs = operation.inputs
    if not isinstance(results, (list, tuple)):
        results = (results,)
    if len(results) != len(inputs):
        raise misuse(ValueError(f'Num gradients {len(results)} generated for op '
                                f"{operation.type} '{operation.name}' do not match num inputs "
                                f'{len(inputs)}'))
    broadcast = definition.elementwise and len(inputs) > 1
    for i, (tensor, grad) in enumerate(zip(inputs, results)):
        if grad is None or not (tensor in wanted or tensor.op in on_path):
            continue
        if tensor.dtype.base_dtype not in _DIFFERENTIABLE:
            continue
        if broadcast and type(grad) is Tensor:
            grad = sum_like(grad, operation, i, shape_sources)
        _check(operation, i, tensor, grad)
        _add(grads_of, tensor, grad)


def _add(grads_of: dict, tensor: Tensor, grad: Gradient) -> None:
    parts = grads_of.get(tensor)
    if parts is None:
        grads_of[tensor] = [grad]
    else:
        parts.append(grad)


def _check(operation: Operation, index: int, tensor: Tensor, grad: Gradient) -> None:
    """Checks that a gradient has the dtype and shape of its input; refines its static shape."""
    if tensor.dtype is dtypes.resource:
        return              # dtype and shape are those of the variable, not of the handle
    if grad.dtype.base_dtype is not tensor.dtype.base_dtype:
        raise misuse(TypeError(report(
            f"The gradient of {operation.type} '{operation.name}' for its input {index} is "
            f'{grad.dtype.name}, but that input is {tensor.dtype.base_dtype.name}.', op=operation,
            inputs=[('input', tensor)])))
    if type(grad) is not Tensor or grad.raw_shape == tensor.raw_shape:
        return
    try:
        grad.raw_shape = merge(grad.raw_shape, tensor.raw_shape)
    except ValueError:
        raise misuse(ValueError(report(
            'Incompatible shapes between op input and calculated input gradient. Forward '
            f"operation: {operation.type} '{operation.name}'. Input index: {index}. Original input "
            f'shape: {text(tensor.raw_shape)}. Calculated input gradient shape: '
            f'{text(grad.raw_shape)}', op=operation, inputs=[('input', tensor)]))) from None


def _with_zeros(operation: Operation, grads: list) -> list:
    """Replaces None, of unused outputs, by zeros, as users' gradient functions expect."""
    return [nodes.ZerosLike(t) if g is None and t.dtype.base_dtype in _DIFFERENTIABLE else g
            for g, t in zip(grads, operation.outputs)]


# ---- functions inside functions --------------------------------------------------------------

def _backpropagate_outwards(grads_of: dict, ys: list[Tensor], xs: list[Tensor],
                            stopped: set[Operation], colocated: Colocated) -> None:
    """Backpropagates through the default graph and, if it is a function's, the enclosing graphs.

    The gradient of a captured parameter is added to that of the tensor that was captured.
    """
    graphs = [get_default_graph()]
    while graphs[-1].outer_graph is not None:
        graphs.append(graphs[-1].outer_graph)
    if not any(x.op.graph in graphs[1:] for x in xs):
        _backpropagate(grads_of, ys, xs, stopped, colocated)
        return
    cut_off: set = set()
    for graph in graphs:
        captured = getattr(graph, 'captured', {})
        entries = [(outer, inner) for outer, inner in captured.items()
                   if _reaches(outer, set(xs), cut_off)]
        here = [t for t in grads_of if t.op.graph is graph]
        targets = [x for x in xs if x.op.graph is graph] + [t for _, t in entries]
        _backpropagate(grads_of, here, targets, stopped, colocated)
        for outer, inner in entries:
            if inner in grads_of:
                _add(grads_of, outer, grads_of[inner])


def _reaches(tensor: Tensor, xs: set[Tensor], cut_off: set[Tensor]) -> bool:
    """True if `tensor` is or depends on one of xs; `cut_off` caches tensors that do not."""
    seen, stack = set(), [tensor]
    while stack:
        t = stack.pop()
        if t in xs:
            return True
        if t in seen or t in cut_off:
            continue
        seen.add(t)
        source = getattr(t.op.graph, 'source_of', lambda _: None)(t)
        stack += t.op.inputs if source is None else [source]
    cut_off |= seen
    return False


# ---- second derivatives ----------------------------------------------------------------------

def hessians(ys: Any, xs: Any, name: str = 'hessians', colocate_gradients_with_ops: bool = False,
             gate_gradients: bool = False, aggregation_method: int | None = None) -> list[Tensor]:
    """The Hessians (second derivatives) of sum(ys), one for each of xs.

    Adds one gradient for every element of x, so xs must be small and of known shape.

    Shapes: ys [*any], xs [*s] -> a list with a tensor [*s, *s] for each x.

    Raises ValueError if the shape of an x is unknown, or no y depends on it.
    """
    settings = {'colocate_gradients_with_ops': colocate_gradients_with_ops,
                'gate_gradients': gate_gradients, 'aggregation_method': aggregation_method}
    return [_hessian(ys, _target(x, 'x', i), settings) for i, x in enumerate(_as_list(xs))]


def _hessian(ys: Any, x: Tensor, settings: dict[str, Any]) -> Tensor:
    shape = shape_behind(x) if x.dtype is dtypes.resource else x.raw_shape
    if not known(shape):
        raise misuse(ValueError(report(
            f"hessians: the static shape of '{x.name}' is {text(shape)}, and every element "
            'needs a separate gradient.', inputs=[('x', x)],
            hint='x.set_shape([...]) if you know it; tf.gradients of (tf.gradients(y, x)[0] * v) '
                 'is the product of the Hessian and v for any shape.')))
    dx, = gradients(ys, x, **settings)
    if dx is None:
        raise misuse(ValueError(report(why_no_gradient(ys, x), inputs=[('x', x)])))
    flat = nodes.Reshape(dx, [size(shape)])
    rows = [gradients(element, x, unconnected_gradients=UnconnectedGradients.ZERO, **settings)[0]
            for element in nodes.Unpack(flat, num=size(shape), axis=0)]
    return nodes.Reshape(nodes.Pack(rows), [*shape, *shape])


__all__ = ['AggregationMethod', 'UnconnectedGradients', 'gradients', 'hessians']
