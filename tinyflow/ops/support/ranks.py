"""The rank an op requires, assumed for inputs of unknown shape.

TF1's shape functions infer the output's rank, and often sizes, even then. The number of helper
nodes of a later reduction, and so all later random numbers, depend on that.
"""
from __future__ import annotations

from tinyflow.graph.shapes import Shape


def of_rank(shape: Shape, rank: int) -> tuple[int | None, ...]:
    """`shape`, or one of `rank` unknown sizes where it is unknown. For `Op.partial_rank`."""
    return (None,) * rank if shape is None else shape

