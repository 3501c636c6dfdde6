"""Monotonicity checks: is_non_decreasing, is_strictly_increasing."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import shape_ops, shaping, slicing
from tinyflow.ops.checks import type_checks
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.math import logic, reduction

__all__ = ['is_non_decreasing', 'is_strictly_increasing']


def is_non_decreasing(x, name=None):
    """True if no element is less than the one before it, in row-major order. Shapes: [*a] -> []."""
    with name_scope(name, 'is_non_decreasing', [x]):
        difference = _differences(x)
        zero = convert_to_tensor(0, difference.dtype)
        return reduction.reduce_all(logic.less_equal(zero, difference))


def is_strictly_increasing(x, name=None):
    """True if each element exceeds the one before it, in row-major order. Shapes: [*a] -> []."""
    with name_scope(name, 'is_strictly_increasing', [x]):
        difference = _differences(x)
        zero = convert_to_tensor(0, difference.dtype)
        return reduction.reduce_all(logic.less(zero, difference))


def _differences(x):
    """x[i + 1] - x[i] for all i of the flattened x; empty for fewer than two elements."""
    x = shaping.reshape(x, [-1])
    if not type_checks.is_numeric_tensor(x):
        raise misuse(TypeError(report(f'Expected x to be numeric, instead found: {x}',
                                      inputs=[('x', x)])))
    short = logic.less(shape_ops.size(x), 2)
    length = shape_ops.shape(x) - 1

    def difference():
        return (slicing.strided_slice(x, [1], [1] + length)
                - slicing.strided_slice(x, [0], length))
    return cond(short, lambda: convert_to_tensor([], x.dtype), difference)
