"""The tasks of a job: their addresses, TF_CONFIG, and the flags of a program that defines them."""
from __future__ import annotations

import ast
import json
from typing import NamedTuple

from tinyflow.cluster.ports import free_ports

__all__ = ['LaunchedTask', 'environment_of', 'flags_of', 'one_thread', 'plan', 'script_flags']

# The flags of programs for tf.train.Server -> their values, from a LaunchedTask and the cluster.
_FLAGS = {
    'job_name': lambda task, cluster: task.kind,
    'task_index': lambda task, cluster: str(task.index),
    'task_id': lambda task, cluster: str(task.index),
    'ps_hosts': lambda task, cluster: ','.join(cluster.get('ps', ())),
    'worker_hosts': lambda task, cluster: ','.join(cluster.get('worker', ())),
}

_BLAS = ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'VECLIB_MAXIMUM_THREADS')


class LaunchedTask(NamedTuple):
    """One process of a job; an evaluator has no address."""

    kind: str               # 'chief', 'worker', 'ps' or 'evaluator'
    index: int              # type: ignore[assignment]    # hides tuple.index
    address: str | None = None

    @property
    def label(self) -> str:
        return self.kind if self.kind in ('chief', 'evaluator') else f'{self.kind} {self.index}'

    @property
    def trains(self) -> bool:
        return self.kind in ('chief', 'worker')


def plan(workers, ps, chief, evaluator) -> list[LaunchedTask]:
    """The tasks in the order of their starts: servers, then the chief, workers, evaluator.

    A chief is one of the `workers` that train. The addresses are free ports of this machine.
    """
    kinds = [('ps', i) for i in range(ps)] + [('chief', 0)] * chief + [
        ('worker', i) for i in range(workers - chief)]
    tasks = [LaunchedTask(*kind, f'127.0.0.1:{port}')
             for kind, port in zip(kinds, free_ports(len(kinds)))]
    return tasks + [LaunchedTask('evaluator', 0)] * evaluator


def cluster_of(tasks) -> dict[str, list[str]]:
    """{job: [address]}; an evaluator belongs to no cluster."""
    cluster: dict[str, list[str]] = {}
    for task in tasks:
        if task.address is not None:
            cluster.setdefault(task.kind, []).append(task.address)
    return cluster


def environment_of(task, tasks, outer) -> dict[str, str]:
    """What the environment of a task's process has in addition to that of the launcher, `outer`.

    Unless one of its variables is set, each process computes with one thread: several processes
    with as many threads as there are cores would get in each other's way.
    """
    config = {'cluster': cluster_of(tasks), 'task': {'type': task.kind, 'index': task.index}}
    return {'TF_CONFIG': json.dumps(config), 'PYTHONUNBUFFERED': '1', **one_thread(outer)}


def one_thread(outer) -> dict[str, str]:
    """The variables for one thread of linear algebra; {} if one of them is set in `outer`."""
    return {} if any(name in outer for name in _BLAS) else dict.fromkeys(_BLAS, '1')


def script_flags(source) -> list[str]:
    """The flags of distributed programs that the source of a program defines.

    Found are calls such as DEFINE_string('job_name', ...) and add_argument('--job_name', ...).
    """
    try:
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError):
        return []               # the program itself will show the error
    names = {name for call in calls for name in _flag_names(call)}
    return [name for name in _FLAGS if name in names]


def _flag_names(call):
    function = call.func.attr if isinstance(call.func, ast.Attribute) else \
        getattr(call.func, 'id', '')
    texts = [argument.value for argument in call.args
             if isinstance(argument, ast.Constant) and isinstance(argument.value, str)]
    if function.lower().startswith('define'):
        return texts[:1]
    if function == 'add_argument':
        return [text.removeprefix('--') for text in texts if text.startswith('--')]
    return []


def flags_of(task, tasks, names) -> list[str]:
    """--job_name=worker and so on, for the flags that the program defines."""
    cluster = cluster_of(tasks)
    return [f'--{name}={_FLAGS[name](task, cluster)}' for name in names]
