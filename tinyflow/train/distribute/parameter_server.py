"""ParameterServerStrategy: Variables on servers in turn, which workers update asynchronously.

Each worker runs the program by itself, between-graph: it has the Variables on the servers in common
with the others. Within a worker the replicas are those of CentralStorageStrategy.
"""
from __future__ import annotations

import weakref
from contextlib import contextmanager

from tinyflow.cluster.tasks import Task
from tinyflow.graph.defaults import get_default_graph
from tinyflow.session.config import ConfigProto
from tinyflow.train.distribute.central_storage import SharedVariables
from tinyflow.train.distribute.inputs import InputContext
from tinyflow.train.distribute.strategy import Strategy
from tinyflow.train.parameter_servers.cluster_task import ClusterTask, task_from_environment

__all__ = ['ParameterServerStrategy']


class ParameterServerStrategy(Strategy):
    """Variables on parameter servers in turn, one after the other; asynchronous workers.

    The cluster is that of `cluster_resolver`, or else of TF_CONFIG; without one the Variables are
    in this process. ValueError for a cluster without the jobs `ps` and `worker`.
    """

    def __init__(self, cluster_resolver=None):
        super().__init__(_ParameterServers(self, _task_of(cluster_resolver)))

    def configure(self, session_config=None, cluster_spec=None, task_type=None, task_id=None):
        """Sets the cluster and this process' task in it, before Variables are made.

        `session_config` gets filters for the devices of the task and of the servers.
        """
        if cluster_spec:
            self.extended._set_task(ClusterTask(cluster_spec, task_type, task_id))
        if session_config is not None:
            session_config.CopyFrom(self.update_config_proto(session_config))

    @contextmanager
    def scope(self):
        """As of any strategy; nodes are on this worker, and Variables on the servers."""
        with super().scope(), get_default_graph().device(self.extended._own_device):
            yield self

    def update_config_proto(self, config_proto):
        """A copy of the ConfigProto for a Session that knows this task and the servers only."""
        return self.extended._filtered(config_proto)


def _task_of(resolver):
    """The ClusterTask of a cluster resolver, or of TF_CONFIG; None without a cluster."""
    if resolver is None:
        return task_from_environment()
    spec = resolver.cluster_spec()
    return ClusterTask(spec, resolver.task_type, resolver.task_id) if spec else None


class _ParameterServers(SharedVariables):
    """The devices of a worker and of the servers; those of this process without a cluster."""

    def __init__(self, strategy, task):
        super().__init__(strategy)
        self._task = None
        self._counts = weakref.WeakKeyDictionary()      # of Variables, by graph
        if task is not None:
            self._set_task(task)

    def _set_task(self, task):
        self._task = task
        self._devices = (Task(task.job, task.index).device,)
        self._parameters = task.server_devices()
        self._always_copies = True

    @property
    def _own_device(self):
        return None if self._task is None else f'/job:{self._task.job}/task:{self._task.index}'

    def _next_parameter_device(self):
        """The servers in turn; every graph begins with the first one, as on other workers."""
        graph = get_default_graph()
        count = self._counts[graph] = self._counts.get(graph, -1) + 1
        return self._parameters[count % len(self._parameters)]

    @property
    def experimental_should_init(self):
        return self._task is None or self._task.is_chief

    @property
    def should_checkpoint(self):
        return self.experimental_should_init

    @property
    def should_save_summary(self):
        return self.experimental_should_init

    def _input_context(self):
        if self._task is None:
            return super()._input_context()
        return InputContext(self._task.num_workers, self._task.number, self._num_replicas_in_sync)

    def _filtered(self, config):
        changed = ConfigProto()
        changed.CopyFrom(config)
        if self._task is not None and self._task.job in ('chief', 'worker'):
            changed.device_filters.extend([self._own_device, '/job:ps'])
        return changed
