"""Gradient functions: lookup for a node, and tf.RegisterGradient.

Normally the gradient function is part of the op's declaration. `RegisterGradient` adds one for an
op type that has none, or under a separate name that `Graph.gradient_override_map` assigns to single
nodes.
"""
from __future__ import annotations

from collections.abc import Callable

from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.operation import Operation
from tinyflow.graph.support.errors import misuse, report

_registered: dict[str, Callable | None] = {}


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
        register(self._op_type, f)
        return f


def NotDifferentiable(op_type):         # noqa: N802 (TF's name)
    """Declares that an op type is not differentiable: gradients stop there without an error."""
    if not isinstance(op_type, str):
        raise misuse(TypeError('op_type must be a string'))
    register(op_type, None)


NoGradient = no_gradient = NotDifferentiable


def register(name, rule):
    """Enters a gradient function, None for no gradient. KeyError if the name has one."""
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


__all__ = ['NoGradient', 'NotDifferentiable', 'RegisterGradient', 'get_gradient_function',
           'no_gradient', 'no_gradient_error', 'register', 'rule_of']
