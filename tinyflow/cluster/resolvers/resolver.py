"""ClusterResolver, and the resolvers of which the program itself says where the tasks are."""
from __future__ import annotations

import abc
from collections.abc import Mapping

from tinyflow.cluster.cluster_spec import ClusterSpec
from tinyflow.graph.support.errors import misuse

__all__ = ['ClusterResolver', 'SimpleClusterResolver', 'UnionResolver', 'with_layer']


class ClusterResolver(abc.ABC):
    """Says where the tasks of a cluster are, and which one this process is.

    A resolver has `cluster_spec()`, `master(...)`, and, where they are known, the attributes
    `task_type`, `task_id` and `rpc_layer`.
    """

    @abc.abstractmethod
    def cluster_spec(self):
        """The tf.train.ClusterSpec; empty for a program of one process."""

    @abc.abstractmethod
    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The target for a Session: of the named task, else of this process."""

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """{kind of device: number} of a task, {'CPU': 1}: there are no others here.

        Differs from TensorFlow, which starts a Session on the task to count its devices.
        """
        return {'CPU': 1}

    @property
    def environment(self):
        """Where the cluster runs: '' or 'google'."""
        return ''


class SimpleClusterResolver(ClusterResolver):
    """The cluster that is given. TypeError if `cluster_spec` is no ClusterSpec."""

    def __init__(self, cluster_spec, master='', task_type=None, task_id=None, environment='',
                 num_accelerators=None, rpc_layer=None):
        if not isinstance(cluster_spec, ClusterSpec):
            raise misuse(TypeError('cluster_spec must be a ClusterSpec, given: '
                                   f'{cluster_spec!r}.\n  Hint: tf.train.ClusterSpec(...)'))
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer
        self._spec, self._master, self._environment = cluster_spec, master, environment
        self._num_accelerators = num_accelerators

    def cluster_spec(self):
        """The ClusterSpec that was given."""
        return self._spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task of which type and index are given; else the given master."""
        if task_type is None or task_id is None:
            return with_layer(rpc_layer or self.rpc_layer, self._master)
        return with_layer(rpc_layer or self.rpc_layer, self._spec.task_address(task_type, task_id))

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """The given {kind of device: number}; {} if there is none."""
        return dict(self._num_accelerators or {})

    @property
    def environment(self):
        """The given environment."""
        return self._environment


class UnionResolver(ClusterResolver):
    """The tasks of several resolvers as one cluster.

    The addresses of a job that several have are put one after the other; where one of them numbers
    the tasks itself, all keep their numbers, and KeyError says which number occurs twice. The
    master is that of the first resolver; so are type and index of the task and `rpc_layer` if there
    is only one, and they are None otherwise, unless given as keyword arguments (TensorFlow takes a
    `task_id` of 0 for none).
    """

    def __init__(self, *resolvers, **kwargs):
        known = {name: kwargs.pop(name, None) for name in ('rpc_layer', 'task_type', 'task_id')}
        if kwargs:
            raise misuse(ValueError(f'Unexpected kwargs provided {kwargs!r}; there are '
                                    'rpc_layer, task_type and task_id.\n  Hint: give resolvers '
                                    'by position: UnionResolver(first, second).'))
        if not resolvers:
            raise misuse(ValueError('At least one ClusterResolver is required.\n  Hint: '
                                    'UnionResolver(TFConfigClusterResolver(), another).'))
        for resolver in resolvers:
            if not isinstance(resolver, ClusterResolver):
                raise misuse(TypeError('All arguments must be a sub-class of `ClusterResolver`, '
                                       f'given: {resolver!r}\n  Hint: for a ClusterSpec, '
                                       'SimpleClusterResolver(cluster_spec).'))
        self._given_layer = known['rpc_layer']
        only = resolvers[0] if len(resolvers) == 1 else None
        for name, value in known.items():
            setattr(self, name, getattr(only, name, None) if value is None else value)
        self._resolvers = resolvers
        self._environment = getattr(only, 'environment', '')

    def cluster_spec(self):
        """The ClusterSpec of all tasks."""
        specs = [resolver.cluster_spec() for resolver in self._resolvers]
        jobs = sorted({job for spec in specs for job in spec.jobs})
        return ClusterSpec({job: _joined(job, [spec.as_dict()[job] for spec in specs
                                               if job in spec.jobs]) for job in jobs})

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task of which type and index are given; else the first's master."""
        if task_type is not None and task_id is not None:
            return with_layer(rpc_layer or self._given_layer,
                              self.cluster_spec().task_address(task_type, task_id))
        return self._resolvers[0].master(rpc_layer=rpc_layer)

    @property
    def environment(self):
        """The environment of the only resolver, else ''."""
        return self._environment


def _joined(job, parts):
    """The tasks of one job from several clusters: a list, or {index: address}."""
    if not any(isinstance(part, Mapping) for part in parts):
        return [address for part in parts for address in part]
    found = {}
    for part in parts:
        tasks = part if isinstance(part, Mapping) else dict(enumerate(part))
        twice = sorted(set(found) & set(tasks))
        if twice:
            raise misuse(KeyError(f'Duplicate keys detected when merging two ClusterSpecs: the '
                                  f'job {job!r} has the tasks {twice} twice\n  Hint: give the '
                                  'tasks of one resolver other numbers, or lists of addresses.'))
        found.update(tasks)
    return found


def with_layer(rpc_layer, address):
    """'grpc://host:2222'; the address alone without a layer."""
    return f'{rpc_layer}://{address}' if rpc_layer else address
