"""Which operations reach files: a server that strangers can reach refuses them.

The list is that of SECURITY.md. It is looked up in every graph that arrives, functions included.
"""
from __future__ import annotations

from tinyflow.formats.protos.graph_pb2 import GraphDef
from tinyflow.graph.support.errors import PermissionDeniedError, report

__all__ = ['FILE_OPERATIONS', 'check']

FILE_OPERATIONS = frozenset((
    'ReadFile', 'WriteFile', 'MatchingFiles', 'WholeFileReader', 'WholeFileReaderV2',
    'TextLineReader', 'TextLineReaderV2', 'TFRecordReader', 'TFRecordReaderV2',
    'FixedLengthRecordReader', 'FixedLengthRecordReaderV2', 'TextLineDataset', 'TFRecordDataset',
    'FixedLengthRecordDataset', 'FixedLengthRecordDatasetV2', 'CSVDataset',
    'ExperimentalCSVDataset', 'CacheDataset', 'DatasetToTFRecord', 'MatchingFilesDataset',
    'InitializeTableFromTextFile', 'InitializeTableFromTextFileV2', 'Restore', 'RestoreSlice',
    'RestoreV2', 'Save', 'SaveSlices', 'SaveV2', 'MergeV2Checkpoints', 'CreateSummaryFileWriter',
    'PrintV2', 'FixedUnigramCandidateSampler'))


def check(graph_def: bytes, task: str) -> None:
    """PermissionDeniedError if a graph would read or write files on `task`."""
    proto = GraphDef.FromString(graph_def)
    nodes = [*proto.node, *(n for f in proto.library.function for n in f.node_def)]
    found = next((node for node in nodes if node.op in FILE_OPERATIONS), None)
    if found is not None:
        raise PermissionDeniedError(None, None, report(
            f"{task} does not run {found.op} '{found.name}', which reaches files: everyone on the "
            'network could ask for it',
            hint='the same TINYFLOW_CLUSTER_KEY in the environment of all tasks; or put the '
                 'operation on the task of the session.'))
