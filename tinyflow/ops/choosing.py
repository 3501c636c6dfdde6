"""Select and GatherV2 for gradient rules, which name ops that other modules declare."""
from __future__ import annotations

from tinyflow.graph.op import Op


def where(condition, x, y):
    """x where the condition holds, else y; all of one shape."""
    return Op.registry['Select'].apply(condition, x, y)


def gather(params, indices):
    """The rows params[indices]."""
    return Op.registry['GatherV2'].apply(params, indices, 0)


def list_difference(x, y):
    """The elements of the vector x that are not in y, in their order."""
    return Op.registry['ListDiff'].apply(x, y)[0]
