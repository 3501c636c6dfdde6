"""The gradient rule of each op type: the source of the function that makes its gradient."""
from __future__ import annotations

import inspect
from collections.abc import Iterable

from tinyflow.gradients.registry import rule_of
from tinyflow.graph.op import NOT_DIFFERENTIABLE
from tinyflow.graph.operation import Operation

_LONGEST = 60               # lines


def rules(operations: Iterable[Operation]) -> dict[str, dict[str, str]]:
    """{op type: its rule}, for the types of these operations that have inputs and an output."""
    found: dict[str, dict[str, str]] = {}
    for op in operations:
        if op.type not in found and op.inputs and op.outputs:
            found[op.type] = _rule(op)
    return found


def _rule(op):
    rule = rule_of(op)
    if rule is NOT_DIFFERENTIABLE:
        return {'none': 'gradients stop here: its result does not change smoothly with its inputs'}
    if rule is None:
        return {'none': 'has no gradient: tf.gradients through it raises an error'}
    text = inspect.getdoc(rule) or ''
    found = {'text': text} if text else {}
    try:
        lines = inspect.cleandoc('\n' + inspect.getsource(rule)).splitlines()
    except (OSError, TypeError):                # made at run time
        return found or {'text': getattr(rule, '__name__', 'a function without a source')}
    if len(lines) > _LONGEST:
        lines = [*lines[:_LONGEST], '…']
    return {**found, 'source': '\n'.join(lines)}


__all__ = ['rules']
