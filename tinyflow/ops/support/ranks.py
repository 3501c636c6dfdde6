"""Ranks that an op requires, for where an input's own is unknown.

TF1's shape functions tell the rank, and often sizes, of an output even then; how many helper nodes
a later reduction needs, and with them all later random numbers, depend on it.
"""
from __future__ import annotations

from tinyflow.graph.shapes import Shape


def of_rank(shape: Shape, rank: int) -> tuple[int | None, ...]:
    """`shape`, or one of `rank` unknown sizes where it is unknown. For `Op.partial_rank`."""
    return (None,) * rank if shape is None else shape

