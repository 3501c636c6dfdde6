"""SlurmClusterResolver: the tasks of a job step of the batch system Slurm."""
from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess

from tinyflow.cluster.cluster_spec import ClusterSpec
from tinyflow.cluster.resolvers.resolver import ClusterResolver, with_layer
from tinyflow.graph.support.errors import misuse

__all__ = ['SlurmClusterResolver']


class SlurmClusterResolver(ClusterResolver):
    """Distributes jobs, in the order of their names, over the nodes that Slurm has allocated.

    Args:
      jobs: {job: number of tasks}, in all as many as `srun` has started.
      port_base: the port of the first task of a node; further tasks count on from it.
      tasks_per_node: default: SLURM_NTASKS_PER_NODE.
      gpus_per_node, gpus_per_task, auto_set_gpu: checked as in TensorFlow and of no further effect:
        there are no GPUs here.
      rpc_layer: what stands before addresses.
    Raises RuntimeError if the tasks or GPUs do not agree with what Slurm has allocated, or outside
    of a job of Slurm. Nodes are named by `scontrol`, or by SLURM_STEP_NODELIST without it.
    """

    def __init__(self, jobs, port_base=8888, gpus_per_node=1, gpus_per_task=1,
                 tasks_per_node=None, auto_set_gpu=True, rpc_layer='grpc'):
        self._rank = int(_variable('SLURM_PROCID'))
        started = int(_variable('SLURM_NTASKS'))
        self._jobs = dict(sorted(jobs.items()))
        self._port_base, self.rpc_layer = port_base, rpc_layer
        if tasks_per_node is None:
            tasks_per_node = _tasks_per_node()
        self._tasks_per_node = tasks_per_node
        if sum(self._jobs.values()) != started:
            raise misuse(RuntimeError(
                f'Requested more tasks then assigned tasks, or fewer: {self._jobs} are '
                f'{sum(self._jobs.values())} tasks, and SLURM_NTASKS is {started}.\n  '
                f'Hint: `srun --ntasks={sum(self._jobs.values())}`, or other numbers in `jobs`.'))
        if gpus_per_node < gpus_per_task * tasks_per_node and gpus_per_node:
            raise misuse(RuntimeError(
                f'Requested more GPUs per node then available: {tasks_per_node} tasks of '
                f'{gpus_per_task}, and gpus_per_node is {gpus_per_node}.\n  Hint: '
                'gpus_per_node=0, or fewer tasks_per_node; nothing here computes on GPUs.'))
        self.task_type = self.task_id = None

    def cluster_spec(self):
        """The ClusterSpec. It also sets `task_type` and `task_id` of this process."""
        places = [f'{node}:{self._port_base + i}' for node in _nodes()
                  for i in range(self._tasks_per_node)]
        total = sum(self._jobs.values())
        if len(places) < total:
            raise misuse(RuntimeError(
                f'{total} tasks need more than the {len(places)} places of the nodes '
                f'{_nodes()}, {self._tasks_per_node} on each.\n  Hint: allocate more nodes '
                '(sbatch --nodes), or more tasks_per_node.'))
        rest, cluster, before = iter(places), {}, 0
        for job, size in self._jobs.items():
            cluster[job] = list(itertools.islice(rest, size))
            if before <= self._rank < before + size:
                self.task_type, self.task_id = job, self._rank - before
            before += size
        return ClusterSpec(cluster)

    def get_task_info(self):
        """(job, index) of this process; (None, None) before `cluster_spec()`."""
        return self.task_type, self.task_id

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task, by default of this process; '' before `cluster_spec()`."""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        if job is None or index is None:
            return ''
        return with_layer(rpc_layer or self.rpc_layer,
                          self.cluster_spec().task_address(job, index))


def _variable(name):
    if name not in os.environ:
        raise misuse(RuntimeError(f'{name} is not set: this process was not started by Slurm.\n'
                                  '  Hint: start it by `srun python train.py`.'))
    return os.environ[name]


def _tasks_per_node():
    if 'SLURM_NTASKS_PER_NODE' not in os.environ:
        raise misuse(RuntimeError('Neither `tasks_per_node` or SLURM_NTASKS_PER_NODE is set.\n'
                                  '  Hint: sbatch --ntasks-per-node=1'))
    return int(os.environ['SLURM_NTASKS_PER_NODE'])


def _nodes():
    """The names of the allocated nodes."""
    if shutil.which('scontrol'):
        done = subprocess.run(['scontrol', 'show', 'hostname'], capture_output=True, text=True,
                              check=True)
        return done.stdout.split()
    names = os.environ.get('SLURM_STEP_NODELIST') or _variable('SLURM_JOB_NODELIST')
    return [name for part in re.findall(r'(?:[^,\[]|\[[^\]]*\])+', names)
            for name in _expanded(part)]


def _expanded(name):
    """['n08', 'n09', 'n12'] for 'n[08-09,12]'."""
    match = re.fullmatch(r'([^\[]*)\[([^\]]*)\](.*)', name)
    if match is None:
        return [name]
    head, ranges, tail = match.groups()
    found = []
    for part in ranges.split(','):
        first, _, last = part.partition('-')
        numbers = range(int(first), int(last or first) + 1)
        found += [f'{number:0{len(first)}d}' for number in numbers]
    return [head + number + rest for number in found for rest in _expanded(tail)]
