"""Detects side effects: does running a model change anything that a later run would see?

A new session starts with the checkpoint's values and the first random numbers of each node. A
reused session continues in the state that the last call left: a graph that draws random numbers,
or changes a Variable that is not reset, would give different results in each call.
"""
from __future__ import annotations

from tinyflow.ops.variables.variable_lists import local_variables

__all__ = ['has_side_effects']


def has_side_effects(fetches):
    """True if running `fetches` (tensors or operations) draws random numbers or changes Variables.

    Changes of local Variables do not count: they hold the sums of metrics, which are reset.
    """
    local = {variable.op.name for variable in local_variables()}
    return any(_is_random(op) or any(name not in local for name in _written_variables(op))
               for op in _ancestors(fetches))


def _ancestors(fetches):
    waiting = [getattr(fetch, 'op', fetch) for fetch in fetches]
    seen = set(waiting)
    while waiting:
        op = waiting.pop()
        yield op
        for source in [*(tensor.op for tensor in op.inputs), *op.control_inputs]:
            if source not in seen:
                seen.add(source)
                waiting.append(source)


def _is_random(op):
    return not op.definition.pure and 'seed2' in op.attrs


def _written_variables(op):
    """The names of the Variables that the operation writes to."""
    for position in op.writes:
        yield _variable_name(op.inputs[position].op)


def _variable_name(op):
    """The Variable behind a chain of assignments, each of which returns its reference."""
    while op.inputs and op.writes:
        op = op.inputs[op.writes[0]].op
    while op.inputs and op.type in ('Identity', 'RefIdentity'):
        op = op.inputs[0].op
    return op.name
