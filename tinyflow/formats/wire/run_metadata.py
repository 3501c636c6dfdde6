"""RunMetadata as the protocol buffer that TensorBoard's graph page reads.

tf.RunMetadata itself is a plain class: runs fill it without loading google.protobuf.
"""
from __future__ import annotations

from tinyflow.formats.protos.config_pb2 import RunMetadata


def to_proto(metadata):
    """The RunMetadata message of a tf.RunMetadata."""
    proto = RunMetadata()
    for device in metadata.step_stats.dev_stats:
        into = proto.step_stats.dev_stats.add(device=device.device)
        for stats in device.node_stats:
            _fill_node(into.node_stats.add(), stats)
    for graph in metadata.partition_graphs:
        proto.partition_graphs.add().MergeFrom(graph)
    return proto


def _fill_node(proto, stats):
    proto.node_name, proto.timeline_label = stats.node_name, stats.timeline_label
    proto.thread_id = stats.thread_id
    proto.all_start_micros = int(stats.all_start_micros)
    proto.scheduled_micros = proto.all_start_micros
    proto.all_start_nanos = proto.scheduled_nanos = proto.all_start_micros * 1000
    for name in ('op_start_rel', 'op_end_rel', 'all_end_rel'):
        micros = getattr(stats, f'{name}_micros')
        setattr(proto, f'{name}_micros', round(micros))
        setattr(proto, f'{name}_nanos', round(micros * 1000))
    # At least 1: a time rounded to 0 would look as if the node had not run.
    proto.all_end_rel_micros = max(proto.all_end_rel_micros, 1)
    if stats.output_bytes:
        proto.memory.add(allocator_name='cpu', total_bytes=int(stats.output_bytes),
                         peak_bytes=int(stats.output_bytes))
