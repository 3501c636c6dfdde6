"""TFConfigClusterResolver: the cluster that the environment variable TF_CONFIG describes."""
from __future__ import annotations

from tinyflow.cluster.cluster_spec import ClusterSpec
from tinyflow.cluster.environment import tf_config
from tinyflow.cluster.resolvers.resolver import ClusterResolver, with_layer
from tinyflow.graph.support.errors import misuse

__all__ = ['TFConfigClusterResolver']


class TFConfigClusterResolver(ClusterResolver):
    """Reads TF_CONFIG whenever it is asked; the arguments override parts of it.

    Without TF_CONFIG the cluster is empty and the master ''. Raises ValueError for one that is not
    JSON.
    """

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        self._task_type, self._task_id = task_type, task_id
        self._rpc_layer, self._environment = rpc_layer, environment

    @property
    def task_type(self):
        """The job of this process, such as 'worker'; None if TF_CONFIG does not say."""
        if self._task_type is not None:
            return self._task_type
        kind = self._task().get('type')
        return None if kind is None else str(kind)

    @task_type.setter
    def task_type(self, value):
        self._task_type = value

    @property
    def task_id(self):
        """The index of this process in its job; None if TF_CONFIG does not say."""
        if self._task_id is not None:
            return self._task_id
        index = self._task().get('index')
        try:
            return None if index is None else int(index)
        except (TypeError, ValueError):
            raise misuse(ValueError(f'The index of the task in TF_CONFIG is {index!r}, and no '
                                    'number.\n  Hint: {"type": "worker", "index": 0}')) from None

    @task_id.setter
    def task_id(self, value):
        self._task_id = value

    @property
    def rpc_layer(self):
        """What stands before addresses, such as 'grpc'; None for nothing."""
        return self._rpc_layer if self._rpc_layer is not None else _config().get('rpc_layer')

    @rpc_layer.setter
    def rpc_layer(self, value):
        self._rpc_layer = value

    @property
    def environment(self):
        """The given environment."""
        return self._environment

    def _task(self):
        task = _config().get('task') or {}
        if not isinstance(task, dict):
            raise misuse(ValueError(f'"task" in TF_CONFIG is {task!r}, and no object.\n  Hint: '
                                    '{"type": "worker", "index": 0}'))
        return task

    def cluster_spec(self):
        """The ClusterSpec of TF_CONFIG."""
        return ClusterSpec(_config().get('cluster') or {})

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task, by default of this process; '' for a cluster of one task.

        A "session_master" in TF_CONFIG is the master of all tasks. As in TensorFlow, the argument
        `rpc_layer` has no effect; that of TF_CONFIG or of the resolver has.
        """
        master = _config().get('session_master')
        if master is not None:
            return master
        spec = self.cluster_spec()
        if sum(map(spec.num_tasks, spec.jobs)) <= 1:
            return ''
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        return with_layer(self.rpc_layer, spec.task_address(job, index))


def _config():
    return tf_config(blank='')          # which is no JSON: an error, as in TensorFlow
