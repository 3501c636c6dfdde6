"""Every declared op by its type, and `nodes`, through which rules make nodes of any type.

    nodes.Select(condition, x, y)           # Select.apply(condition, x, y)

The gradient of one op is made of others, often of a family whose module imports this one's. With
`nodes` it names their types, as TensorFlow does, and imports none of their modules.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from tinyflow.graph.support.errors import report, worded

if TYPE_CHECKING:
    from tinyflow.graph.op import Op

registry: dict[str, type[Op]] = {}      # filled by Op, where a subclass is declared


class _Nodes:
    """`nodes.MatMul(a, b)` makes a MatMul node: the `apply` of the op of that type."""

    def __getattr__(self, op_type):
        if op_type in registry:
            return registry[op_type].apply
        raise _unknown(op_type)

    def __dir__(self):
        return list(registry)


nodes = _Nodes()


def _unknown(op_type):
    from difflib import get_close_matches  # only an error message needs it
    near = get_close_matches(op_type, registry, 3)
    return worded(AttributeError(report(
        f'No op of type {op_type!r} is declared, or its module has not been imported.',
        mend=f'similar types: {", ".join(near)}.' if near else None)))
