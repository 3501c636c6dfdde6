"""Nodes that TF makes where tinyflow needs none."""
from __future__ import annotations

from tinyflow.ops.random import tf1_node_count as node_counts


def count_nodes(graph, nodes):
    """TF would have made so many nodes here, on which the seeds of later random ops depend."""
    with graph.as_default():
        node_counts.add(nodes)
