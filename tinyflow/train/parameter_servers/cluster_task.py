"""The task of a process in a cluster with parameter servers."""
from __future__ import annotations

from tinyflow.cluster.cluster_spec import ClusterSpec
from tinyflow.cluster.resolvers.tf_config import TFConfigClusterResolver
from tinyflow.graph.support.errors import misuse

__all__ = ['ClusterTask', 'task_from_environment']


class ClusterTask:
    """A job and an index in a ClusterSpec with servers. ValueError if it is not in it."""

    def __init__(self, cluster, job, index):
        self.cluster = ClusterSpec(cluster)
        self.job, self.index = job, int(index or 0)
        if 'ps' not in self.cluster.jobs:
            raise misuse(ValueError(
                f'ParameterServerStrategy needs a job "ps", but the cluster has only '
                f'{self.cluster.jobs}.\n  Hint: without servers, '
                'tf.distribute.experimental.MultiWorkerMirroredStrategy.'))
        self.cluster.task_address(self.job, self.index)

    def server_devices(self):
        """('/job:ps/task:0', ...)."""
        return tuple([f'/job:ps/task:{i}' for i in self.cluster.task_indices('ps')])

    @property
    def is_chief(self):
        """True for the task that initialises and saves: the chief, else worker 0."""
        if 'chief' in self.cluster.jobs or 'master' in self.cluster.jobs:
            return self.job in ('chief', 'master')
        return self.job == 'worker' and self.index == 0

    @property
    def num_workers(self):
        """How many tasks train, the chief among them."""
        return sum(self.cluster.num_tasks(job) for job in ('chief', 'master', 'worker')
                   if job in self.cluster.jobs)

    @property
    def number(self):
        """The number of this task among those that train."""
        chiefs = self.num_workers - (self.cluster.num_tasks('worker')
                                     if 'worker' in self.cluster.jobs else 0)
        return chiefs + self.index if self.job == 'worker' else self.index


def task_from_environment():
    """The ClusterTask of TF_CONFIG; None without a cluster, and for an evaluator, which is alone.

    ValueError if it is damaged.
    """
    me = TFConfigClusterResolver()
    cluster = me.cluster_spec()
    if not cluster or me.task_type == 'evaluator':
        return None
    return ClusterTask(cluster, me.task_type, me.task_id)
