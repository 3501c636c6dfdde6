"""SlurmClusterResolver: the tasks of a job that Slurm's `srun` has started."""
from __future__ import annotations

import os
import subprocess

from tinyflow.cluster.cluster_spec import ClusterSpec
from tinyflow.cluster.resolvers import ClusterResolver, with_protocol
from tinyflow.graph.support.errors import misuse

__all__ = ['SlurmClusterResolver']


class SlurmClusterResolver(ClusterResolver):
    """Deals the tasks of `jobs`, {job: number of tasks}, to the hosts that Slurm has allocated.

    Jobs are sorted by name; each host takes `tasks_per_node` tasks, at ports from `port_base` on.
    Task number n is the process of rank n (SLURM_PROCID, or that of Open MPI). `task_type` and
    `task_id` are known after `cluster_spec()`. GPUs are only counted, and CUDA_VISIBLE_DEVICES set
    as in TensorFlow, unless `auto_set_gpu` is False; gpus_per_task=0 (not in TensorFlow) means that
    there are none. KeyError for a variable that Slurm sets and that is not set, RuntimeError for
    numbers that do not agree.
    """

    def __init__(self, jobs, port_base=8888, gpus_per_node=1, gpus_per_task=1, tasks_per_node=None,
                 auto_set_gpu=True, rpc_layer='grpc'):
        is_open_mpi = 'OMPI_COMM_WORLD_RANK' in os.environ
        self._rank = _variable('OMPI_COMM_WORLD_RANK' if is_open_mpi else 'SLURM_PROCID')
        started = _variable('OMPI_COMM_WORLD_SIZE' if is_open_mpi else 'SLURM_NTASKS')
        if tasks_per_node is None and 'SLURM_NTASKS_PER_NODE' not in os.environ:
            raise misuse(RuntimeError(
                'Neither `tasks_per_node` or SLURM_NTASKS_PER_NODE is set.\n  Hint: srun '
                '--ntasks-per-node=2, or SlurmClusterResolver(jobs, tasks_per_node=2).'))
        self._tasks_per_node = _variable('SLURM_NTASKS_PER_NODE') if tasks_per_node is None else \
            tasks_per_node
        self._jobs = dict(sorted(jobs.items()))
        self._port_base, self._auto_set_gpu = port_base, auto_set_gpu
        self._gpus_per_node, self._gpus_per_task = gpus_per_node, gpus_per_task
        self.task_type, self.task_id, self.rpc_layer = None, None, rpc_layer
        if self._tasks_per_node * gpus_per_task > gpus_per_node:
            raise misuse(RuntimeError(
                f'Requested more GPUs per node then available: {self._tasks_per_node} tasks with '
                f'{gpus_per_task} each, and gpus_per_node is {gpus_per_node}.\n  Hint: '
                'gpus_per_task=0 where no task uses one.'))
        if sum(jobs.values()) != started:
            raise misuse(RuntimeError(
                f'Requested more tasks then assigned tasks: {self._jobs} are {sum(jobs.values())} '
                f'tasks, and Slurm has started {started}.'))

    def cluster_spec(self):
        """The ClusterSpec of the hosts that `scontrol show hostname` names, asked at each call."""
        addresses = [f'{host}:{self._port_base + place}' for host in _hosts()
                     for place in range(self._tasks_per_node)]
        total = sum(self._jobs.values())
        if len(addresses) < total:
            raise misuse(RuntimeError(
                f'{self._jobs} are {total} tasks, and the allocated hosts have room for '
                f'{len(addresses)}, {self._tasks_per_node} on each: {addresses}'))
        cluster, begin = {}, 0
        for job, count in self._jobs.items():
            cluster[job] = addresses[begin:begin + count]
            if begin <= self._rank < begin + count:
                self.task_type, self.task_id = job, self._rank - begin
            begin += count
        if self._auto_set_gpu is True and self._gpus_per_task:
            first = self._rank % self._tasks_per_node * self._gpus_per_task
            os.environ['CUDA_VISIBLE_DEVICES'] = ','.join(
                str(gpu) for gpu in range(first, first + self._gpus_per_task))
        return ClusterSpec(cluster)

    def get_task_info(self):
        """(job, index) of this process; (None, None) before `cluster_spec` was called."""
        return self.task_type, self.task_id

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task, by default of this process; '' while its task is not known."""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ''
        return with_protocol(self.cluster_spec().task_address(task_type, task_id),
                             rpc_layer or self.rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """{'GPU': gpus_per_node}."""
        return {'GPU': self._gpus_per_node}


def _hosts():
    try:
        found = subprocess.run(['scontrol', 'show', 'hostname'], capture_output=True, text=True,
                               check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise misuse(RuntimeError(
            f'`scontrol show hostname` failed: {error}\n  Hint: it is a command of Slurm, which '
            'names the hosts of the job that this process belongs to.')) from None
    return found.stdout.split()


def _variable(name) -> int:
    if name not in os.environ:
        raise misuse(KeyError(f'{name}: Slurm sets this variable in each process that srun starts'))
    try:
        return int(os.environ[name])
    except ValueError:
        raise misuse(ValueError(
            f'{name} must be a number, given: {os.environ[name]!r}')) from None
