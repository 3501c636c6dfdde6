"""Does running a model leave anything behind that a later run would see?

A session of its own begins with the checkpoint's values and each node's first random numbers. One
that is kept goes on where the last call left it: what draws random numbers, or changes a Variable
that is not reset, would give other results at each call.
"""
from __future__ import annotations

from tinyflow.ops.variables.variable_lists import local_variables

__all__ = ['has_lasting_effects']


def has_lasting_effects(fetches):
    """True if what `fetches` (tensors or operations) need draws at random or changes Variables.

    Changes of local Variables do not count: metrics keep their sums there, and are reset.
    """
    local = {variable.op.name for variable in local_variables()}
    return any(_draws(op) or any(place not in local for place in _changed(op))
               for op in _needed(fetches))


def _needed(fetches):
    waiting = [getattr(fetch, 'op', fetch) for fetch in fetches]
    seen = set(waiting)
    while waiting:
        op = waiting.pop()
        yield op
        for source in [*(tensor.op for tensor in op.inputs), *op.control_inputs]:
            if source not in seen:
                seen.add(source)
                waiting.append(source)


def _draws(op):
    return not op.definition.pure and 'seed2' in op.attrs


def _changed(op):
    """The names of the Variables that the operation writes to."""
    for position in op.writes:
        yield _place(op.inputs[position].op)


def _place(op):
    """The Variable behind a chain of changes, each of which gives on the place it changed."""
    while op.inputs and op.writes:
        op = op.inputs[op.writes[0]].op
    while op.inputs and op.type in ('Identity', 'RefIdentity'):
        op = op.inputs[0].op
    return op.name
