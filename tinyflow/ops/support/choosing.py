"""What gradient rules need of modules that are built on theirs: the ops by their names."""
from __future__ import annotations

from tinyflow.graph.op import Op


def where(condition, x, y):
    """x where the condition holds, else y; all of one shape."""
    return Op.registry['Select'].apply(condition, x, y)


def log(x):
    """The natural logarithm."""
    return Op.registry['Log'].apply(x)


def sign(x):
    """-1, 0 or 1; of a complex number, the number divided by its size."""
    return Op.registry['Sign'].apply(x)


def gather(params, indices):
    """The rows params[indices]."""
    return Op.registry['GatherV2'].apply(params, indices, 0)


def part(x, begin, size):
    """The box of `size` elements along each axis that starts at `begin`."""
    return Op.registry['Slice'].apply(x, begin, size)


def list_difference(x, y):
    """The elements of the vector x that are not in y, in their order."""
    return Op.registry['ListDiff'].apply(x, y)[0]
