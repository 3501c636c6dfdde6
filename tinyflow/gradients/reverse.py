"""gradients: reverse mode. A graph goes in, a larger graph comes out, and nothing is computed.

Each op's declaration says how dy becomes dx. Here is what is left: which nodes lie between xs and
ys, in which order to visit them, what to do where a tensor has several consumers (add) and where an
elementwise op has broadcast an input (sum). Nodes are made after their inputs, so the order of
creation is a topological order, and going through it backwards visits every consumer before its
producer: no recursion, no counting of what is pending.
"""
from __future__ import annotations

import enum
import operator
from typing import Any

import numpy as np

from tinyflow.gradients.diagnose import why_no_gradient
from tinyflow.gradients.reduce_broadcast import sum_like
from tinyflow.gradients.registry import no_gradient_error, rule_of
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from tinyflow.graph.op import NOT_DIFFERENTIABLE, nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.shapes import known, merge, size, text
from tinyflow.graph.support.errors import report, worded
from tinyflow.graph.support.gc_pause import collector_paused
from tinyflow.graph.variable_refs import shape_behind

_CARRIERS = dtypes.INEXACT | {dtypes.resource, dtypes.variant}      # dtypes that have gradients
_PASS_SLICES = frozenset({'Identity', 'ReadVariableOp'})     # they hand on an IndexedSlices


Gradient = Tensor | IndexedSlices
_id = operator.attrgetter('id')


class AggregationMethod:
    """How gradients of a tensor with several consumers are added up; all are one AddN here."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(enum.Enum):
    """What gradients() gives for an x that ys do not depend on: None, or zeros."""

    NONE = 'none'
    ZERO = 'zero'


def gradients(ys: Any, xs: Any, grad_ys: Any = None, name: str = 'gradients',
              colocate_gradients_with_ops: bool = False, gate_gradients: bool = False,
              aggregation_method: int | None = None, stop_gradients: Any = None,
              unconnected_gradients: Any = UnconnectedGradients.NONE) -> list:
    """The derivatives of sum(ys) with respect to each of xs, as new nodes: sum_y dy/dx.

    `grad_ys` are weights of ys (ones where None). Tensors in `stop_gradients` count as constants.
    An x that no y depends on gives None (or zeros, by `unconnected_gradients`).

    Shapes: ys [*any], xs [*s] -> a list: for each x a tensor [*s], an IndexedSlices or None.

    Raises LookupError for an op on the way that has no gradient, TypeError for complex ys without
    grad_ys, ValueError for lists of unequal length.
    """
    if aggregation_method not in (None, 0, 1, 2):
        raise worded(ValueError(f'Invalid aggregation_method specified {aggregation_method}.'))
    unconnected = _unconnected(unconnected_gradients)
    ys, xs, stops = _as_list(ys), _as_list(xs), _as_list(stop_gradients)
    grad_ys = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    with name_scope(name, 'gradients', [*ys, *xs, *stops, *grad_ys]):
        ys = [_target(y, 'y', i) for i, y in enumerate(ys)]
        xs = [_target(x, 'x', i) for i, x in enumerate(xs)]
        stops = [_target(t, 'stop_gradients', i) for i, t in enumerate(stops)]
        found: dict = {}
        for y, grad_y in zip(ys, _start(ys, grad_ys)):
            _add(found, y, grad_y)
        with collector_paused():
            _sweep_outwards(found, ys, xs, {t.op for t in stops})
    results = [found.get(x) for x in xs]
    if unconnected is UnconnectedGradients.ZERO:
        results = [nodes.ZerosLike(x) if g is None else g for g, x in zip(results, xs)]
    return results


def _unconnected(value: Any) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise worded(ValueError(f'Unknown value for unconnected_gradients: {value!r}')) from None


def _as_list(value: Any) -> list:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _target(value: Any, label: str, index: int) -> Tensor:
    """The tensor that `value` stands for; a Variable stands for its place, not for one reading."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, IndexedSlices):
        return value.values
    if hasattr(value, 'handle'):                # a resource variable: a y is one reading of it
        return convert_to_tensor(value) if label == 'y' else value.handle
    element = value._as_graph_element() if hasattr(value, '_as_graph_element') else None
    if isinstance(element, Tensor):
        return element
    return convert_to_tensor(value, name=f'{label}_{index}', as_ref=True)


# ---- where the sweep begins ------------------------------------------------------------------

def _start(ys: list[Tensor], grad_ys: list) -> list[Gradient]:
    """The gradient that each y begins with: ones, or what the caller gave."""
    if len(grad_ys) != len(ys):
        raise worded(ValueError(f'Passed {len(grad_ys)} grad_ys for {len(ys)} ys'))
    return [_ones(y, i) if grad_y is None else _given(y, grad_y, i)
            for i, (y, grad_y) in enumerate(zip(ys, grad_ys))]


def _ones(y: Tensor, index: int) -> Tensor:
    dtype = y.dtype.base_dtype
    if dtype.is_complex:
        raise worded(TypeError(report(
            f'Gradients of complex tensors must set grad_ys (y.dtype = {dtype!r})',
            inputs=[('y', y)], mend='differentiate tf.math.real(y), or give grad_ys.')))
    if not (dtype.is_floating or dtype.is_integer):
        raise worded(TypeError(report(
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
        raise worded(TypeError(report(
            f"Gradient type {have.name} generated for {kind} tensor '{y.name}' with type "
            f'{want.name} does not fit', inputs=[('y', y), ('grad_ys', grad_y)])))
    if isinstance(grad_y, IndexedSlices):
        return grad_y
    return nodes.Identity(grad_y, name=f'grad_ys_{index}')


# ---- the sweep -------------------------------------------------------------------------------

def _sweep_outwards(found: dict, ys: list[Tensor], xs: list[Tensor],
                    stopped: set[Operation]) -> None:
    """Sweeps the default graph and, if it is a function, the graphs around it that xs stand in.

    The gradient by a parameter is one by the tensor around the function that it stands for.
    """
    graphs = [get_default_graph()]
    while graphs[-1].outer_graph is not None:
        graphs.append(graphs[-1].outer_graph)
    if not any(x.op.graph in graphs[1:] for x in xs):
        _sweep(found, ys, xs, stopped)
        return
    cut_off: set = set()
    for graph in graphs:
        captured = getattr(graph, 'captured', {})
        entries = [(outer, inner) for outer, inner in captured.items()
                   if _reaches(outer, set(xs), cut_off)]
        here = [t for t in found if t.op.graph is graph]
        _sweep(found, here, [x for x in xs if x.op.graph is graph] + [t for _, t in entries],
               stopped)
        for outer, inner in entries:
            if inner in found:
                _add(found, outer, found[inner])


def _reaches(tensor: Tensor, xs: set[Tensor], cut_off: set[Tensor]) -> bool:
    """True if `tensor` is or depends on one of xs; `cut_off` collects those that do not."""
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


def _sweep(found: dict, ys: list[Tensor], xs: list[Tensor], stopped: set[Operation]) -> None:
    """Fills `found` (tensor -> gradient, or list of gradients still to be added) up to xs."""
    wanted = set(xs)
    live = _between(ys, wanted, stopped)
    sources: dict = {}
    graph = get_default_graph()
    outer = graph._name_stack
    for operation in _backwards(live, ys, wanted):
        grads = []
        for tensor in operation.outputs:
            parts = found.get(tensor)
            if type(parts) is list:
                parts = _total(parts)
                if tensor in wanted:
                    found[tensor] = parts
                else:
                    del found[tensor]
            grads.append(parts)
        if operation not in live or grads.count(None) == len(grads):
            continue
        try:
            graph._name_stack = graph.unique_name(operation.name + '_grad')
            _differentiate(operation, grads, found, live, wanted, sources)
        finally:
            graph._name_stack = outer


def _between(ys: list[Tensor], wanted: set[Tensor], stopped: set[Operation]) -> set[Operation]:
    """The operations through which some y depends on some x, in a way that carries gradients."""
    if not wanted:
        return set()
    oldest = min(x.op.id for x in wanted)       # what is older than every x depends on none
    above = {y.op for y in ys}
    stack = list(above)
    while stack:
        for tensor in stack.pop().inputs:
            producer = tensor.op
            if producer not in above and producer.id >= oldest:
                above.add(producer)
                stack.append(producer)
    live: set[Operation] = set()
    for operation in sorted(above, key=_id):
        if operation in stopped or rule_of(operation) is NOT_DIFFERENTIABLE:
            continue
        for tensor in operation.inputs:
            if (tensor in wanted or tensor.op in live) and tensor.dtype.base_dtype in _CARRIERS:
                live.add(operation)
                break
    return live


def _backwards(live: set[Operation], ys: list[Tensor], wanted: set[Tensor]) -> list[Operation]:
    """The sweep's order; with the ops of ys and xs, whose gradients are merely added up."""
    return sorted({*live, *(y.op for y in ys), *(x.op for x in wanted)}, key=_id, reverse=True)


def _differentiate(operation: Operation, grads: list, found: dict, live: set[Operation],
                   wanted: set[Tensor], sources: dict) -> None:
    """Adds what one operation contributes to the gradients of its inputs."""
    rule = rule_of(operation)
    if rule is None:
        raise no_gradient_error(operation)
    definition = operation.definition
    if rule is not definition.gradient:
        grads = _with_zeros(operation, grads)
    if operation.type not in _PASS_SLICES:
        grads = [convert_to_tensor(g) if isinstance(g, IndexedSlices) else g for g in grads]
    results = rule(operation, *grads)
    inputs = operation.inputs
    if not isinstance(results, (list, tuple)):
        results = (results,)
    if len(results) != len(inputs):
        raise worded(ValueError(f'Num gradients {len(results)} generated for op '
                                f"{operation.type} '{operation.name}' do not match num inputs "
                                f'{len(inputs)}'))
    broadcast = definition.elementwise and len(inputs) > 1
    for i, (tensor, grad) in enumerate(zip(inputs, results)):
        if grad is None or not (tensor in wanted or tensor.op in live):
            continue
        if tensor.dtype.base_dtype not in _CARRIERS:
            continue
        if broadcast and type(grad) is Tensor:
            grad = sum_like(grad, operation, i, sources)
        _check(operation, i, tensor, grad)
        _add(found, tensor, grad)


def _add(found: dict, tensor: Tensor, grad: Gradient) -> None:
    parts = found.get(tensor)
    if parts is None:
        found[tensor] = [grad]
    else:
        parts.append(grad)


def _total(parts: list[Gradient]) -> Gradient:
    """The sum of gradients that reach one tensor; rows stay rows if all of them are."""
    if len(parts) == 1:
        return parts[0]
    slices = [p for p in parts if isinstance(p, IndexedSlices)]
    if len(slices) < len(parts):
        return nodes.AddN([convert_to_tensor(p) for p in parts])
    values = nodes.ConcatV2([p.values for p in slices], 0, name='concat')
    indices = nodes.ConcatV2(_alike([p.indices for p in slices]), 0, name='concat')
    return IndexedSlices(values, indices, slices[0].dense_shape)


def _alike(indices: list[Tensor]) -> list[Tensor]:
    """Row numbers of one dtype: int64 where they are of both."""
    if len({t.dtype for t in indices}) == 1:
        return indices
    return [t if t.dtype is dtypes.int64 else nodes.Cast(t, DstT=dtypes.int64)
            for t in indices]


def _check(operation: Operation, index: int, tensor: Tensor, grad: Gradient) -> None:
    """A gradient has its input's dtype and shape; what is known of the shape is passed on."""
    if tensor.dtype is dtypes.resource:
        return              # what has a dtype and a shape is the variable behind the handle
    if grad.dtype.base_dtype is not tensor.dtype.base_dtype:
        raise worded(TypeError(report(
            f"The gradient of {operation.type} '{operation.name}' by its input {index} is "
            f'{grad.dtype.name}, but that input is {tensor.dtype.base_dtype.name}.', op=operation,
            inputs=[('input', tensor)])))
    if type(grad) is not Tensor or grad.raw_shape == tensor.raw_shape:
        return
    try:
        grad.raw_shape = merge(grad.raw_shape, tensor.raw_shape)
    except ValueError:
        raise worded(ValueError(report(
            'Incompatible shapes between op input and calculated input gradient. Forward '
            f"operation: {operation.type} '{operation.name}'. Input index: {index}. Original input "
            f'shape: {text(tensor.raw_shape)}. Calculated input gradient shape: '
            f'{text(grad.raw_shape)}', op=operation, inputs=[('input', tensor)]))) from None


def _with_zeros(operation: Operation, grads: list) -> list:
    """Zeros for unused outputs, as gradient functions registered by users expect."""
    return [nodes.ZerosLike(t) if g is None and t.dtype.base_dtype in _CARRIERS else g
            for g, t in zip(grads, operation.outputs)]


# ---- second derivatives ----------------------------------------------------------------------

def hessians(ys: Any, xs: Any, name: str = 'hessians', colocate_gradients_with_ops: bool = False,
             gate_gradients: bool = False, aggregation_method: int | None = None) -> list[Tensor]:
    """The matrices of second derivatives of sum(ys), one for each of xs.

    One gradient is built for every element of x, so this is for small xs of known shape.

    Shapes: ys [*any], xs [*s] -> a list with a tensor [*s, *s] for each x.

    Raises ValueError if an x has no known shape, or no y depends on it.
    """
    settings = {'colocate_gradients_with_ops': colocate_gradients_with_ops,
                'gate_gradients': gate_gradients, 'aggregation_method': aggregation_method}
    return [_hessian(ys, _target(x, 'x', i), settings) for i, x in enumerate(_as_list(xs))]


def _hessian(ys: Any, x: Tensor, settings: dict[str, Any]) -> Tensor:
    shape = shape_behind(x) if x.dtype is dtypes.resource else x.raw_shape
    if not known(shape):
        raise worded(ValueError(report(
            f"hessians: the static shape of '{x.name}' is {text(shape)}, and every element "
            'needs a gradient of its own.', inputs=[('x', x)],
            mend='x.set_shape([...]) if you know it; tf.gradients of (tf.gradients(y, x)[0] * v) '
                 'is the product of the Hessian and v for any shape.')))
    dx, = gradients(ys, x, **settings)
    if dx is None:
        raise worded(ValueError(report(why_no_gradient(ys, x), inputs=[('x', x)])))
    flat = nodes.Reshape(dx, [size(shape)])
    rows = [gradients(element, x, unconnected_gradients=UnconnectedGradients.ZERO, **settings)[0]
            for element in nodes.Unpack(flat, num=size(shape), axis=0)]
    return nodes.Reshape(nodes.Pack(rows), [*shape, *shape])


__all__ = ['AggregationMethod', 'UnconnectedGradients', 'gradients', 'hessians']
