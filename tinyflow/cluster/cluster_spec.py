"""The jobs of a cluster and the addresses of their tasks."""
from __future__ import annotations

import numbers
from collections.abc import Mapping

from tinyflow.graph.support.errors import misuse, why

__all__ = ['ClusterSpec', 'addresses']


class ClusterSpec:
    """The addresses of the tasks of each job: {'worker': ['host0:2222', 'host1:2222'], ...}.

    A job's tasks are a list of addresses, or {task index: address}. Raises TypeError for other
    arguments, ValueError for an unknown task.
    """

    def __init__(self, cluster):
        if isinstance(cluster, ClusterSpec):
            cluster = cluster._jobs
        if hasattr(cluster, 'DESCRIPTOR'):
            cluster = _from_proto(cluster)
        if not isinstance(cluster, Mapping):
            raise misuse(TypeError(
                '`cluster` must be a dictionary mapping one or more job names to lists of network '
                "addresses, or a `ClusterDef` protocol buffer: {'worker': ['host:2222']}"))
        self._jobs = {job: _tasks(job, cluster[job]) for job in sorted(cluster)}

    def as_dict(self):
        """{job: [address]}, or {job: {index: address}} where indices are not 0, 1, 2, ..."""
        return {job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
                for job, tasks in self._jobs.items()}

    def as_cluster_def(self):
        """The ClusterDef protocol buffer."""
        from tinyflow.formats.protos.cluster_pb2 import ClusterDef  # start-up time
        proto = ClusterDef()
        for job, tasks in self._jobs.items():
            added = proto.job.add(name=job)
            for index, address in tasks.items():
                added.tasks[index] = address
        return proto

    @property
    def jobs(self):
        """The names of the jobs, a list."""
        return list(self._jobs)

    def num_tasks(self, job_name):
        """How many tasks a job has."""
        return len(self._job(job_name))

    def task_indices(self, job_name):
        """The indices of a job's tasks, sorted."""
        return sorted(self._job(job_name))

    def task_address(self, job_name, task_index):
        """The address of one task, 'host:port'."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise misuse(ValueError(
                f'No task with index {task_index!r} in job {job_name!r}\n  Hint: it has '
                f'{self.task_indices(job_name)}, in the ClusterSpec of this process.'
                + why('cluster-job')))
        return tasks[task_index]

    def job_tasks(self, job_name):
        """[address] of a job by task index; None where an index has no task."""
        tasks = self._job(job_name)
        return [tasks.get(index) for index in range(max(tasks, default=-1) + 1)]

    def _job(self, name):
        if name not in self._jobs:
            raise misuse(ValueError(
                f'No such job in cluster: {name!r}\n  Hint: the ClusterSpec of this process has '
                f'{self.jobs}.' + why('cluster-job')))
        return self._jobs[name]

    def __bool__(self):
        return bool(self._jobs)

    def __eq__(self, other):
        return ClusterSpec(other)._jobs == self._jobs

    def __ne__(self, other):
        return not self == other

    __hash__ = None             # type: ignore[assignment]

    def __repr__(self):
        return f'ClusterSpec({self.as_dict()!r})'


def addresses(spec: ClusterSpec) -> dict[str, dict[int, str]]:
    """{job: {index: address}} of all tasks."""
    return {job: {i: spec.task_address(job, i) for i in spec.task_indices(job)}
            for job in spec.jobs}


def _from_proto(proto):
    """{job: {index: address}} of a ClusterDef, or of the one in a ServerDef."""
    jobs = getattr(getattr(proto, 'cluster', proto), 'job', None)
    if jobs is None:
        raise misuse(TypeError(f'{type(proto).__name__} is not a ClusterDef.'))
    return {job.name: dict(job.tasks) for job in jobs}


def _tasks(job, tasks):
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    if not isinstance(tasks, Mapping):
        raise misuse(TypeError(
            f'The tasks for job {job!r} must be a list or a dictionary from integers to strings.\n'
            f"  Hint: {{{job!r}: ['host0:2222', 'host1:2222']}}; given: {tasks!r}"
            + why('cluster-spec')))
    for index, address in tasks.items():
        if not isinstance(index, numbers.Integral):
            raise misuse(TypeError(
                f'The index of a task must be an integer, given {index!r} for {address!r} of job '
                f'{job!r}\n  Hint: {{0: "host:port"}}; the keys of JSON are strings.'
                + why('cluster-spec')))
        if not isinstance(address, str):
            raise misuse(TypeError(
                f'Task address must be a string, given {address!r} for task {index!r} of job '
                f'{job!r}\n  Hint: "host:port".' + why('cluster-spec')))
    return {int(index): address for index, address in sorted(tasks.items())}
