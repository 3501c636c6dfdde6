"""get_summary_description: the description that a TensorSummary node carries."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse


def get_summary_description(node_def):
    """The SummaryDescription in the NodeDef of a TensorSummary. ValueError for another node."""
    from google.protobuf import json_format  # start-up time

    from tinyflow.formats.protos.summary_pb2 import SummaryDescription  # start-up time
    if node_def.op != 'TensorSummary':
        raise misuse(ValueError(f"Can't get_summary_description on {node_def.op}"))
    description = SummaryDescription()
    json_format.Parse(node_def.attr['description'].s.decode(), description)
    return description
