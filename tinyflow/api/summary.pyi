# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from tinyflow.api.contrib.summary import all_summary_ops as all_v2_summary_ops, initialize
from tinyflow.ops.summary.media_summaries import audio, image
from tinyflow.ops.summary.summaries import (
    histogram, merge, merge_all, scalar, tensor_summary, text,
)
from tinyflow.train.summary.descriptions import get_summary_description
from tinyflow.train.summary.writer import FileWriter, FileWriterCache
from typing import Any
Event: Any
SessionLog: Any
Summary: Any
SummaryDescription: Any
TaggedRunMetadata: Any

__all__ = [
    'Event', 'FileWriter', 'FileWriterCache', 'SessionLog', 'Summary', 'SummaryDescription',
    'TaggedRunMetadata', 'all_v2_summary_ops', 'audio', 'get_summary_description', 'histogram',
    'image', 'initialize', 'merge', 'merge_all', 'scalar', 'tensor_summary', 'text',
]
