"""Stages 1 to 3, from the graph to a Program: prune, schedule and lower."""
from __future__ import annotations

from collections.abc import Sequence

from tinyflow.compiler.ir import Program
from tinyflow.compiler.lower import lower
from tinyflow.compiler.prune import prune
from tinyflow.compiler.schedule import schedule
from tinyflow.graph.operation import Operation, Tensor


def graph_to_program(fetches: Sequence[Tensor | Operation], feeds: Sequence[Tensor]) -> Program:
    """The Program that computes `fetches` (Tensors and Operations) from `feeds` (Tensors)."""
    fed = frozenset(feeds)
    return lower(schedule(prune(fetches, feeds), fed), feeds, fetches)
