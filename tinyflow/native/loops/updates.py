"""Optimizer updates in one walk over memory.

An update's own kernel runs, but what it calls to apply a rule of update_rules.py to whole arrays
is replaced: by a loop for the rule, where there is one, which is found by running the kernel once
on arrays of one element.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from tinyflow.compiler.ir import Instruction
from tinyflow.native.loops.calls import kernel_of
from tinyflow.native.loops.groups import work
from tinyflow.native.loops.kernel import Layout, native_loop
from tinyflow.native.loops.trace import NotTraceable, Traced, Tracer
from tinyflow.ops.updates import base, update_rules

__all__ = ['UPDATES', 'update_kernel']

_TYPES = ('f4', 'f8')
_LEAST = 64                 # elements
UPDATES = frozenset(prefix + name for prefix in ('Apply', 'ResourceApply') for name in (
    'GradientDescent', 'Momentum', 'Adagrad', 'Adadelta', 'Adam', 'RMSProp', 'CenteredRMSProp',
    'Ftrl', 'FtrlV2'))


class _Rules:
    """Applies rules by loops; the counterpart of `base.update`."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.size = int(np.prod(shape))
        self.kernels: dict[Any, Callable[..., Any]] = {}

    def add(self, rule: Callable[..., None], targets: Sequence[np.ndarray], grad: np.ndarray,
            *scalars: Any) -> np.ndarray:
        """Makes the loop for a rule, from arrays and scalars as it will be called with."""
        dtypes = [a.dtype for a in (*targets, grad)]
        numbers = [s for s in scalars if _is_number(s)]
        dtypes += [s.dtype for s in numbers]
        tracer = Tracer()
        nodes = [tracer.input(i, dtype) for i, dtype in enumerate(dtypes)]
        arrays = [Traced(tracer, node, 1 if i <= len(targets) else 0)
                  for i, node in enumerate(nodes)]
        rest = iter(arrays[len(targets) + 1:])
        try:
            rule(update_rules.FRESH, *arrays[:len(targets) + 1],
                 *[next(rest) if _is_number(s) else s for s in scalars])
            results = [a.value() for a in arrays[:len(targets)]]
            kinds = ('full',) * (len(targets) + 1) + ('scalar',) * len(numbers)
            types = (*dtypes, *[a.dtype for a in targets])
            layout = Layout(kinds, tuple(t.str[1:] for t in types), 1, 1)
            native = native_loop(layout, nodes, results)
        except NotTraceable:
            return targets[0]
        self.kernels[_key(rule, scalars)] = kernel_of(
            native, kinds, (self.size,), [a.dtype for a in targets], work(results))
        return targets[0]

    def update(self, rule: Callable[..., None], targets: Sequence[np.ndarray], grad: np.ndarray,
               *scalars: Any) -> np.ndarray:
        """As `base.update`, by the rule's loop if there is one."""
        kernel = self.kernels.get(_key(rule, scalars))
        var = targets[0]
        if kernel is None or grad.shape != var.shape or var.size != self.size \
                or not all(a.flags.c_contiguous for a in targets):
            return base.update(rule, targets, grad, *scalars)
        if np.may_share_memory(grad, var) and grad is not var:
            grad = grad.copy()          # a view of the Variable, in another order perhaps
        flat = [a.reshape(-1) for a in targets]
        kernel(*flat, grad.reshape(-1), *[s for s in scalars if _is_number(s)],
               out=flat[0] if len(flat) == 1 else flat)
        return var


def _is_number(scalar: Any) -> bool:
    return isinstance(scalar, (np.ndarray, np.generic))


def _key(rule: Callable[..., None], scalars: Sequence[Any]) -> Any:
    return rule, tuple(None if _is_number(s) else repr(s) for s in scalars)


def update_kernel(instruction: Instruction) -> Callable[..., Any] | None:
    """The kernel of an optimizer's dense update; None if there is no loop for it."""
    definition, inputs = instruction.definition, instruction.inputs
    var = inputs[0]
    if not var.known_shape or var.dtype.np.str[1:] not in _TYPES \
            or np.prod(var.sizes) < _LEAST:
        return None
    rules = _Rules(var.sizes)
    attrs = {k: instruction.attrs[k] for k in definition.kernel_attrs}
    arguments: list[Any] = [_sample(v) for v in inputs]
    if definition.state is not None:
        arguments.insert(0, iter(lambda: 0, None))      # as in an update that flushes
    with np.errstate(all='ignore'):
        _with_rules(definition.kernel, rules.add)(*arguments, **attrs)
    if not rules.kernels:
        return None
    return partial(_with_rules(definition.kernel, rules.update), **attrs)


def _with_rules(kernel: Callable[..., Any], update: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel with another function in the place of `update`, and of that in `flush`."""
    def changed(function: Any, **names: Any) -> FunctionType:
        return FunctionType(function.__code__, function.__globals__ | names, function.__name__,
                            function.__defaults__, function.__closure__)
    result = changed(kernel, update=update, flush=changed(base.flush, update=update))
    result.__kwdefaults__ = kernel.__kwdefaults__
    return result


def _sample(value: Any) -> np.ndarray:
    """A value of an input: its constant or, in the shape of one element, one half."""
    if value.array is not None and not value.array.ndim:
        return value.array
    return np.full((1,) if value.sizes else (), 0.5, value.dtype.np)
