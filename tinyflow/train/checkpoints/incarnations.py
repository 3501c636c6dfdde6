"""Which tasks of a cluster hold a session's Variables, and since when."""
from __future__ import annotations

from tinyflow.graph.keys import GraphKeys

__all__ = ['begins_again', 'incarnations', 'updates_are_ordered']


def incarnations(session):
    """{device: incarnation} of the tasks that hold Variables; empty for one process."""
    if not session.sess_str:
        return {}
    used = {v.device for v in session.graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            if hasattr(v, 'device')}
    wanted = {_task(device) for device in used}
    return {device.name: device.incarnation for device in session.list_devices()
            if _task(device.name) in wanted}


def _task(device):
    """('ps', '0') of a device's name."""
    parts = dict(part.partition(':')[::2] for part in device.split('/') if part)
    return parts.get('job'), parts.get('task', '0')


def updates_are_ordered(graph):
    """True if a SyncReplicasOptimizer brings the gradients of all workers together."""
    return any(op.attrs.get('shared_name') == _TOKENS for op in _queues_and_accumulators(graph))


def begins_again(graph):
    """The names of nodes whose states a SyncReplicasOptimizer fills when training begins."""
    found = list(_queues_and_accumulators(graph))
    if not any(op.attrs.get('shared_name') == _TOKENS for op in found):
        return []
    return [op.name for op in found
            if op.attrs['shared_name'].endswith((_TOKENS, 'dummy_queue', '/grad_accum'))]


def _queues_and_accumulators(graph):
    return (op for op in graph.get_operations() if op.type in _TYPES)


_TOKENS = 'sync_token_q'
_TYPES = ('FIFOQueueV2', 'ResourceConditionalAccumulator', 'SparseConditionalAccumulator')
