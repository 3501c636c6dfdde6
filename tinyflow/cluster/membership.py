"""Which worker this process is, and where the others are: mpiexec's environment, or TF_CONFIG."""
from __future__ import annotations

import os
from typing import NamedTuple

from tinyflow.cluster.environment import tf_config
from tinyflow.graph.support.errors import misuse

__all__ = ['Membership', 'of_environment', 'started_by_mpi']

_BY_MPI = ('PMI_FD', 'PMI_PORT', 'PMI_SIZE', 'PMIX_RANK', 'OMPI_COMM_WORLD_SIZE')


class Membership(NamedTuple):
    """The place of this process among the workers: chief first, then worker 0, 1, ..."""

    rank: int
    addresses: tuple
    task: str               # 'worker 1', 'chief 0', 'evaluator 0'


_ALONE = Membership(0, ('',), 'worker 0')


def started_by_mpi():
    """True if a launcher such as mpiexec started this process."""
    return any(name in os.environ for name in _BY_MPI)


def of_environment():
    """The Membership that TF_CONFIG describes; a single worker where it does not.

    An evaluator is alone: it reads the checkpoints of the others. Raises ValueError for a task that
    is not in the cluster, or that takes no part in all-reduce.
    """
    config = tf_config()
    try:
        cluster = config.get('cluster') or {}
        task = config.get('task') or {}
        kind, index = task.get('type', 'worker'), int(task.get('index', 0))
        jobs = {job: list(cluster[job]) for job in cluster}
    except (ValueError, TypeError, AttributeError) as error:
        raise misuse(ValueError(f'TF_CONFIG cannot be read: {error}. It contains: '
                                f'{os.environ["TF_CONFIG"]}\n  Hint: {_EXAMPLE}')) from None
    if kind == 'evaluator' or not cluster:
        return _ALONE._replace(task=f'{kind} {index}')
    first = jobs.get('chief') or jobs.get('master') or []
    workers = [*first, *jobs.get('worker', [])]
    if kind not in ('chief', 'master', 'worker'):
        raise misuse(ValueError(
            f'MultiWorkerMirroredStrategy has no task of the type {kind!r}; TF_CONFIG describes '
            f'{kind} {index} of {jobs}.\n  Hint: all-reduce has workers only; a parameter server '
            'belongs to ParameterServerStrategy.'))
    if index >= len(jobs.get(kind, ())) or index < 0:
        raise misuse(ValueError(f'TF_CONFIG says that this is {kind} {index}, but its cluster is '
                                f'{jobs}.\n  Hint: {_EXAMPLE}'))
    rank = index + (len(first) if kind == 'worker' else 0)
    return Membership(rank, tuple(workers), f'{kind} {index}')


_EXAMPLE = ('TF_CONFIG=\'{"cluster": {"worker": ["host0:2222", "host1:2222"]}, "task": {"type": '
            '"worker", "index": 1}}\'')
