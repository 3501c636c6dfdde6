"""tf.train.Server: one task of a cluster, which runs stages for the sessions of all tasks."""
from __future__ import annotations

import numbers
import os
from collections.abc import Mapping
from typing import Any

from tinyflow.cluster import transport
from tinyflow.cluster.cluster_spec import ClusterSpec, addresses
from tinyflow.cluster.serving import Serving
from tinyflow.cluster.task_service import TaskService
from tinyflow.cluster.tasks import Task
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import misuse, report

__all__ = ['IN_PROCESS', 'Server', 'running_server']

IN_PROCESS: dict[str, Server] = {}          # canonical address -> the running Server


class Server:
    """One task of a cluster, at its address in the ClusterSpec.

    `server_or_cluster_def` is a ClusterSpec, a dict, a ClusterDef, or the `server_def` of another
    Server. `task_index` may be left out if the job has one task. Without `start` it listens only
    after `start()`.
    """

    def __init__(self, server_or_cluster_def: Any, job_name: str | None = None,
                 task_index: int | None = None, protocol: str | None = None, config: Any = None,
                 start: bool = True) -> None:
        self._zmq = transport.zmq_module()
        spec, task, self._protocol = checked_settings(server_or_cluster_def, job_name, task_index,
                                                      protocol)
        self.config = config
        address = spec.task_address(*task)
        self.service = TaskService(task)
        self._bind(address, [Task(job, index) for job, tasks in addresses(spec).items()
                             for index, other in tasks.items()
                             if other == address and (job, index) != task])
        jobs = addresses(spec)
        jobs[task.job][task.index] = self.address
        self.cluster = ClusterSpec(jobs)
        self._serving: Serving | None = None
        if start:
            self.start()

    def _bind(self, address: str, same: list[Task]) -> None:
        zmq = self._zmq
        ip, port = transport.endpoint(address)
        self._socket = transport.router(zmq.Context.instance())
        where = os.environ.get('TINYFLOW_CLUSTER_BIND') or ip
        try:
            self._socket.bind(f'tcp://{where}:{port or "*"}')
        except zmq.ZMQError as error:
            self._socket.close(0)
            in_use = error.errno == zmq.EADDRINUSE
            raise misuse(errors.UnknownError(None, None, report(
                f'Could not start the server at {address}: {zmq.strerror(error.errno)}',
                hint='another process listens there, maybe an earlier run of this program that '
                     'has not ended, or a second one with the index of this task.' +
                     ''.join(f' The ClusterSpec has this address for {task}, too.'
                             for task in same[:1]) if in_use else
                     'a server listens at the address of its own task; TINYFLOW_CLUSTER_BIND '
                     'names the local one, such as 0.0.0.0, where that is translated.'))) \
                from None
        bound = self._socket.last_endpoint.decode().rpartition(':')[2]
        self.address = f'{address.rpartition(":")[0]}:{bound}'
        self.local_only = transport.is_loopback(where)
        if not self.local_only and not transport.has_key():
            transport.warn_without_key(self.address)

    def start(self) -> None:
        """Begins to listen."""
        if self._serving is None:
            self._serving = Serving(self, self._socket, self._zmq)
            IN_PROCESS[transport.canonical(self.address)] = self
            self._serving.thread.start()

    def join(self) -> None:
        """Waits for the server to stop, which it does not do by itself."""
        if self._serving is None:
            raise misuse(errors.FailedPreconditionError(
                None, None, 'The server has not been started.\n  Hint: server.start() before '
                'join().'))
        while not self._serving.stopped.wait(3600):
            pass

    def stop(self) -> None:
        """Stops listening, and ends the sessions. Only in tinyflow."""
        IN_PROCESS.pop(transport.canonical(self.address), None)
        if self._serving is not None:
            self._serving.stop()
        else:
            self._socket.close(0)
        self.service.reset()

    @property
    def target(self) -> str:
        """The target of sessions on this server: tf.Session(server.target)."""
        return f'grpc://{self.address}'

    @property
    def server_def(self) -> Any:
        """The settings as a ServerDef protocol buffer, from which an equal server can be made."""
        from tinyflow.formats.protos.tensorflow_server_pb2 import ServerDef  # start-up time
        return ServerDef(cluster=self.cluster.as_cluster_def(), job_name=self.service.task.job,
                         task_index=self.service.task.index, protocol=self._protocol)

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A cluster of one task, at a free port of this machine."""
        return Server({'local': ['localhost:0']}, protocol='grpc', config=config, start=start)

    def __repr__(self) -> str:
        return f'<tf.train.Server {self.service.task} at {self.address}>'


def running_server(cluster: ClusterSpec, job: str, index: int) -> Server | None:
    """The Server of a task of `cluster` that runs in this process; None if there is none."""
    server = IN_PROCESS.get(transport.canonical(cluster.task_address(job, index)))
    same = server is not None and server.cluster == cluster and server.service.task == (job, index)
    return server if same else None


def checked_settings(given: Any, job_name: str | None, task_index: int | None,
                     protocol: str | None) -> tuple[ClusterSpec, Task, str]:
    """The checked settings. Errors of TensorFlow's classes for a job or task that is not there."""
    if hasattr(given, 'cluster') and hasattr(given, 'job_name'):
        cluster = ClusterSpec(given.cluster)
        job_name = given.job_name if job_name is None else job_name
        task_index = given.task_index if task_index is None else task_index
        protocol = protocol or given.protocol
    else:
        if not isinstance(given, (ClusterSpec, Mapping)) and not hasattr(given, 'DESCRIPTOR'):
            raise misuse(TypeError(
                f'server_or_cluster_def must be a ClusterSpec, a dict or a server_def, not '
                f"{type(given).__name__}.\n  Hint: {{'worker': ['localhost:2222']}}"))
        cluster = ClusterSpec(given)
    protocol = protocol or 'grpc'
    if protocol != 'grpc':
        raise misuse(errors.NotFoundError(
            None, None, f'No server factory registered for the protocol {protocol!r}.\n  Hint: '
            "'grpc', the default."))
    if not job_name:
        if len(cluster.jobs) != 1:
            raise misuse(ValueError('Must specify an explicit `job_name`: the cluster has the jobs '
                                    f'{", ".join(cluster.jobs) or "(none)"}.\n  Hint: the job '
                                    "of this process: tf.train.Server(cluster, 'worker', 0)."))
        job_name = cluster.jobs[0]
    if job_name not in cluster.jobs:
        raise misuse(errors.InternalError(
            None, None, f'Job "{job_name}" was not defined in cluster: it has '
            f'{", ".join(cluster.jobs)}.\n  Hint: give one of them as `job_name`, or add '
            f'"{job_name}" to the ClusterSpec of every task.'))
    if task_index is None:
        if len(cluster.task_indices(job_name)) != 1:
            raise misuse(ValueError(
                f'Must specify an explicit `task_index`: job {job_name!r} has the tasks '
                f'{cluster.task_indices(job_name)}.\n  Hint: the index of this process, such as '
                'the flag --task_index of the program.'))
        task_index = cluster.task_indices(job_name)[0]
    if not isinstance(task_index, numbers.Integral) or \
            task_index not in cluster.task_indices(job_name):
        raise misuse(errors.InvalidArgumentError(
            None, None,
            f'Task {task_index!r} was not defined in job "{job_name}": it has the tasks '
            f'{cluster.task_indices(job_name)}.\n  Hint: an index is an integer, '
            'from 0; give every task the same list of addresses.'))
    return cluster, Task(job_name, int(task_index)), protocol
