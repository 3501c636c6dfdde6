"""Counts nodes that TF 1.15 creates and tinyflow does not: default seeds depend on the count."""
from __future__ import annotations

from tinyflow.ops.random import tf1_node_count as node_counts


def count_nodes(graph, nodes):
    """Adds the number of nodes that TF 1.15 would have made here."""
    with graph.as_default():
        node_counts.add(nodes)
