"""tf.distribute.cluster_resolver: where a process learns its cluster and its task.

From TF_CONFIG, from Slurm's variables, from a ClusterSpec, or from several of these together.
"""
from __future__ import annotations

import abc
import collections
import json
import os
from collections.abc import Mapping
from typing import Any

from tinyflow.cluster.cluster_spec import ClusterSpec
from tinyflow.graph.graph import Graph
from tinyflow.graph.support.errors import misuse
from tinyflow.session.session import Session

__all__ = ['ClusterResolver', 'SimpleClusterResolver', 'TFConfigClusterResolver', 'UnionResolver']


def with_protocol(address, rpc_layer) -> str:
    """'grpc://host:port', or the bare address without a protocol."""
    return f'{rpc_layer}://{address}' if rpc_layer else address


class ClusterResolver(abc.ABC):
    """The base class: a subclass says what the cluster is and which address a session has.

    It also has the attributes `task_type`, `task_id` and `rpc_layer`.
    """

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """The ClusterSpec as it is now."""

    @abc.abstractmethod
    def master(self, task_type=None, task_id=None, rpc_layer=None) -> str:
        """The target for a tf.Session: that of the task, by default that of this process."""

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None) -> dict[str, int]:
        """{device type: number} that a Session on the task's `master` lists; CPUs count here."""
        found: collections.defaultdict[str, int] = collections.defaultdict(int)
        with Graph().as_default(), Session(self.master(task_type, task_id),
                                           config=config_proto) as session:
            for device in session.list_devices():
                if task_type is None or task_id is None or \
                        f'/job:{task_type}/' in device.name and f'/task:{task_id}/' in device.name:
                    found[device.device_type] += 1
        return found

    @property
    def environment(self) -> str | None:
        """The kind of environment: '' in TensorFlow's open version."""
        return ''


class SimpleClusterResolver(ClusterResolver):
    """The ClusterSpec that it is given. TypeError for something else, or a `master` of no str."""

    def __init__(self, cluster_spec, master='', task_type=None, task_id=None, environment='',
                 num_accelerators=None, rpc_layer=None):
        if not isinstance(cluster_spec, ClusterSpec):
            raise misuse(TypeError(
                f'cluster_spec must be a ClusterSpec, given: {cluster_spec!r}\n  Hint: '
                "tf.train.ClusterSpec({'worker': ['host0:2222']})."))
        if not isinstance(master, str):
            raise misuse(TypeError(f'master must be a string, given: {master!r}'))
        self._cluster_spec, self._master = cluster_spec, master
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer
        self._environment, self._num_accelerators = environment, num_accelerators

    def cluster_spec(self):
        """The ClusterSpec that was given."""
        return self._cluster_spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of the task if both its type and its id are given, else that of `master`."""
        address = self._master if task_type is None or task_id is None else \
            self._cluster_spec.task_address(task_type, task_id)
        return with_protocol(address, rpc_layer or self.rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """The numbers that were given; {} by default."""
        return {} if self._num_accelerators is None else self._num_accelerators

    @property
    def environment(self):
        """The environment that was given."""
        return self._environment


class TFConfigClusterResolver(ClusterResolver):
    """The cluster and the task of the environment variable TF_CONFIG, read at each use.

    `task_type` and `task_id` together replace those of TF_CONFIG; a `task_id` alone is not used, as
    in TensorFlow. ValueError if TF_CONFIG is not a JSON object.
    """

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        self._task_type, self._task_id = task_type, task_id
        self._rpc_layer, self._environment = rpc_layer, environment

    @property
    def task_type(self):
        """The job of this process; None if it is not known."""
        if self._task_type is not None:
            return str(self._task_type)
        kind = _task_of_environment().get('type')
        return None if kind is None else str(kind)

    @task_type.setter
    def task_type(self, task_type):
        self._task_type = task_type

    @property
    def task_id(self):
        """The index of this process in its job; None if it is not known."""
        if self._task_type is not None:
            return _number(self._task_id, f'a task_type ({self._task_type!r}) is given; task_id')
        index = _task_of_environment().get('index')
        return None if index is None else _number(index, 'the "index" of the task in TF_CONFIG')

    @task_id.setter
    def task_id(self, task_id):
        self._task_id = task_id

    @property
    def rpc_layer(self):
        """The protocol of addresses; None if it is not known."""
        return _environment().get('rpc_layer') if self._rpc_layer is None else self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer):
        self._rpc_layer = rpc_layer

    @property
    def environment(self):
        """The environment that was given."""
        return self._environment

    def cluster_spec(self):
        """The ClusterSpec of TF_CONFIG, empty if it has none."""
        return ClusterSpec(_environment().get('cluster') or {})

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of the task, '' where the cluster has one task at most.

        TF_CONFIG's "session_master" comes first. `rpc_layer` is not used, as in TensorFlow: the
        protocol is that of the resolver. ValueError for a task that the cluster does not have.
        """
        environment = _environment()
        if environment.get('session_master') is not None:
            return environment['session_master']
        cluster = self.cluster_spec()
        if sum(cluster.num_tasks(job) for job in cluster.jobs) <= 1:
            return ''
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        return with_protocol(cluster.task_address(task_type, task_id), self.rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """{device type: number} of a task, by default of that of this process."""
        return super().num_accelerators(self.task_type if task_type is None else task_type,
                                        self.task_id if task_id is None else task_id, config_proto)


class UnionResolver(ClusterResolver):
    """The clusters of several resolvers as one; other properties are those of the first.

    Keyword arguments: `rpc_layer`, `task_type` and `task_id` replace those of the first. ValueError
    without a resolver, TypeError for an argument that is none.
    """

    def __init__(self, *args, **kwargs):
        self._rpc_layer, self._task_type, self._task_id = (
            kwargs.pop(name, None) for name in ('rpc_layer', 'task_type', 'task_id'))
        if kwargs:
            raise misuse(ValueError(f'Unexpected kwargs provided {kwargs!r}\n  Hint: rpc_layer, '
                                    'task_type and task_id are known.'))
        if not args:
            raise misuse(ValueError('At least one ClusterResolver is required.'))
        for resolver in args:
            if not isinstance(resolver, ClusterResolver):
                raise misuse(TypeError('All arguments must be a sub-class of `ClusterResolver.` '
                                       f'Given: {resolver!r}'))
        self._resolvers = args

    def cluster_spec(self):
        """The jobs of all; tasks of one job follow each other, or keep indices that were given.

        Indices are kept where a resolver has a job as {index: address}. KeyError if two have the
        same index.
        """
        clusters = [resolver.cluster_spec().as_dict() for resolver in self._resolvers]
        merged: dict[str, Any] = {}
        for job in dict.fromkeys(job for cluster in clusters for job in cluster):
            parts = [cluster[job] for cluster in clusters if job in cluster]
            if all(isinstance(tasks, list) for tasks in parts):
                merged[job] = [address for tasks in parts for address in tasks]
            else:
                merged[job] = _joined(job, parts)
        return ClusterSpec(merged)

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of the task if both its type and its id are given, else the first's."""
        if task_type is None or task_id is None:
            return self._resolvers[0].master(rpc_layer=rpc_layer)
        return with_protocol(self.cluster_spec().task_address(task_type, task_id),
                             rpc_layer or self._rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """What the first resolver says."""
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)

    @property
    def environment(self):
        """What the first resolver says."""
        return self._resolvers[0].environment

    @property
    def task_type(self):
        """The job of this process."""
        return self._task_type or self._resolvers[0].task_type

    @task_type.setter
    def task_type(self, task_type):
        self._task_type = task_type

    @property
    def task_id(self):
        """The index of this process; one of 0 does not replace that of the first, as in TF."""
        return self._task_id or self._resolvers[0].task_id

    @task_id.setter
    def task_id(self, task_id):
        self._task_id = task_id

    @property
    def rpc_layer(self):
        """The protocol of addresses."""
        return self._rpc_layer or self._resolvers[0].rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer):
        self._rpc_layer = rpc_layer


def _joined(job, parts):
    joined: dict[int, str] = {}
    for tasks in parts:
        tasks = tasks if isinstance(tasks, Mapping) else dict(enumerate(tasks))
        both = sorted(set(tasks) & set(joined))
        if both:
            raise misuse(KeyError(
                f'Two resolvers have the same tasks {both} of the job {job!r}: '
                f'{[joined[i] for i in both]} and {[tasks[i] for i in both]}'))
        joined.update(tasks)
    return joined


def _environment() -> dict:
    text = os.environ.get('TF_CONFIG', '{}')
    try:
        config = json.loads(text)
    except ValueError as error:
        raise misuse(ValueError(f'TF_CONFIG is not JSON: {error}. It contains: {text}')) from None
    if not isinstance(config, dict):
        raise misuse(ValueError(f'TF_CONFIG must be a JSON object, given: {text}'))
    return config


def _task_of_environment() -> dict:
    task = _environment().get('task') or {}
    if not isinstance(task, dict):
        raise misuse(ValueError(f'"task" in TF_CONFIG must be an object, given: {task!r}'))
    return task


def _number(index, what):
    try:
        return int(index)
    except (TypeError, ValueError) as error:
        raise misuse(type(error)(f'{what} must be an integer, given: {index!r}')) from None
