"""tf.train.replica_device_setter: parameter servers keep the Variables, in turn."""
from __future__ import annotations

import itertools
from numbers import Integral

from tinyflow.cluster.cluster_spec import ClusterSpec
from tinyflow.graph.devices import DeviceSpec
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse

__all__ = ['replica_device_setter']

# What keeps a state that all workers share.
STANDARD_PS_OPS = (
    'Variable', 'VariableV2', 'AutoReloadVariable', 'MutableHashTable', 'MutableHashTableV2',
    'MutableHashTableOfTensors', 'MutableHashTableOfTensorsV2', 'MutableDenseHashTable',
    'MutableDenseHashTableV2', 'VarHandleOp', 'BoostedTreesEnsembleResourceHandleOp',
    'BoostedTreesQuantileStreamResourceHandleOp', 'ResourceConditionalAccumulator')


def replica_device_setter(ps_tasks=0, ps_device='/job:ps', worker_device='/job:worker',
                          merge_devices=True, cluster=None, ps_ops=None, ps_strategy=None):
    """A function for `tf.device`: operations of the types `ps_ops` go to parameter servers.

    `cluster`, a ClusterSpec or what makes one, says how many tasks the job of `ps_device` has;
    otherwise it is `ps_tasks`. `ps_strategy(operation)` gives the number of the task, by default
    0, 1, 2, ... in turn. Parts of a device that scopes further in set are kept; with
    `merge_devices=False` such an operation is not placed at all. None if there is no ps task.
    TypeError if `cluster`, `ps_tasks` or `ps_strategy` is of another kind.
    """
    if cluster is not None:
        jobs = ClusterSpec(cluster).as_dict()
        ps_tasks = len(jobs.get(DeviceSpec.from_string(ps_device).job) or ())
    elif ps_tasks is not None and not isinstance(ps_tasks, Integral):
        raise misuse(TypeError(f'ps_tasks must be the number of ps tasks, not {ps_tasks!r}.\n'
                               '  Hint: cluster=tf.train.ClusterSpec(...) gives it.'))
    if not ps_tasks:
        return None
    if not merge_devices:
        logging.warning('DEPRECATION: It is recommended to set merge_devices=true in '
                        'replica_device_setter')
    if ps_strategy is None:
        numbers = itertools.cycle(range(ps_tasks))
        ps_strategy = lambda operation: next(numbers)
    if not callable(ps_strategy):
        raise misuse(TypeError('ps_strategy must be callable'))
    ps_types = frozenset(STANDARD_PS_OPS if ps_ops is None else ps_ops)

    def device_of(operation):
        if operation.device and not merge_devices:
            return operation.device
        current = DeviceSpec.from_string(operation.device)
        if not ps_device or operation.type not in ps_types:
            return DeviceSpec.from_string(worker_device).make_merged_spec(current).to_string()
        chosen = DeviceSpec.from_string(ps_device)
        if chosen.job and current.job in (None, chosen.job):
            chosen.task = ps_strategy(operation)
        return chosen.make_merged_spec(current).to_string()
    return device_of
