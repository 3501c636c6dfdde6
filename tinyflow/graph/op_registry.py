"""The op registry (type -> declaration), and `nodes`, which creates nodes of any registered type.

    nodes.Select(condition, x, y)           # Select.apply(condition, x, y)

The gradient of an op uses other ops, often from a module that imports the op's own. `nodes` refers
to them by type, as TensorFlow does, which avoids import cycles.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from tinyflow.graph.support.errors import misuse, report
from tinyflow.graph.support.keywords import close_matches

if TYPE_CHECKING:
    from tinyflow.graph.op import Op

registry: dict[str, type[Op]] = {}      # filled when a subclass of Op is declared


class _Nodes:
    """`nodes.MatMul` is `MatMul.apply`: `nodes.MatMul(a, b)` creates a MatMul node."""

    def __getattr__(self, op_type):
        if op_type in registry:
            return registry[op_type].apply
        raise _unknown(op_type)

    def __dir__(self):
        return list(registry)


nodes = _Nodes()


def _unknown(op_type):
    near = close_matches(op_type, registry, 3)
    return misuse(AttributeError(report(
        f'No op of type {op_type!r} is declared, or its module has not been imported.',
        hint=f'similar types: {", ".join(near)}.' if near else None)))
