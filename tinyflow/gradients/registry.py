"""Gradient functions: lookup for a node, tf.RegisterGradient and tf.custom_gradient.

Normally the gradient function is part of the op's declaration. `RegisterGradient` adds one for an
op type that has none, or under a separate name that `Graph.gradient_override_map` assigns to single
nodes; `custom_gradient` replaces the gradient of a whole subgraph.
"""
from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

from tinyflow.graph import eager_mode
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op, nodes
from tinyflow.graph.operation import Operation
from tinyflow.graph.support.errors import misuse, report

_registered: dict[str, Callable | None] = {}
_numbers = itertools.count()


def rule_of(operation):
    """A node's gradient function: its override, a registered one, or that of the declaration."""
    name = operation._gradient_override
    if name is None:
        if operation.type in _registered:
            rule = _registered[operation.type]
            return NOT_DIFFERENTIABLE if rule is None else rule
        return operation.definition.gradient
    if name in _registered:
        rule = _registered[name]
        return NOT_DIFFERENTIABLE if rule is None else rule
    definition = Op.registry.get(name)
    return None if definition is None else definition.gradient


def no_gradient_error(operation):
    """The LookupError for a node without a gradient function."""
    override = operation._gradient_override
    what = f"No gradient defined for operation '{operation.name}' (op type: {operation.type})"
    hint = (f"@tf.RegisterGradient('{operation.type}') registers one; tf.stop_gradient(...) around "
            'it blocks the gradient.')
    if override:
        what += f": gradient_override_map requests '{override}', which is not registered"
        hint = f"@tf.RegisterGradient('{override}') before tf.gradients or minimize is called."
    labels = [('input', t) for t in operation.inputs[:4]]
    return misuse(LookupError(report(what, op=operation, inputs=labels, hint=hint)))


class RegisterGradient:
    """Decorator that registers ``f(op, *grads) -> input gradients`` for an op type.

    The name may also be one that only `Graph.gradient_override_map` refers to. Raises KeyError if
    the name already has a gradient.
    """

    def __init__(self, op_type):
        if not isinstance(op_type, str):
            raise misuse(TypeError('op_type must be a string'))
        self._op_type = op_type

    def __call__(self, f):
        _register(self._op_type, f)
        return f


def NotDifferentiable(op_type):         # noqa: N802 (TF's name)
    """Declares that an op type is not differentiable: gradients stop there without an error."""
    if not isinstance(op_type, str):
        raise misuse(TypeError('op_type must be a string'))
    _register(op_type, None)


NoGradient = no_gradient = NotDifferentiable


def _register(name, rule):
    declared = Op.registry.get(name)
    if name in _registered or declared is not None and declared.gradient is not None:
        raise misuse(KeyError(f"Registering two gradient with name '{name}'! It has one already; "
                              'Graph.gradient_override_map gives single nodes another.'))
    _registered[name] = rule


def get_gradient_function(op: Operation):
    """A node's gradient function, None if not differentiable. LookupError if it has none."""
    rule = rule_of(op)
    if rule is None:
        raise no_gradient_error(op)
    return None if rule is NOT_DIFFERENTIABLE else rule


def custom_gradient(f):
    """Decorator for `f(*xs)` that returns (y, grad): grad(*dys) computes the gradients of xs.

    Shapes: xs [*each], y a Tensor or list of them; grad takes a dy for every y and returns a dx, of
    the shape of its x, for every x (a single one need not be in a list).

    While ops run at once f may read Variables, if grad takes them as `variables`; it then returns
    (dxs, gradients of the variables).
    """
    @functools.wraps(f)
    def with_own_gradient(*args, **kwargs):
        if eager_mode.executing_eagerly():
            return eager_mode.call_with_own_gradient(f, args, kwargs)
        if kwargs:
            raise misuse(ValueError('custom_gradient: call the function with positional arguments; '
                                    f'got the keywords {sorted(kwargs)}.'))
        inputs = [convert_to_tensor(x) for x in args]
        result, grad = f(*inputs)
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        count = len(results)

        def rule(op, *dys):
            dxs = grad(*dys[:count])
            dxs = list(dxs) if isinstance(dxs, (list, tuple)) else [dxs]
            return [None] * count + dxs

        name = f'CustomGradient-{next(_numbers)}'
        _register(name, rule)
        # The Identity serves no purpose here; TF1 makes it, and node names count it.
        results = [convert_to_tensor(y) for y in results]
        for y in results:
            nodes.Identity(y)
        # One node has results and inputs as outputs: its gradient bypasses the nodes that f built.
        with get_default_graph().gradient_override_map({'IdentityN': name}):
            outputs = nodes.IdentityN(results + inputs)[:count]
        return type(result)(outputs) if isinstance(result, (list, tuple)) else outputs[0]

    return with_own_gradient


__all__ = ['NoGradient', 'NotDifferentiable', 'RegisterGradient', 'custom_gradient',
           'get_gradient_function', 'no_gradient', 'no_gradient_error', 'rule_of']
